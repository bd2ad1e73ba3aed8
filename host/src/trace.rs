//! The span of a request in traces.
//!
//! Spans for traces have the target `traces`. The log does not show them, and without a receiver of traces they are not
//! created. What a client says about its trace is read only if the settings allow it.

use axum::http::{HeaderMap, Method};
use tracing::Span;
use tracing::field::Empty;

/// The span of a request to a route. With `headers`, their `traceparent` is accepted.
pub(crate) fn request(method: &Method, route: &str, id: &str, headers: Option<&HeaderMap>) -> Span {
    let span = tracing::debug_span!(
        target: "traces",
        "HTTP request",
        otel.kind = "server",
        otel.name = format!("{method} {route}"),
        otel.status_code = Empty,
        http.request.method = %method,
        http.route = route,
        request.id = id,
        http.response.status_code = Empty,
    );
    if let Some(headers) = headers.filter(|_| !span.is_disabled()) {
        continue_trace(&span, headers);
    }
    span
}

#[cfg(feature = "otlp")]
fn continue_trace(span: &Span, headers: &HeaderMap) {
    use axum::http::HeaderName;
    use opentelemetry::propagation::{Extractor, TextMapPropagator};
    use opentelemetry::trace::TraceContextExt;
    use opentelemetry_sdk::propagation::TraceContextPropagator;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    struct Headers<'a>(&'a HeaderMap);

    impl Extractor for Headers<'_> {
        fn get(&self, name: &str) -> Option<&str> {
            self.0.get(name)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(HeaderName::as_str).collect()
        }
    }

    let parent = TraceContextPropagator::new().extract(&Headers(headers));
    if parent.span().span_context().is_valid()
        && let Err(error) = span.set_parent(parent)
    {
        tracing::debug!(%error, "the trace of the client could not be continued");
    }
}

#[cfg(not(feature = "otlp"))]
fn continue_trace(_span: &Span, _headers: &HeaderMap) {}
