//! Marks the sections of companies whose records an import has changed, so that they are read again.
//!
//! A delta marks them with each batch, in the store. Here are the changes of a published snapshot, and the waking of
//! watches.

use std::collections::BTreeSet;

use super::{ImportError, Importer};
use crate::connectors::Loaded;
use crate::connectors::manifest::{DatasetManifest, Target};
use crate::store::{ChangedRecord, StoreError};

/// Above this number of changed records, every section of the scopes is marked; looking up each company would take
/// longer.
const MAX_CHANGED_RECORDS: usize = 50_000;

/// Keys per page of changes. Each page scans the rest of both generations, so there should be few pages.
const KEYS_OF_A_PAGE: u32 = 10_000;

/// Watched companies that one statement wakes.
const WATCHES_OF_A_SLICE: usize = 1_000;

impl Importer {
    /// Marks the changes of a newly published generation, and records that this was done.
    pub(super) async fn mark_published(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        previous: Option<i64>,
        generation: i64,
    ) -> Result<u64, ImportError> {
        let datasets = self.context().store.datasets();
        let (connector, dataset) = (&loaded.manifest.id, &manifest.id);
        let state = datasets.state(connector, dataset).await?;
        let marked_before = state.and_then(|state| state.marked_generation);
        if marked_before == Some(generation) {
            // Another host has marked it meanwhile, or a delta has marked its changes batch by batch.
            return Ok(0);
        }
        let marked = if previous.is_none() || marked_before != previous {
            // There is nothing to compare with, or the changes before these were not marked.
            self.mark_all(loaded, manifest).await?
        } else {
            self.mark_differences(loaded, manifest, marked_before, generation)
                .await?
        };
        datasets.set_marked(connector, dataset, generation).await?;
        Ok(marked)
    }

    /// Marks changes that a crash between publishing and marking left unmarked. Both generations still exist.
    pub(super) async fn mark_unmarked(&self) -> Result<(), ImportError> {
        for (loaded, manifest) in self.switched_on() {
            let datasets = self.context().store.datasets();
            let state = datasets.state(&loaded.manifest.id, &manifest.id).await?;
            let Some(state) = state.filter(|_| manifest.target == Target::Records) else {
                continue;
            };
            if let Some(generation) = state.generation
                && state.marked_generation != Some(generation)
            {
                self.mark_published(&loaded, &manifest, state.previous_generation, generation)
                    .await?;
                self.companies().forget_all();
            }
        }
        Ok(())
    }

    async fn mark_differences(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        previous: Option<i64>,
        generation: i64,
    ) -> Result<u64, ImportError> {
        let Some(previous) = previous else {
            return Ok(self.mark_all(loaded, manifest).await?);
        };
        let datasets = self.context().store.datasets();
        let (mut after, mut seen): (Option<String>, usize) = (None, 0);
        let mut marked = BTreeSet::new();
        loop {
            let connector = &loaded.manifest.id;
            let changed = datasets
                .changed_keys(
                    connector,
                    &manifest.id,
                    Some(previous),
                    generation,
                    after.as_deref(),
                    KEYS_OF_A_PAGE,
                )
                .await?;
            let Some(last) = changed.last() else {
                return Ok(marked.len() as u64);
            };
            after = Some(last.key.clone());
            seen += changed.len();
            if seen > MAX_CHANGED_RECORDS {
                return Ok(marked.len() as u64 + self.mark_all(loaded, manifest).await?);
            }
            marked.extend(self.mark(loaded, manifest, &changed).await?);
            // A page with fewer records than its limit of keys is the last one: each key has at least one record.
            if u32::try_from(changed.len()).is_ok_and(|changed| changed < KEYS_OF_A_PAGE) {
                return Ok(marked.len() as u64);
            }
        }
    }

    /// Marks the sections of the companies of changed records as dirty and wakes their watches. Returns the companies
    /// that had a clean one, by IČO.
    async fn mark(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        changed: &[ChangedRecord],
    ) -> Result<BTreeSet<String>, StoreError> {
        let scopes = loaded.manifest.scopes_from(&manifest.id);
        if scopes.is_empty() || changed.is_empty() {
            return Ok(BTreeSet::new());
        }
        let icos = changed.iter().filter_map(|record| record.ico.clone());
        let mut icos: BTreeSet<String> = icos.collect();
        // Records without a number concern every company with the same folded name.
        let unnumbered = changed.iter().filter(|record| record.ico.is_none());
        let names: Vec<&str> = unnumbered
            .filter_map(|record| record.name_key.as_deref())
            .collect();
        let store = &self.context().store;
        if !names.is_empty() {
            icos.extend(store.companies().with_names(&names).await?);
        }
        let of_sections: Vec<&str> = icos.iter().map(String::as_str).collect();
        let marked = store.sections().mark_dirty(&scopes, &of_sections).await?;
        self.wake(&icos).await?;
        Ok(marked)
    }

    /// Makes those of these companies that are watched due for a refresh. Call it after their sections were marked, so
    /// that a refresh that starts at once sees the marks.
    pub(super) async fn wake(&self, icos: &BTreeSet<String>) -> Result<(), StoreError> {
        let store = &self.context().store;
        let icos: Vec<&str> = icos.iter().map(String::as_str).collect();
        for slice in icos.chunks(WATCHES_OF_A_SLICE) {
            if store.watches().wake(slice, self.now()).await? > 0 {
                store.signals().watches.notify_one();
            }
        }
        Ok(())
    }

    async fn mark_all(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
    ) -> Result<u64, StoreError> {
        let scopes = loaded.manifest.scopes_from(&manifest.id);
        if scopes.is_empty() {
            return Ok(0);
        }
        let store = &self.context().store;
        let marked = store.sections().mark_all_dirty(&scopes).await?;
        store.watches().wake_all(self.now()).await?;
        store.signals().watches.notify_one();
        Ok(marked)
    }
}
