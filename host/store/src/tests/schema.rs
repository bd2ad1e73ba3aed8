//! Newer stores and older programs, and the other way round.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;

use super::*;
use crate::schema::{Declared, Program};
use crate::testing::TestDatabase;
use crate::{SchemaRefusal, StoreError, TABLES, on};

/// A migration that a future program has applied. `declares`: the oldest program that may go on.
async fn migrate_further(store: &Store, migration: i64, declares: Option<i64>) {
    let checksum = match store.kind() {
        crate::DatabaseKind::Sqlite => "x''",
        crate::DatabaseKind::Postgres => "''::bytea",
    };
    let applied = format!(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
         values ({migration}, 'future', true, {checksum}, 0)"
    );
    let declared = declares
        .map(|oldest| format!("insert into schema_change values ({migration}, {oldest}, '9.1.0')"));
    for sql in [Some(applied), declared].into_iter().flatten() {
        on!(&store.writes, |pool| sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(pool)
            .await
            .map(drop))
        .unwrap();
    }
}

/// The refusal of a store that cannot be opened.
async fn refusal_of(database: &TestDatabase) -> (SchemaRefusal, String) {
    let error = Store::connect(database.url(), 1).await.unwrap_err();
    let text = error.to_string();
    assert!(!error.is_unavailable(), "{text}");
    let StoreError::Opening { error, .. } = error else {
        panic!("{text}")
    };
    let StoreError::Schema(refusal) = *error else {
        panic!("{text}")
    };
    (refusal, text)
}

#[tokio::test]
async fn newer_store_that_allows_older_programs_opens() {
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        migrate_further(&store, 9_001, Some(Store::schema_of_program())).await;
        assert_eq!(store.schema_refusal().await.unwrap(), None);
        let beside = database.store().await;
        beside.ping().await.unwrap();
        store.close().await;
        beside.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn newer_store_refuses_the_older_program_by_name() {
    let schema = Store::schema_of_program();
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        migrate_further(&store, 9_001, Some(schema)).await;
        migrate_further(&store, 9_002, Some(9_002)).await;
        let expected = SchemaRefusal::NewerStore {
            store: 9_002,
            applied_by: Some("9.1.0".to_owned()),
            oldest_program: 9_002,
            program: env!("CARGO_PKG_VERSION"),
            schema,
        };
        // A program that already has the store open learns it too.
        assert_eq!(
            store.schema_refusal().await.unwrap(),
            Some(expected.clone())
        );
        store.close().await;
        let (refusal, text) = refusal_of(&database).await;
        assert_eq!(refusal, expected);
        for named in [
            "lustra 9.1.0",
            "schema 9002",
            env!("CARGO_PKG_VERSION"),
            "restore a backup",
        ] {
            assert!(text.contains(named), "{text}");
        }
        database.remove().await;
    }
}

#[tokio::test]
async fn unknown_migration_without_declaration_is_refused() {
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        migrate_further(&store, 9_001, None).await;
        store.close().await;
        let (refusal, text) = refusal_of(&database).await;
        assert!(
            matches!(
                refusal,
                SchemaRefusal::Undeclared {
                    migration: 9_001,
                    ..
                }
            ),
            "{text}"
        );
        database.remove().await;
    }
}

#[tokio::test]
async fn file_of_credits_follows_the_declaration() {
    let database = TestDatabase::sqlite();
    let store = database.store().await;
    let applied = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
        values (9001, 'future', true, x'', 0)";
    on!(&store.billing, |pool| sqlx::raw_sql(applied)
        .execute(pool)
        .await
        .map(drop))
    .unwrap();
    let refused = store.schema_refusal().await.unwrap();
    assert!(
        matches!(refused, Some(SchemaRefusal::Undeclared { .. })),
        "{refused:?}"
    );
    migrate_further(&store, 9_001, Some(1)).await;
    assert_eq!(store.schema_refusal().await.unwrap(), None);
    store.close().await;
    database.store().await.close().await;
}

#[test]
fn store_too_old_for_the_program_is_refused() {
    let future = Program {
        version: "9.1.0",
        schema: 9_002,
        known: (9_000..=9_002).collect(),
        known_of_billing: BTreeSet::new(),
        oldest_store: 9_000,
    };
    let refused = future.judge(&[1, 2, 22], &[]).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(
        refused,
        SchemaRefusal::OlderStore {
            store: 22,
            oldest_store: 9_000,
            ..
        }
    ));
    assert!(
        text.contains("schema 22") && text.contains("lustra 9.1.0"),
        "{text}"
    );
    // A new database, and a store that it can migrate.
    assert_eq!(future.judge(&[], &[]), Ok(()));
    assert_eq!(future.judge(&[9_000], &[]), Ok(()));
    // The newest unknown migration decides, whatever the ones before say.
    let declared = [(9_003, 9_002), (9_004, 9_004)].map(|(migration, oldest_program)| Declared {
        migration,
        oldest_program,
        applied_by: None,
    });
    assert_eq!(future.judge(&[9_002, 9_003], &declared), Ok(()));
    let refused = future.judge(&[9_002, 9_003, 9_004], &declared);
    assert!(matches!(
        refused,
        Err(SchemaRefusal::NewerStore { store: 9_004, .. })
    ));
}

/// The first migration that declares which programs may go on.
const FIRST_DECLARED: i64 = 22;

#[tokio::test]
async fn every_new_migration_declares_older_programs() {
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        let declared: Vec<(i64, i64, Option<String>)> = on!(&store.reads, |pool| sqlx::query_as(
            "select migration, oldest_program, applied_by from schema_change"
        )
        .fetch_all(pool)
        .await)
        .unwrap();
        let kind = store.kind();
        for migration in Program::this(kind).known {
            let own = declared.iter().find(|declared| declared.0 == migration);
            let is_declared = own.is_some_and(|own| own.1 <= migration && own.2.is_some());
            assert!(
                is_declared || migration < FIRST_DECLARED,
                "migration {migration} must insert its row into schema_change, on {kind:?}"
            );
        }
        store.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn every_table_has_a_retention_decision() {
    const TABLES_OF_FILE: &str = "select name from sqlite_master where type = 'table'";
    const TABLES_OF_SERVER: &str = "select table_name::text from information_schema.tables where table_schema = current_schema()";
    let named = |tables: Vec<String>| -> BTreeSet<String> {
        let ours = |table: &String| !table.starts_with("_sqlx") && !table.starts_with("sqlite_");
        tables.into_iter().filter(ours).collect()
    };
    let decided = |in_billing: Option<bool>| -> BTreeSet<String> {
        let rules = TABLES.iter();
        let rules =
            rules.filter(|rule| in_billing.is_none_or(|billing| rule.in_billing == billing));
        rules.map(|rule| rule.table.to_owned()).collect()
    };
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        match (&store.reads, &store.billing_reads) {
            (crate::db::Either::Sqlite(main), crate::db::Either::Sqlite(billing)) => {
                for (pool, in_billing) in [(main, false), (billing, true)] {
                    let tables = sqlx::query_scalar(TABLES_OF_FILE).fetch_all(pool).await;
                    assert_eq!(named(tables.unwrap()), decided(Some(in_billing)));
                }
            }
            (crate::db::Either::Postgres(pool), _) => {
                let tables = sqlx::query_scalar(TABLES_OF_SERVER).fetch_all(pool).await;
                assert_eq!(named(tables.unwrap()), decided(None));
            }
            _ => unreachable!("both pools are of one kind"),
        }
        store.close().await;
        database.remove().await;
    }
}
