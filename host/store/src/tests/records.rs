use super::*;
use crate::{Either, RecordName, StoreError, StoredRecord};

fn keys(records: Vec<StoredRecord>) -> Vec<String> {
    records.into_iter().map(|record| record.key).collect()
}

fn keys_of_names(names: Vec<RecordName>) -> Vec<String> {
    names.into_iter().map(|name| name.key).collect()
}

fn named(key: &str, ico: Option<&str>, name_key: &str, postal_code: &str) -> Record {
    Record {
        ico: ico.map(str::to_owned),
        name_key: Some(name_key.to_owned()),
        postal_code: Some(postal_code.to_owned()),
        ..record(key, key)
    }
}

#[tokio::test]
async fn records_are_found_in_key_order() {
    on_each_database(|store| async move {
        let batch = [
            named("b/2", Some("10000001"), "alfa beta", "81101"),
            named("b/1", Some("10000001"), "alfa beta", "04001"),
            named("a/1", Some("10000002"), "alfa", "81101"),
            named("B/1", None, "alfabet", "81101"),
            named("č/1", None, "beta", "81101"),
        ];
        import(&store, &batch, START).await;
        let records = store.records();
        let by_company_after = async |ico, after, limit| {
            keys(
                records
                    .by_company(&TESTS, "list", ico, after, limit)
                    .await
                    .unwrap(),
            )
        };
        let by_company = async |ico, limit| by_company_after(ico, "", limit).await;
        let by_key_after = async |prefix, after, limit| {
            keys(
                records
                    .by_key_prefix(&TESTS, "list", prefix, after, limit)
                    .await
                    .unwrap(),
            )
        };
        let by_key = async |prefix, limit| by_key_after(prefix, "", limit).await;
        let by_name = async |name, code| {
            keys_of_names(
                records
                    .names(&TESTS, "list", (name, 9), ("~", 9), code)
                    .await
                    .unwrap(),
            )
        };
        let by_prefix = async |name, code| {
            keys_of_names(
                records
                    .names(&TESTS, "list", ("~", 9), (name, 9), code)
                    .await
                    .unwrap(),
            )
        };

        assert_eq!(by_company("10000001", 9).await, ["b/1", "b/2"]);
        assert_eq!(by_company("10000001", 1).await, ["b/1"]);
        assert_eq!(by_company_after("10000001", "b/1", 9).await, ["b/2"]);
        assert!(by_company_after("10000001", "b/2", 9).await.is_empty());
        assert_eq!(by_key_after("", "a/1", 2).await, ["b/1", "b/2"]);
        assert!(by_key_after("b", "b/2", 2).await.is_empty());
        assert_eq!(by_key("b", 9).await, ["b/1", "b/2"]);
        assert_eq!(by_key("", 9).await, ["B/1", "a/1", "b/1", "b/2", "č/1"]);
        assert_eq!(by_name("alfa beta", None).await, ["b/1", "b/2"]);
        assert_eq!(by_name("alfa beta", Some("81101")).await, ["b/2"]);
        assert_eq!(by_prefix("alfa", None).await, ["B/1", "a/1", "b/1", "b/2"]);
        assert_eq!(by_prefix("alfa ", Some("04001")).await, ["b/1"]);
        assert!(
            records
                .by_company(&TESTS, "another", "10000001", "", 9)
                .await
                .unwrap()
                .is_empty()
        );

        let found = records
            .by_key_prefix(&TESTS, "list", "a/1", "", 1)
            .await
            .unwrap()
            .remove(0);
        let Record {
            key,
            ico,
            name,
            name_key,
            city,
            postal_code,
            content,
            ..
        } = batch[2].clone();
        assert_eq!(
            found,
            StoredRecord {
                key,
                ico,
                name,
                name_key,
                city,
                postal_code,
                content
            }
        );
    })
    .await;
}

#[tokio::test]
async fn names_have_a_limit_per_match_kind() {
    on_each_database(|store| async move {
        let batch: Vec<Record> = (0..6)
            .map(|number| named(&format!("{number}"), None, "alfa beta", "81101"))
            .chain([named("0a", None, "alfa", "81101")])
            .collect();
        import(&store, &batch, START).await;
        let names = async |equal, alike| {
            let (equal, alike) = (("alfa beta", equal), ("alfa", alike));
            let records = store.records();
            let found = records.names(&TESTS, "list", equal, alike, None).await;
            keys_of_names(found.unwrap())
        };
        assert_eq!(names(4, 2).await, ["0", "0a", "1", "2", "3"]);
        assert_eq!(names(1, 3).await, ["0", "0a", "1"]);
        assert!(names(0, 0).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn result_ends_with_the_record_that_exceeds_its_bytes() {
    on_each_database(|store| async move {
        // 2 bytes per letter: sizes are counted in bytes, not in characters.
        let large = |key: &str, letters: usize| Record {
            content: format!("\"{}\"", "č".repeat(letters)),
            ..named(key, Some("10000001"), "alfa", "81101")
        };
        let batch = [
            large("1", 49),
            large("2", 49),
            large("3", 49),
            large("4", 1 << 19),
        ];
        import(&store, &batch, START).await;
        let records = store.records();
        for (bytes, expected) in [(0, 1), (99, 1), (100, 2), (299, 3), (300, 4), (1 << 30, 4)] {
            let bounded = records.within(bytes);
            let by_company = bounded.by_company(&TESTS, "list", "10000001", "", 9);
            assert_eq!(keys(by_company.await.unwrap()).len(), expected, "{bytes}");
            let by_key = bounded.by_key_prefix(&TESTS, "list", "", "", 9);
            assert_eq!(keys(by_key.await.unwrap()).len(), expected, "{bytes}");
            let by_keys = bounded.by_keys(&TESTS, "list", &["4", "1", "3", "2", "5"]);
            assert_eq!(keys(by_keys.await.unwrap()).len(), expected, "{bytes}");
        }
        let bounded = records.within(100);
        let after = bounded.by_company(&TESTS, "list", "10000001", "2", 1).await;
        assert_eq!(keys(after.unwrap()), ["3"]);
        let some = records.by_keys(&TESTS, "list", &["4", "1"]).await;
        assert_eq!(keys(some.unwrap()), ["1", "4"]);
        assert!(
            records
                .by_keys(&TESTS, "list", &[])
                .await
                .unwrap()
                .is_empty()
        );
    })
    .await;
}

#[tokio::test]
async fn state_of_a_list_comes_with_the_records_of_a_company() {
    on_each_database(|store| async move {
        let batch = [
            named("2", Some("10000001"), "alfa", "81101"),
            named("1", Some("10000001"), "alfa", "81101"),
            named("3", Some("10000002"), "beta", "81101"),
        ];
        import(&store, &batch, START).await;
        let state = store.datasets().state(&TESTS, "list").await.unwrap();
        let state = state.expect("it was imported");
        let found = async |dataset, ico, limit, bytes| {
            let records = store.records().within(bytes);
            let found = records.by_company_with_state(&TESTS, dataset, ico, limit);
            found.await.unwrap()
        };
        for (ico, limit, bytes, expected) in [
            ("10000001", 9, 100, vec!["1", "2"]),
            ("10000001", 1, 100, vec!["1"]),
            ("10000001", 9, 0, vec!["1"]),
            ("10000003", 9, 100, vec![]),
        ] {
            let (with_records, records) = found("list", ico, limit, bytes).await.unwrap();
            assert_eq!(with_records, state);
            let records = records.expect("they are readable");
            assert_eq!(keys(records), expected, "{ico}, {limit}, {bytes}");
        }
        assert!(found("another", "10000001", 9, 100).await.is_none());
        if let Either::Sqlite(pool) = &store.writes {
            let damage = "update dataset_record set content = x'09' where key = '1'";
            sqlx::query(damage).execute(pool).await.unwrap();
            let (with_damage, records) = found("list", "10000001", 9, 100).await.unwrap();
            assert_eq!(with_damage, state);
            assert!(matches!(records, Err(StoreError::Unreadable { .. })));
        }
    })
    .await;
}

#[tokio::test]
async fn readers_never_see_a_mix_of_two_lists() {
    on_each_database(|store| async move {
        import(&store, &[record("a", "1"), record("b", "1")], START).await;
        let run = claim(&store, DatasetKind::Snapshot, after(100)).await;
        store
            .datasets()
            .commit_batch(
                &run,
                &[record("b", "2"), record("c", "2")],
                &at("1"),
                after(100),
            )
            .await
            .unwrap();
        assert_eq!(published(&store).await, ["a", "b"]);
        store
            .datasets()
            .publish(&run, after(101), None)
            .await
            .unwrap();
        assert_eq!(published(&store).await, ["b", "c"]);
    })
    .await;
}

#[tokio::test]
async fn earlier_generation_is_read_until_it_is_gone() {
    on_each_database(|store| async move {
        import(
            &store,
            &[record("a", "1"), record("b", "1"), record("c", "1")],
            START,
        )
        .await;
        let generation = async || {
            let state = store.datasets().state(&TESTS, "list").await.unwrap();
            state.unwrap().generation.unwrap()
        };
        let first = generation().await;
        import(&store, &[record("b", "2")], after(100)).await;
        let second = generation().await;
        let records = store.records();
        let of = async |generation, after, limit| {
            let found = records.of_generation(&TESTS, "list", generation, after, limit);
            keys(found.await.unwrap())
        };
        assert_eq!(of(first, "", 2).await, ["a", "b"]);
        assert_eq!(of(first, "b", 2).await, ["c"]);
        assert_eq!(of(second, "", 9).await, ["b"]);
        let by_keys = async |generation, wanted: &[&str]| {
            let found = records.of_generation_by_keys(&TESTS, "list", generation, wanted);
            keys(found.await.unwrap())
        };
        assert_eq!(by_keys(first, &["c", "a", "x"]).await, ["a", "c"]);
        assert!(by_keys(second, &["a"]).await.is_empty());
        import(&store, &[record("b", "3")], after(200)).await;
        while store.datasets().sweep(1_000).await.unwrap() > 0 {}
        assert!(of(first, "", 9).await.is_empty());
        assert!(by_keys(first, &["a"]).await.is_empty());
        assert_eq!(of(second, "", 9).await, ["b"]);
    })
    .await;
}
