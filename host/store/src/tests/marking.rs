//! Sections that a delta marks as dirty in the transaction that changes its records.

use super::*;
use crate::db::on;
use crate::testing::scope_name;
use crate::{DatabaseKind, Section};

fn section(ico: &str) -> Section {
    Section {
        ico: ico.to_owned(),
        scope: scope_name("notices"),
        content: Some("{}".to_owned()),
        content_hash: "hash".to_owned(),
        unread: false,
        unread_sources: None,
        connector: connector_id("tests"),
        connector_version: "1.0.0".to_owned(),
        generation: 1,
        evidence: "[]".to_owned(),
    }
}

fn of_company(ico: Option<&str>, name_key: &str, content: &str) -> Record {
    Record {
        ico: ico.map(str::to_owned),
        name_key: Some(name_key.to_owned()),
        ..record("a", content)
    }
}

/// Reads and stores the section of each company, so that it is clean.
async fn read_all(store: &Store, icos: &[&str]) {
    for ico in icos {
        store.sections().put(&section(ico), START).await.unwrap();
    }
}

async fn is_dirty(store: &Store, ico: &str) -> bool {
    let found = store
        .sections()
        .find(ico, &[scope_name("notices")])
        .await
        .unwrap();
    found[0].dirty
}

/// Commits one record in a delta of its own. Returns the companies to wake and those of them that were marked.
async fn commit(store: &Store, record: Record, now: OffsetDateTime) -> [Vec<String>; 2] {
    let run = claim(store, DatasetKind::Delta, now).await;
    let datasets = store.datasets();
    let committed = datasets
        .commit_batch_and_mark(
            &run,
            &[record],
            &at("1"),
            &["notices", "contracts"].map(scope_name),
            now,
        )
        .await
        .unwrap();
    datasets.finish_delta(&run, None, now, None).await.unwrap();
    [committed.companies, committed.marked].map(|icos| icos.into_iter().collect())
}

#[tokio::test]
async fn moved_record_marks_both_companies_at_commit() {
    on_each_database(|store| async move {
        let icos = ["10000001", "10000002", "10000003"];
        let first = of_company(Some(icos[0]), "alfa", "1");
        commit(&store, first, START).await;
        read_all(&store, &icos).await;
        let moved = of_company(Some(icos[1]), "alfa", "2");
        let [woken, marked] = commit(&store, moved, after(100)).await;
        assert_eq!(woken, icos[..2]);
        assert_eq!(marked, icos[..2]);
        assert!(is_dirty(&store, icos[0]).await);
        assert!(is_dirty(&store, icos[1]).await);
        assert!(!is_dirty(&store, icos[2]).await);
    })
    .await;
}

#[tokio::test]
async fn unchanged_record_marks_its_company_once() {
    on_each_database(|store| async move {
        let record = of_company(Some("10000001"), "alfa", "1");
        commit(&store, record.clone(), START).await;
        read_all(&store, &["10000001"]).await;
        let both = Section {
            scope: scope_name("contracts"),
            ..section("10000001")
        };
        store.sections().put(&both, START).await.unwrap();
        let [woken, marked] = commit(&store, record.clone(), after(100)).await;
        assert_eq!(woken, ["10000001"]);
        assert_eq!(marked, ["10000001"], "two sections of one company");
        assert!(is_dirty(&store, "10000001").await);
        let [woken, marked] = commit(&store, record, after(200)).await;
        assert_eq!(woken, ["10000001"]);
        assert!(marked.is_empty(), "it was dirty already: {marked:?}");
    })
    .await;
}

#[tokio::test]
async fn section_stored_during_a_commit_is_marked() {
    const STORE: &str = "update section set dirty = false, evidence = '[]' where ico = '10000001'";
    on_each_database(|store| async move {
        if store.kind() != DatabaseKind::Postgres {
            return;
        }
        let record = of_company(Some("10000001"), "alfa", "1");
        commit(&store, record, START).await;
        read_all(&store, &["10000001"]).await;
        let record = of_company(Some("10000001"), "alfa", "2");
        commit(&store, record, after(100)).await;
        assert!(is_dirty(&store, "10000001").await);
        let mut storing = store.writes.begin().await.unwrap();
        on!(&mut storing, |tx| sqlx::query(STORE)
            .execute(&mut **tx)
            .await
            .map(drop))
        .unwrap();
        let committing = tokio::spawn({
            let store = store.clone();
            async move {
                let record = of_company(Some("10000001"), "alfa", "3");
                commit(&store, record, after(200)).await
            }
        });
        while waiting_for_locks(&store).await == 0 && !committing.is_finished() {
            tokio::task::yield_now().await;
        }
        storing.commit().await.unwrap();
        committing.await.unwrap();
        assert!(is_dirty(&store, "10000001").await);
    })
    .await;
}

#[tokio::test]
async fn first_delta_marks_nothing_before_it_is_published() {
    on_each_database(|store| async move {
        read_all(&store, &["10000001"]).await;
        let record = of_company(Some("10000001"), "alfa", "1");
        let nothing = [const { Vec::<String>::new() }; 2];
        assert_eq!(commit(&store, record, START).await, nothing);
        assert!(!is_dirty(&store, "10000001").await);
    })
    .await;
}

#[tokio::test]
async fn record_without_ico_marks_every_namesake() {
    on_each_database(|store| async move {
        let icos: Vec<String> = (0..60).map(|number| format!("100000{number:02}")).collect();
        let namesakes: Vec<BaseCompany> = icos.iter().map(|ico| company(ico, "Alfa")).collect();
        let companies = store.companies();
        companies.upsert(&namesakes, false, START).await.unwrap();
        let other = of_company(None, "beta", "1");
        commit(&store, other, START).await;
        let read: Vec<&str> = icos.iter().map(String::as_str).collect();
        read_all(&store, &read).await;
        let unnumbered = of_company(None, "alfa", "1");
        let [woken, marked] = commit(&store, unnumbered, after(100)).await;
        assert_eq!((&woken, &marked), (&icos, &icos));
        assert_eq!(companies.with_names(&["alfa"]).await.unwrap(), icos);
    })
    .await;
}

#[tokio::test]
async fn each_commit_of_a_delta_moves_its_list() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        let position = async || {
            let mut found = datasets.positions(&TESTS, &["list"]).await.unwrap();
            found.pop().unwrap()
        };
        commit(&store, of_company(Some("10000001"), "alfa", "1"), START).await;
        let published = position().await;
        assert_eq!(position().await, published);
        let run = claim(&store, DatasetKind::Delta, after(100)).await;
        let begun = position().await;
        let record = [of_company(Some("10000001"), "alfa", "2")];
        let scopes = [scope_name("notices")];
        let reached = at("1");
        let batch = datasets.commit_batch_and_mark(&run, &record, &reached, &scopes, after(100));
        batch.await.unwrap();
        let committed = position().await;
        assert_ne!(committed, begun);
        assert_eq!(committed.generation, published.generation);
        let record = [of_company(Some("10000002"), "beta", "1")];
        let beside = datasets.write_companions(&run, &record, &scopes, after(101));
        beside.await.unwrap();
        assert_ne!(position().await, committed);
        assert_eq!(datasets.positions(&TESTS, &["other"]).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn unpublished_snapshot_leaves_its_list_in_place() {
    on_each_database(|store| async move {
        let datasets = store.datasets();
        import(&store, &[record("a", "1")], START).await;
        let run = claim(&store, DatasetKind::Snapshot, after(100)).await;
        let begun = datasets.positions(&TESTS, &["list"]).await.unwrap();
        let (records, reached) = ([record("b", "1")], at("1"));
        let batch = datasets.commit_batch(&run, &records, &reached, after(101));
        batch.await.unwrap();
        let written = datasets.positions(&TESTS, &["list"]).await.unwrap();
        assert_eq!(written, begun);
        datasets.publish(&run, after(102), None).await.unwrap();
        let published = datasets.positions(&TESTS, &["list"]).await.unwrap();
        assert_ne!(published, begun);
    })
    .await;
}
