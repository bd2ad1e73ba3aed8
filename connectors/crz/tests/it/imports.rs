//! Whole imports through a test host: days, cursors, settings and failures.

use std::collections::BTreeMap;

use lustra_crz::Crz;
use lustra_crz::import::DATASET;
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, Imported, TestHost, archive, run_import};
use lustra_sdk::{Failure, Importer, Item, failure};

use super::world::{ICO, answer, contract, file, host_since, with_day, without_day};

fn import(cursor: Option<&str>) -> Result<Imported, Failure> {
    run_import::<Crz>(DATASET, cursor.map(str::to_owned))
}

fn why(outcome: Result<Imported, Failure>) -> String {
    match outcome {
        Ok((items, _, cursors)) => panic!("{} items, {cursors:?}", items.len()),
        Err(failure) => failure::reason(&failure),
    }
}

/// The contents of a store after the items, by key.
fn stored(items: &[Item]) -> BTreeMap<String, (Option<String>, String)> {
    let pairs = items
        .iter()
        .map(|item| (item.key.clone(), (item.ico.clone(), item.content.clone())));
    pairs.collect()
}

/// Friday to Wednesday: a small file, nothing on the weekend, a large one, an empty list, a small one.
fn usual_days() -> TestHost {
    let host = host_since("2026-01-09");
    let host = with_day(host, "2026-01-09", answer("2026-01-09", &file(100, 3)));
    let host = with_day(host, "2026-01-10", Answer::ok(""));
    let host = without_day(host, "2026-01-11");
    let host = with_day(host, "2026-01-12", answer("2026-01-12", &file(200, 2_600)));
    let host = with_day(host, "2026-01-13", answer("2026-01-13", "<zmluvy/>"));
    with_day(host, "2026-01-14", answer("2026-01-14", &file(102, 2)))
}

#[test]
fn days_are_read_in_order_and_batches_resume() {
    usual_days().install();
    let (all, companies, cursors) = import(None).unwrap();
    assert!(companies.is_empty());
    let days: Vec<String> = TestHost::requests();
    let expected: Vec<String> = (9..15)
        .map(|day| format!("crz /export/2026-01-{day:02}.zip"))
        .collect();
    assert_eq!(days, expected);
    assert_eq!(cursors.last().unwrap(), "typ 2026-01-09 2026-01-15 0");
    assert!(cursors.len() >= 3, "{cursors:?}");
    assert!(
        cursors.contains(&"typ 2026-01-09 2026-01-12 997".to_owned()),
        "{cursors:?}"
    );
    let all = stored(&all);
    assert_eq!(
        all.len(),
        1 + 3 + 2_600 + 1,
        "a contract of Friday came again on Wednesday"
    );
    assert_eq!(all["since"].1, json!({"since": "2026-01-09"}).to_string());
    for cursor in cursors {
        usual_days().install();
        let (rest, _, _) = import(Some(&cursor)).unwrap();
        let mut together = all.clone();
        together.retain(|key, _| !rest.iter().any(|item| item.key == *key));
        together.extend(stored(&rest));
        assert_eq!(together, all, "{cursor}");
        assert!(rest.len() < 2_650, "{cursor}");
    }
    usual_days().install();
    let (nothing, _, cursors) = import(Some("typ 2026-01-09 2026-01-15 0")).unwrap();
    assert!(nothing.is_empty() && cursors.is_empty() && TestHost::requests().is_empty());
}

#[test]
fn later_file_overwrites_earlier_record() {
    let of = |state: &str| {
        let xml = contract(7, ICO, "").replace("<stav>2<", &format!("<stav>{state}<"));
        format!("<zmluvy>{xml}</zmluvy>")
    };
    let host = with_day(
        host_since("2026-01-13"),
        "2026-01-13",
        answer("2026-01-13", &of("2")),
    );
    with_day(host, "2026-01-14", answer("2026-01-14", &of("4"))).install();
    let (items, _, _) = import(None).unwrap();
    let content: Value = from_str(&stored(&items)["7"].1).unwrap();
    assert_eq!(content["state"], 4);
}

#[test]
fn batches_report_last_day_and_oddities() {
    let odd = contract(8, "94901", "").replace("<suma_zmluva>10.50<", "<suma_zmluva>veľa<");
    let xml = format!(
        "<zmluvy>{}{odd}</zmluvy>",
        contract(7, "99 999 901", "<datum>2026-02-31</datum>")
    );
    with_day(
        host_since("2026-01-14"),
        "2026-01-14",
        answer("2026-01-14", &xml),
    )
    .install();
    let mut run = Crz::open(DATASET, None).unwrap();
    let batch = run.next().unwrap().unwrap();
    assert_eq!(batch.list_date.as_deref(), Some("2026-01-14"));
    assert_eq!(batch.progress, Some(1_000));
    let notes: Vec<(String, String)> = batch
        .notes
        .into_iter()
        .map(|note| (note.name, note.value))
        .collect();
    let note = |name: &str| (name.to_owned(), "1".to_owned());
    assert_eq!(
        notes,
        [
            note("unreadable-amount"),
            note("unreadable-date"),
            note("without-supplier-ico")
        ]
    );
    let items = stored(&batch.items);
    assert_eq!(items["7"].0.as_deref(), Some(ICO));
    assert_eq!(items["8"], (None, json!({"total": "10.50"}).to_string()));
    assert!(run.next().unwrap().is_none());
}

#[test]
fn missing_day_is_retried_until_a_later_file() {
    let host = || {
        let host = with_day(
            host_since("2026-01-13"),
            "2026-01-13",
            answer("2026-01-13", &file(1, 1)),
        );
        without_day(host, "2026-01-14")
    };
    host().install();
    let (_, _, cursors) = import(None).unwrap();
    assert_eq!(cursors.last().unwrap(), "typ 2026-01-13 2026-01-14 0");
    let host = with_day(host(), "2026-01-15", answer("2026-01-15", &file(5, 1)))
        .now("2026-01-16T05:00:00Z");
    host.install();
    let (items, _, cursors) = import(cursors.last().map(String::as_str)).unwrap();
    assert_eq!(TestHost::requests().len(), 2);
    assert_eq!(stored(&items).keys().collect::<Vec<_>>(), ["5"]);
    assert_eq!(cursors, ["typ 2026-01-13 2026-01-16 0"]);
}

#[test]
fn run_without_any_working_day_file_fails() {
    without_day(host_since("2026-01-14"), "2026-01-14").install();
    assert!(
        why(import(None))
            .starts_with("unavailable: none of the 1 days from 2026-01-14 on has a file")
    );
    let weekend = without_day(host_since("2026-01-11"), "2026-01-11").now("2026-01-12T05:00:00Z");
    weekend.install();
    let (items, _, cursors) = import(None).unwrap();
    assert!(items.is_empty() && cursors.is_empty());
    let mut host = host_since("2025-12-01");
    for day in 0..45 {
        let day = lustra_crz::calendar::Day::parse("2025-12-01")
            .unwrap()
            .plus(day);
        host = without_day(host, &day.to_string());
    }
    host.install();
    assert!(why(import(None)).contains("none of the "));
}

#[test]
fn empty_file_of_recent_working_day_fails() {
    let of = |day: &str, now: &str| {
        let host = with_day(host_since(day), day, Answer::ok("")).now(now);
        with_day(host, "2026-01-14", answer("2026-01-14", &file(1, 1))).install();
        import(None)
    };
    assert!(
        why(of("2026-01-13", "2026-01-14T05:00:00Z"))
            .contains("2026-01-13, a working day, is empty")
    );
    let xml_is_empty = with_day(
        host_since("2026-01-14"),
        "2026-01-14",
        Answer::zip(&[("2026-01-14.xml", "")]),
    );
    xml_is_empty.install();
    assert!(why(import(None)).contains("a working day, is empty"));
    let mut old = with_day(host_since("2026-01-02"), "2026-01-02", Answer::ok(""));
    for day in 3..14 {
        old = without_day(old, &format!("2026-01-{day:02}"));
    }
    with_day(old, "2026-01-14", answer("2026-01-14", &file(1, 1))).install();
    let (items, _, _) = import(None).unwrap();
    assert_eq!(items.len(), 2);
}

#[test]
fn other_kinds_of_files_fail_with_their_reason() {
    let good = archive(&[("2026-01-14.xml", file(1, 50))]);
    let page = "<!DOCTYPE html><html><body>Údržba</body></html>";
    let cases: Vec<(Answer, &str)> = vec![
        (
            Answer::status(500, page),
            "unavailable: crz answered with status 500",
        ),
        (
            Answer::status(403, page),
            "unavailable: crz answered with status 403",
        ),
        (
            Answer::status(410, ""),
            "unavailable: crz answered with status 410",
        ),
        (
            Answer::status(429, "").with_header("retry-after", "30"),
            "throttled: wait 30 s",
        ),
        (
            Answer::ok(page).with_header("content-type", "text/html; charset=utf-8"),
            "unavailable: /export/2026-01-14.zip is a page of HTML",
        ),
        (Answer::ok(page), "malformed: "),
        (Answer::ok(good[..good.len() / 2].to_vec()), "malformed: "),
        (Answer::ok("garbage"), "malformed: "),
        (
            Answer::zip(&[("2026-01-14.xml", page)]),
            "unavailable: 2026-01-14.xml is a page of HTML",
        ),
        (
            Answer::zip(&[("readme.txt", "x")]),
            "malformed: /export/2026-01-14.zip: expected one XML file",
        ),
        (
            Answer::zip(&[("2026-01-14.xml", "<error/>")]),
            "malformed: 2026-01-14.xml: expected the root element zmluvy",
        ),
        (
            Answer::zip(&[("2026-01-14.xml", file(1, 9).replace("</zmluvy>", ""))]),
            "malformed: ",
        ),
        (
            Answer::zip(&[("2026-01-14.xml", file(1, 9).replace("<stav>2<", "<stav>8<"))]),
            "malformed: 2026-01-14.xml: stav: expected states of the setting states, found 9 of 9 that are none",
        ),
    ];
    for (answer, expected) in cases {
        with_day(host_since("2026-01-14"), "2026-01-14", answer).install();
        let why = why(import(None));
        assert!(why.starts_with(expected), "{why}\nand not {expected}");
    }
    let broken = Failure::Unavailable("broken off".to_owned());
    let down = host_since("2026-01-14").fail("crz", "/export/2026-01-14.zip", broken);
    down.install();
    assert_eq!(why(import(None)), "unavailable: broken off");
}

#[test]
fn records_before_a_failure_are_returned_first() {
    let host = with_day(
        host_since("2026-01-12"),
        "2026-01-12",
        answer("2026-01-12", &file(1, 5)),
    );
    let broken = file(10, 5).replace("<ID>13</ID>", "");
    with_day(host, "2026-01-13", answer("2026-01-13", &broken)).install();
    let mut run = Crz::open(DATASET, None).unwrap();
    let batch = run.next().unwrap().unwrap();
    assert_eq!(batch.cursor, "typ 2026-01-12 2026-01-13 3");
    assert_eq!(batch.list_date.as_deref(), Some("2026-01-12"));
    assert_eq!(batch.items.len(), 1 + 5 + 3);
    let failure = run.next().map(drop).unwrap_err();
    assert!(failure::reason(&failure).starts_with("malformed: 2026-01-13.xml: contract 4: ID"));
}

#[test]
fn operator_can_skip_a_day() {
    let host = with_day(
        host_since("2026-01-12"),
        "2026-01-12",
        answer("2026-01-12", &file(1, 5)),
    );
    let host = with_day(host, "2026-01-14", answer("2026-01-14", &file(50, 1)));
    host.setting("skip_days", &json!(["2026-01-13"])).install();
    let (items, _, cursors) = import(None).unwrap();
    assert_eq!(items.len(), 7);
    assert_eq!(cursors.last().unwrap(), "typ 2026-01-12 2026-01-15 0");
    assert!(
        TestHost::log()
            .iter()
            .any(|line| line.contains("skipped 2026-01-13"))
    );
}

#[test]
fn next_run_resumes_at_the_cursor() {
    usual_days().setting("run_minutes", &json!(0)).install();
    let (first, _, cursors) = import(None).unwrap();
    assert_eq!(first.len(), 4);
    assert_eq!(cursors, ["typ 2026-01-09 2026-01-10 0"]);
    usual_days().install();
    let (rest, _, cursors) = import(Some(&cursors[0])).unwrap();
    assert_eq!(rest.len(), 2_602);
    assert_eq!(cursors.last().unwrap(), "typ 2026-01-09 2026-01-15 0");
}

#[test]
fn since_can_be_relative_or_moved_earlier() {
    let host = || {
        with_day(
            TestHost::new().now("2026-01-15T08:00:00Z"),
            "2026-01-14",
            answer("2026-01-14", &file(1, 1)),
        )
    };
    host().setting("since", &json!("1 days")).install();
    let (items, _, cursors) = import(None).unwrap();
    assert_eq!(
        stored(&items)["since"].1,
        json!({"since": "2026-01-14"}).to_string()
    );
    assert_eq!(cursors, ["typ 2026-01-14 2026-01-15 0"]);
    let host = with_day(
        host().setting("since", &json!("2026-01-13")),
        "2026-01-13",
        answer("2026-01-13", &file(1, 1)),
    );
    host.install();
    let (items, _, cursors) = import(Some(&cursors[0])).unwrap();
    assert_eq!(
        stored(&items)["since"].1,
        json!({"since": "2026-01-13"}).to_string()
    );
    assert_eq!(cursors.last().unwrap(), "typ 2026-01-13 2026-01-15 0");
    // A later day changes nothing, because it is already imported.
    let later = with_day(
        host_since("2026-01-15"),
        "2026-01-15",
        answer("2026-01-15", &file(9, 1)),
    );
    later.now("2026-01-16T08:00:00Z").install();
    let (items, _, cursors) = import(Some(&cursors[0])).unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!(cursors, ["typ 2026-01-13 2026-01-16 0"]);
}

#[test]
fn cursor_of_another_version_restarts_import() {
    usual_days().install();
    let (all, _, _) = import(Some("page 7")).unwrap();
    assert_eq!(stored(&all).len(), 2_605);
}

#[test]
fn invalid_settings_are_misconfigured() {
    for (name, value) in [
        ("since", json!("yesterday")),
        ("since", json!(7)),
        ("skip_days", json!(["soon"])),
        ("states", json!({"gone": [1]})),
        ("run_minutes", json!("long")),
    ] {
        host_since("2026-01-14").setting(name, &value).install();
        let failure = Crz::open(DATASET, None).map(drop).unwrap_err();
        assert!(
            matches!(failure, Failure::Misconfigured(_)),
            "{name}: {failure:?}"
        );
    }
    assert!(matches!(
        Crz::open("else", None).map(drop),
        Err(Failure::Other(_))
    ));
}
