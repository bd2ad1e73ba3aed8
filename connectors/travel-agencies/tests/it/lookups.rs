//! The import and the section of a company.

use lustra_sdk::testing::listed::OperatorList;
use lustra_travel_agencies::TravelAgencies;
use serde_json::{Value, json};

use crate::manifest::manifest;

/// The company that is looked up most.
const ICO: &str = "99000113";

/// A list as an operator would supply it.
const LIST: &str = "\
IČO;Obchodné meno;Sídlo;Poisťovňa / banka;Číslo poistnej zmluvy;Platnosť od;Platnosť do;Poistná suma;Zákaz činnosti;Stav
99000113;Vzorové cesty, s. r. o.;Dovolenková 21, Senec;Vymyslená poisťovňa, a. s.;98000001;1.1.2025;31.12.2025;400 000 €;nie;v ochrane
99000113;Vzorové cesty, s. r. o.;Dovolenková 21, Senec;Vymyslená poisťovňa, a. s.;99000001;1.1.2026;31.12.2026;420 000,50 €;nie;v ochrane
99000229;Skúšobný zájazd, s. r. o.;;Fiktívna banka, a. s.;;1.1.2024;31.12.2024;;;v ochrane
99000334;Pokusná kancelária, s. r. o.;;Fiktívna banka, a. s.;;1.1.2024;31.12.2026;;áno;bez ochrany
99000440;Bývalá kancelária, s. r. o.;;Fiktívna banka, a. s.;;1.1.2020;31.12.2026;;;zrušená
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
    operator().content_on::<TravelAgencies>(day, ico)
}

#[test]
fn list_connector_conforms() {
    operator().assert_usual::<TravelAgencies>();
}

#[test]
fn contract_in_force_is_shown() {
    assert_eq!(
        section("2026-01-15", ICO),
        json!({
            "is_registered": true, "name": "Vzorové cesty, s. r. o.", "address": "Dovolenková 21, Senec",
            "insolvency_provider": "Vymyslená poisťovňa, a. s.", "insolvency_amount": 420000.50,
            "insolvency_contract_number": "99000001", "insolvency_valid_from": "2026-01-01",
            "insolvency_valid_to": "2026-12-31", "is_protected": true, "has_ban": false, "status": "v ochrane",
        })
    );
}

#[test]
fn protection_registration_and_ban_are_independent() {
    for (ico, expected) in [
        ("99000229", json!([true, false, false])),
        ("99000334", json!([true, false, true])),
        ("99000440", json!([false, false, false])),
        ("99000555", json!([false, null, null])),
    ] {
        let found = section("2026-01-15", ico);
        let told = json!([
            found["is_registered"],
            found["is_protected"],
            found["has_ban"]
        ]);
        assert_eq!(told, expected, "{ico}");
    }
    assert_eq!(section("2027-01-01", ICO)["is_protected"], false);
}
