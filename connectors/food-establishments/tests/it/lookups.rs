//! Whole look-ups of `svps_establishments`.

use lustra_food_establishments::FoodEstablishments;
use lustra_food_establishments::establishment::Establishment;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Item, Subject};
use serde_json::{Value, json};

use crate::world::{
    ICO, IMPORTED, NAME, TWIN, VET, csv, enrich, establishment, host, import, record, subject,
};

fn nitra() -> Subject {
    subject(NAME, "Nitra", "94901")
}

/// A host that imported both lists.
fn imported(food: Vec<Item>, vet: Vec<Item>) -> TestHost {
    host()
        .dataset("food", IMPORTED, None, food)
        .dataset("vet", IMPORTED, None, vet)
        .company(ICO, NAME, "Nitra", "94901")
}

#[test]
fn establishments_of_both_lists_are_shown() {
    let food = record(
        "F-1",
        Establishment {
            section: None,
            activities: vec!["výroba sladkostí".to_owned()],
            ..establishment(NAME, "Nitra")
        },
    );
    let vet = [
        record("SK 2", establishment("VZOROVÁ MLIEKAREŇ s.r.o.", "Nitra")),
        record(
            "SK 1",
            Establishment {
                activities: vec!["CS".to_owned(), "PAP".to_owned()],
                district: Some("Nitra".to_owned()),
                region: Some("Nitriansky kraj".to_owned()),
                ..establishment(NAME, "Nitra")
            },
        ),
    ];
    let (section, content) = enrich(imported(vec![food], vet.to_vec()), nitra());
    assert!(section.unread.is_empty());
    let numbers: Vec<&Value> = content
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["approval_number"])
        .collect();
    assert_eq!(numbers, ["F-1", "SK 1", "SK 2"]);
    assert_eq!(
        content[0],
        json!({
            "approval_number": "F-1", "register_type": "food", "section_code": null, "section_label": null,
            "activity_code": "výroba sladkostí", "activity_label": null, "name": "Mliekareň", "city": "Nitra",
            "district": null, "region": null, "match_confidence": 0.9, "match_method": "name_city",
        })
    );
    assert_eq!(
        content[1],
        json!({
            "approval_number": "SK 1", "register_type": "vet", "section_code": "IX",
            "section_label": "surové mlieko a mliečne výrobky", "activity_code": "CS, PAP",
            "activity_label": "chladiarenský sklad, PAP", "name": "Mliekareň", "city": "Nitra",
            "district": "Nitra", "region": "Nitriansky kraj", "match_confidence": 0.9, "match_method": "name_city",
        })
    );
    assert!(TestHost::requests().is_empty(), "no request is sent");
}

#[test]
fn a_company_without_establishments_has_an_empty_list() {
    let others = vec![record("SK 1", establishment("Niekto iný, a. s.", "Nitra"))];
    let (section, content) = enrich(imported(Vec::new(), others), nitra());
    assert_eq!(content, json!([]));
    assert!(section.unread.is_empty());
}

/// Runs the import and then asks for the section, which uses the import's matches.
#[test]
fn uncertain_match_is_stored_and_not_shown() {
    let host = || {
        host()
            .answer("svps", VET, Answer::ok(csv(&[(NAME, "Martin")])))
            .company(ICO, NAME, "Nitra", "94901")
            .dataset("food", IMPORTED, None, Vec::new())
    };
    host().install();
    let items = import("vet").unwrap();
    let stored: Value = serde_json::from_str(&items[0].content).unwrap();
    assert_eq!(
        stored["matches"],
        json!([{ "ico": ICO, "confidence": 0.7, "method": "name" }])
    );
    let imported = |host: TestHost| host.dataset("vet", IMPORTED, None, items.clone());
    let (_, content) = enrich(imported(host()), nitra());
    assert_eq!(content, json!([]), "0.7 is stored and hidden");
    let (_, content) = enrich(imported(host().setting("shown_from", &json!(0.7))), nitra());
    assert_eq!(content[0]["match_confidence"], 0.7);
    assert_eq!(content[0]["match_method"], "name");
}

#[test]
fn two_companies_of_one_name_and_city_get_nothing() {
    let rows = || vec![record("SK 1", establishment(NAME, "Nitra"))];
    let twins = imported(Vec::new(), rows()).company(TWIN, NAME, "Nitra", "94901");
    let (_, content) = enrich(twins, nitra());
    assert_eq!(content, json!([]));
    let elsewhere = imported(Vec::new(), rows()).company(TWIN, NAME, "Martin", "03601");
    let (_, content) = enrich(elsewhere, nitra());
    assert_eq!(content[0]["match_confidence"], 0.9);
}

#[test]
fn section_evaluates_todays_companies() {
    // The import had matched another company, which has another name now.
    let mut row = record("SK 1", establishment(NAME, "Nitra"));
    row.ico = Some(TWIN.to_owned());
    let (_, content) = enrich(imported(Vec::new(), vec![row.clone()]), nitra());
    assert_eq!(content.as_array().map(Vec::len), Some(1), "{content}");
    row.ico = Some(ICO.to_owned());
    let renamed = subject("Celkom iná firma, s. r. o.", "Nitra", "94901");
    let (_, content) = enrich(imported(Vec::new(), vec![row]), renamed);
    assert_eq!(content, json!([]));
}

#[test]
fn company_unknown_to_host_is_compared() {
    let rows = vec![record("SK 1", establishment(NAME, "Nitra"))];
    let host = host()
        .dataset("food", IMPORTED, None, Vec::new())
        .dataset("vet", IMPORTED, None, rows);
    let (_, content) = enrich(host, nitra());
    assert_eq!(content[0]["match_confidence"], 0.9);
}

#[test]
fn missing_list_gives_no_empty_section() {
    let never = || host().company(ICO, NAME, "Nitra", "94901");
    let food = || never().dataset("food", IMPORTED, None, Vec::new());
    for (host, names) in [
        (
            never(),
            "the dataset food: never imported; the dataset vet: never imported",
        ),
        (food(), "the dataset vet: never imported"),
        (
            food().off("vet"),
            "the dataset vet: off: switched off by the operator",
        ),
        (
            food().failed("vet", "malformed: row of Ján Skúšobný"),
            "the dataset vet: never imported: the newest attempt failed",
        ),
    ] {
        host.install();
        match FoodEstablishments::enrich("svps_establishments", nitra()) {
            Err(Failure::Unavailable(why)) => assert_eq!(why, names),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn unread_list_does_not_hide_the_other() {
    let rows = vec![record("SK 1", establishment(NAME, "Nitra"))];
    let host = host().dataset("vet", IMPORTED, None, rows).off("food");
    let (section, content) = enrich(host, nitra());
    assert_eq!(content.as_array().map(Vec::len), Some(1));
    assert_eq!(section.unread.len(), 1);
    assert_eq!(section.unread[0].name, "food");
    assert!(section.unread[0].value.starts_with("off"));
}

#[test]
fn hostile_keys_scopes_and_records_are_refused() {
    for key in ["", "\0", "9999990", "' or 1=1 --"] {
        imported(Vec::new(), Vec::new()).install();
        let subject = Subject {
            ico: key.to_owned(),
            ..nitra()
        };
        assert!(
            FoodEstablishments::enrich("svps_establishments", subject).is_err(),
            "{key}"
        );
    }
    assert!(
        matches!(FoodEstablishments::enrich("x", nitra()), Err(Failure::Other((code, _))) if code == "not-offered")
    );
    let mut strange = record("SK 1", establishment(NAME, "Nitra"));
    strange.content = "{}".to_owned();
    imported(Vec::new(), vec![strange]).install();
    assert!(matches!(
        FoodEstablishments::enrich("svps_establishments", nitra()),
        Err(Failure::Malformed(_))
    ));
}
