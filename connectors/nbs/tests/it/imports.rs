//! Whole imports through a test host: archives, history, cursors and what goes wrong.

use lustra_nbs::Nbs;
use lustra_sdk::testing::{Answer, TestHost, archive, run_import};
use lustra_sdk::{Failure, Importer, Item};
use serde_json::{Value, from_str, json};

use crate::world::{ICO, IMPORTED, entity, id_of, institutions, licence, listing, row, service};

mod agents;
mod entities;
mod former;
mod refused;

const DAY: &str = "2026-01-15";

fn import(dataset: &str) -> Result<Vec<Item>, Failure> {
    run_import::<Nbs>(dataset, None).map(|(items, _, _)| items)
}

fn content(items: &[Item], key: &str) -> Value {
    let item = items.iter().find(|item| item.key == key);
    from_str(&item.unwrap_or_else(|| panic!("no record {key}")).content).unwrap()
}

/// Rows of so many companies, every tenth with two licences.
fn rows(count: u32) -> Vec<Value> {
    (0..count)
        .map(|number| {
            let ico = format!("{}", 99_000_000 + number);
            match number % 10 {
                0 => row(&ico, &["banka", "obchodník s cennými papiermi"]),
                _ => row(&ico, &["Viazaný finančný agent"]),
            }
        })
        .collect()
}

fn fingerprint(items: &[Item]) -> Vec<(&str, Option<&str>, &str)> {
    items
        .iter()
        .map(|item| {
            (
                item.key.as_str(),
                item.ico.as_deref(),
                item.content.as_str(),
            )
        })
        .collect()
}

/// First day and last day of each licence of a company, by the licences' texts.
fn days(items: &[Item], ico: &str) -> Value {
    let entity = content(items, &id_of(ico));
    let licences = entity["licences"].as_array().unwrap().iter();
    licences
        .map(|one| json!([one["license_type"], one["first_seen_on"], one["ended_on"]]))
        .collect()
}

#[test]
fn first_import_sets_first_seen() {
    listing(
        DAY,
        institutions(&[row("124", &["Banka"]), row(ICO, &["finančný poradca"])]),
    )
    .install();
    let items = import("institutions").unwrap();
    assert_eq!(items.len(), 2);
    let key = id_of("00000124");
    let found = items.iter().find(|item| item.key == key).unwrap();
    assert_eq!(found.ico.as_deref(), Some("00000124"));
    assert_eq!(
        content(&items, &key),
        json!({
            "entity_id": key, "ico": "00000124", "name": "Vzor, s. r. o.",
            "address": "Skúšobná 7, 04001 Košice", "country": "SK", "is_natural_person": false,
            "is_current": true, "categories": ["banka"], "person_id": null, "person_match": null,
            "first_seen_on": DAY, "delisted_on": null, "nbs_updated_at": null,
            "licences": [{
                "status": "current", "category": "banka", "license_type": "Banka", "valid_from": null,
                "sector": null, "country": "SK", "regfap_number": null, "parent": null,
                "first_seen_on": DAY, "ended_on": null, "source": "institutions",
            }],
            "agents_count": null,
        })
    );
    assert_eq!(TestHost::requests(), ["nbs /api/json"]);
}

#[test]
fn history_above_one_piece_is_continued_whole() {
    let texts = ["banka", "finančný poradca", "poisťovňa", "zmenáreň"];
    let before = texts.map(|text| licence(ICO, text, Some("2026-01-09")));
    let largest = before.iter().map(|item| item.content.len()).max();
    listing(DAY, institutions(&[row("124", &["Banka"])]))
        .piece(2 * largest.unwrap())
        .dataset("institutions", IMPORTED, None, before.to_vec())
        .install();
    assert_eq!(import("institutions").unwrap().len(), 5);
}

#[test]
fn later_import_continues_the_history() {
    let before = vec![
        entity(
            ICO,
            vec![
                licence("banka", None),
                licence("finančný poradca", None),
                licence("zmenáreň", Some("2026-01-09")),
            ],
        ),
        entity("99900017", vec![licence("poisťovňa", Some("2026-01-09"))]),
        entity("99900025", vec![licence("poisťovňa", None)]),
    ];
    listing(
        DAY,
        institutions(&[
            row(ICO, &["BANKA", "platobná inštitúcia"]),
            row("99900017", &["poisťovňa"]),
        ]),
    )
    .dataset("institutions", IMPORTED, None, before)
    .install();
    let items = import("institutions").unwrap();
    let (first, none) = ("2026-01-01", Value::Null);
    assert_eq!(items.len(), 3);
    assert_eq!(
        days(&items, ICO),
        json!([
            ["BANKA", first, none],
            ["platobná inštitúcia", DAY, none],
            ["finančný poradca", first, DAY],
            ["zmenáreň", first, "2026-01-09"],
        ]),
        "the text is as it is published now"
    );
    let listing = |ico: &str| {
        let entity = content(&items, &id_of(ico));
        json!([
            entity["is_current"],
            entity["first_seen_on"],
            entity["delisted_on"]
        ])
    };
    assert_eq!(listing(ICO), json!([true, first, none]));
    assert_eq!(
        listing("99900017"),
        json!([true, first, none]),
        "listed again"
    );
    assert_eq!(
        days(&items, "99900017"),
        json!([["poisťovňa", first, none]])
    );
    assert_eq!(listing("99900025"), json!([false, first, DAY]));
    assert_eq!(days(&items, "99900025"), json!([["poisťovňa", first, DAY]]));
    assert_eq!(
        content(&items, &id_of("99900025"))["categories"],
        json!(["poisťovňa"])
    );
}

#[test]
fn list_import_resumes_behind_each_batch() {
    // The stored records fill more than a page, some have vanished, and a day begins while the run is interrupted.
    let before: Vec<Item> = (0..2_400)
        .map(|number| {
            let ico = format!("{}", 99_000_100 + number);
            entity(&ico, vec![licence("Viazaný finančný agent", None)])
        })
        .collect();
    let host = |day| {
        listing(day, institutions(&rows(2_300))).dataset(
            "institutions",
            IMPORTED,
            None,
            before.clone(),
        )
    };
    host(DAY).install();
    let (all, companies, cursors) = run_import::<Nbs>("institutions", None).unwrap();
    assert!(companies.is_empty());
    let mut keys: Vec<&str> = all.iter().map(|item| item.key.as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all.len(), "keys are unique");
    assert_eq!(
        all.iter()
            .filter(|item| item.content.contains(&format!("\"delisted_on\":\"{DAY}\"")))
            .count(),
        200
    );
    assert!(cursors.len() > 2);
    for (batch, cursor) in cursors.iter().enumerate() {
        host("2026-01-16").install();
        let (rest, _, _) = run_import::<Nbs>("institutions", Some(cursor.clone())).unwrap();
        let given = ((batch + 1) * 1_000).min(all.len());
        assert_eq!(
            fingerprint(&rest),
            fingerprint(&all[given..]),
            "behind {cursor}"
        );
    }
}

#[test]
fn the_order_of_the_list_does_not_matter() {
    let mut turned = rows(300);
    listing(DAY, institutions(&turned)).install();
    let straight = import("institutions").unwrap();
    turned.reverse();
    listing(DAY, institutions(&turned)).install();
    assert_eq!(
        fingerprint(&import("institutions").unwrap()),
        fingerprint(&straight)
    );
}

#[test]
fn first_batch_reports_skipped_rows_and_no_date() {
    let mut rows = rows(1_500);
    rows.push(json!({"id": ICO, "country": "CZ", "licenses": []}));
    listing(DAY, institutions(&rows)).install();
    let mut run = Nbs::open("institutions", None).unwrap();
    let first = run.next().unwrap().unwrap();
    assert_eq!(first.items.len(), 1_000);
    let foreign = |note: &&lustra_sdk::Field| note.name == "foreign";
    assert_eq!(first.notes.iter().find(foreign).unwrap().value, "1");
    let second = run.next().unwrap().unwrap();
    assert_eq!((second.items.len(), second.notes.len()), (501, 0));
    assert_eq!((first.list_date, second.progress), (None, Some(1_000)));
    assert!(run.next().unwrap().is_none());
    assert!(run.next().unwrap().is_none(), "the end stays the end");
}

#[test]
fn a_cursor_of_another_list_or_history_is_refused() {
    listing(DAY, institutions(&rows(1_500))).install();
    let (_, _, cursors) = run_import::<Nbs>("institutions", None).unwrap();
    let refused = |cursor: &str| {
        let failure = Nbs::open("institutions", Some(cursor.to_owned())).err();
        assert!(
            matches!(&failure, Some(Failure::Other((code, _))) if code == "list-changed"),
            "{cursor}: {failure:?}"
        );
    };
    listing(DAY, institutions(&rows(1_501))).install();
    refused(&cursors[0]);
    listing(DAY, institutions(&rows(1_500)))
        .dataset(
            "institutions",
            IMPORTED,
            None,
            vec![entity(ICO, vec![licence("banka", None)])],
        )
        .install();
    refused(&cursors[0]);
    for cursor in [
        "",
        "{}",
        "garbage",
        r#"{"day":"2026-01-15","given":9999,"mark":"x"}"#,
    ] {
        refused(cursor);
    }
}

#[test]
fn payment_services_end_on_their_own_day() {
    let of = |text: &str, from: &str, to: Value| json!({"id": ICO, "name": "Vzor", "address": "", "country": "SK", "service": text, "date_from": from, "date_to": to});
    let list = json!([
        of("AISP", "2019-09-14", Value::Null),
        of("PISP", "2019-09-14", json!("2024-06-30")),
        of("PIISP", "2025-01-01", json!("2026-01-15")),
    ]);
    let before = vec![service(ICO, "cbpii", "2020-01-01", None)];
    TestHost::new()
        .now("2026-01-15T06:45:00Z")
        .dataset("psd2-services", IMPORTED, None, before)
        .answer("nbs", "/api/psd2", Answer::ok(list.to_string()))
        .install();
    let items = import("psd2-services").unwrap();
    let ended = |key: &str| content(&items, key)["ended_on"].clone();
    assert_eq!(ended("99999901/aisp/2019-09-14"), Value::Null);
    assert_eq!(ended("99999901/pisp/2019-09-14"), "2024-06-30");
    assert_eq!(
        ended("99999901/piisp/2025-01-01"),
        Value::Null,
        "its last day"
    );
    assert_eq!(
        ended("99999901/cbpii/2020-01-01"),
        DAY,
        "gone without an end"
    );
    assert_eq!(items.len(), 4);
}

#[test]
fn payment_services_are_read_in_either_charset() {
    for name in [
        b"\xc4\xbdadov\xc3\xa1".as_slice(),
        b"\xbcadov\xe1".as_slice(),
    ] {
        let head = format!(
            r#"[{{"id":"{ICO}","country":"SK","service":"AISP","date_from":"2019-09-14","date_to":null,"name":""#
        );
        let list = [head.as_bytes(), name, b"\"}]"].concat();
        TestHost::new()
            .answer("nbs", "/api/psd2", Answer::ok(list))
            .install();
        assert_eq!(import("psd2-services").unwrap().len(), 1);
    }
}

#[test]
fn an_archive_is_known_by_its_bytes() {
    let packed = || institutions(&[row(ICO, &["banka"])]);
    for kind in [
        "application/json",
        "text/html; charset=utf-8",
        "text/plain; charset=windows-1250",
        "",
    ] {
        let answer = Answer::ok(packed()).with_header("content-type", kind);
        TestHost::new().answer("nbs", "/api/json", answer).install();
        assert_eq!(import("institutions").unwrap().len(), 1, "{kind}");
    }
    let marked = [
        b"\xef\xbb\xbf".as_slice(),
        json!({"institutions": [row(ICO, &["banka"])]})
            .to_string()
            .as_bytes(),
    ]
    .concat();
    listing(
        DAY,
        archive(&[
            ("readme.txt", b"x".as_slice()),
            ("data/SUBJECTS.JSON", &marked),
        ]),
    )
    .install();
    assert_eq!(import("institutions").unwrap().len(), 1);
}

#[test]
fn only_known_datasets_are_offered() {
    TestHost::new().install();
    for dataset in ["", "psd2", "institutions\0"] {
        assert!(
            matches!(Nbs::open(dataset, None).err(), Some(Failure::Other((code, _))) if code == "not-offered")
        );
    }
}
