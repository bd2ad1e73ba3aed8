//! Metrics of each connector: its calls, its version and its lists.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use super::Numbers;
use crate::connectors::stats::BOUNDS;
use crate::operator::metric::{Labels, float, metric};
use crate::operator::state::{self, CircuitState, ConnectorState};

impl Numbers {
    /// A value of each connector, labelled with its id.
    fn each<'a>(&'a self, number: impl Fn(&ConnectorState) -> f64) -> Vec<(Labels<'a>, f64)> {
        let states = self.states.iter();
        states
            .map(|state| (vec![("connector", state.id.as_str())], number(state)))
            .collect()
    }

    pub(super) fn calls(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
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
            "Finished calls: look-ups and enrichments.",
        )
        .counters(&self.each(|state| float(state.calls.ended)))?;
        metric(
            encoder,
            "lustra_connector_failures",
            "Failed calls and batches, by kind of failure.",
        )
        .counters(&failures)?;
        metric(
            encoder,
            "lustra_connector_requests",
            "HTTP requests made by calls.",
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
            "WebAssembly instances in use, one per call.",
        )
        .gauges(&self.each(|state| float(state.calls.in_flight)))?;
        metric(
            encoder,
            "lustra_connector_memory_high_bytes",
            "Peak memory of an instance.",
        )
        .gauges(&self.each(|state| float(state.calls.memory_high)))?;
        let mut latency = encoder.encode_descriptor(
            "lustra_connector_call_seconds",
            "Duration of a call.",
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

    pub(super) fn versions(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let info: Vec<(Labels<'_>, f64)> = self
            .states
            .iter()
            .map(|state| {
                let labels = vec![
                    ("connector", state.id.as_str()),
                    ("version", state.version.as_deref().unwrap_or_default()),
                    ("digest", state.digest.as_deref().unwrap_or_default()),
                    ("state", state.state.word()),
                ];
                (labels, 1.0)
            })
            .collect();
        metric(
            encoder,
            "lustra_connector_info",
            "Version, digest and state of the connector; always 1.",
        )
        .gauges(&info)?;
        metric(
            encoder,
            "lustra_connector_breaker_open",
            "1 while the connector's circuit breaker is open.",
        )
        .gauges(
            &self.each(|state| f64::from(u8::from(state.breaker == Some(CircuitState::Open)))),
        )?;
        metric(
            encoder,
            "lustra_connector_rejected",
            "1 while the component in the directory is rejected and another version serves.",
        )
        .gauges(&self.each(|state| f64::from(u8::from(state.rejected.is_some()))))?;
        metric(
            encoder,
            "lustra_connector_draining",
            "Replaced versions that still have running calls.",
        )
        .gauges(&self.each(|state| float(state.draining.len() as u64)))?;
        metric(
            encoder,
            "lustra_compiled_cache_rejected",
            "Entries of the compiled cache that were rejected without a valid proof.",
        )
        .counters(&[(Labels::new(), float(self.cache_rejected))])
    }

    pub(super) fn lists(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
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
            "Import time of the published list.",
        )
        .gauges(&of_lists(&|list| seconds_of(list.imported_at.as_deref())))?;
        metric(
            encoder,
            "lustra_dataset_next_import_timestamp_seconds",
            "When the next import of the list is due.",
        )
        .gauges(&of_lists(&|list| seconds_of(list.next_run_at.as_deref())))?;
        metric(
            encoder,
            "lustra_dataset_records",
            "Records of the published list.",
        )
        .gauges(&of_lists(&|list| {
            #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
            Some(list.records as f64)
        }))?;
        metric(
            encoder,
            "lustra_dataset_failed",
            "1 if the newest import failed.",
        )
        .gauges(&of_lists(&|list| {
            Some(f64::from(u8::from(list.failure.is_some())))
        }))?;
        metric(
            encoder,
            "lustra_dataset_paused",
            "1 while an operator has paused the imports.",
        )
        .gauges(&of_lists(&|list| {
            Some(f64::from(u8::from(list.paused_at.is_some())))
        }))
    }
}

/// The seconds since 1970-01-01 UTC of a time in RFC 3339.
fn seconds_of(at: Option<&str>) -> Option<f64> {
    let format = &time::format_description::well_known::Rfc3339;
    let at = time::OffsetDateTime::parse(at?, format).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "seconds far below 2^52")]
    Some(at.unix_timestamp() as f64)
}
