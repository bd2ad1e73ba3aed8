//! The condition of an event rule, as a manifest states it.

/// Condition under which a change raises an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Any change of the section or details.
    Changed,
    /// A change of the value at the pointer or below it.
    Field(String),
    /// A new item in the list at the pointer.
    Added(String),
    /// A hit at the pointer that the previous reading did not have; a first reading counts too.
    FirstHit(String),
}

impl When {
    /// JSON pointer of the watched value; empty for the whole part.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self {
            Self::Changed => "",
            Self::Field(pointer) | Self::Added(pointer) | Self::FirstHit(pointer) => pointer,
        }
    }

    /// Parses `changed`, `field:/pointer`, `added:/pointer`, `first-hit` or `first-hit:/pointer`. `None` for any other
    /// text.
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
