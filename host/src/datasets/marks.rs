//! Which companies' sections are made again after an import: those whose records changed, and no others.

use super::{ImportError, Importer};
use crate::connectors::Loaded;
use crate::connectors::manifest::{DatasetManifest, Target};
use crate::store::{ChangedRecord, Record, StoreError};

/// More changed records than this and every section of the scopes is made again: asking each would take longer.
const MOST_CHANGED: usize = 50_000;

/// Keys that one look gives. Each look goes through what is left of both lists, so there should be few of them.
const PAGE: u32 = 10_000;

/// Watched companies woken by one statement.
const WATCHES_OF_A_SLICE: usize = 1_000;

impl Importer {
    /// Marks what a list that was just published changed, and notes that it was done.
    pub(super) async fn mark_published(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        previous: Option<i64>,
        generation: i64,
    ) -> Result<u64, ImportError> {
        let marked = if previous == Some(generation) {
            // A delta marked its changes batch by batch.
            0
        } else {
            self.mark_differences(loaded, manifest, previous, generation)
                .await?
        };
        let datasets = self.companies().store().datasets();
        datasets
            .set_marked(&loaded.manifest.id, &manifest.id, generation)
            .await?;
        Ok(marked)
    }

    /// Marks what a crash between publishing and marking left unmarked; both generations are still there.
    pub(super) async fn mark_unmarked(&self) -> Result<(), ImportError> {
        for (loaded, manifest) in self.switched_on() {
            let datasets = self.companies().store().datasets();
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

    /// Marks the companies of records that are about to be committed.
    pub(super) async fn mark_records(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        records: &[Record],
    ) -> Result<u64, StoreError> {
        let changed: Vec<ChangedRecord> = records
            .iter()
            .map(|record| ChangedRecord {
                key: record.key.clone(),
                ico: record.ico.clone(),
                name_key: record.name_key.clone(),
            })
            .collect();
        self.mark(loaded, manifest, &changed).await
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
        let datasets = self.companies().store().datasets();
        let (mut after, mut marked, mut seen): (Option<String>, u64, usize) = (None, 0, 0);
        loop {
            let connector = &loaded.manifest.id;
            let changed = datasets
                .changed_keys(
                    connector,
                    &manifest.id,
                    Some(previous),
                    generation,
                    after.as_deref(),
                    PAGE,
                )
                .await?;
            let Some(last) = changed.last() else {
                return Ok(marked);
            };
            after = Some(last.key.clone());
            seen += changed.len();
            if seen > MOST_CHANGED {
                return Ok(marked + self.mark_all(loaded, manifest).await?);
            }
            marked += self.mark(loaded, manifest, &changed).await?;
            // Each key gives one record at least.
            if u32::try_from(changed.len()).is_ok_and(|changed| changed < PAGE) {
                return Ok(marked);
            }
        }
    }

    pub(super) async fn mark(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        changed: &[ChangedRecord],
    ) -> Result<u64, StoreError> {
        let scopes = scopes_of(loaded, manifest);
        if scopes.is_empty() || changed.is_empty() {
            return Ok(0);
        }
        let mut icos: Vec<String> = changed
            .iter()
            .filter_map(|record| record.ico.clone())
            .collect();
        // Records without a number concern whoever has their name.
        for key in changed
            .iter()
            .filter(|record| record.ico.is_none())
            .filter_map(|record| record.name_key.as_deref())
        {
            let named = self
                .companies()
                .store()
                .companies()
                .candidates(key, None, None, 50)
                .await?;
            icos.extend(
                named
                    .into_iter()
                    .filter(|company| company.name_key == key)
                    .map(|company| company.ico),
            );
        }
        icos.sort();
        icos.dedup();
        let icos: Vec<&str> = icos.iter().map(String::as_str).collect();
        let store = self.companies().store();
        let marked = store.sections().mark_dirty(&scopes, &icos).await?;
        // After the marks: whoever looks at once sees them.
        for slice in icos.chunks(WATCHES_OF_A_SLICE) {
            if store.watches().wake(slice, self.now()).await? > 0 {
                store.signals().watches.notify_one();
            }
        }
        Ok(marked)
    }

    async fn mark_all(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
    ) -> Result<u64, StoreError> {
        let scopes = scopes_of(loaded, manifest);
        if scopes.is_empty() {
            return Ok(0);
        }
        let store = self.companies().store();
        let marked = store.sections().mark_all_dirty(&scopes).await?;
        store.watches().wake_all(self.now()).await?;
        store.signals().watches.notify_one();
        Ok(marked)
    }
}

fn scopes_of<'a>(loaded: &'a Loaded, manifest: &DatasetManifest) -> Vec<&'a str> {
    let scopes = loaded
        .manifest
        .scopes
        .iter()
        .filter(|scope| scope.datasets.contains(&manifest.id));
    scopes.map(|scope| scope.scope.as_str()).collect()
}
