//! `lustra dataset` with running, interrupted and due imports.

use std::time::Duration;

use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::lustra::store::{Checkpoint, DatasetKind, Record, Run, RunClaim, Store};
use lustra_tests::register_simulator::{Fault, Register};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::command_datasets::{ALL, history, line_of, listed, with_on};
use crate::command_line::{Operator, lines};
use crate::faults_support::time_of;

const LEASE: Duration = Duration::from_secs(180);

async fn store(operator: &Operator) -> Store {
    let file = operator.folder.path().join("data/lustra.db");
    std::fs::create_dir_all(operator.folder.path().join("data"))
        .expect("tests can write temporary files");
    let url = format!("sqlite:{}", file.display());
    Store::connect(&url, 1).await.expect("it is a database")
}

/// Claims an import of the reliability list for another host, since `now`.
async fn claim(store: &Store, now: OffsetDateTime) -> Run {
    let datasets = store.datasets();
    let claimed = datasets
        .claim_run(
            &connector_id("tax-authority"),
            "reliability",
            DatasetKind::Snapshot,
            "host-7",
            LEASE,
            now,
        )
        .await
        .expect("it answers");
    match claimed {
        RunClaim::Run(run) => run,
        RunClaim::Busy | RunClaim::NotDue | RunClaim::Paused(_) => panic!("no other host imports"),
    }
}

/// Commits `records` records of the run.
async fn commit(store: &Store, run: &Run, records: usize, now: OffsetDateTime) {
    let record = |number: usize| Record {
        key: number.to_string(),
        ico: None,
        name: None,
        name_key: None,
        city: None,
        postal_code: None,
        content: "{}".to_owned(),
        content_hash: "same".to_owned(),
        removed: false,
    };
    let records: Vec<Record> = (0..records).map(record).collect();
    let checkpoint = Checkpoint {
        cursor: Some("in the middle".to_owned()),
        progress: Some(125),
        ..Checkpoint::default()
    };
    let committed = store
        .datasets()
        .commit_batch(run, &records, &checkpoint, now)
        .await;
    committed.expect("the run is ours");
}

#[tokio::test]
async fn running_and_interrupted_imports_are_shown() {
    let operator = with_on(&["reliability"]).await;
    let store = store(&operator).await;
    let now = OffsetDateTime::now_utc();
    let an_hour_ago = now - time::Duration::hours(1);
    let run = claim(&store, an_hour_ago).await;
    commit(&store, &run, 3, an_hour_ago).await;
    let broken_off = listed(&operator, "reliability").await;
    assert_eq!(broken_off["running"], Value::Null, "{broken_off}");
    let text = operator.run(&["dataset", "list"]).await.printed();
    let shown = line_of(&text, "tax-authority/reliability");
    assert!(
        shown[0].ends_with("due")
            && shown[1]
                .ends_with("was interrupted at 12.5 %, 3 records; the next run resumes there"),
        "{text}"
    );
    let reported = &history(&operator, "reliability").await["runs"][0];
    assert_eq!(
        (
            &reported["state"],
            &reported["goes_on"],
            &reported["failure"]
        ),
        (&json!("failed"), &json!(true), &json!("its host stopped"))
    );

    let run = claim(&store, now).await;
    assert!(run.resumed);
    commit(&store, &run, 2, now).await;
    let under_way = &listed(&operator, "reliability").await["running"];
    assert_eq!(
        (
            &under_way["host"],
            &under_way["thousandths"],
            &under_way["records"]
        ),
        (&json!("host-7"), &json!(125), &json!(5))
    );
    let text = operator.run(&["dataset", "list"]).await.printed();
    let shown = line_of(&text, "tax-authority/reliability");
    assert!(
        shown[0].ends_with("under way")
            && shown[1].contains("being imported by host host-7 since ")
            && shown[1].ends_with("12.5 %, 5 records"),
        "{text}"
    );
    let reported = &history(&operator, "reliability").await["runs"][0];
    assert_eq!(
        (
            &reported["state"],
            &reported["host"],
            &reported["finished_at"]
        ),
        (&json!("running"), &json!("host-7"), &Value::Null)
    );
    let said = operator.run(&["dataset", "import", "reliability"]).await;
    assert!(said.refused().contains("it is being imported already"));
    let due = operator.run(&["dataset", "import", "--due"]).await;
    assert!(due.stderr.contains("no dataset is due"), "{}", due.stderr);
    assert_eq!(due.printed(), "", "another host is importing it");
    store.close().await;
}

#[tokio::test]
async fn importing_due_datasets_fails_if_one_fails() {
    let operator = with_on(&["reliability", "income-tax-subjects", "vat-payers"]).await;
    let outcomes = |printed: &str| -> Vec<(Value, Value)> {
        let lines = lines(printed).into_iter();
        let outcome = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("an object a line");
            (line["dataset"].clone(), line["outcome"].clone())
        };
        let mut outcomes: Vec<_> = lines.map(outcome).collect();
        outcomes.sort_by_key(|(dataset, _)| dataset.to_string());
        outcomes
    };
    // The stored list is far longer than the register's, so the guards reject the import.
    let store = store(&operator).await;
    let now = OffsetDateTime::now_utc();
    let run = claim(&store, now).await;
    commit(&store, &run, 1_000, now).await;
    let published = store.datasets().publish(&run, now, Some(now)).await;
    published.expect("the run is ours");
    store.close().await;

    let arguments = ["dataset", "import", "--due", "--json"];
    let due = operator.run(&arguments).await;
    assert!(!due.succeeded, "{}", due.stdout);
    assert!(
        due.stderr.contains("error: 1 of 3 imports failed"),
        "{}",
        due.stderr
    );
    assert_eq!(
        outcomes(&due.stdout),
        [
            ("income-tax-subjects".into(), "imported".into()),
            ("reliability".into(), "failed".into()),
            ("vat-payers".into(), "imported".into()),
        ]
    );
    assert!(due.stdout.contains("the list shrank from 1000 to"));
    assert_eq!(listed(&operator, "reliability").await["records"], 1_000);
    for dataset in ALL {
        let listed = listed(&operator, dataset).await;
        let next = &listed["next_run_at"];
        let is_on = listed["on"] == true;
        assert_eq!(is_on, !next.is_null(), "{listed}");
        assert!(!is_on || time_of(next) > now, "{listed}");
    }
    // A failed import waits for its next attempt.
    let again = operator.run(&["dataset", "import", "--due"]).await;
    assert!(
        again.stderr.contains("no dataset is due"),
        "{}",
        again.stderr
    );
    assert_eq!(again.printed(), "");
}

#[tokio::test]
async fn failed_due_import_shows_its_next_run() {
    let operator = with_on(&["reliability"]).await;
    operator
        .simulator
        .fault(Register::FsReports, Fault::Forbidden);
    let due = operator.run(&["dataset", "import", "--due"]).await;
    assert!(!due.succeeded && due.stderr.contains("error: 1 of 1 import failed"));
    let reported = lines(&due.stdout);
    assert!(
        reported[0].starts_with("tax-authority/reliability: failed: ")
            && reported[0].contains("403")
            && reported[0].contains("; next run 20"),
        "{reported:?}"
    );
}

#[tokio::test]
async fn failed_import_is_reported_once() {
    let operator = with_on(&["reliability"]).await;
    operator
        .simulator
        .fault(Register::FsReports, Fault::Forbidden);
    let failed = operator.run(&["dataset", "import", "reliability"]).await;
    assert!(!failed.succeeded, "{}", failed.stdout);
    let said = failed.stdout + &failed.stderr;
    assert_eq!(said.matches("403").count(), 1, "{said}");
    assert_eq!(said.matches("error").count(), 1, "{said}");
}
