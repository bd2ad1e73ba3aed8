//! Whole look-ups of `nbs`.

use lustra_nbs::Nbs;
use lustra_nbs::licence::anyones_row;
use lustra_sdk::records::unreadable_row;
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Failure, Item, Subject};
use serde_json::{Value, json};

use crate::world::{ICO, IMPORTED, enrich, entity, former, id_of, licence, service, subject, tie};

/// A host that imported both lists.
fn host(institutions: Vec<Item>, services: Vec<Item>) -> TestHost {
    TestHost::new()
        .dataset("institutions", IMPORTED, None, institutions)
        .dataset("psd2-services", IMPORTED, None, services)
}

#[test]
fn a_company_that_is_not_listed_is_not_regulated() {
    let others = vec![entity("99900017", vec![licence("poisťovňa", None)])];
    let (section, content) = enrich(host(others, Vec::new()), subject(ICO));
    assert_eq!(
        content,
        json!({
            "is_regulated": false, "license_types": [], "categories": [], "entity_id": null,
            "is_natural_person": false, "licences": [], "agents_count": 0,
        })
    );
    assert!(section.unread.is_empty());
    assert!(TestHost::requests().is_empty(), "no request is sent");
}

#[test]
fn every_licence_is_shown_with_its_history() {
    let institutions = vec![
        entity(
            ICO,
            vec![
                licence("Samostatný finančný agent", None),
                licence("Finanční poradcovia", None),
                licence("centrálny depozitár", Some("2026-01-09")),
            ],
        ),
        entity("99900017", vec![licence("poisťovňa", None)]),
    ];
    let services = vec![
        service(ICO, "AISP", "2019-09-14", None),
        service(ICO, "PISP", "2019-09-14", Some("2024-06-30")),
    ];
    let (_, content) = enrich(host(institutions, services), subject(ICO));
    let entry = |category: &str, text: &str, source: &str, from: Value, ended: Value| {
        json!({
            "category": category, "license_type": text, "sector": null, "country": "SK",
            "regfap_number": null, "valid_from": from, "parent": null,
            "status": if ended.is_null() { "current" } else { "ended" },
            "first_seen_on": "2026-01-01", "ended_on": ended, "source": source,
        })
    };
    let none = Value::Null;
    let (register, psd2) = ("institutions", "psd2-services");
    assert_eq!(
        content,
        json!({
            "is_regulated": true,
            "license_types": ["AISP", "Finanční poradcovia", "Samostatný finančný agent"],
            "categories": ["AISP", "finančný poradca", "samostatný finančný agent"],
            "entity_id": id_of(ICO),
            "is_natural_person": false,
            "licences": [
                entry("AISP", "AISP", psd2, json!("2019-09-14"), none.clone()),
                entry("finančný poradca", "Finanční poradcovia", register, none.clone(), none.clone()),
                entry("samostatný finančný agent", "Samostatný finančný agent", register, none.clone(), none.clone()),
                entry("PISP", "PISP", psd2, json!("2019-09-14"), json!("2024-06-30")),
                entry("centrálny depozitár", "centrálny depozitár", register, none, json!("2026-01-09")),
            ],
            "agents_count": 0,
        })
    );
}

#[test]
fn company_without_current_licence_keeps_history() {
    let ended = vec![entity(ICO, vec![licence("poisťovňa", Some("2026-01-09"))])];
    let (_, content) = enrich(host(ended, Vec::new()), subject(ICO));
    assert_eq!(content["is_regulated"], false);
    assert_eq!(
        (&content["license_types"], &content["categories"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(content["licences"][0]["status"], "ended");
}

#[test]
fn a_sole_trader_is_a_natural_person() {
    let trader = Subject {
        company: json!({ "legal_form_code": "101" }).to_string(),
        ..subject(ICO)
    };
    let agent = vec![entity(
        ICO,
        vec![licence("podriadený finančný agent", None)],
    )];
    let (_, content) = enrich(host(agent, Vec::new()), trader);
    assert_eq!(content["is_natural_person"], true);
    let unknown = Subject {
        company: "{}".to_owned(),
        ..subject(ICO)
    };
    let (_, content) = enrich(host(Vec::new(), Vec::new()), unknown);
    assert_eq!(content["is_natural_person"], Value::Null);
}

#[test]
fn records_of_version_0_1_are_read() {
    let records = vec![
        former(ICO, "zmenáreň", None),
        former(ICO, "poisťovňa", Some("2026-01-09")),
    ];
    let (_, content) = enrich(host(records, Vec::new()), subject(ICO));
    assert_eq!(content["is_regulated"], true);
    assert_eq!(content["entity_id"], Value::Null, "set by the next import");
    assert_eq!(content["licences"].as_array().map(Vec::len), Some(2));
    assert_eq!(content["licences"][1]["ended_on"], "2026-01-09");
}

#[test]
fn ties_are_shown_but_do_not_make_regulated() {
    let licences = vec![
        licence("viazaný finančný agent", Some("2026-01-09")),
        tie("viazaný finančný agent", "poistenie a zaistenie", None),
        tie("viazaný finančný agent", "úvery", None),
    ];
    let agent = vec![entity("99900017", licences)];
    let (_, content) = enrich(host(agent, Vec::new()), subject("99900017"));
    assert_eq!(content["is_regulated"], false, "the bank's list ended it");
    assert_eq!(
        (&content["categories"], &content["agents_count"]),
        (&json!([]), &json!(0))
    );
    let first = &content["licences"][0];
    assert_eq!(
        json!([
            first["source"],
            first["sector"],
            first["regfap_number"],
            first["valid_from"]
        ]),
        json!(["agents", "poistenie a zaistenie", "990001", "2020-03-01"])
    );
    assert_eq!(
        first["parent"],
        json!({ "entity_id": id_of(ICO), "ico": ICO, "name": "Vzor, s. r. o." })
    );
}

#[test]
fn switched_off_optional_list_is_unread() {
    let (section, content) = enrich(
        TestHost::new()
            .dataset("institutions", IMPORTED, None, Vec::new())
            .off("psd2-services"),
        subject(ICO),
    );
    let why = "off: switched off by the operator";
    assert_eq!(
        content["unread"],
        json!([{ "source": "psd2-services", "since": null, "why": why }])
    );
    assert_eq!(content["is_regulated"], false, "the register has everybody");
    assert_eq!(section.unread.len(), 1);
    assert_eq!(
        (
            section.unread[0].name.as_str(),
            section.unread[0].value.as_str()
        ),
        ("psd2-services", why)
    );
}

#[test]
fn missing_optional_list_leaves_is_regulated_unknown() {
    let host = TestHost::new().dataset("institutions", IMPORTED, None, Vec::new());
    let (_, content) = enrich(host, subject(ICO));
    assert_eq!(content["is_regulated"], Value::Null);
    assert_eq!(content["unread"][0]["why"], "never imported");
}

#[test]
fn missing_list_never_denies_regulation() {
    let services = |items| TestHost::new().dataset("psd2-services", IMPORTED, None, items);
    let (_, content) = enrich(services(Vec::new()), subject(ICO));
    assert_eq!(
        (&content["is_regulated"], &content["agents_count"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(content["unread"][0]["source"], "institutions");
    assert_eq!(content["unread"][0]["why"], "never imported");
    let aisp = vec![service(ICO, "AISP", "2019-09-14", None)];
    let (_, content) = enrich(services(aisp), subject(ICO));
    assert_eq!(content["is_regulated"], true);
}

#[test]
fn row_of_no_subject_is_named_for_every_company() {
    let listed = || {
        vec![
            entity("99900017", vec![licence("poisťovňa", None)]),
            unreadable_row("99900025|unreadable", "99900025").unwrap(),
        ]
    };
    let why = "truncated: rows of the list that name no subject could not be read";
    let unread = json!([{ "source": "institutions", "since": null, "why": why }]);
    let marked = || [listed(), vec![anyones_row().unwrap()]].concat();
    for (ico, is_regulated) in [(ICO, Value::Null), ("99900017", json!(true))] {
        let (section, content) = enrich(host(marked(), Vec::new()), subject(ico));
        assert_eq!(content["is_regulated"], is_regulated);
        assert_eq!((&content["unread"], section.unread.len()), (&unread, 1));
    }
    let (section, content) = enrich(host(marked(), Vec::new()), subject("99900025"));
    assert_eq!(section.unread.len(), 1);
    let own = content["unread"][0]["why"].as_str().unwrap();
    assert!(own.starts_with("malformed"), "its own row says more: {own}");
    let services = vec![anyones_row().unwrap()];
    let (_, content) = enrich(host(listed(), services), subject(ICO));
    assert_eq!(content["unread"][0]["source"], "psd2-services");
    assert_eq!(content["is_regulated"], Value::Null);
    let (_, content) = enrich(host(listed(), Vec::new()), subject(ICO));
    assert_eq!(content["is_regulated"], false);
}

#[test]
fn missing_imports_give_no_section() {
    for host in [
        TestHost::new(),
        TestHost::new().off("institutions"),
        TestHost::new().failed("institutions", "malformed: row of Ján Skúšobný"),
    ] {
        host.install();
        match Nbs::enrich("nbs", subject(ICO)) {
            Err(Failure::Unavailable(why)) => {
                assert!(
                    why.contains("institutions") && !why.contains("Skúšobný"),
                    "{why}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn record_of_another_format_is_malformed() {
    let strange = crate::world::item("x", ICO, &json!({ "type": "banka" }));
    host(vec![strange], Vec::new()).install();
    assert!(matches!(
        Nbs::enrich("nbs", subject(ICO)),
        Err(Failure::Malformed(_))
    ));
}

#[test]
fn hostile_keys_and_other_scopes_are_refused() {
    for key in ["", "\0", "9999990", "' or 1=1 --", "\u{202e}10999999"] {
        host(Vec::new(), Vec::new()).install();
        assert!(Nbs::enrich("nbs", subject(key)).is_err(), "{key}");
    }
    assert!(
        matches!(Nbs::enrich("x", subject(ICO)), Err(Failure::Other((code, _))) if code == "not-offered")
    );
}
