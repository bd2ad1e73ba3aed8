//! A collection whose items are given, such as that of the sandbox.

use std::collections::BTreeMap;

use serde_json::Value;

use super::CollectionError;
use super::index::{Index, IndexBuilder};
use super::item::{Company, Listed, shown, summary};
use super::question::Question;
use crate::connectors::manifest::CollectionManifest;

/// A collection in memory.
#[derive(Debug)]
pub struct FixedCollection {
    pub manifest: CollectionManifest,
    items: BTreeMap<String, Value>,
    index: Index,
}

impl FixedCollection {
    /// A collection of these items, each with the number of its company.
    ///
    /// # Errors
    /// Never: the size is not bounded.
    pub fn new(
        manifest: CollectionManifest,
        given: impl IntoIterator<Item = (Option<String>, Value)>,
    ) -> Result<Self, CollectionError> {
        let mut builder = IndexBuilder::new(&manifest, usize::MAX);
        let mut items = BTreeMap::new();
        for (ico, item) in given {
            let key = item.get(&manifest.id).and_then(Value::as_str);
            let key = key.unwrap_or_default().to_owned();
            builder.add(&key, ico.as_deref(), &item)?;
            items.insert(key, item);
        }
        Ok(Self {
            index: builder.finish(),
            manifest,
            items,
        })
    }

    pub fn items(&self) -> impl Iterator<Item = &Value> {
        self.items.values()
    }

    #[must_use]
    pub fn item(&self, id: &str) -> Option<&Value> {
        self.items.get(id)
    }

    /// A page of the items, or of those of a company.
    #[must_use]
    pub fn list(&self, question: &Question, company: Option<Company<'_>>) -> Listed {
        let found = self.index.find(question);
        let items = found.keys.iter().filter_map(|key| self.items.get(key));
        let subject = company.and_then(|company| {
            let by_default = Question::by_default(&self.manifest);
            let key = self.index.of_company(company.ico, &by_default.filters)?;
            Some(Value::Object(summary(&self.manifest, self.items.get(key)?)))
        });
        Listed {
            data: items
                .map(|item| shown(&self.manifest, company, item))
                .collect(),
            has_more: found.has_more,
            subject,
            unread: Vec::new(),
        }
    }
}
