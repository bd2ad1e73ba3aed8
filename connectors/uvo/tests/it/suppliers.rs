//! Look-ups of `reges`.

use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, TestHost};
use serde_json::{Value, json};

use crate::world::{ICO, NOTHING, count, failure, host, page, section, table};

const PATH: &str = "/vyhladavanie/globalne-vyhladavanie?globalSearch=99999994&searchType=ZHS";
const HEADERS: [&str; 7] = [
    "Registračné číslo",
    "Obchodné meno",
    "IČO",
    "Sídlo",
    "Dátum zápisu",
    "Platnosť zápisu do",
    "Stav",
];

fn row(number: &str, ico: &str, from: &str, until: &str, state: &str) -> Vec<String> {
    let cells = [
        number,
        "Vzor, s. r. o.",
        ico,
        "Skúšobná 7, Košice",
        from,
        until,
        state,
    ];
    cells.map(str::to_owned).to_vec()
}

fn listing(total: usize, rows: &[Vec<String>]) -> Answer {
    page(&format!("{}{}", count(total), table(&HEADERS, rows)))
}

/// A host whose operator configured the list's selector.
fn answering(answer: Answer) -> TestHost {
    host(&[(PATH, answer)]).setting("suppliers", &json!({ "search_type": "ZHS" }))
}

#[test]
fn unknown_selector_makes_no_request() {
    TestHost::new().install();
    let section = section("reges");
    assert_eq!(section["is_qualified_supplier"], Value::Null);
    assert_eq!(section["unread"][0]["source"], "suppliers");
    assert!(
        section["unread"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with("off: ")
    );
    assert!(TestHost::requests().is_empty());
}

#[test]
fn entry_counts_while_it_is_valid() {
    for (from, until, state, status) in [
        ("01.08.2024", "01.08.2027", "zapísaný", "registered"),
        ("15.01.2026", "15.01.2026", "Zapísaný", "registered"),
        ("01.08.2022", "14.01.2026", "zapísaný", "expired"),
        ("16.01.2026", "16.01.2029", "zapísaný", "upcoming"),
        ("01.08.2024", "01.08.2027", "vyčiarknutý", "struck_off"),
        ("01.08.2024", "01.08.2027", "pozastavený", "suspended"),
    ] {
        answering(listing(
            1,
            &[row("2024/8-PO-X0001", ICO, from, until, state)],
        ))
        .install();
        let section = section("reges");
        assert_eq!(section["status"], status);
        assert_eq!(
            section["is_qualified_supplier"],
            status == "registered",
            "{section}"
        );
        assert_eq!(section["registration_id"], "2024/8-PO-X0001");
    }
}

#[test]
fn valid_entry_is_shown_first() {
    let rows = [
        row(
            "2019/8-PO-X0001",
            ICO,
            "01.08.2019",
            "01.08.2022",
            "zapísaný",
        ),
        row(
            "2024/8-PO-X0002",
            ICO,
            "01.08.2024",
            "01.08.2027",
            "zapísaný",
        ),
        row(
            "2025/1-PO-X0003",
            "99000024",
            "01.01.2025",
            "01.01.2028",
            "zapísaný",
        ),
    ];
    answering(listing(3, &rows)).install();
    let section = section("reges");
    assert_eq!(section["registration_id"], "2024/8-PO-X0002");
    assert_eq!(section["valid_to"], "2027-08-01");
    assert_eq!(
        section["registrations"].as_array().unwrap().len(),
        2,
        "numbers of other companies do not match"
    );
}

#[test]
fn only_office_statement_means_no_entry() {
    answering(page(NOTHING)).install();
    let section = section("reges");
    assert_eq!(section["is_qualified_supplier"], false);
    assert_eq!(section["registrations"], json!([]));
    let other = row(
        "2024/8-PO-X0001",
        "99000024",
        "01.08.2024",
        "01.08.2027",
        "zapísaný",
    );
    answering(listing(1, &[other])).install();
    assert!(
        matches!(failure("reges"), Failure::Malformed(_)),
        "it was not searched for"
    );
    let odd = row(
        "2024/8-PO-X0001",
        ICO,
        "01.08.2024",
        "01.08.2027",
        "čakajúci",
    );
    answering(listing(1, &[odd])).install();
    assert!(
        matches!(failure("reges"), Failure::Malformed(_)),
        "an unknown state decides nothing"
    );
}

#[test]
fn verdict_is_unknown_beside_an_odd_entry() {
    let entry = |until: &str| row("2019/8-PO-X0001", ICO, "01.08.2019", until, "zapísaný");
    for (until, verdict) in [("01.08.2022", Value::Null), ("01.08.2027", json!(true))] {
        let short = entry(until)[..6].to_vec();
        answering(listing(2, &[entry(until), short])).install();
        let section = section("reges");
        assert_eq!(section["is_qualified_supplier"], verdict);
        let unread = &section["unread"][0];
        assert_eq!(unread["source"], "suppliers");
        assert_eq!(
            unread["why"],
            "in part: 1 rows of suppliers have another form and were left out"
        );
    }
}
