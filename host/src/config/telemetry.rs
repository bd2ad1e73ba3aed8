//! Settings of traces.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Secret;

/// Traces by the protocol OTLP, for a collector such as the one of `OpenTelemetry`. Needs a program that was built with
/// the feature `otlp`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// Base address of the receiver, such as `http://127.0.0.1:4318`; spans are sent to `/v1/traces` below it. Default:
    /// no traces.
    pub otlp: Option<String>,
    /// Headers of the requests to the receiver, such as an API key.
    pub headers: BTreeMap<String, Secret>,
    /// Share of the requests that are traced, 0 to 1. Failures are not preferred.
    pub share: f64,
    /// Whether a `traceparent` of a client is accepted: its trace goes on, and its decision whether to trace is followed.
    /// Switch it on only if a proxy of yours sets or removes the header. None is ever sent to registers or receivers.
    pub traceparent: bool,
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            otlp: None,
            headers: BTreeMap::new(),
            share: 1.0,
            traceparent: false,
        }
    }
}

impl Telemetry {
    /// Mistakes in these settings.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if self.otlp.is_some() && !cfg!(feature = "otlp") {
            mistakes.push(
                "telemetry.otlp: this program was built without traces (the feature otlp)"
                    .to_owned(),
            );
        }
        if let Some(address) = &self.otlp {
            let url = address.parse::<url::Url>();
            let is_http = url.is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.username().is_empty()
                    && url.password().is_none()
                    && url.query().is_none()
            });
            if !is_http {
                mistakes.push(
                    "telemetry.otlp: an address such as http://127.0.0.1:4318, without a user and without a query"
                        .to_owned(),
                );
            }
        } else if !self.headers.is_empty() || self.traceparent {
            mistakes
                .push("telemetry.otlp: required with the other settings of [telemetry]".to_owned());
        }
        if !(0.0..=1.0).contains(&self.share) {
            mistakes.push("telemetry.share: 0 to 1".to_owned());
        }
        for (name, value) in &self.headers {
            let is_valid = http::HeaderName::try_from(name.as_str()).is_ok()
                && http::HeaderValue::try_from(value.reveal()).is_ok();
            if !is_valid {
                mistakes.push(format!("telemetry.headers.{name}: not a header"));
            }
        }
        mistakes
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Mistake};

    #[test]
    fn each_wrong_setting_of_traces_is_a_mistake() {
        let otlp = "otlp = \"http://127.0.0.1:4318\"\n";
        for (text, setting) in [
            ("otlp = \"127.0.0.1:4318\"", "telemetry.otlp"),
            ("otlp = \"ftp://collector\"", "telemetry.otlp"),
            ("otlp = \"http://user:word@collector\"", "telemetry.otlp"),
            ("traceparent = true", "telemetry.otlp"),
            (&format!("{otlp}share = 1.5"), "telemetry.share"),
            (&format!("{otlp}share = nan"), "telemetry.share"),
            (
                &format!("{otlp}headers = {{ \"a b\" = \"c\" }}"),
                "telemetry.headers.a b",
            ),
            (
                &format!("{otlp}headers = {{ a = \"b\\n\" }}"),
                "telemetry.headers.a",
            ),
        ] {
            let read = Config::read(&format!("[telemetry]\n{text}\n"), |_| None);
            let mistakes = read.expect_err(text).0;
            let is_named = |mistake: &Mistake| mistake.setting == setting;
            assert!(mistakes.iter().any(is_named), "{text}: {mistakes:?}");
        }
        let right = Config::read(&format!("[telemetry]\n{otlp}"), |_| None);
        assert_eq!(right.is_ok(), cfg!(feature = "otlp"));
    }
}
