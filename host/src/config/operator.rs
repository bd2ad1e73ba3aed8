//! Settings of the operator's address.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::Deserialize;

/// The separate address for operators and monitoring.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Operator {
    /// Whether the operator's address is served.
    pub on: bool,
    /// Address and port. Keep it reachable from trusted machines only.
    pub listen: SocketAddr,
    /// Host names that requests may be addressed to, besides `localhost` and IP addresses. Protects against DNS
    /// rebinding.
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
