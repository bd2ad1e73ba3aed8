//! Counts facts that two registers state differently, for `/metrics`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::ConnectorId;

/// How often a connector and the base register disagreed about a fact. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct Contradictions(Arc<Mutex<BTreeMap<(ConnectorId, &'static str), u64>>>);

impl Contradictions {
    pub(super) fn add(&self, connector: &ConnectorId, fact: &'static str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry((connector.clone(), fact)).or_default() += 1;
    }

    /// Counts so far: connector, fact, number.
    #[must_use]
    pub fn counts(&self) -> Vec<(ConnectorId, &'static str, u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts
            .iter()
            .map(|((connector, fact), count)| (connector.clone(), *fact, *count))
            .collect()
    }
}
