//! Settings of client connections.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Network;

/// Limits of client connections, for the API and for the operator's address each.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// Concurrent connections. The host raises its limit of open files as far as allowed, and accepts fewer connections
    /// if that is too low.
    pub most: usize,
    /// Connections from one IPv4 address or IPv6 /64 network. Behind a reverse proxy: the same as `most`.
    pub most_each_address: usize,
    /// Networks of reverse proxies in CIDR form. Only their `X-Forwarded-For` is believed, for keys that are limited to
    /// client addresses.
    pub proxies: Vec<String>,
    /// Time limit for the headers of a request, also on an idle connection.
    pub header_seconds: u64,
    /// Time limit for the body of a request; after it the client gets 408.
    pub body_seconds: u64,
    /// Time after which a client that does not read its response is disconnected.
    pub write_seconds: u64,
    /// How long open connections stay usable after a shutdown began. Each response closes its connection then, so that
    /// clients move to the next process or another host without an error. 0: idle connections are closed at once. Part
    /// of `requests.drain_seconds`.
    pub linger_seconds: u64,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            most: 4_096,
            most_each_address: 1_024,
            proxies: Vec::new(),
            header_seconds: 15,
            body_seconds: 20,
            write_seconds: 60,
            linger_seconds: 2,
        }
    }
}

impl Connections {
    /// Mistakes in these settings, each with the setting's path.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        let mut proxies = self.proxies.iter();
        [
            (
                proxies.all(|proxy| proxy.parse::<Network>().is_ok()),
                "connections.proxies: each is a network in CIDR form, such as 192.0.2.0/24",
            ),
            (self.most > 0, "connections.most: at least 1"),
            (
                self.most_each_address > 0,
                "connections.most_each_address: at least 1",
            ),
            (
                self.header_seconds > 0,
                "connections.header_seconds: at least 1",
            ),
            (
                self.body_seconds > 0,
                "connections.body_seconds: at least 1",
            ),
            (
                self.write_seconds > 0,
                "connections.write_seconds: at least 1",
            ),
        ]
        .into_iter()
        .filter(|(holds, _)| !holds)
        .map(|(_, mistake)| mistake)
        .collect()
    }
}
