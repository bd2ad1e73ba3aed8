//! The import and the section of a company.

use lustra_sdk::testing::listed::OperatorList;
use lustra_transport_licences::TransportLicences;
use serde_json::{Value, json};

use crate::manifest::manifest;

/// The company that is looked up most.
const ICO: &str = "99000113";

/// A list as an operator would supply it.
const LIST: &str = "\
IČO;Číslo licencie/povolenia;Druh;Platnosť od;Platnosť do;Počet vozidiel;Vedúci dopravy;Vydal;Stav
99000113;EU-SK-990001;eurolicencia nákladná;15.1.2024;14.1.2034;12;Ján Skúšobný;Okresný úrad Trnava;
99000113;P-990002;povolenie;2.1.2025;1.1.2035;14;Ján Skúšobný;Okresný úrad Trnava;platné
99000113;EU-SK-880001;eurolicencia nákladná;15.1.2014;14.1.2024;30;Ján Skúšobný;Okresný úrad Trnava;
99000229;T-990004;koncesia taxi;1.6.2020;31.5.2030;;Eva Vymyslená;;
99000334;EU-SK-990003;licencia Spoločenstva;1.6.2020;31.5.2030;3;Eva Vymyslená;;odňatá
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
    operator().content_on::<TransportLicences>(day, ico)
}

#[test]
fn list_connector_conforms() {
    operator().assert_usual::<TransportLicences>();
}

#[test]
fn community_licence_in_force_is_summarized() {
    let found = section("2026-01-15", ICO);
    assert_eq!(
        (
            &found["has_licence"],
            &found["eurolicence_number"],
            &found["vehicles_count"]
        ),
        (&json!(true), &json!("EU-SK-990001"), &json!(14)),
        "one fleet stands on several licences"
    );
    assert_eq!(
        (&found["valid_from"], &found["valid_to"]),
        (&json!("2024-01-15"), &json!("2034-01-14"))
    );
    let licences = found["licences"].as_array().into_iter().flatten();
    let told: Vec<Value> = licences
        .map(|one| json!([one["licence_number"], one["is_eurolicence"], one["status"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!(["P-990002", false, "valid"]),
            json!(["EU-SK-990001", true, "valid"]),
            json!(["EU-SK-880001", true, "expired"]),
        ]
    );
    assert!(
        !found.to_string().contains("Skúšobný"),
        "managers are not read"
    );
}

#[test]
fn other_licences_count_and_ended_ones_do_not() {
    let taxi = section("2026-01-15", "99000229");
    assert_eq!(
        (
            &taxi["has_licence"],
            &taxi["eurolicence_number"],
            &taxi["vehicles_count"],
            &taxi["valid_to"]
        ),
        (
            &json!(true),
            &Value::Null,
            &Value::Null,
            &json!("2030-05-31")
        )
    );
    let ended = section("2026-01-15", "99000334");
    assert_eq!(
        (
            &ended["has_licence"],
            &ended["eurolicence_number"],
            &ended["vehicles_count"]
        ),
        (&json!(false), &Value::Null, &Value::Null)
    );
    assert_eq!(ended["licences"][0]["status"], "ended");
    let none = section("2026-01-15", "99000440");
    assert_eq!(
        (&none["has_licence"], &none["licences"]),
        (&json!(false), &json!([]))
    );
}
