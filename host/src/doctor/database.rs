//! Checks of the database, of the clock against it, and of the lists in it. Reads only.

use std::time::Duration;

use time::OffsetDateTime;
use tokio::time::Instant;

use super::network::Pauses;
use super::observation::{DatabaseObservation, MachineObservation, SourcesObservation};
use super::{Check, Finding, HostState, Observer, Subject};
use crate::config::Config;
use crate::connectors::dataset_catalogue::{CatalogueDataset, DatasetCatalogue};
use crate::connectors::plain_text;
use crate::store::{
    Cause, DatasetState, FailureKind, Inspection, SourceFailure, Store, StoreError,
};

/// Connections that the examination opens.
const CONNECTIONS: u32 = 2;

/// Round trips of which the fastest is the latency.
const ROUND_TRIPS: usize = 5;

/// A latency above which requests become noticeably slower.
const SLOW: Duration = Duration::from_millis(50);

/// A write-ahead log above this size is not being emptied.
const LARGE_WAL: u64 = 2 << 30;

/// Most characters of a failure's reason.
const REASON: usize = 300;

/// Returns the pauses of registers that hosts have stored.
pub(super) async fn examine(subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) -> Pauses {
    let mut pauses = Pauses::new();
    let url = subject.config.store_url();
    let missing = Store::files(&url).filter(|[main, _]| !main.exists());
    if let Some([main, _]) = missing {
        let missing = DatabaseObservation::Missing(main);
        observer.found(Finding::new(Check::Database, "", missing));
        return pauses;
    }
    let opened = Store::open_read_only(&url, CONNECTIONS, subject.config.database).await;
    let store = match opened {
        Ok(store) => store,
        Err(error) => {
            observer.found(failed(Check::Database, &error));
            return pauses;
        }
    };
    match store.inspect(&url).await {
        Ok(inspection) => {
            let latency = latency(&store).await;
            for observation in described(&inspection, latency, subject.config) {
                observer.found(Finding::new(Check::Database, "", observation));
            }
            // Statements need the columns of this version.
            if inspection.pending == 0 {
                within(&store, subject, observer).await;
                let now = subject.clock.now();
                let stored = store
                    .hosts()
                    .active_cooldowns(now)
                    .await
                    .unwrap_or_default();
                let left = |(address, until): (String, OffsetDateTime)| {
                    Some((address, Duration::try_from(until - now).ok()?))
                };
                pauses.extend(stored.into_iter().filter_map(left));
            }
        }
        Err(error) => observer.found(failed(Check::Database, &error)),
    }
    store.close().await;
    pauses
}

fn failed(check: Check, error: &StoreError) -> Finding {
    let reason = error.to_string();
    let is_damaged = matches!(error.cause(), Some(Cause::Damaged | Cause::NotADatabase));
    let observation = if is_damaged {
        DatabaseObservation::Damaged(reason)
    } else if let Some(Cause::NotPermitted(_)) = error.cause() {
        DatabaseObservation::NotPermitted(reason)
    } else {
        DatabaseObservation::Failed(reason)
    };
    Finding::new(check, "", observation)
}

/// The fastest of some round trips. `None`: none succeeded.
async fn latency(store: &Store) -> Option<Duration> {
    let mut fastest = None;
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        if store.ping().await.is_ok() {
            let took = began.elapsed();
            fastest = Some(fastest.map_or(took, |fastest: Duration| fastest.min(took)));
        }
    }
    fastest
}

fn described(
    inspection: &Inspection,
    latency: Option<Duration>,
    config: &Config,
) -> Vec<DatabaseObservation> {
    let latency = latency.unwrap_or_default();
    let mut observations = vec![DatabaseObservation::Answers {
        kind: inspection.kind,
        version: inspection.version.clone(),
        schema: inspection.schema,
        bytes: inspection.bytes,
        latency,
    }];
    if latency > SLOW {
        observations.push(DatabaseObservation::Slow(latency));
    }
    if inspection.pending > 0 && !inspection.may_create && !inspection.standby {
        observations.push(DatabaseObservation::NoRightToCreate);
    }
    if inspection.schema == 0 {
        observations.push(DatabaseObservation::Empty);
    } else if inspection.pending > 0 {
        observations.push(DatabaseObservation::MigrationsPending(inspection.pending));
    }
    if inspection.newer > 0 {
        observations.push(DatabaseObservation::MigrationsNewer(inspection.newer));
    }
    if !inspection.changed.is_empty() {
        let changed = inspection.changed.clone();
        observations.push(DatabaseObservation::MigrationsChanged(changed));
    }
    if inspection.standby {
        observations.push(DatabaseObservation::Standby);
    }
    match inspection.wal_bytes {
        Some(bytes) if bytes > LARGE_WAL => {
            observations.push(DatabaseObservation::WalLarge { bytes });
        }
        Some(bytes) => observations.push(DatabaseObservation::WalSize { bytes }),
        None => {}
    }
    if let Some((used, most)) = inspection.connections {
        let wanted = config.store_connections;
        observations.push(if used.saturating_add(wanted) > most {
            DatabaseObservation::PoolTooLarge { wanted, used, most }
        } else {
            DatabaseObservation::PoolFits { wanted, used, most }
        });
    }
    observations
}

/// Checks of what the database contains.
async fn within(store: &Store, subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) {
    match clock(store, subject).await {
        Ok(observation) => observer.found(Finding::new(Check::Clock, "", observation)),
        Err(error) => observer.found(failed(Check::Clock, &error)),
    }
    if let HostState::Running(running) = &subject.host
        && !running.is_clock_trusted
    {
        let distrusted = MachineObservation::ClockDistrusted;
        observer.found(Finding::new(Check::Clock, "", distrusted));
    }
    match store.datasets().states().await {
        Ok(states) => lists(&states, subject, observer),
        Err(error) => observer.found(failed(Check::Lists, &error)),
    }
    match sentinel(store, subject).await {
        Ok(findings) => findings
            .into_iter()
            .for_each(|finding| observer.found(finding)),
        Err(error) => observer.found(failed(Check::Connectors, &error)),
    }
}

/// Compares the clock with the database's clock, or with the newest booking if the database has none.
async fn clock(store: &Store, subject: &Subject<'_>) -> Result<MachineObservation, StoreError> {
    let ledger = &subject.config.ledger;
    let minutes = ledger.clock_jump_minutes;
    let bound = time::Duration::minutes(minutes.into());
    let now = subject.clock.now();
    if let Some(of_database) = store.database_time().await? {
        let difference = now - (of_database + subject.clock.offset());
        return Ok(if difference.abs() > bound {
            let seconds = difference.as_seconds_f64();
            MachineObservation::ClockDiffers { seconds, minutes }
        } else {
            let milliseconds = difference.whole_milliseconds();
            MachineObservation::ClockAgrees { milliseconds }
        });
    }
    let newest = store.billing().newest_booking().await?;
    Ok(match newest {
        Some(newest) if newest - now > bound => MachineObservation::ClockBehind { newest },
        Some(newest)
            if now - newest > time::Duration::days(ledger.longest_pause_days.into())
                && subject.clock.offset().is_zero() =>
        {
            let days = ledger.longest_pause_days;
            MachineObservation::LongPause { newest, days }
        }
        Some(_) | None => MachineObservation::ClockPlausible,
    })
}

fn lists(states: &[DatasetState], subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) {
    // An unreadable directory is a finding of the components.
    let Ok(catalogue) = DatasetCatalogue::read(&subject.config.connectors()) else {
        return;
    };
    let (on, off): (Vec<CatalogueDataset>, Vec<CatalogueDataset>) = catalogue
        .datasets
        .into_iter()
        .partition(|dataset| dataset.on);
    let now = subject.clock.now();
    let mut found = 0;
    for dataset in &on {
        let (connector, id) = (&dataset.connector, &dataset.manifest.id);
        let state = states
            .iter()
            .find(|state| state.connector == *connector && state.dataset == *id);
        let reads_file = is_own_file(dataset, subject.config);
        if let Some(observation) = list(state, now, reads_file) {
            found += 1;
            let name = format!("{connector}/{id}");
            observer.found(Finding::new(Check::Lists, name, observation));
        }
    }
    if found == 0 {
        let (on, off) = (on.len(), off.len());
        let well = SourcesObservation::ListsInTime { on, off };
        observer.found(Finding::new(Check::Lists, "", well));
    }
}

/// Whether the operator supplies the list as a file.
fn is_own_file(dataset: &CatalogueDataset, config: &Config) -> bool {
    let address = || {
        let upstream = dataset.manifest.operator_file.as_ref()?;
        let connector = config.connector.get(&dataset.connector)?;
        connector.upstreams.get(upstream)?.address.as_deref()
    };
    address().is_some_and(|address| address.starts_with("file:"))
}

/// What is wrong with a list. `None`: nothing.
fn list(
    state: Option<&DatasetState>,
    now: OffsetDateTime,
    reads_file: bool,
) -> Option<SourcesObservation> {
    let Some(state) = state else {
        return Some(SourcesObservation::NeverImported);
    };
    if let Some(since) = state.paused_at {
        return Some(SourcesObservation::Paused { since });
    }
    if let (Some(at), Some(failure)) = (state.failed_at, &state.failure) {
        return Some(failed_list(at, failure, reads_file));
    }
    if state.imported_at.is_none() {
        return Some(SourcesObservation::NeverImported);
    }
    let is_late = |due: &OffsetDateTime| crate::status::is_late(*due, state.attempted_at, now);
    let due = state.next_run_at.filter(is_late)?;
    Some(SourcesObservation::Late { due })
}

fn failed_list(
    at: OffsetDateTime,
    failure: &SourceFailure,
    reads_file: bool,
) -> SourcesObservation {
    let reason = plain_text::one_line(&failure.detail, REASON);
    match failure.kind {
        FailureKind::Malformed | FailureKind::Schema if reads_file => {
            SourcesObservation::FileUnfit { at, reason }
        }
        FailureKind::Malformed | FailureKind::Schema => SourcesObservation::Drifted { at, reason },
        FailureKind::Unavailable
        | FailureKind::Throttled
        | FailureKind::Misconfigured
        | FailureKind::Refused
        | FailureKind::Limit
        | FailureKind::Busy
        | FailureKind::CircuitOpen
        | FailureKind::Off
        | FailureKind::NeverImported
        | FailureKind::Truncated
        | FailureKind::Trap
        | FailureKind::NotOffered
        | FailureKind::Other => SourcesObservation::Failed { at, reason },
    }
}

async fn sentinel(store: &Store, subject: &Subject<'_>) -> Result<Vec<Finding>, StoreError> {
    if subject.config.sentinel.companies.is_empty() {
        let off = Finding::new(
            Check::Connectors,
            "sentinel",
            SourcesObservation::SentinelOff,
        );
        return Ok(vec![off]);
    }
    let all = store.sentinels().all().await?;
    let readings = all.len();
    let problems = all.into_iter().filter_map(|reading| {
        let problem = plain_text::one_line(reading.problem.as_deref()?, REASON);
        let of = match reading.scope.as_str() {
            "" => reading.connector.to_string(),
            scope => format!("{}/{scope}", reading.connector),
        };
        let ico = reading.ico;
        let observation = SourcesObservation::SentinelProblem { problem, ico };
        Some(Finding::new(Check::Connectors, of, observation))
    });
    let problems: Vec<Finding> = problems.collect();
    if problems.is_empty() {
        let well = SourcesObservation::SentinelWell { readings };
        return Ok(vec![Finding::new(Check::Connectors, "sentinel", well)]);
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use crate::store::DatabaseKind;

    fn inspection() -> Inspection {
        Inspection {
            kind: DatabaseKind::Postgres,
            version: "17".to_owned(),
            schema: 0,
            pending: 3,
            newer: 0,
            changed: Vec::new(),
            bytes: 0,
            wal_bytes: None,
            connections: None,
            standby: false,
            may_create: true,
        }
    }

    fn codes(inspection: &Inspection) -> Vec<(&'static str, Severity)> {
        let observations = described(inspection, None, &Config::default());
        let described = observations.into_iter().map(|one| {
            let described = crate::doctor::Observation::from(one).described();
            (described.code, described.severity)
        });
        described.skip(1).collect()
    }

    #[test]
    fn empty_database_is_not_of_an_earlier_version() {
        let empty = inspection();
        assert_eq!(codes(&empty), [("database_empty", Severity::Ok)]);
        let schema = 7;
        let earlier = Inspection { schema, ..empty };
        assert_eq!(codes(&earlier), [("migrations_pending", Severity::Warn)]);
    }

    #[test]
    fn role_that_cannot_create_tables_fails() {
        let may_create = false;
        let empty = Inspection {
            may_create,
            ..inspection()
        };
        assert_eq!(codes(&empty)[0], ("no_right_to_create", Severity::Fail));
        let current = Inspection {
            pending: 0,
            schema: 26,
            ..empty
        };
        assert_eq!(codes(&current), [], "it can serve");
    }

    #[test]
    fn unfit_own_file_is_the_operators_to_correct() {
        let at = OffsetDateTime::UNIX_EPOCH;
        let of = |reads_file: bool| {
            let detail = "header: expected a column named like ico";
            let failure = SourceFailure::new(FailureKind::Malformed, detail);
            let observation = failed_list(at, &failure, reads_file);
            let described = crate::doctor::Observation::from(observation).described();
            described.advice.unwrap_or_default()
        };
        assert!(of(true).contains("columns of your file"));
        assert!(of(false).contains("upgrade the connector"));
    }
}
