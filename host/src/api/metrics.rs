//! Request metrics for `/metrics`.
//!
//! The label is the route's pattern, never the path: clients choose the path, and it may contain an IČO.

use std::time::Duration;

use axum::extract::MatchedPath;
use axum::http::{Method, Request, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::charging;
use super::collections::CollectionRoute;

/// Histogram bounds of request durations, in seconds.
const BOUNDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

/// Request metrics by route. Clones share them.
#[derive(Debug, Clone)]
pub struct ApiMetrics {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
    in_flight: Gauge,
    credits: Counter,
    overage: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

/// A request in progress.
pub(super) struct Started {
    metrics: ApiMetrics,
    method: &'static str,
    route: String,
}

impl Default for ApiMetrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
            in_flight: Gauge::default(),
            credits: Counter::default(),
            overage: Counter::default(),
        }
    }
}

impl ApiMetrics {
    /// Registers the metrics. Their help texts have no final full stop, because the encoder adds one.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "lustra_http_requests",
            "Requests to the API by method, route and status",
            self.requests.clone(),
        );
        registry.register(
            "lustra_http_request_seconds",
            "Seconds until the headers of the response, by route",
            self.seconds.clone(),
        );
        registry.register(
            "lustra_http_requests_in_flight",
            "Requests in progress",
            self.in_flight.clone(),
        );
        registry.register(
            "lustra_credits_charged",
            "Credits charged for responses of this host; refunds are not subtracted",
            self.credits.clone(),
        );
        registry.register(
            "lustra_credits_overage",
            "Responses of this host that were booked as overage",
            self.overage.clone(),
        );
    }

    /// Records the start of a request.
    pub(super) fn start<B>(&self, request: &Request<B>) -> Started {
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map(MatchedPath::as_str);
        let collection = request.extensions().get::<CollectionRoute>();
        let route = route.or_else(|| Some(collection?.template()));
        self.in_flight.inc();
        Started {
            metrics: self.clone(),
            method: known_method(request.method()),
            route: route.unwrap_or("unmatched").to_owned(),
        }
    }
}

impl Started {
    /// The pattern of the route.
    pub(super) fn route(&self) -> &str {
        &self.route
    }

    /// Records the response, its duration and the credits that it cost.
    pub(super) fn end<B>(self, response: &Response<B>, took: Duration) {
        let metrics = &self.metrics;
        let labels = RequestLabels {
            method: self.method,
            route: self.route.clone(),
            status: response.status().as_u16(),
        };
        metrics.requests.get_or_create(&labels).inc();
        let route = RouteLabels {
            route: self.route.clone(),
        };
        let seconds = metrics.seconds.get_or_create(&route);
        seconds.observe(took.as_secs_f64());
        let number = |name| {
            let value = response.headers().get(name)?.to_str().ok()?;
            value.parse::<u64>().ok()
        };
        metrics
            .credits
            .inc_by(number(charging::CHARGED).unwrap_or(0));
        metrics
            .overage
            .inc_by(number(charging::OVERAGE).unwrap_or(0));
    }
}

/// Runs also when a client disconnects before its response.
impl Drop for Started {
    fn drop(&mut self) {
        self.metrics.in_flight.dec();
    }
}

/// Clients may send any text as a method; unknown methods share one label.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_texts_end_with_one_full_stop() {
        let mut registry = Registry::default();
        let metrics = ApiMetrics::default();
        metrics.register(&mut registry);
        // A family without samples is not written.
        let started = metrics.start(&Request::new(()));
        started.end(&Response::new(()), Duration::ZERO);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)
            .expect("a String is written");
        let helps: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("# HELP"))
            .collect();
        assert_eq!(helps.len(), 5, "{text}");
        for help in helps {
            assert!(help.ends_with('.') && !help.ends_with(".."), "{help}");
        }
    }
}
