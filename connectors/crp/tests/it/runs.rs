//! Imports that stop and resume.

use lustra_crp::{Crp, DATASET};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Batch, Failure, Importer};
use serde_json::json;

use super::world::{import, keys, path, register};

const ALL: [u32; 9] = [9, 8, 7, 6, 5, 4, 3, 2, 1];

/// One day's run, which stops after each page.
fn short_run(host: TestHost, now: &str, cursor: Option<&str>) -> Vec<Batch> {
    host.now(now).setting("run_minutes", &json!(0)).install();
    import(cursor).unwrap()
}

#[test]
fn sweep_continues_over_several_runs() {
    let (mut read, mut cursor) = (Vec::new(), None::<String>);
    for day in 15..20 {
        let now = format!("2026-01-{day}T08:00:00Z");
        let batches = short_run(register(&ALL, 2), &now, cursor.as_deref());
        // The run reads the page before again. It has nothing new, so the run also reads the page after it.
        assert_eq!(batches.len(), 1, "{day}");
        let last = batches.last().unwrap();
        read.extend(keys(&batches));
        cursor = Some(last.cursor.clone());
        let reading = &last.items.last().unwrap().content;
        assert_eq!(reading.contains("true"), day == 19, "{day}: {reading}");
        let until = last.list_date.as_deref();
        assert_eq!(until, Some("2026-01-15"), "since it began");
    }
    assert_eq!(
        read,
        ["8", "9", "6", "7", "4", "5", "2", "3", "1"],
        "each once"
    );
}

#[test]
fn resumed_run_returns_exactly_the_rest() {
    register(&ALL, 2).install();
    let whole = import(None).unwrap();
    for (place, batch) in whole.iter().enumerate() {
        register(&ALL, 2).install();
        let rest = import(Some(&batch.cursor)).unwrap();
        assert_eq!(keys(&rest), keys(&whole[place + 1..]), "behind {place}");
    }
}

#[test]
fn projects_moved_between_runs_are_not_missed() {
    register(&ALL, 2).now("2026-01-15T08:00:00Z").install();
    let mut run = Crp::open(DATASET, None).unwrap();
    let second = [run.next(), run.next()].map(|batch| batch.unwrap().unwrap());
    let cursor = &second[1].cursor;
    // Two projects were added and two that were read were removed: one more than a page.
    register(&[11, 10, 9, 6, 5, 4, 3, 2, 1], 2)
        .now("2026-01-16T08:00:00Z")
        .install();
    let mut later = keys(&import(Some(cursor)).unwrap());
    later.sort();
    assert_eq!(
        later,
        ["1", "10", "11", "2", "3", "4", "5"],
        "the new ones by a sweep of their own"
    );
}

#[test]
fn records_before_a_failure_are_returned() {
    let broken = || Answer::status(503, "");
    register(&ALL, 3)
        .answer("crp", &path(7), broken())
        .install();
    let mut run = Crp::open(DATASET, None).unwrap();
    let batch = run.next().unwrap().unwrap();
    assert_eq!(keys(std::slice::from_ref(&batch)), ["8", "9"]);
    assert!(matches!(run.next(), Err(Failure::Unavailable(_))));
    register(&ALL, 3).install();
    let rest = import(Some(&batch.cursor)).unwrap();
    assert_eq!(keys(&rest), ["7", "4", "5", "6", "1", "2", "3"]);
}

#[test]
fn cursor_of_another_version_restarts() {
    for cursor in ["", "7", "{}", r#"{"from":"2011-01-01","page":3}"#] {
        register(&[2, 1], 5).install();
        assert_eq!(keys(&import(Some(cursor)).unwrap()), ["1", "2"], "{cursor}");
        assert_eq!(TestHost::log().len(), 1);
    }
}

#[test]
fn a_cursor_stays_short() {
    let all: Vec<u32> = (0..200).rev().collect();
    register(&all, 20).install();
    let batches = import(None).unwrap();
    let longest = batches.iter().map(|batch| batch.cursor.len()).max();
    assert!(
        longest.is_some_and(|longest| longest < 2_500),
        "{longest:?}"
    );
}
