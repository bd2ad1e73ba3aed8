//! Failures keep their kind beside the sentence, in every table that has them.

use std::path::Path;

use super::earlier::{load_file, load_server};
use super::*;
use crate::testing::{TestDatabase, scope_name};
use crate::{ImportRun, on};

/// A database as the version before the column left it.
const SQLITE: &str = include_str!("earlier/sqlite-0011.sql");
const POSTGRES: &str = include_str!("earlier/postgres-0011.sql");

/// Sentences that earlier versions stored, with the kinds that the migration gives them.
const SENTENCES: [(&str, FailureKind); 13] = [
    ("unavailable: rpo: timeout", FailureKind::Unavailable),
    ("throttled", FailureKind::Throttled),
    ("throttled: wait 60 s", FailureKind::Throttled),
    (
        "malformed: row 3: expected a, found b",
        FailureKind::Malformed,
    ),
    ("misconfigured: no key", FailureKind::Misconfigured),
    ("refused: the host is not granted", FailureKind::Refused),
    ("limit wall: 5.0 s used", FailureKind::Limit),
    ("busy", FailureKind::Busy),
    (
        "it failed too often and is left alone until 2026-07-01T06:00:30Z",
        FailureKind::CircuitOpen,
    ),
    ("trap: unreachable", FailureKind::Trap),
    (
        "its answer does not fit its schema at \"/a\": no",
        FailureKind::Schema,
    ),
    ("it does not offer companies", FailureKind::NotOffered),
    ("busybody: a code of the connector", FailureKind::Other),
];

/// Rows of an earlier version with every sentence.
fn earlier_rows() -> String {
    let mut sql = String::new();
    for (number, (sentence, _)) in SENTENCES.iter().enumerate() {
        sql.push_str(&format!(
            "insert into section (ico, scope, unread, connector, dirty, failed_at, failure) \
             values ('1{number:07}', 'vat', true, 'tax', false, 1, '{sentence}');\n\
             insert into company_details (ico, connector, found, failed_at, failure) \
             values ('1{number:07}', 'orsr', false, 1, '{sentence}');\n\
             insert into dataset (connector, dataset, failed_at, failure) \
             values ('tax', 'list-{number:02}', 1, '{sentence}');\n\
             insert into import_run (dataset_id, kind, generation, state, attempt, started_at, failure) \
             select id, 'snapshot', 1, 'failed', 1, 1, '{sentence}' from dataset \
             where connector = 'tax' and dataset = 'list-{number:02}';\n"
        ));
    }
    sql
}

async fn check_kinds(store: &Store) {
    for (number, (sentence, kind)) in SENTENCES.iter().enumerate() {
        let expected = Some(SourceFailure::new(*kind, *sentence));
        let ico = format!("1{number:07}");
        let section = store
            .sections()
            .find(&ico, &[scope_name("vat")])
            .await
            .unwrap();
        assert_eq!(section[0].failure, expected);
        let details = store.details().find(&ico).await.unwrap();
        assert_eq!(details[0].failure, expected);
        let list = format!("list-{number:02}");
        let state = store
            .datasets()
            .state(&connector_id("tax"), &list)
            .await
            .unwrap();
        assert_eq!(state.unwrap().failure, expected);
        let runs: Vec<ImportRun> = store
            .datasets()
            .history(&connector_id("tax"), &list, 9)
            .await
            .unwrap();
        assert_eq!(runs[0].failure, expected);
    }
}

#[tokio::test]
async fn stored_sentences_get_their_kind_in_sqlite() {
    let database = TestDatabase::sqlite();
    let path = Path::new(database.url().trim_start_matches("sqlite:")).to_owned();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    load_file(&path, format!("{SQLITE}\n{}", earlier_rows())).await;
    let store = database.store().await;
    check_kinds(&store).await;
    store.close().await;
}

#[tokio::test]
async fn stored_sentences_get_their_kind_in_postgres() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    load_server(
        database.url(),
        format!("{POSTGRES}\nset search_path to public;\n{}", earlier_rows()),
    )
    .await;
    let store = database.store().await;
    check_kinds(&store).await;
    store.close().await;
    database.remove().await;
}

#[tokio::test]
async fn every_kind_is_stored_and_read_back() {
    on_each_database(|store| async move {
        let (vat, tax) = (scope_name("vat"), connector_id("tax"));
        for kind in FailureKind::ALL {
            let failure = SourceFailure::new(*kind, "malformed: a sentence decides nothing");
            let sections = store.sections();
            let stored = sections.put_failure("10000001", &vat, &tax, &failure, START);
            stored.await.unwrap();
            let read = sections
                .find("10000001", std::slice::from_ref(&vat))
                .await
                .unwrap()
                .remove(0);
            assert_eq!(read.failure, Some(failure));
        }
    })
    .await;
}

#[tokio::test]
async fn kind_of_a_newer_host_is_read_as_other() {
    const NEWER: &str = "update section set failure_kind = 'a newer one'";
    const OLDER: &str = "update section set failure_kind = null";
    on_each_database(|store| async move {
        let (sections, vat, tax) = (store.sections(), scope_name("vat"), connector_id("tax"));
        for sql in [NEWER, OLDER] {
            let failed = failure("no");
            let stored = sections.put_failure("10000001", &vat, &tax, &failed, START);
            stored.await.unwrap();
            on!(&store.writes, |pool| sqlx::raw_sql(sql)
                .execute(pool)
                .await
                .map(drop))
            .unwrap();
            let read = sections
                .find("10000001", std::slice::from_ref(&vat))
                .await
                .unwrap()
                .remove(0);
            assert_eq!(
                read.failure,
                Some(SourceFailure::new(FailureKind::Other, "no"))
            );
        }
    })
    .await;
}
