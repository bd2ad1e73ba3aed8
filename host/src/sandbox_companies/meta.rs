//! The member `meta` of answers about demo companies: the registers and scopes of the parts, as live answers have them.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The scopes of the specification: the member of the data that each adds, and where it comes from.
const SCOPES: &str = include_str!("scopes.json");

/// The registers of the base data and of the details.
const BASE: (&str, &str) = (
    "Register právnických osôb, podnikateľov a orgánov verejnej moci (RPO)",
    "rpo",
);
const DETAILS: (&str, &str) = ("Obchodný register Slovenskej republiky (ORSR)", "orsr");

/// The version of the connectors that invented answers claim.
const VERSION: &str = "0.1.0";

/// A scope that demo companies have.
#[derive(Debug, Deserialize)]
pub(super) struct DemoScope {
    scope: String,
    /// The member of the data.
    key: String,
    register: String,
    connector: String,
}

/// The scopes of the embedded data.
///
/// # Errors
/// The data is invalid.
pub(super) fn scopes() -> serde_json::Result<Vec<DemoScope>> {
    serde_json::from_str(SCOPES)
}

/// The metadata of an answer about a company. `now` is RFC 3339: every part was just read.
pub(super) fn meta(company: &Value, scopes: &[DemoScope], now: &str) -> Value {
    let is_in_details = company.get("orsr_id").is_some_and(|id| !id.is_null());
    let (register, connector) = DETAILS;
    let details = if is_in_details {
        origin(register, connector, now)
    } else {
        json!({
            "register": register, "connector": connector, "version": null, "as_of": null, "state": "not_applicable",
        })
    };
    let included = scopes
        .iter()
        .filter(|scope| company.get(&scope.key).is_some());
    let included = included.map(|scope| {
        let origin = origin(&scope.register, &scope.connector, now);
        (scope.scope.clone(), origin)
    });
    let included: Map<String, Value> = included.collect();
    json!({
        "rpo_updated_at": now,
        "orsr_synced_at": is_in_details.then_some(now),
        "enriched_at": now,
        "synced_at": now,
        "profile_built_at": now,
        "source": "database",
        "cached": false,
        "stale": false,
        "registers": [origin(BASE.0, BASE.1, now), details],
        "scopes": included,
        "sandbox": true,
    })
}

fn origin(register: &str, connector: &str, now: &str) -> Value {
    json!({
        "register": register, "connector": connector, "version": VERSION, "as_of": now, "state": "fresh",
    })
}
