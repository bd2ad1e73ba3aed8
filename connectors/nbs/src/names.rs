//! The names of the upstreams in the manifest.

/// The upstream of the national bank's lists.
pub const UPSTREAM: &str = "nbs";

/// The upstream of the operator's list of agents. Failures use this name for the list.
pub const AGENTS: &str = "agents-list";
