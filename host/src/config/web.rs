//! Settings of the pages for people.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::Deserialize;

/// Which companies visitors can look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lookup {
    /// No look-up.
    Off,
    /// The invented companies of the sandbox.
    Sandbox,
    /// The companies of the registers, for every visitor, without a key.
    Public,
}

/// The pages for people. They need no key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// Companies that visitors can look up: `off`, `sandbox` (the invented companies) or `public` (those of the
    /// registers, with every scope). With `public`, a visit may ask the registers, as a request to the API does.
    pub lookup: Lookup,
    /// Rate limit of company pages per host and client address, an IPv4 address or an IPv6 /64 network. 0: no limit.
    pub companies_per_minute: u32,
    /// Rate limit of searches per host and client address; each letter typed is a search. 0: no limit.
    pub searches_per_minute: u32,
    /// Addresses of the reverse proxies in front of the host. The last address in their `X-Forwarded-For` is the
    /// client's. Of other peers the header is ignored.
    pub proxies: Vec<IpAddr>,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            lookup: Lookup::Sandbox,
            companies_per_minute: 30,
            searches_per_minute: 240,
            proxies: Vec::new(),
        }
    }
}
