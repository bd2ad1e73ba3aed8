//! What a client accepts, by the header `Accept` or by a parameter.

use axum::http::{HeaderMap, header};

use super::parameters::types::Words;

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportForm {
    Json,
    Csv,
}

impl Words for ReportForm {
    type Value = Self;
    const WORDS: &'static [(&'static str, Self)] = &[("json", Self::Json), ("csv", Self::Csv)];
}

impl ReportForm {
    /// The requested form, or else the one that the header prefers.
    pub(super) fn requested_or_accepted(requested: Option<Self>, headers: &HeaderMap) -> Self {
        requested.unwrap_or_else(|| {
            if prefers(headers, "text/csv") {
                Self::Csv
            } else {
                Self::Json
            }
        })
    }
}

/// Whether the client accepts a media type and does not prefer JSON.
pub(super) fn prefers(headers: &HeaderMap, wanted: &str) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let accepted: Vec<&str> = accepted.filter_map(|value| value.to_str().ok()).collect();
    // RFC 9110, 12.5.1: media ranges with a weight, which defaults to 1.
    let weight = |wanted: &str| {
        let ranges = accepted.iter().flat_map(|value| value.split(','));
        let weights = ranges.filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            if !parts.next()?.eq_ignore_ascii_case(wanted) {
                return None;
            }
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            Some(weight.map_or(1.0, |weight| weight.parse::<f64>().unwrap_or(0.0)))
        });
        weights.fold(0.0, f64::max)
    };
    let wanted = weight(wanted);
    wanted > 0.0 && wanted >= weight("application/json")
}
