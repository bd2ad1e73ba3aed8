//! The operator's settings of connectors. The program's settings file contains these types.

mod connector;
mod limits;
mod pool;
mod reload;
mod schedule;
mod secret;

use std::collections::BTreeMap;
use std::path::PathBuf;

use lustra_store::ConnectorId;

pub use connector::{ConnectorConfig, DatasetConfig, ScopeConfig, UpstreamConfig};
pub use limits::LimitsConfig;
pub use pool::Pool;
pub use reload::{Reload, Shadow};
pub use schedule::{Schedule, ScheduleError};
pub use secret::{Secret, SecretMap};

/// Settings that loading connectors depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectorsConfig {
    /// Directory of the components, `*.wasm`.
    pub components: PathBuf,
    /// Directory of the last known good components.
    pub last_known_good: PathBuf,
    /// How changed components are detected and loaded.
    pub reload: Reload,
    /// Connectors of base records in the order in which the host tries them.
    pub base_registers: Vec<ConnectorId>,
    /// Settings of each connector, keyed by its id.
    pub connector: BTreeMap<ConnectorId, ConnectorConfig>,
}
