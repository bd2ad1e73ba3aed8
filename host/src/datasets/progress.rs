//! The progress and the result of an import run.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::{ConnectorId, Differences, Run};

/// Progress of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Records or companies read so far.
    pub records: u64,
    /// Progress in thousandths, if the connector reports it.
    pub thousandths: Option<u16>,
}

/// Result of a run.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Imported {
    pub connector: ConnectorId,
    pub dataset: String,
    /// Records or companies read.
    pub records: u64,
    /// New records or companies. For deltas and companies, a resumed run counts only what it added since it was
    /// resumed.
    pub added: u64,
    /// Changed records or companies.
    pub changed: u64,
    pub removed: u64,
    /// Rows that were skipped as unusable.
    pub skipped: u64,
    /// The date that the list itself states.
    pub list_date: Option<String>,
    /// Companies with a section that the run marked for a refresh; each counts once.
    pub companies_affected: u64,
    /// The companies that the run's batches have marked so far, by IČO.
    #[serde(skip)]
    pub(super) marked: BTreeSet<String>,
    /// Counters of the connector, by name.
    pub notes: BTreeMap<String, u64>,
}

impl Imported {
    /// Counters of a run that has read nothing yet.
    pub(super) fn begun(connector: &ConnectorId, dataset: &str) -> Self {
        Self {
            connector: connector.clone(),
            dataset: dataset.to_owned(),
            records: 0,
            added: 0,
            changed: 0,
            removed: 0,
            skipped: 0,
            list_date: None,
            companies_affected: 0,
            marked: BTreeSet::new(),
            notes: BTreeMap::new(),
        }
    }

    /// Counters of a run at the time it is claimed.
    pub(super) fn resumed(run: &Run) -> Self {
        let notes = run.notes.as_deref();
        Self {
            records: u64::try_from(run.records).unwrap_or_default(),
            skipped: u64::try_from(run.skipped).unwrap_or_default(),
            list_date: run.list_date.clone(),
            notes: notes
                .and_then(|notes| serde_json::from_str(notes).ok())
                .unwrap_or_default(),
            ..Self::begun(&run.connector, &run.dataset)
        }
    }

    pub(super) fn count(&mut self, differences: Differences) {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        self.added += count(differences.added);
        self.changed += count(differences.changed);
        self.removed += count(differences.removed);
    }

    /// What the run changed, as it is stored with the run.
    pub(super) fn differences(&self) -> Differences {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Differences {
            added: count(self.added),
            changed: count(self.changed),
            removed: count(self.removed),
        }
    }

    /// Counts the companies that a batch marked. A section that was read again between two batches is marked again, but
    /// its company counts once.
    pub(super) fn count_affected(&mut self, marked: BTreeSet<String>) {
        self.marked.extend(marked);
        self.companies_affected = self.marked.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::connector_id;

    #[test]
    fn company_marked_by_two_batches_counts_once() {
        let mut imported = Imported::begun(&connector_id("tests"), "list");
        for batch in [vec!["10000001", "10000002"], vec!["10000002"], Vec::new()] {
            imported.count_affected(batch.into_iter().map(str::to_owned).collect());
        }
        assert_eq!(imported.companies_affected, 2);
        let shown = serde_json::to_value(&imported).expect("it is JSON");
        assert!(shown.get("marked").is_none(), "{shown}");
    }
}
