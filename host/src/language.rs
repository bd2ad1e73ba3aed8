//! Languages of e-mails and of the texts about changes.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    #[default]
    Slovak,
    English,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::Slovak, Self::English];

    /// ISO 639-1 code, as stored and sent.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Slovak => "sk",
            Self::English => "en",
        }
    }

    /// The language with a code. `None` if it is not supported.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| language.code() == code)
    }

    /// Picks the text of this language.
    #[must_use]
    pub fn pick<T>(self, slovak: T, english: T) -> T {
        match self {
            Self::Slovak => slovak,
            Self::English => english,
        }
    }
}
