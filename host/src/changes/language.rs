//! The languages in which people read what changed.

/// A language of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Slovak,
    English,
}

impl Language {
    /// Every language, the default first.
    pub const ALL: [Self; 2] = [Self::Slovak, Self::English];

    /// Its code (ISO 639-1), as it is stored and sent.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Slovak => "sk",
            Self::English => "en",
        }
    }

    /// The language of a code. None: there is no such language here.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| language.code() == code)
    }

    /// The Slovak or the English one of two texts.
    #[must_use]
    pub fn pick<T>(self, slovak: T, english: T) -> T {
        match self {
            Self::Slovak => slovak,
            Self::English => english,
        }
    }
}
