//! Metrics of connectors, the name index and queues, in the text format of Prometheus and `OpenMetrics`.
//!
//! Nothing is counted here: the text is built from current state on each request. While the store is
//! unavailable, stored values are omitted and the others are served.

mod collections;
mod connectors;
mod egress;
mod listeners;
mod usage;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use super::OperatorState;
use super::metric::{Labels, float, metric};
use super::process::Process;
use super::state::{self, ConnectorState};
use super::store_state::StoreState;
use super::worker_states::WorkerStates;
use crate::billing::{ClockState, LedgerCounts};
use crate::collections::CollectionState;
use crate::companies::CacheState;
use crate::connectors::egress::UpstreamUse;
use crate::context::Context;
use crate::disk::Disk;
use crate::http_server::{CertificateState, Certificates, ConnectionCounts};
use crate::search::Progress;
use crate::store::{Backlog, ConnectorId, DatasetState, SizeKind, StoreError, StoreSize};

/// Values from the store: datasets, queues, and results of the check of known companies.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) lists: Vec<DatasetState>,
    pub(super) batches: Backlog,
    /// Per connector: readings with a problem, and all readings.
    pub(super) sentinels: BTreeMap<ConnectorId, (u64, u64)>,
    pub(super) mail: i64,
    /// Waiting deliveries, and those that are due.
    pub(super) deliveries: (i64, i64),
    /// Watched companies, and those that are due.
    pub(super) watched: (i64, i64),
    pub(super) oldest_event_seconds: i64,
    /// Sizes of tables and databases, as last measured.
    pub(super) sizes: Vec<StoreSize>,
}

impl Stored {
    pub(super) async fn read(context: &Context) -> Result<Self, StoreError> {
        let (store, now) = (&context.store, context.now());
        let oldest = store.events().oldest_waiting().await?;
        let mut sentinels: BTreeMap<ConnectorId, (u64, u64)> = BTreeMap::new();
        for reading in store.sentinels().all().await? {
            let (problems, all) = sentinels.entry(reading.connector).or_default();
            *problems += u64::from(reading.problem.is_some());
            *all += 1;
        }
        Ok(Self {
            lists: store.datasets().states().await?,
            batches: store.batches().backlog(now).await?,
            sentinels,
            mail: store.mail().waiting().await?,
            deliveries: store.deliveries().backlog(now).await?,
            watched: store.watches().backlog(now).await?,
            oldest_event_seconds: oldest.map_or(0, |oldest| (now - oldest).whole_seconds()),
            sizes: store.old_rows().sizes().await?,
        })
    }
}

/// The metrics as text. `stored` is `None` while the store is unavailable.
pub(super) fn text(state: &OperatorState, stored: Option<Stored>) -> String {
    let (companies, connections) = (&state.companies, &state.connections);
    let mut registry = Registry::default();
    state.metrics.register(&mut registry);
    registry.register_collector(Box::new(Process));
    registry.register_collector(Box::new(StoreState {
        is_up: stored.is_some(),
        pools: state.context.store.pools(),
    }));
    registry.register_collector(Box::new(WorkerStates(state.workers.states())));
    let lists = stored.as_ref().map(|stored| stored.lists.as_slice());
    registry.register_collector(Box::new(Numbers {
        states: state::all_with(companies, lists.unwrap_or_default()),
        cache_rejected: companies.connectors().cache_rejected(),
        contradictions: companies.contradictions().counts(),
        connections: [
            ("api", Arc::clone(&connections.api)),
            ("operator", Arc::clone(&connections.operator)),
        ],
        certificate: state.certificates.as_ref().map(Certificates::state),
        egress: companies.connectors().services.egress.uses(),
        cache: companies.cache_state(),
        ledger: state.ledger.counts(),
        search: state.search.progress(),
        collections: state.collections.states(),
        stored,
        disk: state.disk.clone(),
        clock: state.ledger.clock_state(),
    }));
    let mut text = String::new();
    // Writing to a `String` fails only for an invalid metric, which the tests would reveal.
    if let Err(error) = encode(&mut text, &registry) {
        tracing::error!(%error, "metrics cannot be encoded");
    }
    text
}

#[derive(Debug)]
struct Numbers {
    states: Vec<ConnectorState>,
    cache_rejected: u64,
    contradictions: Vec<(ConnectorId, &'static str, u64)>,
    connections: [(&'static str, Arc<ConnectionCounts>); 2],
    certificate: Option<CertificateState>,
    egress: Vec<UpstreamUse>,
    cache: CacheState,
    ledger: LedgerCounts,
    search: Progress,
    collections: Vec<CollectionState>,
    stored: Option<Stored>,
    disk: Disk,
    clock: ClockState,
}

impl Numbers {
    /// Every host reports the same numbers, because hosts share batches.
    fn batches(encoder: &mut DescriptorEncoder<'_>, stored: &Stored) -> fmt::Result {
        let count = |parts: i64| float(u64::try_from(parts).unwrap_or_default());
        let Backlog {
            unfinished,
            claimed,
        } = stored.batches;
        for (name, help, parts) in [
            (
                "lustra_batch_parts_unfinished",
                "Unfinished parts of batches, over all hosts.",
                unfinished,
            ),
            (
                "lustra_batch_parts_claimed",
                "Unfinished parts of batches that a host has claimed.",
                claimed,
            ),
        ] {
            metric(encoder, name, help).gauges(&[(Labels::new(), count(parts))])?;
        }
        Ok(())
    }

    /// Every host reports the same sizes, which one of them measures.
    fn sizes(encoder: &mut DescriptorEncoder<'_>, stored: &Stored) -> fmt::Result {
        for (kind, name, label, help) in [
            (
                SizeKind::Rows,
                "lustra_store_rows",
                "table",
                "Rows of a table, measured once an hour; estimated for large tables of PostgreSQL.",
            ),
            (
                SizeKind::Bytes,
                "lustra_store_bytes",
                "database",
                "Size of the database, or of each SQLite file without its WAL, measured once an hour.",
            ),
        ] {
            let sizes = stored.sizes.iter().filter(|size| size.kind == kind);
            let labelled: Vec<(Labels<'_>, f64)> = sizes
                .map(|size| {
                    let amount = u64::try_from(size.amount).unwrap_or_default();
                    (vec![(label, size.name.as_str())], float(amount))
                })
                .collect();
            metric(encoder, name, help).gauges(&labelled)?;
        }
        Ok(())
    }

    fn known_companies(encoder: &mut DescriptorEncoder<'_>, stored: &Stored) -> fmt::Result {
        let of_connectors = |number: fn(&(u64, u64)) -> u64| -> Vec<(Labels<'_>, f64)> {
            let sentinels = stored.sentinels.iter();
            sentinels
                .map(|(id, counts)| (vec![("connector", id.as_str())], float(number(counts))))
                .collect()
        };
        metric(
            encoder,
            "lustra_sentinel_problems",
            "Checks of known companies that currently find a problem.",
        )
        .gauges(&of_connectors(|counts| counts.0))?;
        metric(
            encoder,
            "lustra_sentinel_readings",
            "Checks of known companies.",
        )
        .gauges(&of_connectors(|counts| counts.1))
    }

    fn contradictions(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let contradictions: Vec<(Labels<'_>, f64)> = self
            .contradictions
            .iter()
            .map(|(connector, fact, count)| {
                let labels = vec![("connector", connector.as_str()), ("fact", *fact)];
                (labels, float(*count))
            })
            .collect();
        metric(
            encoder,
            "lustra_register_contradictions",
            "Facts that a register and the base register state differently, as seen by this host.",
        )
        .counters(&contradictions)
    }

    fn disk(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        if let Some(free) = self.disk.free_bytes() {
            let help = "Free space on the fullest disk that this host writes to.";
            metric(encoder, "lustra_disk_free_bytes", help)
                .gauges(&[(Labels::new(), float(free))])?;
        }
        let low = f64::from(u8::from(self.disk.is_low()));
        let help = "1 while free space is below disk.low_mib, which pauses imports.";
        metric(encoder, "lustra_disk_low", help).gauges(&[(Labels::new(), low)])
    }

    fn clock(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        for (name, help, value) in [
            (
                "lustra_ledger_clock_trusted",
                "1 while the host's clock is trusted for bookings; 0 after an unconfirmed jump.",
                f64::from(u8::from(self.clock.trusted)),
            ),
            (
                "lustra_ledger_clock_ahead_seconds",
                "Seconds by which the host's clock is ahead of the booking time.",
                self.clock.ahead_seconds,
            ),
        ] {
            metric(encoder, name, help).gauges(&[(Labels::new(), value)])?;
        }
        Ok(())
    }

    fn search(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let Progress {
            ready,
            companies,
            reached,
            newest,
        } = self.search;
        let behind = u64::try_from(newest.saturating_sub(reached)).unwrap_or_default();
        for (name, help, value) in [
            (
                "lustra_search_ready",
                "1 once the name index answers queries.",
                f64::from(u8::from(ready)),
            ),
            (
                "lustra_search_companies",
                "Companies in the name index.",
                float(companies),
            ),
            (
                "lustra_search_behind",
                "Revisions of companies that are not indexed yet.",
                float(behind),
            ),
        ] {
            metric(encoder, name, help).gauges(&[(Labels::new(), value)])?;
        }
        Ok(())
    }
}

impl Collector for Numbers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.versions(&mut encoder)?;
        self.calls(&mut encoder)?;
        let listeners = &self.connections;
        let listeners = listeners
            .each_ref()
            .map(|(name, counts)| (*name, &**counts));
        listeners::encode(&mut encoder, &listeners, self.certificate)?;
        egress::encode(&mut encoder, &self.egress)?;
        usage::encode(&mut encoder, &self.cache, self.ledger)?;
        self.contradictions(&mut encoder)?;
        self.search(&mut encoder)?;
        collections::encode(&mut encoder, &self.collections)?;
        self.disk(&mut encoder)?;
        self.clock(&mut encoder)?;
        let Some(stored) = &self.stored else {
            return Ok(());
        };
        self.lists(&mut encoder)?;
        Self::known_companies(&mut encoder, stored)?;
        Self::batches(&mut encoder, stored)?;
        Self::sizes(&mut encoder, stored)?;
        for (name, help, value) in [
            (
                "lustra_mail_waiting",
                "E-mails in the outbox, over all hosts.",
                stored.mail,
            ),
            (
                "lustra_deliveries_waiting",
                "Deliveries that are neither delivered nor failed.",
                stored.deliveries.0,
            ),
            (
                "lustra_deliveries_due",
                "Deliveries that are due or being attempted.",
                stored.deliveries.1,
            ),
            (
                "lustra_watched_companies",
                "Companies that at least one account watches.",
                stored.watched.0,
            ),
            (
                "lustra_watched_companies_due",
                "Watched companies that are due for a refresh.",
                stored.watched.1,
            ),
            (
                "lustra_events_waiting_seconds",
                "Age of the oldest event that is not published yet.",
                stored.oldest_event_seconds,
            ),
        ] {
            let value = float(u64::try_from(value).unwrap_or_default());
            metric(&mut encoder, name, help).gauges(&[(Labels::new(), value)])?;
        }
        Ok(())
    }
}
