//! The only path from a connector to the network and to operator-supplied files.
//!
//! Each request passes the same checks in the same order: grant (scheme, host, port), circuit breaker of the upstream,
//! rate limit and concurrency limit, resolved address (private and special addresses only if the host is granted by
//! name), connection to exactly that address. A redirect starts again at the first check. `Allowance` holds the
//! resource limits of a call. The WIT bindings are elsewhere.
//! Invariants: no proxy and no cookie jar; header values and queries never appear in logs or errors.

mod address;
mod allowance;
mod archive;
mod attempt;
mod body;
mod charset;
mod client;
mod counts;
mod failure;
mod file;
mod grants;
mod hop;
mod layers;
mod pace;
mod rate_limits;
mod resolver;
mod roots;
mod rules;
mod source;
mod special;
mod tee;
mod unpack;
mod upstream_circuit;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use self::address::{Address, InvalidAddress};
pub use self::allowance::{Allowance, Limits};
pub use self::body::{Body, Evidence};
pub use self::client::{Egress, EgressSetupError};
pub use self::counts::{AttemptOutcome, BOUNDS, UpstreamCounts};
pub use self::failure::{EgressFailure, Refusal};
pub use self::grants::{Grant, InvalidGrant};
pub use self::rate_limits::{UpstreamState, UpstreamUse};
pub use self::resolver::{Lookup, Reach, Resolver, Special, Unresolved, system};
pub use self::roots::{read_system_roots, with_system_roots};
pub use self::rules::check_request;
pub use self::source::root_cause;
pub use self::special::special_name;
pub use self::tee::Tee;

/// An upstream as one connector sees it: the manifest's values, overridden by the operator's settings.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// The upstream's name in the manifest; failures and logs use it.
    pub name: String,
    pub address: Address,
    /// All destinations that the connector may reach through this upstream, including redirect targets.
    pub grants: Arc<[Grant]>,
    /// Rate limit. A value that is not a positive number counts as the slowest rate, one request an hour.
    pub requests_per_second: f64,
    /// Most concurrent requests, at least 1. A request counts until its body is read or dropped.
    pub concurrent: usize,
    /// Longest time from sending a request to the response head, for each attempt and each redirect separately.
    pub timeout: Duration,
    /// Longest time between two chunks of a body.
    pub idle: Duration,
    /// Pause before each repetition of a request that failed transiently. Up to half as much is added at random.
    pub retry_pauses: Arc<[Duration]>,
}

/// One request of a connector.
pub struct Outgoing {
    /// `GET` or `POST`; other methods are refused.
    pub method: http::Method,
    /// Path and query below the upstream's address; empty for a file.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Bytes>,
    /// Whether a `POST` may be retried. A `GET` may always be retried.
    pub idempotent: bool,
}

/// Prints header names only and no query, because values and queries may carry secrets.
impl fmt::Debug for Outgoing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Outgoing")
            .field("method", &self.method)
            .field("path", &failure::without_query(&self.path))
            .field("headers", &headers)
            .field("body", &self.body.as_ref().map(Bytes::len))
            .field("idempotent", &self.idempotent)
            .finish()
    }
}

/// An upstream's response, with any status.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Lower-case names, without hop-by-hop headers. When the host decoded a `content-encoding`, that header and
    /// `content-length` are removed.
    pub headers: Vec<(String, String)>,
    pub body: Body,
}
