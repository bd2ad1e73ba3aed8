//! Settings of requests to the API and of the sandbox.

use schemars::JsonSchema;
use serde::Deserialize;

/// Limits of requests to the API.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Requests {
    /// Maximum length of a query string, at least 256.
    pub query_bytes: usize,
    /// Maximum size of a request body.
    pub body_bytes: usize,
    /// Time limit of a request; after it the client gets 503.
    pub timeout_seconds: u64,
    /// How long a shutdown waits for requests in progress.
    pub drain_seconds: u64,
    /// Rate limit per account and host of calls that are not look-ups: account, notifications and batch progress. They
    /// do not count towards the limits of a plan. 0: no limit.
    pub other_calls_per_minute: u32,
    /// How long an `Idempotency-Key` is stored, 1 to 8760.
    pub idempotency_hours: u64,
    /// Origins whose web pages may call the API from a browser (CORS), such as `https://shop.example`. Empty: none.
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

/// Settings of the sandbox of invented companies.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    /// The published key of the sandbox. It is not a secret.
    pub key: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self {
            key: "lst_test_sandbox".to_owned(),
        }
    }
}
