//! Checks the records of a dataset that is offered as a collection.

use serde_json::Value;

use crate::call_failure::CallFailure;
use crate::component::Loaded;
use crate::manifest::is_unreadable_row;

impl Loaded {
    /// Checks that a record of a dataset is an item of each collection of the dataset. A placeholder of a row that
    /// could not be read is accepted.
    ///
    /// # Errors
    /// [`CallFailure::Schema`] with the record's key: the connector must skip, count or replace such rows itself.
    pub(super) fn check_item(
        &self,
        dataset: &str,
        key: &str,
        content: &Value,
    ) -> Result<(), CallFailure> {
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
