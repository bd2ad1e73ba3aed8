//! The import and the section of a company.

use lustra_sdk::testing::listed::OperatorList;
use lustra_security_licences::SecurityLicences;
use serde_json::{Value, json};

use crate::manifest::manifest;

/// The company that is looked up most.
const ICO: &str = "99000113";

/// A list as an operator would supply it.
const LIST: &str = "\
IČO;Číslo licencie;Druh;Útvar;Dátum vydania;Platnosť do;Stav
99000113;KR-901/2016-X;strážna služba;KR PZ Košice;2.1.2016;1.1.2026;platná
99000113;KR-902/2026-X;PS, PD;KR PZ Košice;2.1.2026;1.1.2036;platná
99000113;KR-903/2026-X;technická služba;KR PZ Košice;1.2.2026;31.1.2036;platná
99000229;KR-904/2020-X;strážna služba;;5.3.2020;4.3.2030;pozastavená
99000334;KR-905/2020-X;;;5.3.2020;4.3.2030;zrušená
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
    operator().content_on::<SecurityLicences>(day, ico)
}

#[test]
fn list_connector_conforms() {
    operator().assert_usual::<SecurityLicences>();
}

#[test]
fn newest_licence_in_force_is_summarized() {
    let found = section("2026-01-15", ICO);
    let licence = |number: &str, kind: &str, kinds: &[&str], from: &str, to: &str, status: &str| {
        json!({
            "license_number": number, "license_type": kind, "kinds": kinds, "issued_by": "KR PZ Košice",
            "issued_on": from, "valid_from": from, "valid_to": to, "status": status, "status_text": "platná",
        })
    };
    assert_eq!(
        found,
        json!({
            "has_licence": true, "license_number": "KR-902/2026-X", "license_type": "PS, PD",
            "valid_from": "2026-01-02", "valid_to": "2036-01-01",
            "licences": [
                licence("KR-902/2026-X", "PS, PD", &["guard", "detective"], "2026-01-02", "2036-01-01", "valid"),
                licence("KR-903/2026-X", "technická služba", &["technical"], "2026-02-01", "2036-01-31", "upcoming"),
                licence("KR-901/2016-X", "strážna služba", &["guard"], "2016-01-02", "2026-01-01", "expired"),
            ],
        })
    );
    let later = section("2026-02-01", ICO);
    assert_eq!(later["license_number"], "KR-903/2026-X");
    assert_eq!(section("2036-02-01", ICO)["has_licence"], false);
}

#[test]
fn licence_not_in_force_does_not_count() {
    for (ico, states) in [
        ("99000229", vec!["suspended"]),
        ("99000334", vec!["ended"]),
        ("99000440", vec![]),
    ] {
        let found = section("2026-01-15", ico);
        assert_eq!(
            (
                &found["has_licence"],
                &found["license_number"],
                &found["valid_to"]
            ),
            (&json!(false), &Value::Null, &Value::Null)
        );
        let licences = found["licences"].as_array().into_iter().flatten();
        let told: Vec<&Value> = licences.map(|one| &one["status"]).collect();
        assert_eq!(told, states, "{ico}");
    }
}
