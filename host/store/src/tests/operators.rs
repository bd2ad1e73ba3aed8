//! The audit log, samples of queues and the check of the ledger.

use crate::{ActionResult, LedgerCheck, NewOperatorAction, OperatorAction, QueueSample};

use super::*;

#[tokio::test]
async fn actions_are_listed_newest_first_and_swept_in_slices() {
    on_each_database(|store| async move {
        let actions = store.operator_actions();
        let long = "x\0".repeat(600);
        for (second, object) in [(0, "a"), (10, "b"), (20, long.as_str())] {
            let action = NewOperatorAction {
                actor: "cli",
                action: OperatorAction::ChangePlan,
                object,
                result: ActionResult::Done,
                about: "starter → business",
            };
            actions.record(action, after(second)).await.unwrap();
        }
        let newest = actions.list(None, 2).await.unwrap();
        let objects: Vec<_> = newest.iter().map(|row| row.object.as_str()).collect();
        assert_eq!(objects, ["x".repeat(500).as_str(), "b"]);
        assert_eq!(
            (newest[1].action.as_str(), newest[1].at),
            ("account.plan", after(10))
        );
        let older = actions.list(Some(newest[1].id), 2).await.unwrap();
        assert_eq!(older.len(), 1);
        assert_eq!(older[0].object, "a");
        assert_eq!(actions.sweep(after(0), 1).await.unwrap(), 0);
        assert_eq!(actions.sweep(after(20), 1).await.unwrap(), 1);
        assert_eq!(actions.sweep(after(20), 1).await.unwrap(), 1);
        assert_eq!(actions.list(None, 9).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn queues_have_one_sample_of_each_time() {
    on_each_database(|store| async move {
        let samples = store.queue_samples();
        let sample = |second, deliveries| QueueSample {
            at: after(second),
            deliveries,
            mail: 2,
            batches: 3,
            events: 4,
        };
        for (second, deliveries, is_new) in [(0, 1, true), (300, 5, true), (300, 9, false)] {
            let put = samples.put(&sample(second, deliveries), after(0)).await;
            assert_eq!(put.unwrap(), is_new, "{second}");
        }
        assert!(samples.has(after(300)).await.unwrap());
        assert!(!samples.has(after(600)).await.unwrap());
        samples.put(&sample(600, 7), after(300)).await.unwrap();
        let kept = samples.since(after(0)).await.unwrap();
        assert_eq!(kept, [sample(300, 5), sample(600, 7)]);
        assert_eq!(samples.since(after(301)).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn replaced_ledger_check_no_longer_reports() {
    on_each_database(|store| async move {
        let checks = store.ledger_checks();
        assert_eq!(checks.newest().await.unwrap(), None);
        checks.begin("a", 3, after(0)).await.unwrap();
        let first = checks.newest().await.unwrap().unwrap();
        let checked = LedgerCheck {
            finished_at: Some(after(5)),
            checked: 3,
            entries: 40,
            credits: 100,
            mistake_count: 1,
            mistakes: "[\"x\"]".to_owned(),
            failure: Some("no store".to_owned()),
            ..first
        };
        assert!(checks.update(&checked).await.unwrap());
        assert_eq!(checks.newest().await.unwrap().as_ref(), Some(&checked));
        checks.begin("b", 4, after(9)).await.unwrap();
        assert!(!checks.update(&checked).await.unwrap());
        let second = checks.newest().await.unwrap().unwrap();
        assert_eq!((second.planned, second.checked), (4, 0));
        assert_eq!((second.finished_at, second.failure), (None, None));
    })
    .await;
}

#[tokio::test]
async fn hashes_are_of_the_published_list_only() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let hashes = async |after: &str| {
            let hashes = datasets.published_hashes(&TESTS, "list", after, 1);
            hashes.await.unwrap()
        };
        let run = claim(&store, DatasetKind::Snapshot, START).await;
        let records = [record("a", "one"), record("b", "two")];
        let checkpoint = at("1");
        let commit = datasets.commit_batch_and_mark(&run, &records, &checkpoint, &[], START);
        commit.await.unwrap();
        assert!(hashes("").await.is_empty());
        datasets.publish(&run, START, None).await.unwrap();
        let of = |key: &str, content: &str| vec![(key.to_owned(), content.to_owned())];
        assert_eq!(hashes("").await, of("a", "one"));
        assert_eq!(hashes("a").await, of("b", "two"));
        assert!(hashes("b").await.is_empty());
    })
    .await;
}
