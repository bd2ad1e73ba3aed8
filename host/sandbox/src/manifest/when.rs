//! The condition of an event rule, as a manifest states it.

/// When a change raises an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Anything of the part changed.
    Changed,
    /// The value at the pointer changed, or something below it.
    Field(String),
    /// An item was added to the list at the pointer.
    Added(String),
    /// There is a hit at the pointer, and the reading before had none: also the very first reading may have one.
    FirstHit(String),
}

impl When {
    /// The JSON pointer of the value that it watches; empty for the whole part.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self {
            Self::Changed => "",
            Self::Field(pointer) | Self::Added(pointer) | Self::FirstHit(pointer) => pointer,
        }
    }

    /// Reads `changed`, `field:/pointer`, `added:/pointer`, `first-hit` or `first-hit:/pointer`. `None` for any
    /// other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (word, pointer) = text.split_once(':').unwrap_or((text, ""));
        let pointer = pointer.to_owned();
        if !(pointer.is_empty() || pointer.starts_with('/')) {
            return None;
        }
        match word {
            "changed" if !text.contains(':') => Some(Self::Changed),
            "field" if text.contains(':') => Some(Self::Field(pointer)),
            "added" if text.contains(':') => Some(Self::Added(pointer)),
            "first-hit" => Some(Self::FirstHit(pointer)),
            _ => None,
        }
    }
}
