//! A part of a profile, as a unit of fetching.

use std::sync::Arc;

use crate::connectors::Loaded;
use crate::store::{ScopeName, StoredSection};

/// A part of a company's profile that can be fetched separately.
#[derive(Clone)]
pub(super) enum Part {
    Base,
    Details(Arc<Loaded>),
    Section {
        loaded: Arc<Loaded>,
        scope: ScopeName,
        previous: Option<Box<StoredSection>>,
    },
}

impl Part {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Base => "base".to_owned(),
            Self::Details(loaded) => format!("details:{}", loaded.manifest.id),
            Self::Section { scope, .. } => format!("scope:{scope}"),
        }
    }
}
