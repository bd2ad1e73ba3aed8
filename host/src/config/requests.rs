//! Settings of requests to the API and of the sandbox.

use serde::Deserialize;

/// Bounds of requests to the API.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Requests {
    /// The longest query string, in bytes. Default 8192.
    pub query_bytes: usize,
    /// The largest request body, in bytes. Default 1 MiB.
    pub body_bytes: usize,
    /// Seconds until an answer is given up with 503. Default 30.
    pub timeout_seconds: u64,
    /// Seconds that answers under way are waited for when the host ends. Default 30.
    pub drain_seconds: u64,
    /// The most calls of an account in a minute, on each host, that are no look-ups: about the account, notifications and
    /// the progress of batches. 0: any number. Default 1200.
    pub other_calls_per_minute: u32,
    /// Hours for which an `Idempotency-Key` is known. Default 24.
    pub idempotency_hours: u64,
    /// Origins whose web pages may ask from a browser, as in `https://shop.example`. Default: none.
    pub origins: Vec<String>,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            query_bytes: 8_192,
            body_bytes: 1 << 20,
            timeout_seconds: 30,
            drain_seconds: 30,
            other_calls_per_minute: 1_200,
            idempotency_hours: 24,
            origins: Vec::new(),
        }
    }
}

/// The sandbox.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    /// The published key of the sandbox: not a secret.
    pub key: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self {
            key: "lst_test_sandbox".to_owned(),
        }
    }
}
