//! Import runs: when a dataset is due, and when its old runs are deleted.

use super::*;
use crate::RunError;

#[tokio::test]
async fn dataset_is_due_until_a_host_runs_it() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let due = async |now| -> Vec<String> {
            datasets
                .due(now)
                .await
                .unwrap()
                .into_iter()
                .map(|state| state.dataset)
                .collect()
        };
        datasets
            .set_next_run(&TESTS, "list", Some(after(10)))
            .await
            .unwrap();
        datasets
            .set_next_run(&TESTS, "earlier", Some(after(5)))
            .await
            .unwrap();
        datasets.set_next_run(&TESTS, "never", None).await.unwrap();
        assert_eq!(due(after(9)).await, ["earlier"]);
        assert_eq!(due(after(10)).await, ["earlier", "list"]);
        let run = claim(&store, DatasetKind::Snapshot, after(10)).await;
        assert_eq!(due(after(11)).await, ["earlier"]);
        assert_eq!(due(after(70)).await, ["earlier", "list"]);
        datasets
            .publish(&run, after(71), Some(after(500)))
            .await
            .unwrap();
        assert_eq!(due(after(71)).await, ["earlier"]);
        assert_eq!(datasets.states().await.unwrap().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn dataset_imported_by_another_host_is_not_due() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let claim_due = |owner: &'static str, now| {
            let kind = DatasetKind::Snapshot;
            datasets.claim_due_run(&TESTS, "list", kind, owner, LEASE, now)
        };
        assert_eq!(claim_due("one", START).await.unwrap(), RunClaim::NotDue);
        datasets
            .set_next_run(&TESTS, "list", Some(START))
            .await
            .unwrap();
        // Both hosts have seen the dataset as due by now.
        let RunClaim::Run(run) = claim_due("one", after(1)).await.unwrap() else {
            panic!("it is due")
        };
        assert_eq!(claim_due("two", after(1)).await.unwrap(), RunClaim::Busy);
        datasets
            .commit_batch(&run, &[record("a", "1")], &at("end"), after(2))
            .await
            .unwrap();
        datasets
            .publish(&run, after(3), Some(after(86_400)))
            .await
            .unwrap();
        assert_eq!(claim_due("two", after(3)).await.unwrap(), RunClaim::NotDue);
        assert_eq!(datasets.history(&TESTS, "list", 10).await.unwrap().len(), 1);
        let RunClaim::Run(next) = claim_due("two", after(86_400)).await.unwrap() else {
            panic!("it is due again")
        };
        assert_ne!(next.id, run.id);
    })
    .await;
}

#[tokio::test]
async fn old_runs_are_deleted_except_the_newest() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        for day in 0..4 {
            import(&store, &[record("a", "1")], after(day * 86_400)).await;
        }
        let runs = || async { datasets.history(&TESTS, "list", 10).await.unwrap().len() };
        let end = after(10 * 86_400);
        // The records of the first two runs are not swept yet, and those of the other two may still be read.
        assert_eq!(datasets.forget_runs(end, 10).await.unwrap(), 0);
        while datasets.sweep(1_000).await.unwrap() > 0 {}
        assert_eq!(datasets.forget_runs(START, 10).await.unwrap(), 0);
        assert_eq!(datasets.forget_runs(end, 10).await.unwrap(), 2);
        assert_eq!(runs().await, 2);
        assert_eq!(published(&store).await, ["a"]);
        import(&store, &[record("a", "1")], after(5 * 86_400)).await;
        while datasets.sweep(1_000).await.unwrap() > 0 {}
        assert_eq!(datasets.forget_runs(end, 10).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn paused_dataset_is_run_by_no_host() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let kind = DatasetKind::Snapshot;
        let run = claim(&store, kind, START).await;
        datasets
            .commit_batch(&run, &[record("a", "1")], &at("page 2"), after(1))
            .await
            .unwrap();
        let since = datasets.pause(&TESTS, "list", after(2)).await.unwrap();
        assert_eq!(since, after(2));
        assert_eq!(
            datasets.pause(&TESTS, "list", after(3)).await.unwrap(),
            since
        );
        let state = datasets.state(&TESTS, "list").await.unwrap().unwrap();
        assert_eq!(state.paused_at, Some(since));

        // The host of the run stops at its next commit, and no other host claims it.
        let late = datasets
            .commit_batch(&run, &[record("b", "2")], &at("page 3"), after(4))
            .await;
        assert!(matches!(late, Err(RunError::LeaseLost)), "{late:?}");
        datasets
            .set_next_run(&TESTS, "list", Some(after(5)))
            .await
            .unwrap();
        assert_eq!(datasets.due(after(100)).await.unwrap(), []);
        for claimed in [
            datasets
                .claim_due_run(&TESTS, "list", kind, "two", LEASE, after(100))
                .await,
            datasets
                .claim_run(&TESTS, "list", kind, "two", LEASE, after(100))
                .await,
        ] {
            assert_eq!(claimed.unwrap(), RunClaim::Paused(since));
        }

        assert!(datasets.resume(&TESTS, "list").await.unwrap());
        assert!(!datasets.resume(&TESTS, "list").await.unwrap());
        assert_eq!(datasets.due(after(100)).await.unwrap().len(), 1);
        let resumed = claim(&store, kind, after(100)).await;
        assert_eq!(
            (resumed.resumed, resumed.cursor.as_deref()),
            (true, Some("page 2"))
        );
    })
    .await;
}
