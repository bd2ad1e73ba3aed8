//! Settings of the operator's address.

use std::net::SocketAddr;

use serde::Deserialize;

/// What operators and their monitoring ask, on an address of its own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Operator {
    /// Whether that address is served. Default true.
    pub on: bool,
    /// Where: reach it from trusted places only. Default `127.0.0.1:8081`.
    pub listen: SocketAddr,
    /// Host names that a request may be addressed to, besides `localhost` and any IP address: a web page of another
    /// name that resolves to this address (DNS rebinding) is refused. Default: none.
    pub hosts: Vec<String>,
}

impl Default for Operator {
    fn default() -> Self {
        Self {
            on: true,
            listen: SocketAddr::from(([127, 0, 0, 1], 8081)),
            hosts: Vec::new(),
        }
    }
}
