//! What the test files share: a record as JSON, and a check of details against the manifest's schema.

use lustra_sdk::{Company, CompanyStatus};
use serde_json::{Map, Value, json};

/// A company without its evidence, whose details were checked against the manifest.
pub fn as_json(company: &Company) -> Value {
    let status = match company.status {
        CompanyStatus::Active => "active",
        CompanyStatus::Terminated => "terminated",
        CompanyStatus::Deleted => "deleted",
    };
    let details: Value = serde_json::from_str(&company.details).expect("details are JSON");
    assert_fits(&details);
    let facts: Map<String, Value> = company
        .facts
        .iter()
        .map(|fact| (fact.name.clone(), json!(fact.value)))
        .collect();
    json!({
        "ico": company.ico,
        "name": company.name,
        "legal_form": company.legal_form,
        "legal_form_code": company.legal_form_code,
        "address": {
            "street": company.address.street,
            "city": company.address.city,
            "postal_code": company.address.postal_code,
            "country": company.address.country,
            "country_code": company.address.country_code,
        },
        "established_date": company.established_date,
        "terminated_date": company.terminated_date,
        "status": status,
        "register_id": company.register_id,
        "facts": facts,
        "details": details,
    })
}

/// Fails unless the details have the keys and types that the manifest's schema says.
pub fn assert_fits(details: &Value) {
    let manifest: Value =
        serde_json::from_str(lustra_orsr::MANIFEST).expect("the manifest is JSON");
    let schema = &manifest["company_source"]["schema"];
    fits(details, schema, schema, "details");
}

fn fits(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root
            .pointer(&reference[1..])
            .expect("references of the schema lead somewhere");
        return fits(value, target, root, at);
    }
    if let Some(choices) = schema["enum"].as_array() {
        assert!(choices.contains(value), "{at} is {value}");
        return;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = schema["type"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![schema["type"].clone()]);
    assert!(
        allowed.contains(&json!(kind)),
        "{at} is of type {kind}, the schema says {allowed:?}"
    );
    for (at_item, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(item, &schema["items"], root, &format!("{at}/{at_item}"));
    }
    if let Some(object) = value.as_object() {
        for required in schema["required"].as_array().into_iter().flatten() {
            let key = required.as_str().expect("keys are texts");
            assert!(object.contains_key(key), "{at} lacks {key}");
        }
        for (key, value) in object {
            fits(
                value,
                &schema["properties"][key],
                root,
                &format!("{at}/{key}"),
            );
        }
    }
}
