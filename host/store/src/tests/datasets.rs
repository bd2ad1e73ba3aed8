//! Import runs: claims and ends.

use super::*;
use crate::{Differences, ImportTime, Run, RunError, RunState, StoreError};

async fn import_times(store: &Store) -> Result<Vec<ImportTime>, StoreError> {
    let parts = store.companies().parts("10000001", []).await?;
    Ok(parts.imports)
}

async fn try_claim(store: &Store, owner: &str, now: OffsetDateTime) -> Option<Run> {
    match store
        .datasets()
        .claim_run(&TESTS, "list", DatasetKind::Snapshot, owner, LEASE, now)
        .await
        .unwrap()
    {
        RunClaim::Run(run) => Some(run),
        RunClaim::Busy | RunClaim::NotDue | RunClaim::Paused(_) => None,
    }
}

#[tokio::test]
async fn run_with_expired_lease_resumes_at_its_cursor() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let one = try_claim(&store, "one", START).await.unwrap();
        assert_eq!(
            (one.generation, one.cursor.as_deref(), one.resumed),
            (1, None, false)
        );
        let checkpoint = Checkpoint {
            cursor: Some("page 2".to_owned()),
            list_date: Some("2026-06-30".to_owned()),
            skipped: 3,
            notes: Some("[1]".to_owned()),
            progress: Some(250),
        };
        datasets
            .commit_batch(&one, &[record("a", "1")], &checkpoint, after(30))
            .await
            .unwrap();
        assert!(try_claim(&store, "two", after(89)).await.is_none());

        let two = try_claim(&store, "two", after(90)).await.unwrap();
        assert_eq!(
            (
                two.id,
                two.generation,
                two.resumed,
                two.records,
                two.skipped
            ),
            (one.id, 1, true, 1, 3)
        );
        assert_eq!(
            (two.cursor.as_deref(), two.notes.as_deref()),
            (Some("page 2"), Some("[1]"))
        );

        let late = datasets
            .commit_batch(&one, &[record("a", "late")], &at("page 3"), after(91))
            .await;
        assert!(matches!(late, Err(RunError::LeaseLost)), "{late:?}");
        assert!(matches!(
            datasets.publish(&one, after(91), None).await,
            Err(RunError::LeaseLost)
        ));
        assert!(matches!(
            datasets
                .fail(&one, &failure("late"), after(91), None, true)
                .await,
            Err(RunError::LeaseLost)
        ));
        assert!(matches!(
            datasets.finish_delta(&one, None, after(91), None).await,
            Err(RunError::LeaseLost)
        ));

        datasets
            .commit_batch(&two, &[record("b", "2")], &at("page 3"), after(92))
            .await
            .unwrap();
        assert_eq!(import_times(&store).await.unwrap(), []);
        datasets
            .publish(&two, after(93), Some(after(9000)))
            .await
            .unwrap();
        assert_eq!(published(&store).await, ["a", "b"]);
        let imported = ImportTime {
            connector: TESTS.clone(),
            dataset: "list".to_owned(),
            at: after(93),
        };
        assert_eq!(import_times(&store).await.unwrap(), [imported]);
        let state = datasets.state(&TESTS, "list").await.unwrap().unwrap();
        assert_eq!(
            (state.generation, state.records, state.imported_at),
            (Some(1), 2, Some(after(93)))
        );
        assert_eq!(
            (state.list_date.as_deref(), state.failure),
            (Some("2026-06-30"), None)
        );
        let run = datasets.history(&TESTS, "list", 9).await.unwrap().remove(0);
        assert_eq!(
            (run.state, run.skipped, run.progress),
            (RunState::Succeeded, 3, Some(250))
        );
    })
    .await;
}

#[tokio::test]
async fn concurrent_claims_of_a_dataset_have_one_winner() {
    on_each_database(|store| async move {
        let claims: Vec<_> = (0..12)
            .map(|number| {
                let store = store.clone();
                tokio::spawn(async move {
                    try_claim(&store, &number.to_string(), START)
                        .await
                        .is_some()
                })
            })
            .collect();
        let mut runs = 0;
        for claim in claims {
            runs += usize::from(claim.await.unwrap());
        }
        assert_eq!(runs, 1);
        assert_eq!(
            store
                .datasets()
                .history(&TESTS, "list", 99)
                .await
                .unwrap()
                .len(),
            1
        );
    })
    .await;
}

#[tokio::test]
async fn failed_run_is_kept_or_given_up() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        import(&store, &[record("a", "1")], START).await;
        let run = claim(&store, DatasetKind::Snapshot, after(10)).await;
        datasets
            .commit_batch(&run, &[record("b", "2")], &at("page 2"), after(10))
            .await
            .unwrap();
        datasets
            .fail(
                &run,
                &failure("out of order"),
                after(11),
                Some(after(60)),
                true,
            )
            .await
            .unwrap();
        let state = datasets.state(&TESTS, "list").await.unwrap().unwrap();
        assert_eq!(
            (state.failure, state.failed_at),
            (Some(failure("out of order")), Some(after(11)))
        );
        assert_eq!(
            (state.next_run_at, state.imported_at),
            (Some(after(60)), Some(START))
        );

        let resumed = claim(&store, DatasetKind::Snapshot, after(12)).await;
        assert_eq!(
            (resumed.id, resumed.cursor.as_deref()),
            (run.id, Some("page 2"))
        );
        datasets
            .fail(
                &resumed,
                &failure("the list changed"),
                after(13),
                None,
                false,
            )
            .await
            .unwrap();
        let history = datasets.history(&TESTS, "list", 1).await.unwrap().remove(0);
        assert_eq!(
            (history.state, history.failure),
            (RunState::Failed, Some(failure("the list changed")))
        );
        assert_eq!(history.finished_at, Some(after(13)));

        let restarted = claim(&store, DatasetKind::Snapshot, after(14)).await;
        assert_eq!(
            (restarted.generation, restarted.cursor, restarted.published),
            (3, None, Some(1))
        );
        assert_eq!(published(&store).await, ["a"]);
    })
    .await;
}

#[tokio::test]
async fn unfinished_runs_are_listed_with_their_holder() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        import(&store, &[record("a", "1")], START).await;
        assert_eq!(datasets.unfinished().await.unwrap(), []);
        let run = claim(&store, DatasetKind::Snapshot, after(10)).await;
        let checkpoint = Checkpoint {
            progress: Some(125),
            ..at("page 2")
        };
        datasets
            .commit_batch(&run, &[record("b", "2")], &checkpoint, after(20))
            .await
            .unwrap();
        let under_way = datasets.unfinished().await.unwrap().remove(0);
        assert_eq!(
            (
                under_way.id,
                &under_way.connector,
                under_way.dataset.as_str()
            ),
            (run.id, &*TESTS, "list")
        );
        assert_eq!(
            (
                under_way.owner.as_deref(),
                under_way.records,
                under_way.progress
            ),
            (Some("host"), 1, Some(125))
        );
        // Each batch extends the lease by its full length.
        assert!(under_way.is_under_way(after(79)));
        assert!(!under_way.is_under_way(after(80)), "its host is gone");

        datasets
            .fail(&run, &failure("out of order"), after(30), None, true)
            .await
            .unwrap();
        let broken_off = datasets.unfinished().await.unwrap().remove(0);
        assert_eq!(
            (broken_off.is_under_way(after(30)), broken_off.failure),
            (false, Some(failure("out of order")))
        );
        let run = claim(&store, DatasetKind::Snapshot, after(40)).await;
        datasets
            .fail(&run, &failure("the list changed"), after(41), None, false)
            .await
            .unwrap();
        assert_eq!(datasets.unfinished().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn delta_starts_where_the_last_one_ended() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let first = claim(&store, DatasetKind::Delta, START).await;
        datasets
            .commit_batch(
                &first,
                &[record("a", "1"), record("b", "1")],
                &at("1"),
                START,
            )
            .await
            .unwrap();
        assert!(published(&store).await.is_empty());
        datasets
            .finish_delta(&first, Some("day 1"), after(1), Some(after(100)))
            .await
            .unwrap();
        assert_eq!(published(&store).await, ["a", "b"]);

        let second = claim(&store, DatasetKind::Delta, after(100)).await;
        assert_eq!(
            (second.generation, second.cursor.as_deref()),
            (first.generation, Some("day 1"))
        );
        let batch = [
            record("a", "1"),
            record("b", "2"),
            removed("b"),
            removed("x"),
            record("c", "1"),
        ];
        let committed = datasets
            .commit_batch(&second, &batch, &at("2"), after(100))
            .await
            .unwrap();
        let counted = Differences {
            added: 1,
            changed: 0,
            removed: 1,
        };
        assert_eq!((committed.records, committed.differences), (4, counted));
        assert_eq!(published(&store).await, ["a", "c"]);
        datasets
            .finish_delta(&second, None, after(101), None)
            .await
            .unwrap();
        let state = datasets.state(&TESTS, "list").await.unwrap().unwrap();
        assert_eq!((state.cursor.as_deref(), state.records), (Some("2"), 2));
        assert_eq!(
            (state.generation, state.previous_generation),
            (Some(1), None)
        );
    })
    .await;
}

#[tokio::test]
async fn dataset_turned_snapshot_gives_up_unfinished_delta() {
    on_each_database(|store| async move {
        let delta = claim(&store, DatasetKind::Delta, START).await;
        let snapshot = claim(&store, DatasetKind::Snapshot, after(60)).await;
        assert_eq!(
            (snapshot.resumed, snapshot.generation),
            (false, delta.generation + 1)
        );
        let history = store.datasets().history(&TESTS, "list", 9).await.unwrap();
        assert_eq!(
            history.iter().map(|run| run.state).collect::<Vec<_>>(),
            [RunState::Running, RunState::Failed]
        );
    })
    .await;
}
