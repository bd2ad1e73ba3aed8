//! Whole imports of the dumps: the files of a run, and where the next run resumes.

use lustra_sdk::Failure;
use lustra_sdk::testing::TestHost;
use serde_json::json;

use crate::common::runs::{batches, bucket, failure, ids, range};
use crate::common::{self, Bucket, lines};

#[test]
fn first_run_reads_full_dump_and_later_days() {
    bucket().host().install();
    let (read, cursors) = ids(None).expect("an import");
    assert_eq!(
        read,
        range(1, 2_305).chain(range(2_300, 10)).collect::<Vec<_>>()
    );
    assert_eq!(
        cursors,
        [
            "history-3 init 2026-11-07 001 1000",
            "history-3 init 2026-11-07 001 2000",
            "history-3 init 2026-11-07 002 0",
            "history-3 daily 2026-11-08 0",
            "history-3 daily 2026-11-09 0",
            "history-3 done daily 2026-11-09",
        ]
    );
}

#[test]
fn batches_report_progress_and_date() {
    bucket().host().install();
    let batches = batches(None).expect("an import");
    let progress: Vec<_> = batches
        .iter()
        .map(|batch| batch.progress.unwrap_or_default())
        .collect();
    assert_eq!(progress, [0, 0, 250, 500, 750, 1_000]);
    let dates: Vec<_> = batches
        .iter()
        .filter_map(|batch| batch.list_date.as_deref())
        .collect();
    assert_eq!(
        dates[2..],
        ["2026-11-07", "2026-11-07", "2026-11-08", "2026-11-09"]
    );
    assert!(
        batches
            .iter()
            .all(|batch| batch.companies.len() <= 1_000 && batch.notes.is_empty())
    );
    assert!(
        batches
            .iter()
            .flat_map(|batch| &batch.companies)
            .all(|company| company.evidence.len() == 1)
    );
}

#[test]
fn resumed_run_returns_exactly_the_rest() {
    bucket().host().install();
    let whole = batches(None).expect("an import");
    for (index, batch) in whole.iter().enumerate() {
        let left: Vec<_> = whole[index + 1..]
            .iter()
            .flat_map(|batch| &batch.companies)
            .map(common::shown)
            .collect();
        let resumed: Vec<_> = batches(Some(&batch.cursor))
            .expect("a resumed import")
            .iter()
            .flat_map(|batch| &batch.companies)
            .map(common::shown)
            .collect();
        assert!(left == resumed, "resumed at {}", batch.cursor);
    }
}

#[test]
fn later_run_reads_days_after_its_cursor() {
    let bucket = bucket();
    bucket.host().install();
    assert_eq!(
        ids(Some("history-3 done daily 2026-11-09")).expect("an import"),
        (vec![], vec![])
    );
    bucket.daily("2026-11-10", &lines(7, 1)).host().install();
    let (read, cursors) = ids(Some("history-3 done daily 2026-11-09")).expect("an import");
    assert_eq!(
        (read, cursors),
        (
            vec!["7".to_owned()],
            vec!["history-3 done daily 2026-11-10".to_owned()]
        )
    );
    let asked = TestHost::requests();
    assert_eq!(
        asked.len(),
        2,
        "the listing of the days and one day: {asked:?}"
    );
}

#[test]
fn full_dump_without_a_later_day_is_complete() {
    let bucket = Bucket::default().init("2026-11-07", &[lines(1, 3)]);
    bucket.host().install();
    let (_, cursors) = ids(None).expect("an import");
    assert_eq!(cursors, ["history-3 done init 2026-11-07 001"]);
    assert_eq!(ids(Some(&cursors[0])).expect("an import").0.len(), 0);
    bucket.daily("2026-11-08", &lines(2, 1)).host().install();
    assert_eq!(ids(Some(&cursors[0])).expect("an import").0, ["2"]);
}

#[test]
fn deleted_day_restarts_with_a_full_dump() {
    for cursor in [
        "history-3 done daily 2026-11-04",
        "history-3 daily 2026-11-05 100",
        "history-3 done daily 2026-09-01",
    ] {
        bucket().host().install();
        assert_eq!(
            ids(Some(cursor)).expect("an import").0.len(),
            2_315,
            "{cursor}"
        );
        assert!(
            TestHost::log()
                .iter()
                .any(|line| line.contains("no longer kept"))
        );
    }
    bucket().host().install();
    assert_eq!(
        ids(Some("history-3 done daily 2026-11-05"))
            .expect("an import")
            .0
            .len(),
        13,
        "the next day is the oldest kept"
    );
}

#[test]
fn retention_of_days_is_a_setting() {
    bucket()
        .host()
        .setting("retention_days", &json!(2))
        .install();
    assert_eq!(
        ids(Some("history-3 done daily 2026-11-06"))
            .expect("an import")
            .0
            .len(),
        2_315
    );
    assert_eq!(
        ids(Some("history-3 done daily 2026-11-07"))
            .expect("an import")
            .0
            .len(),
        10
    );
    bucket()
        .host()
        .setting("retention_days", &json!("x"))
        .install();
    assert!(matches!(
        failure(Some("history-3 done daily 2026-11-07")),
        Failure::Misconfigured(_)
    ));
}

#[test]
fn incomplete_full_dump_waits() {
    let published = bucket();
    let count = |bucket: &Bucket| {
        bucket.host().install();
        ids(None).expect("an import").0.len()
    };
    assert_eq!(
        count(
            &published
                .clone()
                .without("batch-init/init_2026-11-07_list.txt")
        ),
        3 + 13
    );
    assert_eq!(
        count(&published.without("batch-init/init_2026-11-07_002.json.gz")),
        3 + 13
    );
}

#[test]
fn without_lists_the_listing_names_the_parts() {
    let parts = bucket()
        .without("batch-init/init_2026-11-07_list.txt")
        .without("batch-init/init_2026-10-03_list.txt");
    parts.host().install();
    assert_eq!(ids(None).expect("an import").0.len(), 2_315);
    parts
        .without("batch-init/init_2026-11-07_001.json.gz")
        .without("batch-init/init_2026-10-03_001.json.gz")
        .host()
        .install();
    assert!(
        matches!(failure(None), Failure::Malformed(_)),
        "a part in the middle is missing"
    );
}
