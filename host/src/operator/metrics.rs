//! Metrics of connectors, the name index and queues, in the text format of Prometheus and `OpenMetrics`.
//!
//! Nothing is counted here: the text is built from current state on each request. While the store is
//! unavailable, stored values are omitted and the others are served.

use std::collections::BTreeMap;
use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::Desk;
use super::process::Process;
use super::state::{self, ConnectorState};
use super::store_state::StoreState;
use super::worker_states::WorkerStates;
use crate::billing::ClockState;
use crate::companies::Companies;
use crate::connectors::stats::BOUNDS;
use crate::disk::Disk;
use crate::http_server::ConnectionCounts;
use crate::search::Progress;
use crate::store::{Backlog, DatasetState, StoreError};

/// Values from the store: datasets, queues, and results of the check of known companies.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    lists: Vec<DatasetState>,
    batches: Backlog,
    /// Per connector: readings with a problem, and all readings.
    sentinels: BTreeMap<String, (u64, u64)>,
    mail: i64,
    /// Waiting deliveries, and those that are due.
    deliveries: (i64, i64),
    /// Watched companies, and those that are due.
    watched: (i64, i64),
    oldest_event_seconds: i64,
}

impl Stored {
    pub(super) async fn read(companies: &Companies) -> Result<Self, StoreError> {
        let (store, now) = (companies.store(), companies.now());
        let oldest = store.events().oldest_waiting().await?;
        let mut sentinels: BTreeMap<String, (u64, u64)> = BTreeMap::new();
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
        })
    }
}

/// The metrics as text. `stored` is `None` while the store is unavailable.
pub(super) fn text(desk: &Desk, stored: Option<Stored>) -> String {
    let (companies, connections) = (&desk.companies, &desk.connections);
    let mut registry = Registry::default();
    desk.metrics.register(&mut registry);
    registry.register_collector(Box::new(Process));
    registry.register_collector(Box::new(StoreState {
        is_up: stored.is_some(),
        pools: companies.store().pools(),
    }));
    registry.register_collector(Box::new(WorkerStates(desk.workers.states())));
    let lists = stored.as_ref().map(|stored| stored.lists.as_slice());
    registry.register_collector(Box::new(Numbers {
        states: state::all_with(companies, lists.unwrap_or_default()),
        cache_rejected: companies.connectors().cache_rejected(),
        contradictions: companies.contradictions().counts(),
        connections: [
            ("api", counted(&connections.api)),
            ("operator", counted(&connections.operator)),
        ],
        search: desk.search.progress(),
        stored,
        disk: desk.disk.clone(),
        clock: desk.ledger.clock_state(),
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
    contradictions: Vec<(String, &'static str, u64)>,
    connections: [(&'static str, Counted); 2],
    search: Progress,
    stored: Option<Stored>,
    disk: Disk,
    clock: ClockState,
}

/// Connection counts of one listener.
#[derive(Debug, Clone, Copy)]
struct Counted {
    open: u64,
    accepted: u64,
    refused: u64,
}

fn counted(counts: &ConnectionCounts) -> Counted {
    Counted {
        open: counts.open(),
        accepted: counts.accepted(),
        refused: counts.refused(),
    }
}

pub(super) type Labels<'a> = Vec<(&'static str, &'a str)>;

/// One metric of all connectors.
pub(super) struct Metric<'a, 'b> {
    encoder: &'a mut DescriptorEncoder<'b>,
    name: &'static str,
    help: &'static str,
}

pub(super) fn metric<'a, 'b>(
    encoder: &'a mut DescriptorEncoder<'b>,
    name: &'static str,
    help: &'static str,
) -> Metric<'a, 'b> {
    Metric {
        encoder,
        name,
        help,
    }
}

impl Metric<'_, '_> {
    pub(super) fn counters(&mut self, values: &[(Labels<'_>, f64)]) -> fmt::Result {
        let mut metric =
            self.encoder
                .encode_descriptor(self.name, self.help, None, MetricType::Counter)?;
        for (labels, value) in values {
            ConstCounter::new(*value).encode(metric.encode_family(labels)?)?;
        }
        Ok(())
    }

    pub(super) fn gauges(&mut self, values: &[(Labels<'_>, f64)]) -> fmt::Result {
        let mut metric =
            self.encoder
                .encode_descriptor(self.name, self.help, None, MetricType::Gauge)?;
        for (labels, value) in values {
            ConstGauge::new(*value).encode(metric.encode_family(labels)?)?;
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

impl Numbers {
    /// The value of each connector.
    fn each<'a>(&'a self, number: impl Fn(&ConnectorState) -> f64) -> Vec<(Labels<'a>, f64)> {
        let states = self.states.iter();
        states
            .map(|state| (vec![("connector", state.id.as_str())], number(state)))
            .collect()
    }

    fn calls(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let failures: Vec<(Labels<'_>, f64)> = self
            .states
            .iter()
            .flat_map(|state| {
                state.calls.failures.iter().map(|(kind, count)| {
                    let labels = vec![("connector", state.id.as_str()), ("kind", kind.as_str())];
                    (labels, float(*count))
                })
            })
            .collect();
        metric(
            encoder,
            "lustra_connector_calls",
            "Look-ups and enrichments that ended.",
        )
        .counters(&self.each(|state| float(state.calls.ended)))?;
        metric(
            encoder,
            "lustra_connector_failures",
            "Calls and batches without an answer, by kind.",
        )
        .counters(&failures)?;
        metric(
            encoder,
            "lustra_connector_requests",
            "HTTP requests of calls.",
        )
        .counters(&self.each(|state| float(state.calls.requests)))?;
        metric(
            encoder,
            "lustra_connector_cpu_seconds",
            "CPU time of guest code.",
        )
        .counters(&self.each(|state| state.calls.cpu_seconds))?;
        metric(
            encoder,
            "lustra_connector_instances",
            "Instances in flight, one a call.",
        )
        .gauges(&self.each(|state| float(state.calls.in_flight)))?;
        metric(
            encoder,
            "lustra_connector_memory_high_bytes",
            "The most memory that an instance held.",
        )
        .gauges(&self.each(|state| float(state.calls.memory_high)))?;
        let mut latency = encoder.encode_descriptor(
            "lustra_connector_call_seconds",
            "Time of a call, from its start to its answer.",
            None,
            MetricType::Histogram,
        )?;
        for state in &self.states {
            let labels = [("connector", state.id.as_str())];
            // The encoder writes only infinity as `+Inf`.
            let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> =
                bounds.zip(state.calls.latency.iter().copied()).collect();
            let count = state.calls.latency.iter().sum();
            latency
                .encode_family(&labels)?
                .encode_histogram::<NoLabelSet>(
                    state.calls.latency_seconds,
                    count,
                    &buckets,
                    None,
                )?;
        }
        Ok(())
    }

    fn versions(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let info: Vec<(Labels<'_>, f64)> = self
            .states
            .iter()
            .map(|state| {
                let labels = vec![
                    ("connector", state.id.as_str()),
                    ("version", state.version.as_deref().unwrap_or_default()),
                    ("digest", state.digest.as_deref().unwrap_or_default()),
                    ("state", state.state.as_str()),
                ];
                (labels, 1.0)
            })
            .collect();
        metric(
            encoder,
            "lustra_connector_info",
            "What serves, or why nothing does.",
        )
        .gauges(&info)?;
        metric(
            encoder,
            "lustra_connector_breaker_open",
            "1 while the connector is left alone.",
        )
        .gauges(
            &self.each(|state| f64::from(u8::from(state.breaker.as_deref() == Some("open")))),
        )?;
        metric(
            encoder,
            "lustra_connector_rejected",
            "1 while the component in the directory is not the one that serves.",
        )
        .gauges(&self.each(|state| f64::from(u8::from(state.rejected.is_some()))))?;
        metric(
            encoder,
            "lustra_connector_draining",
            "Replaced versions with calls under way.",
        )
        .gauges(&self.each(|state| float(state.draining.len() as u64)))?;
        metric(
            encoder,
            "lustra_compiled_cache_rejected",
            "Entries of the compiled cache without a valid proof.",
        )
        .counters(&[(Labels::new(), float(self.cache_rejected))])
    }

    fn lists(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let of_lists = |number: &dyn Fn(&state::ListState) -> Option<f64>| {
            let mut values: Vec<(Labels<'_>, f64)> = Vec::new();
            for state in &self.states {
                for list in state.lists.iter().filter(|list| list.on) {
                    let labels = vec![
                        ("connector", state.id.as_str()),
                        ("dataset", list.id.as_str()),
                    ];
                    values.extend(number(list).map(|number| (labels, number)));
                }
            }
            values
        };
        metric(
            encoder,
            "lustra_dataset_imported_timestamp_seconds",
            "When the list that serves was imported.",
        )
        .gauges(&of_lists(&|list| {
            let at = list.imported_at.as_deref()?;
            let format = &time::format_description::well_known::Rfc3339;
            let at = time::OffsetDateTime::parse(at, format).ok()?;
            #[expect(clippy::cast_precision_loss, reason = "seconds far below 2^52")]
            Some(at.unix_timestamp() as f64)
        }))?;
        metric(
            encoder,
            "lustra_dataset_records",
            "Records of the list that serves.",
        )
        .gauges(&of_lists(&|list| {
            #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
            Some(list.records as f64)
        }))?;
        metric(
            encoder,
            "lustra_dataset_failed",
            "1 while the newest import is a failed one.",
        )
        .gauges(&of_lists(&|list| {
            Some(f64::from(u8::from(list.failure.is_some())))
        }))
    }
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
                "Parts of batches that have still to be done, by all hosts.",
                unfinished,
            ),
            (
                "lustra_batch_parts_claimed",
                "Those of them that a host is working on.",
                claimed,
            ),
        ] {
            metric(encoder, name, help).gauges(&[(Labels::new(), count(parts))])?;
        }
        Ok(())
    }

    fn connections(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let of_listeners = |number: fn(&Counted) -> u64| -> Vec<(Labels<'_>, f64)> {
            let listeners = self.connections.iter();
            listeners
                .map(|(listener, counted)| (vec![("listener", *listener)], float(number(counted))))
                .collect()
        };
        metric(
            encoder,
            "lustra_http_connections_open",
            "Connections of clients that are open.",
        )
        .gauges(&of_listeners(|counted| counted.open))?;
        metric(
            encoder,
            "lustra_http_connections",
            "Connections of clients that were accepted.",
        )
        .counters(&of_listeners(|counted| counted.accepted))?;
        metric(
            encoder,
            "lustra_http_connections_refused",
            "Connections that were closed because their address had too many.",
        )
        .counters(&of_listeners(|counted| counted.refused))
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
            "Known companies and parts of which a source no longer gives what it gave.",
        )
        .gauges(&of_connectors(|counts| counts.0))?;
        metric(
            encoder,
            "lustra_sentinel_readings",
            "Known companies and parts that are checked.",
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
            let help = "Free space where this host writes, on the disk that has the least.";
            metric(encoder, "lustra_disk_free_bytes", help)
                .gauges(&[(Labels::new(), float(free))])?;
        }
        let low = f64::from(u8::from(self.disk.is_low()));
        let help = "1 while it is less than disk.low_mib; imports pause then.";
        metric(encoder, "lustra_disk_low", help).gauges(&[(Labels::new(), low)])
    }

    fn clock(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        for (name, help, value) in [
            (
                "lustra_ledger_clock_trusted",
                "1 while credits are booked by the host's clock; 0 after a jump that was not confirmed.",
                f64::from(u8::from(self.clock.trusted)),
            ),
            (
                "lustra_ledger_clock_ahead_seconds",
                "By how much the host's clock is ahead of the time that credits are booked by.",
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
                "1 once the name index has caught up and answers.",
                f64::from(u8::from(ready)),
            ),
            (
                "lustra_search_companies",
                "Companies in the name index.",
                float(companies),
            ),
            (
                "lustra_search_behind",
                "Revisions of companies that the name index has still to take up.",
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
        self.connections(&mut encoder)?;
        self.contradictions(&mut encoder)?;
        self.search(&mut encoder)?;
        self.disk(&mut encoder)?;
        self.clock(&mut encoder)?;
        let Some(stored) = &self.stored else {
            return Ok(());
        };
        self.lists(&mut encoder)?;
        Self::known_companies(&mut encoder, stored)?;
        Self::batches(&mut encoder, stored)?;
        for (name, help, value) in [
            (
                "lustra_mail_waiting",
                "Messages that wait to be sent, by whichever host.",
                stored.mail,
            ),
            (
                "lustra_deliveries_waiting",
                "Deliveries that have neither arrived nor been given up.",
                stored.deliveries.0,
            ),
            (
                "lustra_deliveries_due",
                "Deliveries that are to be tried now, or are being tried.",
                stored.deliveries.1,
            ),
            (
                "lustra_watched_companies",
                "Companies that somebody watches.",
                stored.watched.0,
            ),
            (
                "lustra_watched_companies_due",
                "Watched companies that are to be refreshed now.",
                stored.watched.1,
            ),
            (
                "lustra_events_waiting_seconds",
                "For how long the oldest event has waited to be told.",
                stored.oldest_event_seconds,
            ),
        ] {
            let value = float(u64::try_from(value).unwrap_or_default());
            metric(&mut encoder, name, help).gauges(&[(Labels::new(), value)])?;
        }
        Ok(())
    }
}
