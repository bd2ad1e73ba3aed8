//! A part of a profile, as a unit of fetching.

use std::sync::Arc;

use crate::connectors::Loaded;
use crate::store::ScopeName;

/// A part of a company's profile that can be fetched separately.
#[derive(Clone)]
pub(super) enum Part {
    Base,
    Details(Arc<Loaded>),
    Section {
        loaded: Arc<Loaded>,
        scope: ScopeName,
        /// The stored content.
        previous: Option<String>,
    },
}

impl Part {
    /// Whether the part is made from the details too, so that these are fetched first.
    pub(super) fn extends_details(&self) -> bool {
        match self {
            Self::Base | Self::Details(_) => false,
            Self::Section { loaded, scope, .. } => loaded
                .manifest
                .scope(scope.as_str())
                .is_some_and(|scope| scope.extends_details),
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Base => "base".to_owned(),
            Self::Details(loaded) => format!("details:{}", loaded.manifest.id),
            Self::Section { scope, .. } => format!("scope:{scope}"),
        }
    }
}
