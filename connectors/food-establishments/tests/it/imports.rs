//! Whole imports through a test host: stored records, cursors and failures.

use lustra_food_establishments::FoodEstablishments;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Failure, Importer};
use serde_json::{Value, from_str, json};

use crate::world::{FOOD, ICO, NAME, TWIN, VET, csv, host, import, notes};

fn listing(operators: &[(&str, &str)]) -> TestHost {
    host().answer("svps", VET, Answer::ok(csv(operators)))
}

fn matches(content: &str) -> Value {
    from_str::<Value>(content).unwrap()["matches"].clone()
}

#[test]
fn possible_companies_are_stored_with_confidence() {
    listing(&[
        (NAME, "Nitra"),
        ("Sýrareň Vzor a.s.", "Martin"),
        ("Nikto", "Nitra"),
    ])
    .company(ICO, NAME, "Nitra", "94901")
    .company(TWIN, "Sýrareň Vzor, a. s.", "Trnava", "91701")
    .install();
    let items = import("vet").unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "sk 1||prevadzkaren 1",
            "sk 2||prevadzkaren 2",
            "sk 3||prevadzkaren 3"
        ]
    );
    let icos: Vec<Option<&str>> = items.iter().map(|item| item.ico.as_deref()).collect();
    assert_eq!(
        icos,
        [Some(ICO), None, None],
        "only a sure match is whom it is about"
    );
    assert_eq!(
        items[0].name.as_deref(),
        Some(NAME),
        "it is found by its operator"
    );
    assert_eq!(
        matches(&items[0].content),
        json!([{ "ico": ICO, "confidence": 0.9, "method": "name_city" }])
    );
    assert_eq!(
        matches(&items[1].content),
        json!([{ "ico": TWIN, "confidence": 0.7, "method": "name" }])
    );
    assert_eq!(matches(&items[2].content), json!([]));
    let counted = |name: &str| (name.to_owned(), "1".to_owned());
    let notes = notes("vet");
    for name in ["matched", "matched_below_shown_from", "unmatched"] {
        assert!(notes.contains(&counted(name)), "{name}: {notes:?}");
    }
}

#[test]
fn twins_are_both_kept_and_none_is_whom_it_is_about() {
    listing(&[(NAME, "Nitra")])
        .company(ICO, NAME, "Nitra", "94901")
        .company(TWIN, NAME, "Nitra", "94901")
        .install();
    let items = import("vet").unwrap();
    assert_eq!(items[0].ico, None);
    let kept = matches(&items[0].content);
    assert_eq!(kept.as_array().map(Vec::len), Some(2), "{kept}");
    assert_eq!(kept[0]["confidence"], 0.45);
}

#[test]
fn several_lists_make_one_dataset() {
    let lists = json!([
        { "register": "vet", "path": "/1.csv", "section": "I" },
        { "register": "food", "path": FOOD },
        { "register": "vet", "path": "/9.csv", "section": "9" },
    ]);
    let list = |operator| Answer::ok(csv(&[(operator, "Nitra")]));
    host()
        .setting("lists", &lists)
        .answer("svps", "/1.csv", list("Prvý a.s."))
        .answer("svps", "/9.csv", list("Druhý a.s."))
        .install();
    let items = import("vet").unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys, ["sk 1|ix|prevadzkaren 1", "sk 1|i|prevadzkaren 1"]);
    assert_eq!(TestHost::requests(), ["svps /1.csv", "svps /9.csv"]);
}

/// Rows of the veterinary list's page: number, operator, establishment.
fn page(rows: &[(&str, &str, &str)]) -> Answer {
    let rows: String = rows
        .iter()
        .map(|(number, operator, name)| {
            format!(
                "<tr><td>{number}</td><td>x</td><td>{operator}</td><td>{name}</td><td>Skúšobná 1</td><td>Nitra</td>\
                 <td>Nitra</td><td>Nitriansky</td><td>SH</td></tr>"
            )
        })
        .collect();
    Answer::html(format!(
        "<html><body><table><tr><th>Číslo</th></tr>{rows}</table></body></html>"
    ))
}

fn paged(rows: &[(&str, &str, &str)]) {
    let lists = json!([{ "register": "vet", "path": "/strana", "page": true, "section": "I" }]);
    host()
        .setting("lists", &lists)
        .answer("svps", "/strana", page(rows))
        .company(ICO, NAME, "Nitra", "94901")
        .install();
}

#[test]
fn page_is_read_by_the_order_of_its_cells() {
    let operator = format!("{NAME}, Nitra 12");
    paged(&[
        ("SK U 1/2013", &operator, "Bitúnok"),
        ("SK U 2/2013", &operator, ""),
        ("", &operator, "Bez čísla"),
    ]);
    let items = import("vet").unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert_eq!(items[0].key, "sk u 1 2013|i|bitunok");
    assert_eq!(items[0].ico.as_deref(), Some(ICO));
    assert_eq!(
        items[1].name.as_deref(),
        Some(NAME),
        "the operator stands for it"
    );
    let odd = ("rows_without_number".to_owned(), "1".to_owned());
    assert!(notes("vet").contains(&odd), "{:?}", notes("vet"));
}

#[test]
fn operator_stands_for_a_missing_establishment() {
    let mut list = csv(&[
        (NAME, "Nitra"),
        ("", "Nitra"),
        ("Druhá, s. r. o.", "Žilina"),
    ]);
    list = list.replace("Prevádzkareň 1;", ";");
    list = list.replace("Prevádzkareň 2;", ";");
    host()
        .answer("svps", VET, Answer::ok(list))
        .company(ICO, NAME, "Nitra", "94901")
        .install();
    let items = import("vet").unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    let expected = ["sk 1||vzorova mliekaren s r o", "sk 3||prevadzkaren 3"];
    assert_eq!(keys, expected);
    assert_eq!(items[0].ico.as_deref(), Some(ICO));
    let notes = notes("vet");
    for name in ["rows_without_establishment", "rows_without_name"] {
        let counted = (name.to_owned(), "1".to_owned());
        assert!(notes.contains(&counted), "{name}: {notes:?}");
    }
}

#[test]
fn many_odd_rows_fail_the_list() {
    paged(&[("", "A", "a"), ("", "B", "b"), ("SK 1", "C", "c")]);
    assert!(matches!(import("vet").unwrap_err(), Failure::Malformed(_)));
    paged(&[]);
    assert!(matches!(
        import("vet").unwrap_err(),
        Failure::Unavailable(_)
    ));
}

#[test]
fn row_of_another_width_or_charset_is_skipped() {
    let list = csv(&[
        (NAME, "Nitra"),
        ("Druhá, s. r. o.", "Žilina"),
        ("Tretia, s. r. o.", "Trnava"),
    ]);
    let wide = list.replace("Žilina;", "Žilina;navyše;");
    let mut damaged = list.clone().into_bytes();
    let place = list.find("Žilina").unwrap();
    damaged[place] = 0xff;
    for (odd, reason) in [
        (wide.into_bytes(), "rows_of_another_width"),
        (damaged, "rows_with_unreadable_bytes"),
    ] {
        host().answer("svps", FOOD, Answer::ok(odd)).install();
        assert_eq!(import("food").unwrap().len(), 2, "{reason}");
        let counted = (reason.to_owned(), "1".to_owned());
        let notes = notes("food");
        assert!(notes.contains(&counted), "{notes:?}");
    }
}

#[test]
fn a_run_goes_on_behind_its_cursor_and_not_over_another_list() {
    let operators: Vec<String> = (0..2_300).map(|number| format!("Vzor {number}")).collect();
    let operators: Vec<(&str, &str)> = operators
        .iter()
        .map(|name| (name.as_str(), "Nitra"))
        .collect();
    listing(&operators).install();
    let (all, _, cursors) = run_import::<FoodEstablishments>("vet", None).unwrap();
    assert_eq!((all.len(), cursors.len()), (2_300, 3));
    let (rest, _, _) = run_import::<FoodEstablishments>("vet", Some(cursors[0].clone())).unwrap();
    assert_eq!(rest[0].key, all[1_000].key);
    assert_eq!(rest.len(), 1_300);
    listing(&operators[1..]).install();
    let failure = FoodEstablishments::open("vet", Some(cursors[0].clone())).err();
    assert!(
        matches!(&failure, Some(Failure::Other((code, _))) if code == "list-changed"),
        "{failure:?}"
    );
}

#[test]
fn answer_that_is_not_a_list_fails() {
    let list = csv(&[(NAME, "Nitra")]);
    for (name, answer, is_malformed) in [
        ("a page", Answer::html("<html>Odstávka</html>"), false),
        ("nothing", Answer::ok(""), true),
        ("garbage", Answer::ok(vec![0xff; 64]), true),
        (
            "cut short",
            Answer::ok(list[..list.len() - 4].to_owned()),
            true,
        ),
        ("a workbook that is none", Answer::ok("PK\u{3}\u{4}"), true),
        ("status 404", Answer::status(404, "x"), false),
        ("status 500", Answer::status(500, "x"), false),
    ] {
        host().answer("svps", VET, answer).install();
        match import("vet").expect_err(name) {
            Failure::Malformed(_) => assert!(is_malformed, "{name}"),
            Failure::Unavailable(_) => assert!(!is_malformed, "{name}"),
            other @ (Failure::Throttled(_)
            | Failure::Misconfigured(_)
            | Failure::Refused(_)
            | Failure::Other(_)) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn import_without_lists_is_misconfigured() {
    host()
        .setting("lists", &json!([{ "register": "food", "path": FOOD }]))
        .install();
    assert!(matches!(import("vet"), Err(Failure::Misconfigured(_))));
    assert!(matches!(import("fish"), Err(Failure::Other((code, _))) if code == "not-offered"));
}
