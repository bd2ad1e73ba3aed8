//! Settings of client connections.

use schemars::JsonSchema;
use serde::Deserialize;

/// Bounds of client connections, for the API and for the operator's address each.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// Connections at once. Fewer if the process may open fewer files; the limit of open files is raised as far as
    /// allowed.
    pub most: usize,
    /// Connections from one IPv4 address or IPv6 /64 network. Behind a reverse proxy: the same as `most`.
    pub most_each_address: usize,
    /// Time in which the headers of a request must arrive, also on an idle connection.
    pub header_seconds: u64,
    /// Time in which the body of a request must arrive; then 408.
    pub body_seconds: u64,
    /// Time after which a client that reads nothing of its answer is disconnected.
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
