//! Data written by runs: batches, companies, differences, and sweeping.

use super::*;
use crate::db::Either;
use crate::{ChangedRecord, RunError, on};

#[tokio::test]
async fn changed_keys_page_and_name_both_companies() {
    on_each_database(|store| async move {
        let old = [
            record("a", "1"),
            record("b", "1"),
            record("c", "1"),
            record("d", "1"),
        ];
        let one = import(&store, &old, START).await;
        let new = [
            record("a", "1"),
            record("b", "2"),
            record("d", "1"),
            record("e", "1"),
        ];
        let two = import(&store, &new, after(10)).await;
        let of = |record: &Record| ChangedRecord {
            key: record.key.clone(),
            ico: record.ico.clone(),
            name_key: record.name_key.clone(),
        };
        let page = async |old, after, limit| {
            let datasets = store.datasets();
            datasets
                .changed_keys(&TESTS, "list", old, two.generation, after, limit)
                .await
                .unwrap()
        };
        let all = [of(&old[1]), of(&new[1]), of(&old[2]), of(&new[3])];
        assert_eq!(page(Some(one.generation), None, 9).await, all);
        assert_eq!(page(Some(one.generation), None, 1).await, all[..2]);
        assert_eq!(page(Some(one.generation), Some("b"), 1).await, all[2..3]);
        assert_eq!(page(Some(one.generation), Some("e"), 9).await, []);
        assert_eq!(page(None, None, 9).await, new.each_ref().map(of));
        let counted = async |old| {
            let datasets = store.datasets();
            let counted = datasets.differences(&TESTS, "list", old, two.generation);
            let counted = counted.await.unwrap();
            (counted.added, counted.changed, counted.removed)
        };
        assert_eq!(counted(Some(one.generation)).await, (1, 1, 1));
        assert_eq!(counted(None).await, (4, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn statistics_know_a_list_that_was_just_written() {
    on_each_database(|store| async move {
        let list: Vec<Record> = (0..300)
            .map(|number| record(&format!("{number:03}"), "1"))
            .collect();
        import(&store, &list, START).await;
        store.datasets().refresh_statistics().await.unwrap();
        let Either::Postgres(pool) = &store.reads else {
            return;
        };
        let known: f32 = sqlx::query_scalar(
            "select reltuples from pg_class where oid = 'dataset_record'::regclass",
        )
        .fetch_one(pool)
        .await
        .unwrap();
        assert!(known >= 300.0, "{known}");
    })
    .await;
}

#[tokio::test]
async fn last_record_of_a_key_counts_in_any_batch_size() {
    on_each_database(|store| async move {
        let run = claim(&store, DatasetKind::Snapshot, START).await;
        let mut batch: Vec<Record> = (0..1234)
            .map(|number| record(&format!("{number:05}"), "1"))
            .collect();
        batch.push(record("00000", "2"));
        let committed = store
            .datasets()
            .commit_batch(&run, &batch, &at("1"), START)
            .await
            .unwrap();
        assert_eq!(committed.records, 1234);
        store
            .datasets()
            .commit_batch(&run, &[record("00001", "2")], &at("2"), START)
            .await
            .unwrap();
        assert_eq!(store.datasets().run_count(&run).await.unwrap(), 1234);
        store.datasets().publish(&run, START, None).await.unwrap();
        let found = store
            .records()
            .by_key_prefix(&TESTS, "list", "0000", "", 3)
            .await
            .unwrap();
        assert_eq!(
            found
                .into_iter()
                .map(|record| record.content)
                .collect::<Vec<_>>(),
            [
                record("00000", "2").content,
                record("00001", "2").content,
                record("00002", "1").content,
            ]
        );
        assert_eq!(
            store
                .datasets()
                .published_count(&TESTS, "list")
                .await
                .unwrap(),
            1234
        );
        assert_eq!(
            store
                .datasets()
                .published_count(&TESTS, "another")
                .await
                .unwrap(),
            0
        );
    })
    .await;
}

#[tokio::test]
async fn companies_are_committed_with_counts_and_cursor() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let run = claim(&store, DatasetKind::Delta, START).await;
        let batch: Vec<_> = (0..600)
            .map(|number| company(&format!("{number:08}"), "Old"))
            .collect();
        let outcome = datasets
            .commit_companies(&run, &batch, &at("1"), START)
            .await
            .unwrap();
        assert_eq!(
            (outcome.inserted, datasets.run_count(&run).await.unwrap()),
            (600, 600)
        );
        datasets
            .finish_delta(&run, None, after(1), None)
            .await
            .unwrap();

        let next = claim(&store, DatasetKind::Delta, after(100)).await;
        assert_eq!(next.cursor.as_deref(), Some("1"));
        let batch = [
            company("00000001", "New"),
            company("99999999", "New"),
            company("00000002", "Old"),
        ];
        let outcome = datasets
            .commit_companies(&next, &batch, &at("2"), after(100))
            .await
            .unwrap();
        assert_eq!(
            (outcome.inserted, outcome.changed, outcome.unchanged),
            (1, 1, 1)
        );
        datasets
            .commit_cursor(&next, &at("3"), after(101))
            .await
            .unwrap();
        datasets
            .finish_delta(&next, None, after(102), None)
            .await
            .unwrap();
        let state = datasets.state(&TESTS, "list").await.unwrap().unwrap();
        assert_eq!((state.records, state.cursor.as_deref()), (601, Some("3")));

        let late = datasets
            .commit_companies(&next, &[company("77777777", "Late")], &at("4"), after(103))
            .await;
        assert!(matches!(late, Err(RunError::LeaseLost)));
        assert_eq!(store.companies().count().await.unwrap(), 601);
    })
    .await;
}

#[tokio::test]
async fn records_beside_companies_are_not_counted() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let run = claim(&store, DatasetKind::Delta, START).await;
        let beside = |content: &str| Record {
            ico: Some("00000001".to_owned()),
            ..record("1", content)
        };
        let two = [beside("old"), record("2", "other")];
        let changed = datasets.write_companions(&run, &two, &[], START).await;
        assert_eq!(changed.unwrap().differences.added, 2);
        let batch = [company("00000001", "One")];
        datasets
            .commit_companies(&run, &batch, &at("1"), START)
            .await
            .unwrap();
        let published = datasets.finish_delta(&run, None, after(1), None).await;
        assert_eq!(published.unwrap().records, 1);

        let next = claim(&store, DatasetKind::Delta, after(100)).await;
        assert_eq!((next.records, next.cursor.as_deref()), (0, Some("1")));
        let again = [beside("new"), record("2", "other")];
        let changed = datasets.write_companions(&next, &again, &[], after(100));
        assert_eq!(changed.await.unwrap().differences.changed, 1);
        datasets
            .finish_delta(&next, None, after(101), None)
            .await
            .unwrap();
        let state = datasets.state(&TESTS, "list").await.unwrap().unwrap();
        assert_eq!(state.records, 1);
        let found = store
            .records()
            .by_company(&TESTS, "list", "00000001", "", 10)
            .await
            .unwrap();
        assert_eq!(found[0].content, record("1", "new").content);
        let late = datasets
            .write_companions(&next, &again, &[], after(102))
            .await;
        assert!(matches!(late, Err(RunError::LeaseLost)));
    })
    .await;
}

#[tokio::test]
async fn sweep_keeps_generations_in_use() {
    on_each_database(|store| async move {
        let list = |content: &str| -> Vec<Record> {
            (0..700)
                .map(|number| record(&format!("{number:05}"), content))
                .collect()
        };
        for number in 1..=3 {
            import(&store, &list(&number.to_string()), after(number * 100)).await;
        }
        let run = claim(&store, DatasetKind::Snapshot, after(400)).await;
        store
            .datasets()
            .commit_batch(&run, &list("4"), &at("1"), after(400))
            .await
            .unwrap();
        assert_eq!(store.datasets().sweep(600).await.unwrap(), 600);
        assert_eq!(store.datasets().sweep(600).await.unwrap(), 100);
        assert_eq!(store.datasets().sweep(600).await.unwrap(), 0);
        let changed = store
            .datasets()
            .changed_keys(&TESTS, "list", Some(2), 3, None, 9999)
            .await
            .unwrap();
        assert_eq!(changed.len(), 2 * 700);
        store
            .datasets()
            .fail(&run, &failure("no"), after(401), None, false)
            .await
            .unwrap();
        assert_eq!(store.datasets().sweep(9999).await.unwrap(), 700);
        assert_eq!(published(&store).await.len(), 700);
    })
    .await;
}

#[tokio::test]
async fn concurrent_sweeps_leave_no_records() {
    on_each_database(|store| async move {
        const LEFT: &str = "select count(*) from dataset_record where generation = 1";
        let list: Vec<Record> = (0..3_000)
            .map(|number| record(&format!("{number:05}"), "x"))
            .collect();
        for number in 1..=3 {
            import(&store, &list, after(number * 100)).await;
        }
        let sweep = async || while store.datasets().sweep(500).await.unwrap() > 0 {};
        tokio::join!(sweep(), sweep(), sweep());
        // Whoever came last may have left what another one was deleting then.
        sweep().await;
        let left: i64 = on!(&store.reads, |pool| sqlx::query_scalar(LEFT)
            .fetch_one(pool)
            .await)
        .unwrap();
        assert_eq!(left, 0);
    })
    .await;
}
