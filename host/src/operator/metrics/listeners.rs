//! Metrics of both addresses of this host: connections, refused requests, and TLS.

use std::fmt;

use prometheus_client::encoding::DescriptorEncoder;

use crate::http_server::{CertificateState, ConnectionCounts};
use crate::operator::metric::{Labels, float, metric};

/// A metric's name, its help text and its value for a listener.
type Named = (&'static str, &'static str, fn(&ConnectionCounts) -> u64);

/// Writes the metrics of each listener.
pub(super) fn encode(
    encoder: &mut DescriptorEncoder<'_>,
    listeners: &[(&'static str, &ConnectionCounts)],
    certificate: Option<CertificateState>,
) -> fmt::Result {
    let of_each = |number: fn(&ConnectionCounts) -> u64| -> Vec<(Labels<'_>, f64)> {
        let listeners = listeners.iter();
        listeners
            .map(|(listener, counts)| (vec![("listener", *listener)], float(number(counts))))
            .collect()
    };
    let help = "Open client connections.";
    metric(encoder, "lustra_http_connections_open", help)
        .gauges(&of_each(ConnectionCounts::open))?;
    let counters: [Named; 3] = [
        (
            "lustra_http_connections",
            "Accepted client connections.",
            ConnectionCounts::accepted,
        ),
        (
            "lustra_http_connections_refused",
            "Client connections closed because their address exceeded its limit.",
            ConnectionCounts::refused,
        ),
        (
            "lustra_tls_handshakes_failed",
            "TLS handshakes that failed or took too long.",
            ConnectionCounts::handshakes_failed,
        ),
    ];
    for (name, help, number) in counters {
        metric(encoder, name, help).counters(&of_each(number))?;
    }
    let cut_off = listeners.iter().flat_map(|(listener, counts)| {
        let counts = counts.cut_off();
        counts.map(|(why, count)| {
            let labels = vec![("listener", *listener), ("reason", why.word())];
            (labels, float(count))
        })
    });
    metric(
        encoder,
        "lustra_http2_connections_ended",
        "Connections of HTTP/2 that the host ended: idle, a response not read, or most requests cancelled.",
    )
    .counters(&cut_off.collect::<Vec<_>>())?;
    let refused = listeners.iter().flat_map(|(listener, counts)| {
        let counts = counts.requests_refused();
        counts.map(|(why, count)| {
            let labels = vec![("listener", *listener), ("reason", why.word())];
            (labels, float(count))
        })
    });
    metric(
        encoder,
        "lustra_http_requests_refused",
        "Requests refused before they were routed: a limit of requests in progress, or too large headers.",
    )
    .counters(&refused.collect::<Vec<_>>())?;
    tls(encoder, certificate)
}

/// Without a certificate the metrics have no samples.
fn tls(encoder: &mut DescriptorEncoder<'_>, certificate: Option<CertificateState>) -> fmt::Result {
    let of = |value: fn(CertificateState) -> f64| -> Vec<(Labels<'_>, f64)> {
        let values = certificate.into_iter();
        values.map(|state| (Labels::new(), value(state))).collect()
    };
    metric(
        encoder,
        "lustra_tls_certificate_end_timestamp_seconds",
        "When the certificate in use ends.",
    )
    .gauges(&of(|state| {
        #[expect(clippy::cast_precision_loss, reason = "seconds far below 2^52")]
        let until = state.until.unix_timestamp() as f64;
        until
    }))?;
    metric(
        encoder,
        "lustra_tls_certificate_rejected",
        "1 while the files of the certificate cannot be used and the earlier certificate serves.",
    )
    .gauges(&of(|state| f64::from(u8::from(state.is_outdated))))?;
    metric(
        encoder,
        "lustra_tls_certificate_failures",
        "Replacements of the certificate that failed.",
    )
    .counters(&of(|state| float(state.failures)))
}
