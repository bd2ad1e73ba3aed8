#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

use serde::Deserialize;

use super::*;
use crate::testing::{Answer, TestHost, run_import, subject};

crate::columns! {
    /// Of a list for these tests.
    Columns {
        /// The registration number of the holder.
        required ico: ["IČO"],
        /// What an entry is known by.
        required number: ["Číslo", "Č. licencie"],
        /// The day on which it was issued.
        optional issued_on: ["Vydané"],
        /// The first day of the licence.
        optional valid_from: ["Platnosť od"],
        /// The last day of the licence.
        optional valid_to: ["Platnosť do"],
        /// The status of the licence.
        optional status: ["Stav"],
    }
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Licence {
    number: String,
    #[serde(flatten)]
    term: Term,
}

crate::settings! {
    /// The settings of the sample.
    pub struct Settings {
        /// The columns of the list.
        columns: Columns = Columns::default(),
        /// The status words of the list.
        status_words: StatusWords = StatusWords::default(),
    }
}

struct Sample;

#[derive(Serialize)]
struct Content {
    numbers: Vec<String>,
    unread: Vec<Unread>,
}

impl Listed for Sample {
    const SCOPE: &'static str = "licence";
    const DATASET: &'static str = "licences";
    type Settings = Settings;
    type Entry = Licence;
    type Section = Content;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, settings: &Settings) -> Result<(String, Licence), Failure> {
        let number = row.required("number")?;
        let term = Term::read(row, &settings.status_words)?;
        Ok((number.clone(), Licence { number, term }))
    }

    fn section(found: OfCompany<Licence>, _today: &str) -> Content {
        Content {
            numbers: found
                .entries
                .into_iter()
                .map(|entry| entry.number)
                .collect(),
            unread: found.unread,
        }
    }
}

fn of(rows: &str) -> Result<(Vec<Item>, Notes), Failure> {
    let list = format!("IČO;Číslo;Platnosť od;Platnosť do;Stav\r\n{rows}");
    read::<Sample>(list.as_bytes())
}

fn host() -> TestHost {
    TestHost::new().now("2026-01-15T06:00:00Z")
}

fn what(failure: Failure) -> (String, String) {
    let Failure::Malformed(drift) = failure else {
        panic!("another failure: {failure:?}");
    };
    (drift.what, drift.found)
}

#[test]
fn row_order_does_not_change_records() {
    host().install();
    let rows = [
        "99999901;L-2/2026;1.1.2026;;platná",
        "316792;L-1/2026;;;",
        ";L-3/2026;;;",
        "99999901;L-2/2026;1.1.2026;;platná",
        "99999901;l 2 2026;2.1.2026;;Platná",
        "99999902;L-1/2026;;;",
    ];
    let (items, notes) = of(&rows.join("\r\n")).unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    let expected = [
        "00316792/l 1 2026",
        "99999901/l 2 2026",
        "99999901/l 2 2026/2",
        "99999902/l 1 2026",
    ];
    assert_eq!(keys, expected);
    for (name, count) in [
        ("rows_without_ico", 1),
        ("repeated_rows", 1),
        ("odd_check_digit", 1),
    ] {
        assert_eq!(notes.of(name), count, "{name}");
    }
    let turned: Vec<&str> = rows.into_iter().rev().collect();
    let (again, _) = of(&turned.join("\r\n")).unwrap();
    let contents = |items: &[Item]| -> Vec<String> {
        items
            .iter()
            .map(|item| format!("{} {}", item.key, item.content))
            .collect()
    };
    assert_eq!(contents(&again), contents(&items));
}

#[test]
fn list_without_companies_is_malformed() {
    host().install();
    assert_eq!(what(of("").unwrap_err()).0, "list");
    assert_eq!(
        what(of(";L-1;;;\r\n;L-2;;;").unwrap_err()).1,
        "2 rows without one"
    );
    let foreign = |count: usize| {
        let own = "99999901;L-1;;;\r\n".to_owned();
        own + &"CZ123;L-2;;;\r\n".repeat(count)
    };
    assert_eq!(of(&foreign(1)).unwrap().1.of("rows_with_unreadable_ico"), 1);
    let (place, found) = what(of(&foreign(2)).unwrap_err());
    assert_eq!(place, "list: odd rows");
    assert_eq!(found, "2 (rows_with_unreadable_ico 2)");
}

#[test]
fn state_follows_days_and_status() {
    host().install();
    for (cells, state) in [
        (";;", State::Valid),
        ("15.1.2026;15.1.2026;platné", State::Valid),
        ("16.1.2026;;", State::Upcoming),
        ("1.1.2020;14.1.2026;", State::Expired),
        ("1.1.2020;na dobu neurčitú;", State::Valid),
        ("1.1.2020;14.1.2026;Pozastavená", State::Expired),
        (";;POZASTAVENE", State::Suspended),
        ("1.1.2020;14.1.2026;zrušená", State::Ended),
    ] {
        let (items, _) = of(&format!("99999901;L-1;{cells}")).unwrap();
        let licence: Licence = serde_json::from_str(&items[0].content).unwrap();
        assert_eq!(licence.term.state("2026-01-15"), state, "{cells}");
        assert_eq!(licence.term.state_at_import, state, "{cells}");
    }
    for cells in [";;podmienečne platná", ";včera;", "31.2.2026;;"] {
        let rows = format!("99999901;L-1;{cells}\r\n99999902;L-2;;;");
        let (items, notes) = of(&rows).unwrap();
        assert_eq!(notes.of("unreadable_rows"), 1, "{cells}");
        assert!(serde_json::from_str::<Licence>(&items[0].content).is_err());
    }
}

#[test]
fn unreadable_row_affects_only_its_company() {
    let rows = "99999901;L-1;;;neznáma\r\n99999902;L-2;;;platná\r\n99999902;L-3;;\r\n";
    host().install();
    assert_eq!(what(of(rows).unwrap_err()).0, "list: odd rows");
    let forgiving = host().setting("max_odd_percent", &serde_json::json!(70));
    forgiving.install();
    let (items, notes) = of(rows).unwrap();
    assert_eq!(
        (notes.odd_rows(), notes.of("rows_of_another_width")),
        (2, 1)
    );
    host()
        .dataset("licences", "2026-01-15T06:00:00Z", None, items)
        .install();
    let of = |ico| -> OfCompany<Licence> { of_company("licences", &subject(ico)).unwrap() };
    let odd = of("99999901");
    assert_eq!((odd.entries.len(), odd.verdict(false)), (0, None));
    assert!(matches!(odd.unread[0].why, unread::Gap::OddEntry(_)));
    let other = of("99999902");
    assert_eq!((other.entries.len(), other.unread.len()), (1, 0));
    assert_eq!(other.verdict(false), Some(false));
}

#[test]
fn company_with_unreadable_cell_is_not_absent() {
    let mut list = "IČO;Číslo;Stav\r\n99999902;Ľ-2;\r\n99999901;L-"
        .as_bytes()
        .to_vec();
    list.extend(b"\xff;\r\n\xff99999903;L-3;\r\n");
    host()
        .setting("max_odd_percent", &serde_json::json!(70))
        .install();
    let (items, notes) = read::<Sample>(&list).unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys, ["99999901/", "99999902/l 2"]);
    assert_eq!(notes.of(Notes::UNREADABLE_BYTES), 2);
    assert_eq!((notes.rows(), notes.odd_rows()), (3, 2));
    host()
        .dataset("licences", "2026-01-15T06:00:00Z", None, items)
        .install();
    let odd: OfCompany<Licence> = of_company("licences", &subject("99999901")).unwrap();
    assert_eq!((odd.entries.len(), odd.verdict(false)), (0, None));
}

#[test]
fn operator_settings_replace_defaults() {
    let list = "Registrácia;Číslo;Stav\r\n99999901;L-1;dočasne mimo prevádzky";
    let columns = serde_json::json!({ "ico": ["Registrácia"] });
    let words = serde_json::json!({ "suspended": ["dočasne mimo prevádzky"] });
    host()
        .setting("columns", &columns)
        .setting("status_words", &words)
        .install();
    let (items, _) = read::<Sample>(list.as_bytes()).unwrap();
    let licence: Licence = serde_json::from_str(&items[0].content).unwrap();
    assert_eq!(licence.term.state("2026-01-15"), State::Suspended);
    host()
        .setting("status_words", &serde_json::json!({ "off": [] }))
        .install();
    assert!(matches!(
        of("99999901;L-1;;;"),
        Err(Failure::Misconfigured(_))
    ));
}

#[test]
fn missing_first_day_falls_back_to_issue_day() {
    host().install();
    let list = "IČO;Č. licencie;Vydané\r\n99999901;L-1;2.1.2026";
    let (items, _) = read::<Sample>(list.as_bytes()).unwrap();
    let licence: Licence = serde_json::from_str(&items[0].content).unwrap();
    assert_eq!(
        licence.term.shown("2026-01-15").valid_from.as_deref(),
        Some("2026-01-02")
    );
}

#[test]
fn company_is_known_only_after_import() {
    let list = "IČO;Číslo\r\n99999901;L-1\r\n99999901;L-2";
    host().answer(UPSTREAM, "", Answer::ok(list)).install();
    let mut run = Sample::open("licences", None).unwrap();
    let items = run.next().unwrap().unwrap().items;
    host()
        .dataset("licences", "2026-01-15T06:00:00Z", None, items)
        .install();
    let found: OfCompany<Licence> = of_company("licences", &subject("99999901")).unwrap();
    assert_eq!((found.entries.len(), found.known(7)), (2, Some(7)));
    assert_eq!(found.verdict(true), Some(true));
    let none: OfCompany<Licence> = of_company("licences", &subject("99999902")).unwrap();
    assert_eq!((none.entries.len(), none.known(7)), (0, Some(7)));
    host().off("licences").install();
    let unread: OfCompany<Licence> = of_company("licences", &subject("99999901")).unwrap();
    assert_eq!((unread.unread.len(), unread.known(7)), (1, None));
}

/// The list of the sample, in CSV.
const LIST: &str = "IČO;Číslo\r\n99999901;L-1\r\n99999902;L-2\r\n";

#[test]
fn file_that_is_no_list_is_refused() {
    // Cut the list within its last row.
    let cut = &LIST.as_bytes()[..LIST.trim_end().rfind('\n').unwrap() + 5];
    for (name, answer, expected) in [
        (
            "a page",
            Answer::html("<!DOCTYPE html><html></html>"),
            "unavailable",
        ),
        (
            "a page of another type",
            Answer::ok("\u{feff}\r\n<html>"),
            "unavailable",
        ),
        ("status 404", Answer::status(404, "x"), "unavailable"),
        ("status 500", Answer::status(500, "x"), "unavailable"),
        ("status 429", Answer::status(429, "x"), "throttled"),
        ("an empty file", Answer::ok(""), "malformed"),
        ("random bytes", Answer::ok(vec![0xff; 64]), "malformed"),
        (
            "a broken workbook",
            Answer::ok(b"PK\x03\x04xxxx".to_vec()),
            "malformed",
        ),
        ("another table", Answer::ok("a;b\r\n1;2\r\n"), "malformed"),
        ("a list cut short", Answer::ok(cut.to_vec()), "malformed"),
    ] {
        host().answer(UPSTREAM, "", answer).install();
        let failure = run_import::<Sample>("licences", None).expect_err(name);
        let reason = failure::reason(&failure);
        assert!(reason.starts_with(expected), "{name}: {reason}");
    }
}

#[test]
fn only_the_declared_names_are_offered() {
    for other in ["", "x", "licences\0"] {
        let refused = [
            Sample::open(other, None).err(),
            Sample::enrich(other, subject("99999901")).err(),
        ];
        for refused in refused {
            assert!(
                matches!(&refused, Some(Failure::Other((code, _))) if code == "not-offered"),
                "{other:?}: {refused:?}"
            );
        }
    }
}

#[test]
fn record_of_another_version_is_malformed() {
    let strange = item("x", Some("99999901"), &["another form"]).unwrap();
    host()
        .dataset("licences", "2026-01-15T06:00:00Z", None, vec![strange])
        .install();
    let failure = Sample::enrich("licence", subject("99999901")).err();
    assert!(
        matches!(failure, Some(Failure::Malformed(_))),
        "{failure:?}"
    );
}

#[test]
fn section_without_a_valid_ico_is_refused() {
    let (items, _) = of("99999901;L-1;;;").unwrap();
    host()
        .dataset("licences", "2026-01-15T06:00:00Z", None, items)
        .install();
    assert!(Sample::enrich("licence", subject("99999901")).is_ok());
    for key in ["", "\0", "9999990", "' or 1=1 --", "\u{202e}10999999"] {
        assert!(Sample::enrich("licence", subject(key)).is_err(), "{key}");
    }
}

#[test]
fn declared_settings_name_required_columns() {
    let declared = Settings::declared();
    let crate::settings::Shape::Group(columns) = &declared.0[0].shape else {
        panic!("{declared:?}");
    };
    let described = |name| {
        let column = columns.iter().find(|column| column.name == name);
        column
            .and_then(|column| column.description)
            .unwrap_or_default()
    };
    assert!(described("ico").ends_with("Required."));
    assert!(!described("status").contains("Required."));
}
