//! Answers of connectors held against what their manifests promise.

use std::sync::Arc;

use serde_json::Value;

use super::CallFailure;
use crate::connectors::bindings::types::Company;
use crate::connectors::component::Loaded;
use crate::connectors::manifest;
use crate::connectors::state::Services;

impl Loaded {
    pub(super) fn check_section(&self, scope: &str, content: &str) -> Result<(), CallFailure> {
        let value = json(content)?;
        let Some(validator) = self.manifest.schemas.sections.get(scope) else {
            return Err(CallFailure::NotOffered("this scope"));
        };
        fits(validator, &value)
    }

    /// Checks what a company brings beside its typed fields: details of the manifest's form, none of them a base field.
    ///
    /// # Errors
    /// [`CallFailure::Schema`].
    pub fn check_company(&self, company: &Company) -> Result<(), CallFailure> {
        if company.details == "{}" && self.manifest.schemas.details.is_none() {
            return Ok(());
        }
        let value = json(&company.details)?;
        let Some(details) = value.as_object() else {
            return Err(CallFailure::Schema {
                pointer: String::new(),
                why: "details are no object".to_owned(),
            });
        };
        if let Some(field) = manifest::BASE_FIELDS
            .iter()
            .find(|field| details.contains_key(**field))
        {
            return Err(CallFailure::Schema {
                pointer: format!("/{field}"),
                why: "details may not hold a base field".to_owned(),
            });
        }
        let details = self.manifest.schemas.details.as_ref();
        details.map_or(Ok(()), |validator| fits(validator, &value))
    }
}

fn json(text: &str) -> Result<Value, CallFailure> {
    serde_json::from_str(text).map_err(|error| CallFailure::Schema {
        pointer: String::new(),
        why: format!("it is not JSON: {error}"),
    })
}

fn fits(validator: &jsonschema::Validator, value: &Value) -> Result<(), CallFailure> {
    validator
        .validate(value)
        .map_err(|error| CallFailure::Schema {
            pointer: error.instance_path().to_string(),
            // The value may be personal data: the masked message has the keyword only.
            why: error.masked().to_string(),
        })
}

/// A component's answer to `describe` must be its manifest, or listing and grants would speak of another thing.
///
/// # Errors
/// What differs.
pub async fn check_describe(
    loaded: &Arc<Loaded>,
    services: &Services,
    section: &Value,
) -> Result<(), String> {
    let text = loaded
        .describe(services)
        .await
        .map_err(|failure| failure.to_string())?;
    let described: Value =
        serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))?;
    if described == *section {
        Ok(())
    } else {
        Err(format!(
            "it differs from the custom section {}",
            manifest::SECTION
        ))
    }
}
