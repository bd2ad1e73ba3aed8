//! The only way from a connector to the network and to operator-supplied files.
//!
//! Each request passes the same gates in the same order: grant (scheme, host, port), health of the upstream, a turn at it, address
//! (nothing private or special unless that host is granted by name), connection to exactly that address; each redirect
//! starts at the first gate again. What a call may use up is its `Allowance`. The WIT is glued on elsewhere.
//! Invariants: no proxy and no cookie jar; a header's value is never logged and never part of an error, and neither is
//! a query.

mod address;
mod allowance;
mod archive;
mod body;
mod charset;
mod client;
mod failure;
mod file;
mod grants;
mod health;
mod hop;
mod layers;
mod politeness;
mod resolver;
mod source;
mod special;
mod unpack;

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
pub use self::failure::{EgressFailure, Refusal};
pub use self::grants::{Grant, InvalidGrant};
pub use self::politeness::UpstreamState;
pub use self::resolver::{Lookup, Reach, Resolver, Special, Unresolved, system};
pub use self::source::root_cause;
pub use self::special::special_name;

/// An upstream as one connector sees it: the operator's settings over the manifest's.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// The name from the manifest, which failures and logs use.
    pub name: String,
    pub address: Address,
    /// Everything the connector may reach, for this upstream and for redirects from it.
    pub grants: Arc<[Grant]>,
    /// Pace at the upstream. What is no positive number counts as the slowest pace, one request an hour.
    pub requests_per_second: f64,
    /// Requests under way at the upstream, until their bodies are read or dropped; at least 1.
    pub concurrent: usize,
    /// From sending a request to the head of its answer, each attempt and redirect for itself.
    pub timeout: Duration,
    /// Between two pieces of a body.
    pub idle: Duration,
}

/// One request of a connector.
pub struct Outgoing {
    /// `GET` or `POST`; others are refused.
    pub method: http::Method,
    /// Path and query below the upstream's address; empty for a file.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Bytes>,
    /// A `POST` that may be repeated. A `GET` always may.
    pub idempotent: bool,
}

/// Names of headers only, and no query: both carry secrets.
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

/// What an upstream answered. Statuses other than 2xx are answers too.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Lower-case names, without hop-by-hop headers. Where the host unpacked a `content-encoding`, that header and
    /// `content-length` are gone.
    pub headers: Vec<(String, String)>,
    pub body: Body,
}
