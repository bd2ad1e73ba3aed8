//! Checks the contents of records, and whether they are items of the collections of their dataset.

use serde_json::Value;

use crate::bindings::importer::exports::lustra::connector::importer::Item;
use crate::call_failure::CallFailure;
use crate::component::Loaded;
use crate::manifest::is_unreadable_row;
use crate::strict_json::{self, NotAccepted};

impl Loaded {
    /// Checks a record's content and replaces it by the checked one. Builds its value only for a collection.
    ///
    /// # Errors
    /// [`CallFailure::Schema`].
    pub(super) fn check_content(&self, dataset: &str, item: &mut Item) -> Result<(), CallFailure> {
        let mut collections = self.manifest.collections.iter();
        let is_collected = collections.any(|collection| collection.dataset == dataset);
        item.content = if is_collected && !item.removed {
            let content = strict_json::parse(&item.content).map_err(|error| of_record(&error))?;
            self.check_item(dataset, &item.key, &content)?;
            content.to_string()
        } else {
            strict_json::canonical(&item.content).map_err(|error| of_record(&error))?
        };
        Ok(())
    }

    /// Checks that a record of a dataset is an item of each collection of the dataset. A placeholder of a row that
    /// could not be read is accepted.
    ///
    /// # Errors
    /// [`CallFailure::Schema`] with the record's key: the connector must skip, count or replace such rows itself.
    fn check_item(&self, dataset: &str, key: &str, content: &Value) -> Result<(), CallFailure> {
        let collections = self.manifest.collections.iter();
        for collection in collections.filter(|collection| collection.dataset == dataset) {
            if is_unreadable_row(content) {
                return Ok(());
            }
            let name = &collection.collection;
            let schema = self.manifest.schemas.collections.get(name);
            if let Some(Err(error)) = schema.map(|schema| schema.validate(content)) {
                // The value may be personal data; the masked message contains the keyword only.
                let why = format!("the record {key}: {}", error.masked());
                return Err(CallFailure::schema(
                    &error.instance_path().to_string(),
                    &why,
                ));
            }
            if let Some(why) = collection.mismatch(key, content) {
                return Err(CallFailure::schema(
                    &format!("/{}", collection.id),
                    &format!("the record {key}: {why}"),
                ));
            }
        }
        Ok(())
    }
}

/// Converts the error of a record's content, which must be valid JSON because it is spliced and parsed later.
fn of_record(error: &NotAccepted) -> CallFailure {
    CallFailure::schema(&error.pointer, &format!("the content of a record: {error}"))
}
