//! Databases of every earlier version open with their content.
//!
//! The dumps in `earlier` were made with the migrations of each released version, by `sqlite3 FILE .dump` and
//! `pg_dump --inserts` without comments and settings; `0006-first` has the first form of the migration that was edited
//! later. Schemas in between are made by the migrations themselves.

use std::path::Path;

use sqlx::migrate::{Migration, Migrator};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use sqlx_postgres::PgConnectOptions;
use sqlx_sqlite::SqliteConnectOptions;

use super::*;
use crate::migrations;
use crate::on;
use crate::testing::TestDatabase;

/// The dumps of one version.
struct Version {
    name: &'static str,
    sqlite: &'static str,
    billing: bool,
    postgres: &'static str,
}

macro_rules! version {
    ($name:literal, billing: $billing:literal) => {
        Version {
            name: $name,
            sqlite: include_str!(concat!("earlier/sqlite-", $name, ".sql")),
            billing: $billing,
            postgres: include_str!(concat!("earlier/postgres-", $name, ".sql")),
        }
    };
}

const VERSIONS: [Version; 10] = [
    version!("0001", billing: false),
    version!("0002", billing: false),
    version!("0003", billing: false),
    version!("0004", billing: false),
    version!("0005", billing: true),
    version!("0006-first", billing: true),
    version!("0006", billing: true),
    version!("0007", billing: true),
    version!("0011", billing: true),
    version!("0019", billing: true),
];

pub(super) async fn load_file(path: &Path, dump: impl Into<String>) {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    let loading = sqlx::raw_sql(AssertSqlSafe(dump.into()))
        .execute(&mut connection)
        .await;
    loading.unwrap();
    connection.close().await.unwrap();
}

pub(super) async fn load_server(url: &str, dump: impl Into<String>) {
    let options: PgConnectOptions = url.parse().unwrap();
    let mut connection = options.connect().await.unwrap();
    let loading = sqlx::raw_sql(AssertSqlSafe(dump.into()))
        .execute(&mut connection)
        .await;
    loading.unwrap();
    connection.close().await.unwrap();
}

/// Checks the content that every dump has, and that the store accepts new data.
async fn check(store: &Store, version: &Version) {
    const FAILED: &str = "select failed_at from subscription where id = 'sub_1'";
    let name = version.name;
    assert_eq!(store.companies().count().await.unwrap(), 1, "{name}");
    let company = store.companies().find_by_ico("10000001").await.unwrap();
    assert_eq!(company.unwrap().base.name, "Pekáreň", "{name}");
    let account = store.keys().find_account("acme").await.unwrap().unwrap();
    assert_eq!(account.plan, "starter", "{name}");
    let holder = store.leases().holder("kept", START).await.unwrap();
    assert_eq!(holder.as_deref(), Some("host"), "{name}");
    if name >= "0006" {
        let failed: Option<i64> = on!(&store.reads, |pool| sqlx::query_scalar(FAILED)
            .fetch_one(pool)
            .await)
        .unwrap();
        let expected = (name == "0006-first").then_some(1_760_000_000_000);
        assert_eq!(failed, expected, "{name}");
    }
    if name >= "0019" {
        let people = store.members_of(account.id).list().await.unwrap();
        assert_eq!(people.len(), 1, "{name}");
    }
    let stored = store.billing().find(account.id).await.unwrap();
    assert_eq!(stored.is_some(), version.billing, "{name}");
    let more = [company_of("10000002")];
    let companies = store.companies();
    companies.upsert(&more, false, START).await.unwrap();
    assert_eq!(companies.count().await.unwrap(), 2, "{name}");
}

fn company_of(ico: &str) -> BaseCompany {
    company(ico, "Mlyn")
}

#[tokio::test]
async fn files_of_every_earlier_version_open() {
    for version in &VERSIONS {
        let database = TestDatabase::sqlite();
        let path = Path::new(database.url().trim_start_matches("sqlite:")).to_owned();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        load_file(&path, version.sqlite).await;
        if version.billing {
            let dump = include_str!("earlier/sqlite-billing-0001.sql");
            load_file(&path.with_file_name("lustra-billing.db"), dump).await;
        }
        for _ in 0..2 {
            let store = database.store().await;
            store.ping().await.unwrap();
            store.close().await;
        }
        let store = database.store().await;
        check(&store, version).await;
        store.close().await;
    }
}

#[tokio::test]
async fn servers_of_every_earlier_version_open() {
    for version in &VERSIONS {
        let Some(database) = TestDatabase::postgres().await else {
            return;
        };
        load_server(database.url(), version.postgres).await;
        // Hosts that start at the same time repair the migration once.
        let (store, other) = tokio::join!(database.store(), database.store());
        check(&store, version).await;
        store.close().await;
        other.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn store_with_an_edited_migration_names_it() {
    const EDIT: &str = "update _sqlx_migrations set checksum = '' where version = 3";
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        on!(&store.writes, |pool| sqlx::raw_sql(EDIT)
            .execute(pool)
            .await
            .map(drop))
        .unwrap();
        store.close().await;
        let refused = Store::connect(database.url(), 1).await.unwrap_err();
        assert_eq!(
            refused.cause(),
            Some(crate::Cause::MigrationChanged(3)),
            "{refused}"
        );
        database.remove().await;
    }
}

#[tokio::test]
async fn files_of_every_schema_in_between_open() {
    let all: Vec<Migration> = migrations::of_sqlite().iter().cloned().collect();
    for count in 1..all.len() {
        let name = format!("{:04}", all[count - 1].version);
        if VERSIONS.iter().any(|version| version.name == name) {
            continue;
        }
        let database = TestDatabase::sqlite();
        let path = Path::new(database.url().trim_start_matches("sqlite:")).to_owned();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true);
        let mut connection = options.connect().await.unwrap();
        let earlier = Migrator::with_migrations(all[..count].to_vec());
        earlier.run(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let store = database.store().await;
        assert_eq!(store.schema_refusal().await.unwrap(), None, "{count}");
        assert_eq!(store.companies().count().await.unwrap(), 0, "{count}");
        store.close().await;
    }
}

/// Four calls of account 1, of which one was refunded and the usage of the first day is deleted, and one of account 2.
const CALLS: &str = "
    insert into ledger_entry
        (account_id, entry_no, booked_at, kind, grant_no, amount, balance, operation, part, about)
    values
        (1, 1, 1672617600000, 'grant', 1, 3, 3, 'grant', 0, ''),
        (1, 2, 1672617600000, 'charge', 1, -1, 2, 'a', 0, 'company'),
        (1, 3, 1672617600000, 'charge', 1, -1, 1, 'b', 0, 'company'),
        (1, 4, 1672617600000, 'overage', null, -1, 1, 'c', 0, 'company'),
        (1, 5, 1672704000000, 'refund', 1, 1, 2, 'b', 1, 'company'),
        (1, 6, 1672704000000, 'charge', 1, -1, 1, 'd', 0, 'company'),
        (2, 1, 1672704000000, 'charge', 1, -1, 0, 'a', 0, 'company');
    insert into usage_day (account_id, day, endpoint, requests, cached, credits, overage)
    values (1, '2023-01-03', 'company', 1, 0, 1, 0), (2, '2023-01-03', 'company', 1, 0, 1, 0);";

async fn deleted_usage(database: &TestDatabase) -> Vec<(i64, i64, i64)> {
    const DELETED: &str = "select account_id, credits, overage from deleted_usage";
    let store = database.store().await;
    let deleted = on!(&store.billing_reads, |pool| sqlx::query_as(DELETED)
        .fetch_all(pool)
        .await);
    store.close().await;
    deleted.unwrap()
}

fn before_deleted_usage(migrator: &Migrator) -> Migrator {
    let earlier = migrator.iter().filter(|migration| migration.version < 27);
    Migrator::with_migrations(earlier.cloned().collect())
}

#[tokio::test]
async fn file_gets_sums_of_usage_deleted_earlier() {
    let database = TestDatabase::sqlite();
    let path = Path::new(database.url().trim_start_matches("sqlite:")).to_owned();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let options = SqliteConnectOptions::new()
        .filename(path.with_file_name("lustra-billing.db"))
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    let earlier = before_deleted_usage(&migrations::of_sqlite_billing());
    earlier.run(&mut connection).await.unwrap();
    let calls = sqlx::raw_sql(CALLS).execute(&mut connection).await;
    calls.unwrap();
    connection.close().await.unwrap();
    assert_eq!(deleted_usage(&database).await, [(1, 1, 1)]);
}

#[tokio::test]
async fn server_gets_sums_of_usage_deleted_earlier() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    let options: PgConnectOptions = database.url().parse().unwrap();
    let mut connection = options.connect().await.unwrap();
    let earlier = before_deleted_usage(&migrations::of_postgres());
    earlier.run(&mut connection).await.unwrap();
    let calls = sqlx::raw_sql(CALLS).execute(&mut connection).await;
    calls.unwrap();
    connection.close().await.unwrap();
    assert_eq!(deleted_usage(&database).await, [(1, 1, 1)]);
    database.remove().await;
}
