//! The first import after the upgrade from version 0.1, whose records were single licences without names.

use serde_json::{Value, json};

use super::{DAY, content, days, import};
use crate::world::{ICO, IMPORTED, entity, former, id_of, institutions, licence, listing, row};

#[test]
fn upgrade_keeps_the_history_of_licences() {
    let before = vec![
        former(ICO, "banka", None),
        former(ICO, "finančný poradca", None),
        former(ICO, "zmenáreň", Some("2026-01-09")),
        former("99900017", "poisťovňa", Some("2026-01-09")),
        former("99900025", "poisťovňa", None),
    ];
    listing(DAY, institutions(&[row(ICO, &["Banka"])]))
        .dataset("institutions", IMPORTED, None, before)
        .install();
    let items = import("institutions").unwrap();
    let (first, none) = ("2026-01-01", Value::Null);
    assert_eq!(
        days(&items, ICO),
        json!([
            ["Banka", first, none],
            ["finančný poradca", first, DAY],
            ["zmenáreň", first, "2026-01-09"],
        ])
    );
    let summary = |ico: &str| {
        let entity = content(&items, &id_of(ico));
        ["name", "is_current", "first_seen_on", "delisted_on"].map(|name| entity[name].clone())
    };
    assert_eq!(
        summary(ICO),
        [json!("Vzor, s. r. o."), json!(true), json!(first), none]
    );
    let delisted = |ico: &str, day: &str| [json!(ico), json!(false), json!(first), json!(day)];
    assert_eq!(summary("99900017"), delisted("99900017", "2026-01-09"));
    assert_eq!(summary("99900025"), delisted("99900025", DAY));
    assert_eq!(items.len(), 3, "no record of the old form remains");
}

#[test]
fn second_import_after_the_upgrade_changes_nothing() {
    let list = || institutions(&[row(ICO, &["banka"])]);
    let before = vec![
        former(ICO, "banka", None),
        former(ICO, "zmenáreň", Some("2026-01-09")),
    ];
    listing(DAY, list())
        .dataset("institutions", IMPORTED, None, before)
        .install();
    let first = import("institutions").unwrap();
    listing("2026-01-16", list())
        .dataset("institutions", IMPORTED, None, first.clone())
        .install();
    let second = import("institutions").unwrap();
    assert_eq!(super::fingerprint(&second), super::fingerprint(&first));
}

#[test]
fn half_a_list_is_refused_after_the_upgrade() {
    let ico = |number: u32| (99_000_000 + number).to_string();
    let before = (0..200).map(|number| former(&ico(number), "banka", None));
    let rows: Vec<Value> = (0..100)
        .map(|number| row(&ico(number), &["banka"]))
        .collect();
    let host =
        |before| listing(DAY, institutions(&rows)).dataset("institutions", IMPORTED, None, before);
    host(before.collect()).install();
    assert!(import("institutions").is_err());
    let few = (0..110).map(|number| entity(&ico(number), vec![licence("banka", None)]));
    host(few.collect()).install();
    assert!(import("institutions").is_ok());
}
