//! Metrics of the requests to upstream addresses, over all connectors.
//!
//! The label is the configured address, so there are as many series as the operator has granted upstreams.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use crate::connectors::egress::{BOUNDS, UpstreamUse};
use crate::operator::metric::{Labels, float, metric};

/// Writes the metrics of each address to which a request was sent.
pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>, uses: &[UpstreamUse]) -> fmt::Result {
    let of_each = |value: fn(&UpstreamUse) -> f64| -> Vec<(Labels<'_>, f64)> {
        let labelled = uses.iter();
        labelled
            .map(|used| (vec![("upstream", used.address.as_str())], value(used)))
            .collect()
    };
    let outcomes = uses.iter().flat_map(|used| {
        used.counts.outcomes.iter().map(|(outcome, count)| {
            let upstream = ("upstream", used.address.as_str());
            (vec![upstream, ("outcome", outcome.word())], float(*count))
        })
    });
    metric(
        encoder,
        "lustra_egress_requests",
        "HTTP requests to an upstream with retries and redirects, by status class or reason of failure.",
    )
    .counters(&outcomes.collect::<Vec<_>>())?;
    metric(
        encoder,
        "lustra_egress_retries",
        "Requests to an upstream that repeat a failed one.",
    )
    .counters(&of_each(|used| float(used.counts.retries)))?;
    metric(
        encoder,
        "lustra_egress_received_bytes",
        "Bytes of bodies received from an upstream, unpacked.",
    )
    .counters(&of_each(|used| float(used.counts.received_bytes)))?;
    let throttled = uses.iter().flat_map(|used| {
        let by = [
            ("upstream", used.counts.throttled_by_upstream),
            ("host", used.counts.throttled_by_host),
        ];
        by.map(|(by, count)| {
            let upstream = ("upstream", used.address.as_str());
            (vec![upstream, ("by", by)], float(count))
        })
    });
    metric(
        encoder,
        "lustra_egress_throttled",
        "By upstream: answers that asked for a pause. By host: requests not sent because of a pause or the rate limit.",
    )
    .counters(&throttled.collect::<Vec<_>>())?;
    metric(
        encoder,
        "lustra_egress_circuit_open",
        "1 while the circuit of an upstream is open and no request is sent to it.",
    )
    .gauges(&of_each(|used| {
        f64::from(u8::from(used.state.circuit_open_until.is_some()))
    }))?;
    metric(
        encoder,
        "lustra_egress_circuit_refused",
        "Requests not sent because the circuit of the upstream was open.",
    )
    .counters(&of_each(|used| float(used.counts.refused_by_circuit)))?;
    metric(
        encoder,
        "lustra_egress_pause_seconds",
        "Remaining pause that an upstream asked for.",
    )
    .gauges(&of_each(|used| {
        used.state.cooldown.map_or(0.0, |left| left.as_secs_f64())
    }))?;
    metric(
        encoder,
        "lustra_egress_in_flight",
        "Requests to an upstream in progress, with unread bodies.",
    )
    .gauges(&of_each(|used| float(used.state.under_way as u64)))?;
    metric(
        encoder,
        "lustra_egress_waiting",
        "Requests that wait for the rate limit of an upstream.",
    )
    .gauges(&of_each(|used| float(used.state.waiting as u64)))?;
    latency(encoder, uses)
}

fn latency(encoder: &mut DescriptorEncoder<'_>, uses: &[UpstreamUse]) -> fmt::Result {
    let mut latency = encoder.encode_descriptor(
        "lustra_egress_request_seconds",
        "Seconds until the head of an upstream's response or the failure.",
        None,
        MetricType::Histogram,
    )?;
    for used in uses {
        let labels = [("upstream", used.address.as_str())];
        // The encoder writes only infinity as `+Inf`.
        let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(used.counts.latency.iter().copied()).collect();
        let count = used.counts.latency.iter().sum();
        let seconds = used.counts.latency_seconds;
        latency
            .encode_family(&labels)?
            .encode_histogram::<NoLabelSet>(seconds, count, &buckets, None)?;
    }
    Ok(())
}
