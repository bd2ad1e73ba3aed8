//! The collections of one host: keeps the index of each at the published generation, and reads the items.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use time::OffsetDateTime;

use super::blocking::run_blocking;
use super::index::{FoundKeys, Index};
use super::item::{Company, Listed, shown, summary};
use super::offered::{Name, Offered};
use super::{CollectionError, Question, Unread};
use crate::config;
use crate::connectors::Connectors;
use crate::context::Context;
use crate::store::{ConnectorId, DatasetState};

/// Bytes of contents that one query reads.
pub(super) const BYTES_OF_A_PIECE: u64 = 4 << 20;

/// The collections of one host. Clones share all state.
#[derive(Clone)]
pub struct Collections(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) context: Context,
    pub(super) connectors: Arc<Connectors>,
    pub(super) settings: config::Collections,
    /// The newest index of each requested collection.
    built: Mutex<BTreeMap<Name, Arc<Built>>>,
    /// Held while an index is built: a host builds one at a time.
    pub(super) building: tokio::sync::Mutex<()>,
}

/// What an index is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) generation: i64,
    /// Digest of the component.
    pub(super) digest: String,
}

pub(super) struct Built {
    pub(super) version: Version,
    pub(super) at: OffsetDateTime,
    /// The index, or why this generation has none.
    pub(super) index: Result<Index, Refusal>,
}

/// Why a generation has no index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    /// The list is larger than the settings allow.
    TooLarge,
    /// No record is an item of the serving version.
    OtherForm,
}

impl From<Refusal> for CollectionError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooLarge => Self::TooLarge,
            Refusal::OtherForm => Self::OtherForm,
        }
    }
}

/// The state of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionState {
    pub connector: ConnectorId,
    pub collection: String,
    pub items: u64,
    /// Estimated memory of the index.
    pub bytes: u64,
    /// Time since it was built.
    pub age: time::Duration,
}

impl Collections {
    #[must_use]
    pub fn new(
        context: Context,
        connectors: Arc<Connectors>,
        settings: config::Collections,
    ) -> Self {
        Self(Arc::new(Inner {
            context,
            connectors,
            settings,
            built: Mutex::default(),
            building: tokio::sync::Mutex::new(()),
        }))
    }

    /// The states of the indexes of serving collections.
    #[must_use]
    pub fn states(&self) -> Vec<CollectionState> {
        let (catalogue, now) = (self.0.connectors.catalogue(), self.0.context.now());
        let built = self.built();
        let serving = built.iter().filter(|((connector, collection), _)| {
            catalogue.collection(connector, collection).is_some()
        });
        let states = serving.filter_map(|((connector, collection), built)| {
            let index = built.index.as_ref().ok()?;
            Some(CollectionState {
                connector: connector.clone(),
                collection: collection.clone(),
                items: index.items() as u64,
                bytes: index.bytes() as u64,
                age: now - built.at,
            })
        });
        states.collect()
    }

    pub(super) fn built(&self) -> std::sync::MutexGuard<'_, BTreeMap<Name, Arc<Built>>> {
        self.0.built.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An item by its id.
    ///
    /// # Errors
    /// [`CollectionError::NoSuchItem`] only if the list was read.
    pub async fn item(&self, offered: &Offered, id: &str) -> Result<Value, CollectionError> {
        self.published(offered).await?;
        // `PostgreSQL` takes no NUL, so no key has one.
        if id.contains('\0') {
            return Err(CollectionError::NoSuchItem);
        }
        let dataset = &offered.manifest().dataset;
        let records = self.0.context.store.records();
        let found = records.by_keys(offered.connector(), dataset, &[id]).await?;
        let record = found
            .into_iter()
            .next()
            .ok_or(CollectionError::NoSuchItem)?;
        offered.item(&record).ok_or(CollectionError::OtherForm)
    }

    /// A page of the items, or of those of a company.
    ///
    /// # Errors
    /// A [`CollectionError`].
    pub async fn list(
        &self,
        offered: &Offered,
        question: Question,
        company: Option<Company<'_>>,
    ) -> Result<Listed, CollectionError> {
        // The generation may be deleted between the index and the records; then the list is newer.
        for _ in 0..2 {
            let state = self.published(offered).await?;
            let built = self.index(offered, &state).await?;
            let listed = self
                .page(offered, &built, question.clone(), company)
                .await?;
            if let Some(mut listed) = listed {
                listed.unread.extend(self.unread(offered, company).await?);
                return Ok(listed);
            }
        }
        Err(CollectionError::Replaced)
    }

    /// The state of the list, which was read.
    async fn published(&self, offered: &Offered) -> Result<DatasetState, CollectionError> {
        let dataset = &offered.manifest().dataset;
        let state = self.state(offered, dataset).await?;
        match Unread::of_dataset(&offered.loaded, dataset, state.as_ref()) {
            Some(unread) => Err(CollectionError::Unread(unread)),
            None => state.ok_or(CollectionError::Replaced),
        }
    }

    pub(super) async fn state(
        &self,
        offered: &Offered,
        dataset: &str,
    ) -> Result<Option<DatasetState>, CollectionError> {
        let datasets = self.0.context.store.datasets();
        Ok(datasets.state(offered.connector(), dataset).await?)
    }

    /// Further datasets that were not read.
    async fn unread(
        &self,
        offered: &Offered,
        company: Option<Company<'_>>,
    ) -> Result<Vec<Unread>, CollectionError> {
        let mut sources: Vec<&String> = offered.manifest().sources.iter().collect();
        for source in company.iter().flat_map(|company| &company.listing.sources) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        let mut unread = Vec::new();
        for source in sources {
            let state = self.state(offered, source).await?;
            unread.extend(Unread::of_dataset(&offered.loaded, source, state.as_ref()));
        }
        Ok(unread)
    }

    /// A page of the generation that was indexed; `None` if it was deleted.
    async fn page(
        &self,
        offered: &Offered,
        built: &Arc<Built>,
        question: Question,
        company: Option<Company<'_>>,
    ) -> Result<Option<Listed>, CollectionError> {
        let manifest = offered.manifest();
        let ico = company.map(|company| company.ico.to_owned());
        let by_default = Question::by_default(manifest);
        let searched = Arc::clone(built);
        let (found, subject) = run_blocking(move || {
            let index = searched.index.as_ref().map_err(|refusal| *refusal)?;
            let subject = ico.and_then(|ico| {
                index
                    .of_company(&ico, &by_default.filters)
                    .map(str::to_owned)
            });
            Ok::<_, CollectionError>((index.find(&question), subject))
        })
        .await??;
        let unreadable = built.index.as_ref().map_or(0, Index::unreadable);
        let FoundKeys { keys, has_more } = found;
        let Some(items) = self.contents(offered, &built.version, keys).await? else {
            return Ok(None);
        };
        let own: Vec<String> = subject.into_iter().collect();
        let Some(subjects) = self.contents(offered, &built.version, own).await? else {
            return Ok(None);
        };
        let subject = subjects
            .first()
            .map(|item| Value::Object(summary(manifest, item)));
        let data = items.iter().map(|item| shown(manifest, company, item));
        Ok(Some(Listed {
            data: data.collect(),
            has_more,
            subject,
            unread: Unread::of_rows(&manifest.dataset, unreadable)
                .into_iter()
                .collect(),
        }))
    }

    /// The items with these keys, in this order; `None` if one is gone.
    async fn contents(
        &self,
        offered: &Offered,
        version: &Version,
        keys: Vec<String>,
    ) -> Result<Option<Vec<Value>>, CollectionError> {
        let mut found: HashMap<String, Value> = HashMap::new();
        while found.len() < keys.len() {
            let missing = keys.iter().filter(|key| !found.contains_key(*key));
            let missing: Vec<&str> = missing.map(String::as_str).collect();
            let records = self.0.context.store.records().within(BYTES_OF_A_PIECE);
            let dataset = &offered.manifest().dataset;
            let generation = version.generation;
            let read =
                records.of_generation_by_keys(offered.connector(), dataset, generation, &missing);
            let read = read.await?;
            if read.is_empty() {
                return Ok(None);
            }
            for record in read {
                let item = serde_json::from_str(&record.content);
                found.insert(
                    record.key,
                    item.map_err(|_invalid| CollectionError::OtherForm)?,
                );
            }
        }
        Ok(Some(
            keys.iter().filter_map(|key| found.remove(key)).collect(),
        ))
    }
}
