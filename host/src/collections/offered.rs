//! A collection that a serving connector offers.

use std::sync::Arc;

use serde_json::Value;

use crate::connectors::Loaded;
use crate::connectors::manifest::{CollectionManifest, is_unreadable_row};
use crate::store::{ConnectorId, StoredRecord};

/// A connector and the name of one of its collections.
pub(super) type Name = (ConnectorId, String);

/// A collection of a serving connector.
#[derive(Clone)]
pub struct Offered {
    pub(super) loaded: Arc<Loaded>,
    /// Its place among the connector's collections.
    place: usize,
}

impl Offered {
    /// The collection of a connector; `None` if its manifest has no such place.
    #[must_use]
    pub fn new(loaded: &Arc<Loaded>, collection: &str) -> Option<Self> {
        let mut all = loaded.manifest.collections.iter();
        let place = all.position(|known| known.collection == collection)?;
        Some(Self {
            loaded: Arc::clone(loaded),
            place,
        })
    }

    #[must_use]
    pub fn manifest(&self) -> &CollectionManifest {
        &self.loaded.manifest.collections[self.place]
    }

    #[must_use]
    pub fn connector(&self) -> &ConnectorId {
        &self.loaded.manifest.id
    }

    pub(super) fn name(&self) -> Name {
        (self.connector().clone(), self.manifest().collection.clone())
    }

    /// Whether a record is an item.
    fn is_item(&self, key: &str, content: &Value) -> bool {
        let manifest = self.manifest();
        let schema = self
            .loaded
            .manifest
            .schemas
            .collections
            .get(&manifest.collection);
        !is_unreadable_row(content)
            && schema.is_none_or(|schema| schema.is_valid(content))
            && manifest.mismatch(key, content).is_none()
    }

    /// The item that a record contains, if it is one.
    pub(super) fn item(&self, record: &StoredRecord) -> Option<Value> {
        let content = serde_json::from_str(&record.content).ok()?;
        self.is_item(&record.key, &content).then_some(content)
    }
}
