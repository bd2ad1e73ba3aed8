//! What a listing asks for, in the form in which the index stores values.

use crate::connectors::manifest::{CollectionManifest, Condition, FilterKind, text_of};
use crate::names;

/// What one filter must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// The filter requires nothing.
    Anything,
    /// Each of these begins a value.
    Words(Vec<String>),
    /// A value equals this one.
    Equal(String),
    /// A value differs from this one.
    Not(String),
}

impl Sought {
    /// A parameter's value. The caller has checked its form.
    #[must_use]
    pub fn of(kind: FilterKind, value: &str) -> Self {
        match kind {
            FilterKind::Words => Self::Words(normal(kind, value)),
            FilterKind::Label
            | FilterKind::Ico
            | FilterKind::Id
            | FilterKind::Code
            | FilterKind::Boolean
            | FilterKind::Choice => {
                let normal = normal(kind, value).into_iter().next();
                Self::Equal(normal.unwrap_or_default())
            }
        }
    }

    /// The condition of a choice.
    #[must_use]
    pub fn of_choice(kind: FilterKind, condition: &Condition) -> Self {
        let text = |value: &Option<serde_json::Value>| {
            let text = value.as_ref().and_then(text_of)?;
            normal(kind, &text).into_iter().next()
        };
        match (text(&condition.is), text(&condition.not)) {
            (Some(value), _) => Self::Equal(value),
            (None, Some(value)) => Self::Not(value),
            (None, None) => Self::Anything,
        }
    }
}

/// A value as the index stores it; several for words.
pub(super) fn normal(kind: FilterKind, value: &str) -> Vec<String> {
    match kind {
        FilterKind::Words => {
            let folded = names::fold(value);
            let mut words: Vec<String> = folded.split(' ').map(str::to_owned).collect();
            words.retain(|word| !word.is_empty());
            words
        }
        FilterKind::Label => vec![names::fold(value)],
        FilterKind::Code => vec![value.to_ascii_lowercase()],
        FilterKind::Ico | FilterKind::Id | FilterKind::Boolean | FilterKind::Choice => {
            vec![value.to_owned()]
        }
    }
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is sought, by the position of the filter in the manifest.
    pub filters: Vec<(usize, Sought)>,
    pub limit: u64,
    pub offset: u64,
}

impl Question {
    /// The first items that a request without parameters lists.
    #[must_use]
    pub fn by_default(collection: &CollectionManifest) -> Self {
        let filters = collection.filters.iter().enumerate();
        let filters = filters.filter_map(|(place, filter)| {
            let condition = filter.choices.get(filter.default.as_ref()?)?;
            Some((place, Sought::of_choice(filter.kind, condition)))
        });
        Self {
            filters: filters.collect(),
            limit: 1,
            offset: 0,
        }
    }
}
