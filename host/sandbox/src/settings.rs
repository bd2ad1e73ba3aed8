//! What operators set about connectors. The program reads these types from its settings file as parts of a whole.

mod connector;
mod limits;
mod pool;
mod reload;
mod schedule;
mod secret;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use connector::{ConnectorConfig, DatasetConfig, ScopeConfig, UpstreamConfig};
pub use limits::LimitsConfig;
pub use pool::Pool;
pub use reload::{Reload, Shadow};
pub use schedule::{Schedule, ScheduleError};
pub use secret::{Secret, SecretMap};

/// Everything that loading connectors depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectorsConfig {
    /// Directory of the components, `*.wasm`.
    pub components: PathBuf,
    /// Directory of the last component of each connector that loaded.
    pub last_known_good: PathBuf,
    /// How changed components are taken up.
    pub reload: Reload,
    /// Connectors of base records in the order in which they are asked.
    pub base_registers: Vec<String>,
    /// Settings of each connector, by its id.
    pub connector: BTreeMap<String, ConnectorConfig>,
}
