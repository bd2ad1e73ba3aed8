//! Builds the index of a generation, one at a time on each host.

use std::sync::Arc;

use super::CollectionError;
use super::blocking::run_blocking;
use super::follow::{BYTES_OF_A_PIECE, Built, Collections, Refusal, Version};
use super::index::{Index, IndexBuilder};
use super::offered::Offered;
use crate::store::{DatasetState, StoredRecord};

/// Records that one query reads.
const RECORDS_OF_A_PIECE: u32 = 500;

impl Collections {
    /// The index of the published generation, which is built if necessary.
    pub(super) async fn index(
        &self,
        offered: &Offered,
        state: &DatasetState,
    ) -> Result<Arc<Built>, CollectionError> {
        let version = Version {
            generation: state.generation.ok_or(CollectionError::Replaced)?,
            digest: offered.loaded.digest.clone(),
        };
        if let Some(built) = self.current(offered, &version) {
            return Ok(built);
        }
        // A task of its own: a client that leaves does not waste what was built so far.
        let (this, offered, records) = (self.clone(), offered.clone(), state.records);
        let building = tokio::spawn(async move {
            let _one_at_a_time = this.0.building.lock().await;
            match this.current(&offered, &version) {
                Some(built) => Ok(built),
                None => this.build(&offered, version, records).await,
            }
        });
        let built = building.await;
        built.map_err(|error| CollectionError::Stopped(error.to_string()))?
    }

    fn current(&self, offered: &Offered, version: &Version) -> Option<Arc<Built>> {
        let built = self.built().get(&offered.name()).cloned();
        built.filter(|built| built.version == *version)
    }

    async fn build(
        &self,
        offered: &Offered,
        version: Version,
        records: i64,
    ) -> Result<Arc<Built>, CollectionError> {
        let (connector, collection) = offered.name();
        let most = self.0.settings.max_items;
        let built = if u64::try_from(records).unwrap_or_default() > most {
            Err(CollectionError::TooLarge)
        } else {
            self.read(offered, &version).await
        };
        let index = match built {
            Ok(index) => {
                let (items, unreadable) = (index.items(), index.unreadable());
                tracing::info!(connector.id = %connector, collection, items, unreadable, "indexed a collection");
                Ok(index)
            }
            Err(CollectionError::OtherForm) => {
                tracing::warn!(
                    connector.id = %connector, collection, records,
                    "the collection is not offered until its list is imported again: no record fits its schema"
                );
                Err(Refusal::OtherForm)
            }
            Err(CollectionError::TooLarge) => {
                let most_mib = self.0.settings.max_mib;
                tracing::error!(
                    connector.id = %connector, collection, records,
                    "the collection is not offered: it has more than collections.max_items ({most}) records \
                     or its index more than collections.max_mib ({most_mib})"
                );
                Err(Refusal::TooLarge)
            }
            Err(error) => return Err(error),
        };
        let built = Arc::new(Built {
            version,
            at: self.0.context.now(),
            index,
        });
        let catalogue = self.0.connectors.catalogue();
        let mut all = self.built();
        all.retain(|(connector, collection), _| {
            catalogue.collection(connector, collection).is_some()
        });
        all.insert((connector, collection), Arc::clone(&built));
        Ok(built)
    }

    /// Reads the whole generation piece by piece.
    async fn read(&self, offered: &Offered, version: &Version) -> Result<Index, CollectionError> {
        let most_bytes = self.0.settings.max_mib << 20;
        let mut builder = IndexBuilder::new(offered.manifest(), most_bytes);
        let (connector, dataset) = (offered.connector(), &offered.manifest().dataset);
        let mut after = String::new();
        loop {
            let records = self.0.context.store.records().within(BYTES_OF_A_PIECE);
            let (generation, limit) = (version.generation, RECORDS_OF_A_PIECE);
            let piece = records.of_generation(connector, dataset, generation, &after, limit);
            let piece = piece.await?;
            let Some(last) = piece.last() else {
                break;
            };
            after.clone_from(&last.key);
            let offered = offered.clone();
            builder = run_blocking(move || add(builder, &offered, &piece)).await??;
        }
        // Records of the published generation and of the one before are never deleted.
        let state = self.state(offered, dataset).await?;
        let kept = state.map(|state| [state.generation, state.previous_generation]);
        if !kept.is_some_and(|kept| kept.contains(&Some(version.generation))) {
            return Err(CollectionError::Replaced);
        }
        let index = run_blocking(move || builder.finish()).await?;
        if index.items() == 0 && index.unreadable() > 0 {
            return Err(CollectionError::OtherForm);
        }
        Ok(index)
    }
}

fn add(
    mut builder: IndexBuilder,
    offered: &Offered,
    piece: &[StoredRecord],
) -> Result<IndexBuilder, CollectionError> {
    for record in piece {
        match offered.item(record) {
            Some(item) => builder.add(&record.key, record.ico.as_deref(), &item)?,
            None => builder.add_unreadable(),
        }
    }
    Ok(builder)
}
