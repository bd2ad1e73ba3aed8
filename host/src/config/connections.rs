//! Settings of client connections.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Network;

/// The header by which a reverse proxy names the client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarded {
    /// `X-Forwarded-For`, with `X-Forwarded-Proto` for TLS.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// Limits of client connections, for the API and for the operator's address each.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// Concurrent connections. The host raises its limit of open files as far as allowed, and accepts fewer connections
    /// if that is too low.
    pub most: usize,
    /// Connections from one IPv4 address or IPv6 /64 network, and requests in progress of one client. The connections of
    /// `proxies` are not limited by address, and their requests count for the client that the proxy names.
    pub most_each_address: usize,
    /// Requests in progress on one HTTP/2 connection, 1 to 1000.
    pub streams: u32,
    /// Networks of reverse proxies in CIDR form. Only they are believed when they name the client, for everything that
    /// depends on its address: limits, keys that are limited to addresses, and sign-in.
    pub proxies: Vec<String>,
    /// Header by which `proxies` name the client: `x-forwarded-for` or `forwarded`. The other one is ignored, since a
    /// proxy passes it on as the client sent it.
    pub forwarded: Forwarded,
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
            streams: 100,
            proxies: Vec::new(),
            forwarded: Forwarded::default(),
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
                (1..=1_000).contains(&self.streams),
                "connections.streams: 1 to 1000",
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
