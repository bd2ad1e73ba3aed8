//! The world of the whole calls: a register with rows of a search and an entity.

use lustra_sdk::testing::{self, Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Section};
use lustra_trade_licences::TradeLicences;
use serde_json::{Value, json};

use crate::manifest::manifest;

pub const ICO: &str = "99999901";
/// The register's id of the first record.
pub const ID: u64 = 777_001;
pub const SCOPE: &str = "trade_license_activities";
pub const NO_RECORD: &str =
    r#"{"message":"No record found","_links":{"self":{"href":"/rpo/v1/entity/777001"}}}"#;

pub fn search_path() -> String {
    format!("/search?identifier={ICO}")
}

pub fn entity_path(id: u64) -> String {
    format!("/entity/{id}?showHistoricalData=true&showOrganizationUnits=false")
}

/// A record of a source register with one activity. A row of a search has no activities.
pub fn record(id: u64, source: &str, activity: &str) -> Value {
    let from = "2012-03-01";
    json!({
        "id": id,
        "identifiers": [{"value": ICO, "validFrom": from}],
        "fullNames": [{"value": "Ján Vymyslený", "validFrom": from}],
        "addresses": [],
        "legalForms": [],
        "establishment": from,
        "activities": [{"economicActivityDescription": activity, "validFrom": from}],
        "sourceRegister": {
            "value": {"value": "Register", "code": source, "codelistCode": "CL010112"},
            "registrationOffices": [{"value": "Okresný úrad Vzorovo", "validFrom": from}],
            "registrationNumbers": [{"value": "999-12345", "validFrom": from}],
        },
    })
}

pub fn found(rows: &[Value]) -> Answer {
    Answer::ok(json!({ "results": rows, "license": "1. …" }).to_string())
}

/// A register that finds and returns these records.
pub fn register(records: &[Value]) -> TestHost {
    let host =
        TestHost::new()
            .now("2026-01-15T08:00:00Z")
            .answer("rpo", &search_path(), found(records));
    records.iter().fold(host, |host, record| {
        let id = record["id"].as_u64().unwrap();
        host.answer("rpo", &entity_path(id), Answer::ok(record.to_string()))
    })
}

pub fn enrich(host: TestHost) -> Result<(Section, Value), Failure> {
    host.install();
    let section = TradeLicences::enrich(SCOPE, testing::subject(ICO))?;
    let content = manifest().content(SCOPE, &section);
    Ok((section, content))
}
