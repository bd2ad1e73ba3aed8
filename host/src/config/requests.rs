//! Settings of requests to the API and of the sandbox.

use schemars::JsonSchema;
use serde::Deserialize;

/// Bounds of requests to the API.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Requests {
    /// Longest query string, at least 256.
    pub query_bytes: usize,
    /// Largest request body.
    pub body_bytes: usize,
    /// A request without an answer for this long gets 503.
    pub timeout_seconds: u64,
    /// How long requests in progress are waited for at shutdown.
    pub drain_seconds: u64,
    /// Calls of an account, on each host, that are no look-ups: about the account, notifications and progress of
    /// batches. They do not count towards the limits of a plan. 0: no limit.
    pub other_calls_per_minute: u32,
    /// How long an `Idempotency-Key` is remembered, 1 to 8760.
    pub idempotency_hours: u64,
    /// Origins whose web pages may call the API from a browser, such as `https://shop.example`. Empty: only servers
    /// may.
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
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    /// The published key of the sandbox. It is no secret.
    pub key: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self {
            key: "lst_test_sandbox".to_owned(),
        }
    }
}
