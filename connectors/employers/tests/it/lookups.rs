//! The import and the section of a company.

use lustra_employers::Employers;
use lustra_sdk::testing::listed::OperatorList;
use serde_json::{Value, json};

use crate::manifest::manifest;

/// The company that is looked up most.
const ICO: &str = "99000113";

/// A list as an operator would supply it.
const LIST: &str = "\
IČO;Názov;Dátum registrácie;Dátum odhlásenia;Počet zamestnancov
99000113;Vzorová pekáreň, s. r. o.;1.6.2009;;27
99000229;Skúšobné stavby, a. s.;1.3.1998;31.12.2025;120
99000229;Skúšobné stavby, a. s.;1.2.2026;;2
99000334;Vymyslený obchod, s. r. o.;;;
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
    operator().content_on::<Employers>(day, ico)
}

#[test]
fn list_connector_conforms() {
    operator().assert_usual::<Employers>();
}

#[test]
fn employer_has_a_bracket() {
    assert_eq!(
        section("2026-01-15", ICO),
        json!({
            "name": "Vzorová pekáreň, s. r. o.", "bracket": "25-49 zamestnancov",
            "registered_at": "2009-06-01", "deregistered_at": null,
        })
    );
    let again = section("2026-01-15", "99000229");
    assert_eq!(
        (&again["registered_at"], &again["bracket"]),
        (&json!("2026-02-01"), &json!("2 zamestnanci")),
        "the registration that goes on"
    );
    assert_eq!(section("2026-01-15", "99000334")["bracket"], Value::Null);
}

#[test]
fn unlisted_company_is_no_employer() {
    assert_eq!(section("2026-01-15", "99000440"), Value::Null);
}
