//! The parents of an entity: which there are, and where its record says they are described.

use crate::answer::Record;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The entity that consolidates this one.
    Direct,
    /// The entity at the top of the group.
    Ultimate,
}

impl Which {
    pub const ALL: [Self; 2] = [Self::Direct, Self::Ultimate];

    /// The name in paths and relationships of the service.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Direct => "direct-parent",
            Self::Ultimate => "ultimate-parent",
        }
    }

    /// The name in an exception.
    #[must_use]
    pub fn category(self) -> &'static str {
        match self {
            Self::Direct => "DIRECT_ACCOUNTING_CONSOLIDATION_PARENT",
            Self::Ultimate => "ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT",
        }
    }

    /// The name in `unread`.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Direct => "parent",
            Self::Ultimate => "ultimate_parent",
        }
    }
}

/// What a record reports about a parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    Nothing,
    /// The parent has a record.
    Record,
    /// There is a reason why the parent is not reported.
    Exception,
    /// The links are of no known kind.
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

/// The known data of a parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parent {
    pub lei: Option<String>,
    pub name: Option<String>,
    /// The reason why the parent is not reported.
    pub exception: Option<String>,
}
