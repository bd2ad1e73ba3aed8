//! Tests of the store. Most run on both databases.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod backup;
mod batches;
mod billing;
mod bounded;
mod companies;
mod connect;
mod datasets;
mod deliveries;
mod documents;
mod earlier;
mod emails;
mod events;
mod failures;
mod hosts;
mod inspect;
mod keys;
mod landed;
mod lists;
mod marking;
mod model;
mod operators;
mod owners;
mod parts;
mod publishing;
mod recipients;
mod records;
mod retention;
mod schedules;
mod schema;
mod sentinels;
mod source_states;
mod subscriptions;
mod watch_imports;
mod watches;

use std::sync::LazyLock;
use std::time::Duration;

use time::OffsetDateTime;
use time::macros::datetime;

use super::db::on;
use super::testing::{connector_id, on_each_database};
use super::{
    BaseCompany, Checkpoint, CompanyStatus, ConnectorId, DatasetKind, FailureKind, Record, Run,
    RunClaim, SourceFailure, Store,
};

/// The time at which tests begin.
const START: OffsetDateTime = datetime!(2026-07-01 06:00 UTC);
const LEASE: Duration = Duration::from_secs(60);
/// The connector of the lists.
static TESTS: LazyLock<ConnectorId> = LazyLock::new(|| connector_id("tests"));

fn after(seconds: u64) -> OffsetDateTime {
    START + Duration::from_secs(seconds)
}

fn failure(detail: &str) -> SourceFailure {
    SourceFailure::new(FailureKind::Unavailable, detail)
}

fn record(key: &str, content: &str) -> Record {
    Record {
        key: key.to_owned(),
        ico: Some(format!("ico of {content}")),
        name: Some(format!("Name {key}")),
        name_key: Some(format!("name {key}")),
        city: None,
        postal_code: Some("81101".to_owned()),
        content: format!("{{\"content\":\"{content}\"}}"),
        content_hash: content.to_owned(),
        removed: false,
    }
}

fn removed(key: &str) -> Record {
    Record {
        removed: true,
        ..record(key, "")
    }
}

fn company(ico: &str, name: &str) -> BaseCompany {
    BaseCompany {
        ico: ico.to_owned(),
        name: name.to_owned(),
        name_key: name.to_lowercase(),
        city_key: Some("nitra".to_owned()),
        legal_form: None,
        legal_form_code: None,
        street: Some("Koláčová 1".to_owned()),
        city: Some("Nitra".to_owned()),
        postal_code: Some("94901".to_owned()),
        country: None,
        country_code: Some("SK".to_owned()),
        established_date: Some("2009-04-15".to_owned()),
        terminated_date: None,
        status: CompanyStatus::Active,
        nace_code: None,
        nace_description: None,
        source_register: connector_id("rpo"),
        register_id: Some(format!("rpo-{ico}")),
        details: "{}".to_owned(),
        facts: "[]".to_owned(),
        preference: "5".to_owned(),
        content_hash: format!("hash of {name}"),
        connector_version: "1.0.0".to_owned(),
        evidence: "[]".to_owned(),
    }
}

/// Claims the run of the dataset `list` of the connector `tests`. Panics if it is not free.
async fn claim(store: &Store, kind: DatasetKind, now: OffsetDateTime) -> Run {
    match store
        .datasets()
        .claim_run(&TESTS, "list", kind, "host", LEASE, now)
        .await
        .unwrap()
    {
        RunClaim::Run(run) => run,
        RunClaim::Busy | RunClaim::NotDue | RunClaim::Paused(_) => {
            panic!("the dataset is being run")
        }
    }
}

fn at(cursor: &str) -> Checkpoint {
    Checkpoint {
        cursor: Some(cursor.to_owned()),
        ..Checkpoint::default()
    }
}

/// Imports and publishes a whole list.
async fn import(store: &Store, records: &[Record], now: OffsetDateTime) -> Run {
    let run = claim(store, DatasetKind::Snapshot, now).await;
    store
        .datasets()
        .commit_batch(&run, records, &at("end"), now)
        .await
        .unwrap();
    store.datasets().publish(&run, now, None).await.unwrap();
    run
}

/// Key and content of every record that readers see.
async fn published(store: &Store) -> Vec<String> {
    let records = store
        .records()
        .by_key_prefix(&TESTS, "list", "", "", 10_000)
        .await
        .unwrap();
    records.into_iter().map(|record| record.key).collect()
}

/// Number of database connections that wait for a lock.
async fn waiting_for_locks(store: &Store) -> i64 {
    const WAITING: &str = "select count(*) from pg_stat_activity \
        where datname = current_database() and wait_event_type = 'Lock'";
    let waiting = on!(&store.reads, |pool| sqlx::query_scalar(WAITING)
        .fetch_one(pool)
        .await);
    waiting.unwrap()
}
