//! Whole look-ups.

use lustra_sanctions::Sanctions;
use lustra_sanctions::dataset::Dataset;
use lustra_sanctions::entry::Entry;
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Failure, records};
use serde_json::{Value, json};

use crate::world::{ICO, IMPORTED, enrich, entry, host, named, person, trader, union};

const NAME: &str = "Vzorostav Čučoriedka, s. r. o.";

/// The ids of the entries that the section names for a company.
fn found(host: TestHost, name: &str) -> Vec<Value> {
    let (_, content) = enrich(host, named(name));
    let hits = content["eu_fsf_hits"].as_array().unwrap();
    hits.iter().map(|hit| hit["entry_id"].clone()).collect()
}

#[test]
fn company_unlike_all_entries_has_no_hits() {
    let others = [
        entry("EU.1.1", &["HRKOTMONT LLC"]),
        person("EU.1.2", &["Ján Vzorostav"]),
    ];
    let (section, content) = enrich(union(&others), named(NAME));
    assert_eq!(
        content,
        json!({ "eu_fsf_hits": [], "ofac_hits": [], "total_hits": 0 })
    );
    assert!(section.unread.is_empty());
    assert!(TestHost::requests().is_empty(), "no request is sent");
}

#[test]
fn hit_names_the_entry_and_the_reasons() {
    let listed = Entry {
        countries: vec!["RU".to_owned()],
        listed_on: Some("2025-03-01".to_owned()),
        url: Some("https://eur-lex.example/1".to_owned()),
        ..entry("EU.9000.01", &["ДРУГОЕ ИМЯ", "VZOROSTAV CUCORIETKA LLC"])
    };
    let (_, content) = enrich(union(&[listed]), named(NAME));
    assert_eq!(
        content["eu_fsf_hits"],
        json!([{
            "list": "eu-fsf", "entry_id": "EU.9000.01", "listed_name": "ДРУГОЕ ИМЯ",
            "matched_name": "VZOROSTAV CUCORIETKA LLC", "score": 0.85, "strength": "review",
            "why": [
                { "rule": "same-words", "words": ["vzorostav"] },
                { "rule": "similar-spelling", "words": ["cucoriedka"] },
                { "rule": "other-country", "words": [] },
            ],
            "entry_type": "entity", "programmes": ["XYZ"], "countries": ["RU"],
            "listed_on": "2025-03-01", "url": "https://eur-lex.example/1",
        }])
    );
    assert_eq!(content["total_hits"], 1);
}

#[test]
fn entry_is_found_by_any_correct_word() {
    let list = || union(&[entry("EU.1.1", &["VZOROSTAV CUCORIEDKA"])]);
    for name in [
        "Vzorostav Čučorietka",
        "Vzorstav Čučoriedka",
        "Čučoriedka Vzoro-stav",
        "ВЗОРОСТАВ ЧУЧОРЬЕДКА",
        "Vzorostva Čučoriedka, s.r.o.",
    ] {
        assert_eq!(found(list(), name), ["EU.1.1"], "{name}");
    }
}

#[test]
fn persons_are_compared_only_with_sole_traders() {
    let list = || union(&[person("EU.1.1", &["PAPRADOVA Zofia"])]);
    let (_, content) = enrich(list(), trader("Žofia Papraďová"));
    assert_eq!(content["eu_fsf_hits"][0]["entry_type"], "person");
    assert_eq!(content["eu_fsf_hits"][0]["strength"], "review");
    assert!(
        found(list(), "Žofia Papraďová").is_empty(),
        "it is a company"
    );
}

#[test]
fn register_number_is_found_with_any_name() {
    let listed = Entry {
        icos: vec!["99000032".to_owned(), ICO.to_owned()],
        ..entry("EU.1.1", &["SKRYTA ZBROJOVKA"])
    };
    let (_, content) = enrich(union(&[listed]), named(NAME));
    let hit = &content["eu_fsf_hits"][0];
    assert_eq!(
        (&hit["score"], &hit["strength"]),
        (&json!(0.95), &json!("strong"))
    );
    assert_eq!(
        hit["why"][0],
        json!({ "rule": "register-number", "words": [ICO] })
    );
}

#[test]
fn company_listed_as_a_person_is_found() {
    let listed = [
        person("EU.1.1", &["Ivan VZOROV", "ООО Взоростав"]),
        person("EU.1.2", &["Vzorostav CUCORIEDKA"]),
    ];
    let (_, content) = enrich(union(&listed), named("Vzorostav, s. r. o."));
    assert_eq!(content["total_hits"], 1);
    let hit = &content["eu_fsf_hits"][0];
    assert_eq!(
        (&hit["entry_id"], &hit["entry_type"], &hit["score"]),
        (&json!("EU.1.1"), &json!("person"), &json!(0.9))
    );
    assert_eq!(hit["matched_name"], "ООО Взоростав");
    assert_eq!(hit["why"][1]["rule"], "other-kind");
}

#[test]
fn best_hits_are_shown_and_all_are_counted() {
    let listed: Vec<Entry> = (10..40)
        .map(|number| {
            entry(
                &format!("EU.1.{number}"),
                &[if number == 30 {
                    "VZOROSTAV CUCORIEDKA"
                } else {
                    "VZOROSTAV CUCORIEDKA ROSSIYA"
                }],
            )
        })
        .collect();
    let (_, content) = enrich(union(&listed), named(NAME));
    let hits = content["eu_fsf_hits"].as_array().unwrap();
    assert_eq!((hits.len(), &content["total_hits"]), (10, &json!(30)));
    assert_eq!(hits[0]["entry_id"], "EU.1.30");
    let (_, content) = enrich(
        union(&listed).setting("threshold", &json!(1.0)),
        named(NAME),
    );
    assert_eq!(content["total_hits"], 1);
}

#[test]
fn the_threshold_and_the_number_are_settings() {
    let listed = [entry("EU.1.1", &["VZOROSTAV"])];
    let set = |threshold: f64| union(&listed).setting("threshold", &json!(threshold));
    assert_eq!(found(set(0.7), "Vzorostav Slovakia"), ["EU.1.1"]);
    assert!(found(set(0.9), "Vzorostav Slovakia").is_empty());
}

#[test]
fn unread_list_has_null_hits() {
    let listed = [entry("1", &["VZOROSTAV CUCORIEDKA"])];
    let only_main = |entries: &[Entry]| host(&[(Dataset::OfacSdn, entries)]).off("eu-fsf");
    let (section, content) = enrich(only_main(&[]), named(NAME));
    assert_eq!(
        content,
        json!({
            "eu_fsf_hits": null, "ofac_hits": null, "total_hits": null,
            "unread": [
                { "source": "eu-fsf", "since": null, "why": "off: switched off by the operator" },
                { "source": "ofac-consolidated", "since": null, "why": "never imported" },
            ],
        })
    );
    assert_eq!(section.unread.len(), 2);
    let (_, content) = enrich(only_main(&listed), named(NAME));
    assert_eq!(content["eu_fsf_hits"], Value::Null);
    assert_eq!(
        (&content["ofac_hits"][0]["list"], &content["total_hits"]),
        (&json!("ofac-sdn"), &json!(1))
    );
}

#[test]
fn missing_imports_give_no_section() {
    for host in [
        TestHost::new(),
        TestHost::new().off("eu-fsf"),
        TestHost::new().failed("eu-fsf", "malformed: Jozef"),
    ] {
        host.install();
        match Sanctions::enrich("sanctions", named(NAME)) {
            Err(Failure::Unavailable(why)) => {
                assert!(why.contains("ofac-sdn") && !why.contains("Jozef"), "{why}");
            }
            other => panic!("{other:?}"),
        }
    }
    let off = Dataset::ALL
        .iter()
        .fold(TestHost::new(), |host, list| host.off(list.id()));
    let (section, content) = enrich(off, named(NAME));
    assert_eq!(content["total_hits"], Value::Null);
    assert!(
        section
            .unread
            .iter()
            .all(|unread| unread.value.starts_with("off"))
    );
}

#[test]
fn index_of_another_version_is_not_absence() {
    let old = vec![records::item("form", None, &json!({ "form": 0 })).unwrap()];
    for items in [old, Vec::new()] {
        let host = union(&[]).dataset("eu-fsf", IMPORTED, None, items);
        let (section, content) = enrich(host, named(NAME));
        assert_eq!(content["eu_fsf_hits"], Value::Null);
        assert_eq!(content["total_hits"], Value::Null);
        assert_eq!(section.unread[0].name, "eu-fsf");
        assert!(section.unread[0].value.starts_with("kept in another form"));
    }
}

#[test]
fn hostile_names_and_keys_have_no_hits() {
    let listed = || union(&[entry("EU.1.1", &["VZOROSTAV"])]);
    let long = "a b ".repeat(10_000);
    for name in [
        "",
        " ",
        "…",
        "\0",
        "' or 1=1 --",
        "w/e/a2/",
        "\u{202e}",
        "s. r. o.",
        long.as_str(),
    ] {
        assert!(found(listed(), name).is_empty(), "{name:.20}");
    }
    for key in ["", "\0", "9999990", "' or 1=1 --"] {
        listed().install();
        let subject = lustra_sdk::Subject {
            ico: key.to_owned(),
            ..named(NAME)
        };
        assert!(Sanctions::enrich("sanctions", subject).is_err(), "{key}");
    }
    let other = Sanctions::enrich("x", named(NAME));
    assert!(matches!(other, Err(Failure::Other((code, _))) if code == "not-offered"));
}
