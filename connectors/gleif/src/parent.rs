//! The parents of an entity: which there are, and what its record says of where they stand.

use crate::answer::Record;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Who consolidates the entity.
    Direct,
    /// Who stands at the top.
    Ultimate,
}

impl Which {
    pub const ALL: [Self; 2] = [Self::Direct, Self::Ultimate];

    /// As the service names it in paths and relationships.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Direct => "direct-parent",
            Self::Ultimate => "ultimate-parent",
        }
    }

    /// As an exception names it.
    #[must_use]
    pub fn category(self) -> &'static str {
        match self {
            Self::Direct => "DIRECT_ACCOUNTING_CONSOLIDATION_PARENT",
            Self::Ultimate => "ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT",
        }
    }

    /// As `unread` names it.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Direct => "parent",
            Self::Ultimate => "ultimate_parent",
        }
    }
}

/// What is reported of a parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    Nothing,
    /// A record of its own.
    Record,
    /// A reason why the parent is not reported.
    Exception,
    /// Links of no known kind.
    Unknown,
}

/// How a record reports a parent.
#[must_use]
pub fn reported(record: &Record, which: Which) -> Reported {
    let Some(relationship) = record.relationships.get(which.path()) else {
        return Reported::Nothing;
    };
    let has = |link: &str| {
        let link = relationship.links.get(link);
        link.is_some_and(|link| !link.is_null())
    };
    if has("lei-record") {
        Reported::Record
    } else if has("reporting-exception") {
        Reported::Exception
    } else if relationship.links.is_empty() {
        Reported::Nothing
    } else {
        Reported::Unknown
    }
}

/// A parent as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parent {
    pub lei: Option<String>,
    pub name: Option<String>,
    /// Why it is not reported.
    pub exception: Option<String>,
}
