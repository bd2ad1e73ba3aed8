//! Records the states of sources, for the incidents of the status page.
//!
//! One of the hosts on a database records, under a lease. What it records is its own view: breakers and failed calls
//! belong to a process, imports to all hosts.

use std::time::Duration;

use time::OffsetDateTime;

use super::{Cause, IncidentState, ListState, SourceStatus, Status};
use crate::companies::Companies;
use crate::context::Context;
use crate::store::{SourceNow, StoreError};

/// Interval at which states are compared.
const POLL: Duration = Duration::from_secs(60);

/// The recording host keeps its lease from round to round, so that one host's view is recorded.
const LEASE: Duration = Duration::from_secs(180);

const LEASE_NAME: &str = "source-states";

/// Pause after which the states in between are not known.
const GAP: Duration = Duration::from_secs(600);

/// Records the states of sources when they change.
#[derive(Clone)]
pub struct Recorder {
    context: Context,
    companies: Companies,
    started_at: OffsetDateTime,
    host: String,
}

impl Recorder {
    /// Creates the recorder of a host. `host` names this process in leases.
    #[must_use]
    pub fn new(
        context: Context,
        companies: Companies,
        started_at: OffsetDateTime,
        host: String,
    ) -> Self {
        Self {
            context,
            companies,
            started_at,
            host,
        }
    }

    /// Compares the states with the recorded ones, and deletes old ones. `false`: another host records.
    ///
    /// # Errors
    /// The store failed.
    pub async fn step(&self) -> Result<bool, StoreError> {
        let store = &self.context.store;
        let now = self.context.now();
        let leases = store.leases();
        if !leases.acquire(LEASE_NAME, &self.host, LEASE, now).await? {
            return Ok(false);
        }
        let status = Status::read(&self.context, &self.companies, self.started_at).await?;
        let present: Vec<SourceNow> = status
            .sources
            .iter()
            .map(|source| present(source, now))
            .collect();
        let states = store.source_states();
        states.record(&present, GAP, now).await?;
        let config = self.context.config();
        let kept = time::Duration::days(config.operator.incident_days.into());
        states.sweep(now - kept).await?;
        Ok(true)
    }

    /// Worker loop of the recorder.
    pub async fn run(self) {
        loop {
            if let Err(error) = self.step().await {
                tracing::warn!(%error, "the states of the sources could not be recorded; retrying in {} s", POLL.as_secs());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

/// The state that is recorded: `late` if the source is well and an imported list is not renewed in time.
fn present(source: &SourceStatus, now: OffsetDateTime) -> SourceNow {
    let late = source.datasets.iter().find(|list| {
        source.state.is_well()
            && list.state == ListState::Imported
            && list.late_since(now).is_some()
    });
    let (state, cause, part) = match late {
        Some(list) => (
            IncidentState::Late.word(),
            Some(Cause::ImportLate),
            Some(list.id.clone()),
        ),
        None => (source.state.word(), source.cause, source.part.clone()),
    };
    SourceNow {
        source: source.id.clone(),
        state: state.to_owned(),
        reason: cause.map(|cause| cause.word().to_owned()),
        part,
    }
}
