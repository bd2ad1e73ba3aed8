//! Whole look-ups of `debtor_status`.

use lustra_debtors::Debtors;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Item, Section, Subject};
use serde_json::{Value, json};

use crate::manifest::manifest;
use crate::world::{VSZP, item, subject, value};

mod vszp_page;

const IMPORTED: &str = "2026-01-06T05:10:00Z";
const CONTENT: &str = r#"{"name":"Vzorový dlžník, s. r. o.","amount":"1785.98","as_of":null}"#;
const NOTHING: &str =
    "<html><body><input type=hidden value=99999901><p>Nenašli sa žiadne záznamy</p></body></html>";

/// A host with all lists. None of them has the company; `VšZP` answers by its page.
fn host() -> TestHost {
    let others = || {
        vec![item(
            "ico:99900017",
            Some("99900017"),
            "Iná, a. s.",
            CONTENT,
        )]
    };
    TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .dataset("social-insurer", IMPORTED, Some("2026-01-05"), others())
        .dataset("tax-authority", IMPORTED, Some("2025-12-31"), others())
        .off("dovera")
        .off("union")
        .off("vszp")
        .answer("vszp", VSZP, Answer::ok(NOTHING))
}

fn ask(host: TestHost, subject: Subject) -> (Section, Value) {
    host.install();
    let section = Debtors::enrich("debtor_status", subject).expect("it is a section");
    let content = manifest().content("debtor_status", &section);
    (section, content)
}

fn list<'a>(content: &'a Value, source: &str) -> &'a Value {
    let lists = content["lists"].as_array().expect("there are lists");
    lists
        .iter()
        .find(|list| list["source"] == source)
        .expect("every list is there")
}

fn row(name: &str, city: &str) -> Item {
    Item {
        city: Some(city.to_owned()),
        ..item(&format!("name:{name}|{city}"), None, name, CONTENT)
    }
}

fn tax(rows: Vec<Item>) -> TestHost {
    host().dataset("tax-authority", IMPORTED, Some("2025-12-31"), rows)
}

#[test]
fn unlisted_company_is_no_debtor_if_lists_were_read() {
    let (section, content) = ask(host(), subject());
    let why = |dataset: &str| format!("off: the dataset {dataset} is switched off");
    assert_eq!(
        content,
        json!({
            "is_debtor": false,
            "sources": [],
            "lists": [
                {"source": "socialna_poistovna", "state": "read", "as_of": "2026-01-05", "imported_at": IMPORTED},
                {"source": "vszp", "state": "read", "as_of": null, "checked_at": "2026-01-15T08:00:00Z"},
                {"source": "dovera", "state": "unread", "as_of": null, "why": why("dovera")},
                {"source": "union", "state": "unread", "as_of": null, "why": why("union")},
                {"source": "financna_sprava", "state": "read", "as_of": "2025-12-31", "imported_at": IMPORTED},
            ],
            "unread": [
                {"source": "dovera", "since": null, "why": why("dovera")},
                {"source": "union", "since": null, "why": why("union")},
            ],
        })
    );
    assert_eq!(
        value(&section.unread, "dovera"),
        Some(why("dovera").as_str())
    );
    assert_eq!((section.unread.len(), section.evidence.len()), (2, 1));
    assert_eq!(TestHost::requests().len(), 1);
}

#[test]
fn every_entry_of_a_list_is_a_hit() {
    let entry = |number: u32| {
        let key = format!("ico:99999901|{number:04}");
        item(&key, Some("99999901"), "Vzorový dlžník, s. r. o.", CONTENT)
    };
    let entries = (0..1_100).map(entry).collect();
    let (_, content) = ask(host().dataset("union", IMPORTED, None, entries), subject());
    let sources = content["sources"].as_array().expect("there are sources");
    assert_eq!(sources.len(), 1_100);
}

#[test]
fn every_list_names_its_debtors() {
    let entry = || {
        vec![item(
            "ico:99999901",
            Some("99999901"),
            "Vzorový dlžník, s. r. o.",
            CONTENT,
        )]
    };
    let dated = CONTENT.replace("null", "\"2026-01-02\"");
    let dated = dated.replace('}', ",\"listed_since\":\"2025-11-03\"}");
    let host = tax(vec![row("VZOROVY DLZNIK, S. R. O.", "VZOROVO")])
        .dataset("social-insurer", IMPORTED, Some("2026-01-05"), entry())
        .dataset(
            "dovera",
            IMPORTED,
            None,
            vec![item("a", Some("99999901"), "Vzorový dlžník", &dated)],
        )
        .dataset("union", IMPORTED, None, entry())
        .dataset("vszp", IMPORTED, None, entry())
        .company("99999901", "Vzorový dlžník, s. r. o.", "Vzorovo", "99901");
    let (section, content) = ask(host, subject());
    assert_eq!(content["is_debtor"], true);
    let sources = content["sources"].as_array().expect("there are sources");
    let names: Vec<&str> = sources
        .iter()
        .filter_map(|hit| hit["source"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "socialna_poistovna",
            "vszp",
            "dovera",
            "union",
            "financna_sprava"
        ]
    );
    assert_eq!(
        sources[0],
        json!({
            "source": "socialna_poistovna", "debtor_name": "Vzorový dlžník, s. r. o.", "debt_amount": 1785.98,
            "listed_since": null, "currency": "EUR", "match": "ico", "confidence": 1.0, "as_of": "2026-01-05",
        })
    );
    assert_eq!(
        (&sources[2]["as_of"], &sources[3]["as_of"]),
        (&json!("2026-01-02"), &json!(null))
    );
    assert_eq!(sources[2]["listed_since"], "2025-11-03");
    assert_eq!(
        (&sources[4]["match"], &sources[4]["confidence"]),
        (&json!("name_psc"), &json!(0.95))
    );
    assert!(section.unread.is_empty() && section.evidence.is_empty());
    assert!(
        TestHost::requests().is_empty(),
        "an imported list is not asked for live"
    );
}

#[test]
fn repeated_look_up_gives_the_same_section() {
    let entries = || {
        vec![
            item(
                "b",
                Some("99999901"),
                "B",
                &CONTENT.replace("1785.98", "2.00"),
            ),
            item(
                "a",
                Some("99999901"),
                "A",
                &CONTENT.replace("1785.98", "1.00"),
            ),
        ]
    };
    let mut turned = entries();
    turned.reverse();
    let (first, _) = ask(
        host().dataset("social-insurer", IMPORTED, None, entries()),
        subject(),
    );
    let (second, _) = ask(
        host().dataset("social-insurer", IMPORTED, None, turned),
        subject(),
    );
    assert_eq!(first.content, second.content);
}

#[test]
fn name_of_two_companies_is_ambiguous() {
    let host = tax(vec![row("Vzorový dlžník, s. r. o.", "Vzorovo")])
        .company("99999901", "Vzorový dlžník, s. r. o.", "Vzorovo", "99901")
        .company("99900017", "VZOROVÝ DLŽNÍK, s. r. o.", "Vzorovo", "99901");
    let (_, content) = ask(host, subject());
    assert_eq!(
        (&content["is_debtor"], &content["sources"]),
        (&Value::Null, &json!([])),
        "one of the two is a debtor"
    );
    let list = list(&content, "financna_sprava");
    assert_eq!(
        (&list["state"], &list["confidence"]),
        (&json!("read"), &json!(0.5))
    );
    assert!(
        list["why"]
            .as_str()
            .is_some_and(|why| why.starts_with("ambiguous"))
    );
}

#[test]
fn person_matches_no_company() {
    let known = |host: TestHost| host.company("99999901", "Ján Skúšobný", "Vzorovo", "99901");
    let named = |legal_form: &str| Subject {
        name: "Ján Skúšobný".to_owned(),
        company: json!({ "legal_form": legal_form }).to_string(),
        ..subject()
    };
    let rows = || vec![row("JÁN SKÚŠOBNÝ", "Inde")];
    let (_, company) = ask(known(tax(rows())), named("Akciová spoločnosť"));
    assert_eq!(
        (&company["is_debtor"], &company["sources"]),
        (&Value::Null, &json!([])),
        "the names are equal, so it may be the company's"
    );
    let why = list(&company, "financna_sprava")["why"].as_str();
    assert!(why.is_some_and(|why| why.starts_with("not attached")));
    let (_, trader) = ask(known(tax(rows())), named("Podnikateľ - fyzická osoba"));
    assert_eq!(trader["sources"][0]["confidence"], 0.9);
    let elsewhere = Subject {
        postal_code: Some("99902".to_owned()),
        ..named("")
    };
    assert_eq!(ask(known(tax(rows())), elsewhere).1["is_debtor"], false);
}

#[test]
fn cooperative_is_found_in_the_tax_list() {
    let cooperative = Subject {
        name: "Roľnícke družstvo Vzorovo".to_owned(),
        company: json!({ "legal_form": "Družstvo" }).to_string(),
        ..subject()
    };
    let host = tax(vec![row("ROĽNÍCKE DRUŽSTVO VZOROVO", "Vzorovo")]).company(
        "99999901",
        "Roľnícke družstvo Vzorovo",
        "Vzorovo",
        "99901",
    );
    let (_, content) = ask(host, cooperative);
    assert_eq!(content["is_debtor"], true);
    assert_eq!(content["sources"][0]["confidence"], 0.95);
}

#[test]
fn company_without_postal_code_leaves_tax_list_unread() {
    let (section, content) = ask(
        host(),
        Subject {
            postal_code: None,
            ..subject()
        },
    );
    assert_eq!(list(&content, "financna_sprava")["state"], "unread");
    assert_eq!(content["is_debtor"], Value::Null);
    let why = value(&section.unread, "financna_sprava").expect("it is unread");
    assert!(why.starts_with("truncated: "), "no retry helps: {why}");
}

#[test]
fn failed_source_leaves_verdict_null_unless_listed_elsewhere() {
    let down = |host: TestHost| host.fail("vszp", VSZP, Failure::Unavailable("down".to_owned()));
    assert_eq!(ask(down(host()), subject()).1["is_debtor"], Value::Null);
    let entry = vec![item("a", Some("99999901"), "Vzorový dlžník", CONTENT)];
    let listed = host().dataset("social-insurer", IMPORTED, None, entry);
    assert_eq!(ask(down(listed), subject()).1["is_debtor"], true);
    let without = TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .off("dovera")
        .off("union")
        .off("vszp")
        .dataset("tax-authority", IMPORTED, None, Vec::new())
        .answer("vszp", VSZP, Answer::ok(NOTHING));
    let (_, content) = ask(without, subject());
    assert_eq!(content["is_debtor"], Value::Null, "never imported");
    assert_eq!(
        content["unread"][0]["why"],
        "never imported: the dataset social-insurer"
    );
}

#[test]
fn older_list_and_lists_that_are_off_allow_false() {
    let host = host().failed("social-insurer", "row 7: another form");
    assert_eq!(ask(host, subject()).1["is_debtor"], false);
}

#[test]
fn unread_list_keeps_its_start_time() {
    let first = ask(
        host().fail("vszp", VSZP, Failure::Unavailable("down".to_owned())),
        subject(),
    )
    .0;
    let later = host()
        .now("2026-01-20T08:00:00Z")
        .fail("vszp", VSZP, Failure::Throttled(Some(5)));
    let (_, content) = ask(
        later,
        Subject {
            previous: Some(first.content),
            ..subject()
        },
    );
    assert_eq!(content["unread"][0]["since"], "2026-01-15T08:00:00Z");
    assert_eq!(content["unread"][0]["why"], "throttled: wait 5 s");
}

#[test]
fn unread_lists_leave_the_verdict_null() {
    let host = TestHost::new().setting("vszp_live", &json!(false));
    let (section, content) = ask(host, subject());
    assert_eq!(
        (&content["is_debtor"], section.unread.len()),
        (&Value::Null, 5)
    );
    assert!(TestHost::requests().is_empty());
}

#[test]
fn failed_newer_import_is_reported_without_rows() {
    let host = host().failed("social-insurer", "row 7: Skúšobný Ján");
    let (_, content) = ask(host, subject());
    let list = list(&content, "socialna_poistovna");
    assert_eq!(
        (&list["state"], &list["why"]),
        (&json!("read"), &json!("a newer list could not be imported"))
    );
}

#[test]
fn hostile_keys_are_handled() {
    for key in [
        "",
        "\0",
        "9999990",
        "' or 1=1 --",
        "\u{202e}10999999",
        &"9".repeat(1 << 20),
    ] {
        host().install();
        let subject = Subject {
            ico: key.to_owned(),
            name: key.to_owned(),
            previous: Some(key.to_owned()),
            ..subject()
        };
        assert!(Debtors::enrich("debtor_status", subject).is_err());
        let named = Subject {
            name: key.to_owned(),
            city: Some(key.to_owned()),
            company: key.to_owned(),
            ..crate::world::subject()
        };
        assert!(Debtors::enrich("debtor_status", named).is_ok());
    }
    assert!(
        matches!(Debtors::enrich("x", subject()), Err(Failure::Other((code, _))) if code == "not-offered")
    );
}
