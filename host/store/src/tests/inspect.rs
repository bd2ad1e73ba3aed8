//! Opening a database for reading only.

use super::*;
use crate::testing::TestDatabase;
use crate::{DatabaseKind, DatabaseSettings, StoreError};

#[tokio::test]
async fn inspection_describes_a_database_and_writes_nothing() {
    for database in TestDatabase::of_each_kind().await {
        let url = database.url().to_owned();
        let store = database.store().await;
        store
            .datasets()
            .set_next_run(&TESTS, "list", Some(START))
            .await
            .unwrap();
        let read = Store::open_read_only(&url, 2, DatabaseSettings::default()).await;
        let read = read.unwrap();
        let inspection = read.inspect(&url).await.unwrap();
        assert_eq!(inspection.kind, store.kind());
        assert_eq!(
            (inspection.pending, inspection.newer),
            (0, 0),
            "{inspection:?}"
        );
        assert!(
            inspection.changed.is_empty() && inspection.schema >= 25,
            "{inspection:?}"
        );
        assert!(
            inspection.bytes > 0 && !inspection.standby,
            "{inspection:?}"
        );
        assert_eq!(
            inspection.connections.is_some(),
            store.kind() == DatabaseKind::Postgres
        );
        assert_eq!(read.datasets().states().await.unwrap().len(), 1);
        let written = read.datasets().set_next_run(&TESTS, "other", None).await;
        assert!(written.is_err(), "{written:?}");
        read.close().await;
        store.close().await;
    }
}

#[tokio::test]
async fn inspection_of_a_missing_database_creates_no_file() {
    let database = TestDatabase::sqlite();
    let opened = Store::open_read_only(database.url(), 2, DatabaseSettings::default()).await;
    assert!(
        matches!(opened, Err(StoreError::Opening { .. })),
        "{opened:?}"
    );
    let [main, credits] = Store::files(database.url()).unwrap();
    assert!(!main.exists() && !credits.exists());
}

/// A role that may use the database but create nothing, as `create role` leaves it.
#[tokio::test]
async fn role_that_may_not_create_is_reported() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    let role = format!("reader_{}", std::process::id());
    let owner = Store::open_read_only(database.url(), 1, DatabaseSettings::default()).await;
    let owner = owner.unwrap();
    let inspection = owner.inspect(database.url()).await.unwrap();
    assert!(
        inspection.may_create && inspection.schema == 0,
        "{inspection:?}"
    );
    let run = async |sql: String| {
        crate::on!(&owner.writes, |pool| sqlx::raw_sql(sqlx::AssertSqlSafe(
            sql
        ))
        .execute(pool)
        .await
        .map(drop))
    };
    run(format!(
        "set transaction_read_only = off; create role {role} login"
    ))
    .await
    .unwrap();
    let mut url = url::Url::parse(database.url()).unwrap();
    url.set_username(&role).unwrap();
    let store = Store::open_read_only(url.as_str(), 1, DatabaseSettings::default()).await;
    let store = store.unwrap();
    assert!(!store.inspect(url.as_str()).await.unwrap().may_create);
    store.close().await;
    let error = Store::connect(url.as_str(), 1).await.unwrap_err();
    assert!(
        matches!(error.cause(), Some(crate::Cause::NotPermitted(_))),
        "{error}"
    );
    assert!(
        error.to_string().contains("`grant` it the privilege"),
        "{error}"
    );
    run(format!("set transaction_read_only = off; drop role {role}"))
        .await
        .unwrap();
    owner.close().await;
    database.remove().await;
}

#[tokio::test]
async fn inspection_counts_pending_migrations() {
    let database = TestDatabase::sqlite();
    let [main, _] = Store::files(database.url()).unwrap();
    std::fs::create_dir_all(main.parent().unwrap()).unwrap();
    earlier::load_file(&main, include_str!("earlier/sqlite-0007.sql")).await;
    let store = Store::open_read_only(database.url(), 2, DatabaseSettings::default()).await;
    let store = store.unwrap();
    let inspection = store.inspect(database.url()).await.unwrap();
    assert_eq!(inspection.schema, 7);
    assert!(
        inspection.pending > 5 && inspection.changed.is_empty(),
        "{inspection:?}"
    );
    store.close().await;
}
