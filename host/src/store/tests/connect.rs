use super::*;
use crate::store::testing::TestDatabase;
use crate::store::{Kind, StoreError};

#[tokio::test]
async fn a_store_opens_again_with_what_it_kept() {
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        store
            .companies()
            .upsert(&[company("10000001", "Pekáreň")], false, START)
            .await
            .unwrap();
        store.close().await;
        let store = database.store().await;
        store.ping().await.unwrap();
        assert_eq!(store.kind(), database.kind());
        assert_eq!(store.companies().count().await.unwrap(), 1);
        store.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn hosts_that_start_together_migrate_once() {
    for database in TestDatabase::of_each_kind().await {
        let (one, other) = tokio::join!(database.store(), database.store());
        assert_eq!(
            one.companies().count().await.unwrap(),
            other.companies().count().await.unwrap()
        );
        one.close().await;
        other.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn addresses_that_are_none_are_refused_without_being_repeated() {
    for url in [
        "mysql://secret@host/db",
        "sqlite:",
        "sqlite::memory:",
        "sqlite:a.db?mode=ro",
        "postgres://secret:x:y",
    ] {
        let error = Store::connect(url, 1).await.unwrap_err();
        assert!(
            matches!(error, StoreError::InvalidUrl(_)),
            "{url}: {error:?}"
        );
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_database_that_is_away_is_unavailable() {
    let refused = Store::connect("postgres://nobody@127.0.0.1:1/none", 1)
        .await
        .unwrap_err();
    assert!(refused.is_unavailable(), "{refused:?}");
    let directory = Store::connect("sqlite:/", 1).await.unwrap_err();
    assert!(directory.is_unavailable(), "{directory:?}");
    on_each_database(|store| async move {
        store.close().await;
        assert!(store.ping().await.unwrap_err().is_unavailable());
    })
    .await;
}

#[tokio::test]
async fn a_stored_value_of_another_time_is_unreadable_and_named() {
    on_each_database(|store| async move {
        let run = claim(&store, DatasetKind::Snapshot, START).await;
        let sql = "update dataset set imported_at = 9223372036854775807 where connector = $1";
        super::super::on!(&store.writes, |pool| sqlx::query(sql).bind(&run.connector).execute(pool).await.map(drop))
            .unwrap();
        let error = store.datasets().states().await.unwrap_err();
        assert!(matches!(&error, StoreError::Unreadable { table: "dataset", why } if why.contains("imported_at")));
    })
    .await;
}

#[tokio::test]
async fn readers_of_sqlite_cannot_write() {
    let database = TestDatabase::sqlite();
    assert_eq!(database.kind(), Kind::Sqlite);
    let store = database.store().await;
    let written = super::super::on!(&store.reads, |pool| sqlx::query("delete from lease")
        .execute(pool)
        .await
        .map(drop));
    assert!(written.is_err());
    store.close().await;
}
