//! Whole imports of the operator's list.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use lustra_executions::Executions;
use lustra_executions::import::DATASET;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Failure, Importer, Item};
use serde_json::json;

use crate::world::file;

const HEADER: &str = "ecli;cislo_poverenia;spisova_znacka;sud;exekutor;druh_naroku;opravneny_nazov;opravneny_ico;\
                      povinny_ico;datum_vydania;datum_zverejnenia;k_datumu;stav\n";

/// A list of so many rows. Every seventh is against a natural person, every fifth is repeated.
fn list(count: u32) -> String {
    let mut list = HEADER.to_owned();
    for number in 0..count {
        let obligor = if number % 7 == 6 {
            String::new()
        } else {
            (99_000_000 + number).to_string()
        };
        let row = format!(
            "ECLI:SK:OSVZ:2026:{number:010}.1;{number};9Ek/{number}/2026;Okresný súd Vzorov;;peňažný;Veriteľ, a. s.;\
             99000024;{obligor};14.04.2026;;01.06.2026;Aktuálny\n"
        );
        let times = if number % 5 == 4 { 2 } else { 1 };
        for _ in 0..times {
            list.write_str(&row).expect("text takes text");
        }
    }
    list
}

fn serve(list: impl Into<Vec<u8>>) -> TestHost {
    file().answer("executions-list", "", Answer::ok(list))
}

fn fingerprint(items: &[Item]) -> Vec<(String, String)> {
    items
        .iter()
        .map(|item| (item.key.clone(), item.content.clone()))
        .collect()
}

#[test]
fn list_import_resumes_behind_each_batch() {
    serve(list(2_600)).install();
    let (all, companies, cursors) =
        run_import::<Executions>(DATASET, None).expect("the list is whole");
    assert!(companies.is_empty());
    assert_eq!((all.len(), cursors.len()), (2_229, 3));
    let keys: BTreeSet<&str> = all.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys.len(), all.len(), "keys are unique");
    for (batch, cursor) in cursors.iter().enumerate() {
        let (rest, _, _) =
            run_import::<Executions>(DATASET, Some(cursor.clone())).expect("it goes on");
        let given = ((batch + 1) * 1_000).min(all.len());
        assert_eq!(fingerprint(&rest), fingerprint(&all[given..]), "{cursor}");
    }
}

#[test]
fn batches_report_date_and_skipped_rows() {
    serve(list(70)).install();
    let mut run = Executions::open(DATASET, None).expect("the list is there");
    let batch = run.next().expect("it is whole").expect("it has rows");
    assert_eq!(batch.list_date.as_deref(), Some("2026-06-01"));
    let notes: Vec<(&str, &str)> = batch
        .notes
        .iter()
        .map(|note| (note.name.as_str(), note.value.as_str()))
        .collect();
    assert_eq!(notes, [("rows-repeated", "12"), ("rows-without-ico", "12")]);
    assert!(run.next().expect("the end").is_none());
    assert!(run.next().expect("the end stays").is_none());
}

#[test]
fn a_key_depends_on_neither_order_nor_state() {
    serve(list(50)).install();
    let (before, _, _) = run_import::<Executions>(DATASET, None).expect("it is whole");
    let text = list(50).replace("Aktuálny", "Neaktuálny");
    let (header, rows) = text.split_once('\n').expect("it has rows");
    let turned: Vec<&str> = rows.lines().rev().collect();
    serve(format!("{header}\n{}\n", turned.join("\n"))).install();
    let (after, _, _) = run_import::<Executions>(DATASET, None).expect("it is whole");
    let keys = |items: &[Item]| -> BTreeSet<String> {
        items.iter().map(|item| item.key.clone()).collect()
    };
    assert_eq!(keys(&before), keys(&after));
    assert_ne!(before[0].content, after[0].content);
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    serve(list(2_600)).install();
    let (_, _, cursors) = run_import::<Executions>(DATASET, None).expect("it is whole");
    for other in [list(2_600).replace("Vzorov", "Iný"), list(20)] {
        serve(other).install();
        for cursor in [cursors[0].as_str(), "", "{}", "garbage"] {
            let failure = run_import::<Executions>(DATASET, Some(cursor.to_owned())).err();
            assert!(
                matches!(failure, Some(Failure::Other((code, _))) if code == "list-changed"),
                "{cursor}"
            );
        }
    }
}

#[test]
fn natural_persons_are_not_stored() {
    let text = list(1).replace("Veriteľ, a. s.;99000024", "Mgr. Anna Príkladná;");
    serve(text).install();
    let (items, _, _) = run_import::<Executions>(DATASET, None).expect("it is whole");
    let kept = format!("{} {}", items[0].key, items[0].content);
    assert!(
        kept.contains("fyzická osoba") && !kept.contains("Príkladná"),
        "{kept}"
    );
}

#[test]
fn the_charset_is_a_setting() {
    let text = list(3);
    let windows: Vec<u8> = text
        .chars()
        .map(|c| match c {
            'ý' => 0xfd,
            'ú' => 0xfa,
            'á' => 0xe1,
            'ľ' => 0xbe,
            'ň' => 0xf2,
            'ž' => 0x9e,
            ascii => u8::try_from(ascii).expect("no other letter is in the list"),
        })
        .collect();
    serve(windows.clone()).install();
    assert!(run_import::<Executions>(DATASET, None).is_err(), "no UTF-8");
    serve(windows)
        .setting("list_charset", &json!("windows-1250"))
        .install();
    let (items, _, _) = run_import::<Executions>(DATASET, None).expect("it is whole");
    assert!(items[0].content.contains("Okresný súd Vzorov"));
}

#[test]
fn odd_rows_are_counted_and_do_not_fail_the_list() {
    let odd = list(50)
        .replacen(";99000001;14.04.2026", ";99000001;31.14.2026", 1)
        .replacen(";99000002;", ";bez ičo;", 1)
        .replacen(";99000003;14.04.2026;;", ";99000003;14.04.2026;", 1);
    let strict = serve(odd.clone()).setting("max_odd_percent", &json!(4));
    strict.install();
    assert!(run_import::<Executions>(DATASET, None).is_err(), "3 of 60");
    serve(odd).install();
    let (items, _, _) = run_import::<Executions>(DATASET, None).expect("few rows are odd");
    let of = |ico: &str| {
        let of_company = items.iter().filter(|item| item.ico.as_deref() == Some(ico));
        of_company
            .map(|item| item.content.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("99000001"), [r#"{"unreadable_row":true}"#]);
    assert!(of("99000002").is_empty() && of("99000003").is_empty());
    assert_eq!(of("99000004").len(), 1);
}

#[test]
fn answer_that_is_not_a_list_fails() {
    let html = "<html><body>Údržba</body></html>";
    let text = list(50);
    let unreadable = text.replace(";9900000", ";bez ičo");
    for (name, answer) in [
        (
            "a page",
            Answer::ok(html).with_header("content-type", "text/html"),
        ),
        ("a page that does not say so", Answer::ok(html)),
        ("nothing", Answer::ok("")),
        ("a header", Answer::ok(HEADER)),
        ("garbage", Answer::ok(vec![0xff; 64])),
        (
            "a list cut short",
            Answer::ok(&text.as_bytes()[..text.len() - 40]),
        ),
        ("numbers that are none", Answer::ok(unreadable)),
        ("status 500", Answer::status(500, "x")),
        ("status 404", Answer::status(404, "x")),
    ] {
        file().answer("executions-list", "", answer).install();
        let failure = run_import::<Executions>(DATASET, None).expect_err(name);
        assert!(
            matches!(failure, Failure::Unavailable(_) | Failure::Malformed(_)),
            "{name}: {failure:?}"
        );
    }
    let throttled = Answer::status(429, "").with_header("retry-after", "30");
    file().answer("executions-list", "", throttled).install();
    assert!(matches!(
        run_import::<Executions>(DATASET, None),
        Err(Failure::Throttled(Some(30)))
    ));
}

#[test]
fn only_the_dataset_of_the_manifest_is_offered() {
    file().install();
    for dataset in ["", "executions", "authorizations\0"] {
        let failure = Executions::open(dataset, None).err();
        assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "not-offered"));
    }
}
