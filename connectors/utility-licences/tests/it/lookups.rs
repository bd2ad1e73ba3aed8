//! The import and the section of a company.

use lustra_sdk::testing::listed::OperatorList;
use lustra_utility_licences::UtilityLicences;
use serde_json::{Value, json};

use crate::manifest::manifest;

/// The company that is looked up most.
const ICO: &str = "99000113";

/// A list as an operator would supply it.
const LIST: &str = "\
IČO;Číslo povolenia;Činnosť;Druh;Dátum vydania;Platnosť do;Stav
99000113;0901/2026/E-PP;dodávka elektriny;povolenie;15.1.2026;;platné
99000113;0901/2026/E-PP;výroba elektriny;povolenie;15.1.2026;;platné
99000113;0902/2016/P-PP;dodávka plynu;potvrdenie o splnení oznamovacej povinnosti;1.2.2016;31.12.2024;platné
99000229;0904/2001/T-PP;výroba tepla;;1.1.2001;;pozastavené
99000334;V 905/2008;verejný vodovod;;1.6.2008;na dobu neurčitú;platné
";

fn operator() -> OperatorList {
    OperatorList {
        manifest: manifest(),
        list: LIST,
        ico: ICO,
    }
}

/// The section of a company by the imported list on a day.
fn section(day: &str, ico: &str) -> Value {
    operator().content_on::<UtilityLicences>(day, ico)
}

#[test]
fn list_connector_conforms() {
    operator().assert_usual::<UtilityLicences>();
}

#[test]
fn every_permit_has_its_segment() {
    let found = section("2026-01-15", ICO);
    let entry = |number: &str,
                 segment: &str,
                 activity: &str,
                 kind: &str,
                 from: &str,
                 to: Value,
                 status: &str| {
        json!({
            "licence_number": number, "segment": segment, "activity": activity, "kind": kind, "issued_on": from,
            "valid_from": from, "valid_to": to, "status": status, "status_text": "platné",
        })
    };
    let (first, none) = ("2026-01-15", Value::Null);
    assert_eq!(
        found,
        json!({
            "has_licences": true,
            "segments": [
                entry("0901/2026/E-PP", "electricity", "dodávka elektriny", "permit", first, none.clone(), "valid"),
                entry("0901/2026/E-PP", "electricity", "výroba elektriny", "permit", first, none, "valid"),
                entry("0902/2016/P-PP", "gas", "dodávka plynu", "confirmation", "2016-02-01", json!("2024-12-31"), "expired"),
            ],
        })
    );
    let water = section("2026-01-15", "99000334");
    assert_eq!(
        (
            &water["has_licences"],
            &water["segments"][0]["segment"],
            &water["segments"][0]["valid_to"]
        ),
        (&json!(true), &json!("water"), &Value::Null)
    );
}

#[test]
fn suspended_permit_does_not_count() {
    let heat = section("2026-01-15", "99000229");
    assert_eq!(heat["has_licences"], false);
    assert_eq!(
        (
            &heat["segments"][0]["segment"],
            &heat["segments"][0]["status"]
        ),
        (&json!("heat"), &json!("suspended"))
    );
    assert_eq!(
        section("2026-01-15", "99000440"),
        json!({ "has_licences": false, "segments": [] })
    );
}
