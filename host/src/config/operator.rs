//! Settings of the operator's address.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Secret;

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
    /// Key of the operator's pages, 16 to 200 characters: the password of HTTP Basic authentication, with any user name.
    /// Required for pages if `listen` is not a loopback address. Metrics and JSON need no key.
    pub key: Option<Secret>,
    /// Wrong values of `key` that a client address may send in a minute, 1 to 1000. Then it gets 429 until the next minute.
    pub wrong_keys_per_minute: u32,
    /// Largest file of a list that can be sent on the operator's pages, 1 to 2048.
    pub upload_mib: u64,
    /// Days for which the actions of operators are kept, 1 to 3650.
    pub audit_days: u32,
    /// Whether this host records the states of the sources, for the incidents on `/status`, and the lengths of the queues,
    /// for the plots on the operator's page. One of the hosts on a database records at a time.
    pub record_states: bool,
    /// Days for which recorded states of the sources are kept, for the incidents on `/status`. 1 to 3650.
    pub incident_days: u32,
}

impl Default for Operator {
    fn default() -> Self {
        Self {
            on: true,
            listen: SocketAddr::from(([127, 0, 0, 1], 8081)),
            hosts: Vec::new(),
            key: None,
            wrong_keys_per_minute: 10,
            upload_mib: 64,
            audit_days: 400,
            record_states: true,
            incident_days: 90,
        }
    }
}

impl Operator {
    /// Mistakes in these settings.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let key = self.key.as_ref().map(|key| key.reveal().chars().count());
        let right = [
            (
                (1..=3_650).contains(&self.incident_days),
                "operator.incident_days: 1 to 3650",
            ),
            (
                (1..=1_000).contains(&self.wrong_keys_per_minute),
                "operator.wrong_keys_per_minute: 1 to 1000",
            ),
            (
                (1..=2_048).contains(&self.upload_mib),
                "operator.upload_mib: 1 to 2048",
            ),
            (
                (1..=3_650).contains(&self.audit_days),
                "operator.audit_days: 1 to 3650",
            ),
            (
                key.is_none_or(|length| (16..=200).contains(&length)),
                "operator.key: 16 to 200 characters",
            ),
        ];
        let mistakes = right.into_iter().filter(|(holds, _)| !holds);
        mistakes.map(|(_, mistake)| mistake.to_owned()).collect()
    }
}
