//! The batches of one run: each is read from the connector and committed together with its cursor. The complete list
//! is checked for plausibility before it is published.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Importer;
use crate::companies::{Ico, base_company};
use crate::connectors::Loaded;
use crate::connectors::bindings::importer::exports::lustra::connector::importer::{Batch, Item};
use crate::connectors::cache::hex;
use crate::connectors::calls::ReadAhead;
use crate::connectors::manifest::{DatasetManifest, Target};
use crate::datasets::bounds::Bounds;
use crate::datasets::error::ImportError;
use crate::datasets::guard;
use crate::datasets::progress::{Imported, Progress};
use crate::store::{Checkpoint, CompareCompanies, DatasetKind, Record, Run};
use crate::{changes, names};

/// Distinct names of notes per run; further names are counted as `other`.
const MAX_NOTES: usize = 100;

impl Importer {
    /// The connector version that has replaced this one, if it has the dataset with the same kind and target.
    fn newer(&self, loaded: &Arc<Loaded>, manifest: &DatasetManifest) -> Option<Arc<Loaded>> {
        let catalogue = self.companies.connectors().catalogue();
        let serving = catalogue.serving(&loaded.manifest.id)?;
        let same = serving
            .manifest
            .dataset(&manifest.id)
            .is_some_and(|dataset| {
                dataset.kind == manifest.kind && dataset.target == manifest.target
            });
        (same && !Arc::ptr_eq(serving, loaded)).then(|| Arc::clone(serving))
    }

    pub(super) async fn run_batches(
        &self,
        loaded: &Arc<Loaded>,
        manifest: &DatasetManifest,
        run: &Run,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, ImportError> {
        let services = &self.companies.connectors().services;
        let datasets = self.context.store.datasets();
        let mut bounds = Bounds::begin(&loaded.import_limits);
        let open = loaded
            .open_import(services, &manifest.id, run.cursor.as_deref())
            .await?;
        let mut batches = ReadAhead::start(open);
        let mut imported = Imported::resumed(run);
        let mut last_cursor = run.cursor.clone();
        let mut loaded = Arc::clone(loaded);
        loop {
            if let Some(newer) = self.newer(&loaded, manifest) {
                tracing::info!(connector.id = %newer.manifest.id, dataset = %manifest.id, "continuing the import with connector version {}", newer.manifest.version);
                // The batch that the former version reads ahead is not committed: the new one reads it again.
                drop(batches);
                let open = newer
                    .open_import(services, &manifest.id, last_cursor.as_deref())
                    .await?;
                batches = ReadAhead::start(open);
                loaded = newer;
            }
            let Some(batch) = batches.next().await? else {
                break;
            };
            bounds.batch(batch.items.len() + batch.companies.len())?;
            last_cursor = Some(batch.cursor.clone());
            let thousandths = batch.progress;
            self.commit(&loaded, manifest, run, batch, &mut imported)
                .await?;
            progress(Progress {
                records: imported.records,
                thousandths,
            });
        }
        self.guard(&loaded, manifest, run, &imported).await?;
        let next = self.next_run(&loaded, manifest);
        let published = match run.kind {
            DatasetKind::Snapshot => datasets.publish(run, self.now(), next).await?,
            DatasetKind::Delta => {
                datasets
                    .finish_delta(run, last_cursor.as_deref(), self.now(), next)
                    .await?
            }
        };
        if manifest.target == Target::Records {
            if run.kind == DatasetKind::Snapshot {
                // Another host may be refreshing them; then its statistics serve as well.
                if let Err(error) = datasets.refresh_statistics().await {
                    tracing::warn!(%error, dataset = %manifest.id, "refreshing the database's statistics failed; comparing the list with the former one may be slow");
                }
                let (before, now) = (published.previous, published.generation);
                let differences = datasets.differences(&run.connector, &run.dataset, before, now);
                imported.count(differences.await?);
            }
            imported.companies_affected += self
                .mark_published(&loaded, manifest, published.previous, published.generation)
                .await?;
        }
        datasets
            .set_differences(run, imported.differences())
            .await?;
        self.companies.forget_all();
        while datasets.sweep(1_000).await? > 0 {
            tokio::task::yield_now().await;
        }
        Ok(imported)
    }

    /// Commits a batch together with its cursor.
    async fn commit(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        run: &Run,
        batch: Batch,
        imported: &mut Imported,
    ) -> Result<(), ImportError> {
        let datasets = self.context.store.datasets();
        let checkpoint = checkpoint(&batch, imported);
        imported.records += match manifest.target {
            Target::Companies => batch.companies.len(),
            Target::Records => batch.items.len() + batch.companies.len(),
        } as u64;
        let now = self.now();
        let records: Vec<Record> = batch.items.into_iter().map(record).collect();
        let scopes = loaded.manifest.scopes_from(&manifest.id);
        match manifest.target {
            Target::Records => {
                let committed = datasets
                    .commit_batch_and_mark(run, &records, &checkpoint, &scopes, now)
                    .await?;
                imported.count(committed.differences);
                imported.count_affected(committed.marked);
                self.wake(&committed.companies).await?;
            }
            Target::Companies => {
                if !records.is_empty() {
                    let written = datasets.write_companions(run, &records, &scopes, now);
                    let committed = written.await?;
                    imported.count_affected(committed.marked);
                    self.wake(&committed.companies).await?;
                }
                if batch.companies.is_empty() {
                    datasets.commit_cursor(run, &checkpoint, now).await?;
                    return Ok(());
                }
                let companies = batch.companies.into_iter();
                let companies: Vec<_> = companies
                    .map(|company| base_company(company, loaded))
                    .collect();
                let compare: CompareCompanies<'_> =
                    &|old, new, revision| changes::company(old, new, revision, now);
                let upserted = datasets
                    .commit_companies_compared(run, &companies, &checkpoint, compare, now)
                    .await?;
                imported.added += upserted.inserted;
                imported.changed += upserted.changed;
            }
        }
        Ok(())
    }

    /// Checks the plausibility of the imported list before it is published.
    async fn guard(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        run: &Run,
        imported: &Imported,
    ) -> Result<(), ImportError> {
        let store = self.context.store.datasets();
        let before = store.published_count(&run.connector, &run.dataset).await?;
        let refusal = match run.kind {
            DatasetKind::Snapshot => {
                let count = store.run_count(run).await?;
                Self::snapshot_refusal(loaded, manifest, before, count)
            }
            DatasetKind::Delta => {
                let is_first = run.published.is_none() && before == 0;
                guard::delta_refusal(is_first, imported.records)
            }
        };
        refusal.map_or(Ok(()), |why| Err(ImportError::Guard(why)))
    }

    /// Why a snapshot with `count` records must not replace one with `before` records.
    pub(super) fn snapshot_refusal(
        loaded: &Loaded,
        manifest: &DatasetManifest,
        before: i64,
        count: i64,
    ) -> Option<String> {
        let (connector, dataset) = (&loaded.manifest.id, &manifest.id);
        let snapshot = guard::Snapshot {
            before,
            count,
            may_be_empty: manifest.may_be_empty,
            most_percent: Self::max_shrink(loaded, manifest),
            table: &format!("connector.{connector}.datasets.{dataset}"),
        };
        snapshot.refusal()
    }

    fn max_shrink(loaded: &Loaded, manifest: &DatasetManifest) -> f64 {
        let configured = loaded.config.datasets.get(&manifest.id);
        configured
            .and_then(|dataset| dataset.max_shrink_percent)
            .unwrap_or(manifest.max_shrink_percent)
    }
}

pub(super) fn checkpoint(batch: &Batch, imported: &mut Imported) -> Checkpoint {
    let mut skipped = 0_u64;
    for note in &batch.notes {
        let count: u64 = note.value.parse().unwrap_or(1);
        skipped = skipped.saturating_add(count);
        // A run may have millions of batches; bound the number of names.
        let known = imported.notes.len() < MAX_NOTES || imported.notes.contains_key(&note.name);
        let name = if known { note.name.as_str() } else { "other" };
        let counted = imported.notes.entry(name.to_owned()).or_default();
        *counted = counted.saturating_add(count);
    }
    imported.skipped = imported.skipped.saturating_add(skipped);
    if batch.list_date.is_some() {
        imported.list_date.clone_from(&batch.list_date);
    }
    Checkpoint {
        cursor: Some(batch.cursor.clone()),
        list_date: batch.list_date.clone(),
        skipped: u32::try_from(skipped).unwrap_or(u32::MAX),
        notes: serde_json::to_string(&imported.notes).ok(),
        progress: batch.progress,
    }
}

pub(super) fn record(mut item: Item) -> Record {
    // `PostgreSQL` does not store NUL, and no register uses it.
    let texts = [&mut item.key, &mut item.content].into_iter();
    let optional = [&mut item.name, &mut item.city, &mut item.postal_code];
    for text in texts.chain(optional.into_iter().flatten()) {
        text.retain(|c| c != '\0');
    }
    let mut digest = Sha256::new();
    for text in [
        Some(&item.content),
        item.ico.as_ref(),
        item.name.as_ref(),
        item.city.as_ref(),
        item.postal_code.as_ref(),
    ] {
        digest.update(text.map_or(0, |text| text.len() as u64 + 1).to_le_bytes());
        digest.update(text.map(String::as_bytes).unwrap_or_default());
    }
    Record {
        content_hash: hex(&digest.finalize()[..16]),
        name_key: item.name.as_deref().map(names::name_key),
        // Only a complete number identifies a company.
        ico: item.ico.filter(|ico| Ico::parse(ico).is_ok()),
        key: item.key,
        name: item.name,
        city: item.city,
        postal_code: item.postal_code,
        content: item.content,
        removed: item.removed,
    }
}
