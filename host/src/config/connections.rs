//! Settings of client connections.

use serde::Deserialize;

/// Bounds of client connections, for the API and for the operator's address each.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// The most connections at once; fewer where the process may not open enough files. Default 4096.
    pub most: usize,
    /// The most of them from one IPv4 address or IPv6 /64 network. Behind a reverse proxy all connections come from
    /// the proxy's address: set it to `most`. Default 1024.
    pub most_each_address: usize,
    /// Seconds until the headers of a request must have arrived, counted from the opening of the connection or the end
    /// of the answer before. Default 15.
    pub header_seconds: u64,
    /// Seconds until the body of a request must have arrived; then 408. Default 20.
    pub body_seconds: u64,
    /// Seconds for which a client may read nothing of its answer. Default 60.
    pub write_seconds: u64,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            most: 4_096,
            most_each_address: 1_024,
            header_seconds: 15,
            body_seconds: 20,
            write_seconds: 60,
        }
    }
}

impl Connections {
    /// What is wrong with these settings, each with its place.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        [
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
