//! Settings: one file, read once, checked as a whole. [`reference`] lists all of them.
//!
//! No other module reads files or the environment for settings. A text value `env:NAME` is taken from the
//! environment, so that secrets can stay out of the file.

pub mod address;
mod batch;
pub mod check;
mod collections;
mod connections;
mod disk;
mod document;
mod files;
mod freshness;
mod imports;
mod ledger;
mod mail;
mod mistake;
mod network;
mod notifications;
mod operator;
mod plan;
mod read;
pub mod reference;
mod requests;
mod retention;
mod rules;
mod search;
mod sentinel;
mod smtp;
mod suggestion;
mod telemetry;
mod tls;
mod web;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

pub use crate::connectors::settings::{
    ConnectorConfig, ConnectorsConfig, DatasetConfig, LimitsConfig, Pool, Reload, ScopeConfig,
    Secret, SecretMap, Shadow, UpstreamConfig,
};
use crate::store::{ConnectorId, DatabaseSettings, Store, StoreError};

pub use batch::Batch;
pub use collections::Collections;
pub use connections::{Connections, Forwarded};
pub use disk::Disk;
pub use document::SettingSpans;
pub use files::Files;
pub use freshness::FreshnessConfig;
pub use imports::Imports;
pub use ledger::Ledger;
pub use mail::Mail;
pub use mistake::{ConfigError, ConfigFileError, Mistake, Problem};
pub use network::{InvalidNetwork, Network};
pub use notifications::Notifications;
pub use operator::Operator;
pub use plan::{Metering, Plan, RateLimits};
pub use requests::{Requests, Sandbox};
pub use retention::Retention;
pub use search::Search;
pub use sentinel::Sentinel;
pub use smtp::{Encryption, SmtpMistake, SmtpServer};
pub use telemetry::Telemetry;
pub use tls::Tls;
pub use web::{Lookup, Web};

/// All settings of a host.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Address and port of the API.
    pub listen: SocketAddr,
    /// Database: `sqlite:FILE`, or `postgres://user:password@host/database`, which several hosts may share. Default:
    /// the file `lustra.db` in `data`. Never logged.
    pub store: Option<Secret>,
    /// Database connections of this host; with SQLite those that read. At least 1.
    pub store_connections: u32,
    /// Timeouts of everything that waits for the database. On PostgreSQL the server enforces those of statements, locks
    /// and transactions too, so that a frozen host blocks no other host. A connection pooler between them must use
    /// session pooling.
    pub database: DatabaseSettings,
    /// Directory of this host's own files: the embedded database, compiled components, the name index.
    pub data: PathBuf,
    /// Free disk space, of `data` and of the database file.
    pub disk: Disk,
    /// Directory of the components, `*.wasm`. New, changed and deleted components are applied at once.
    pub components: PathBuf,
    /// Directory of compiled components and of the key that proves them, readable for this user only. Default:
    /// `compiled` in `data`.
    pub compiled: Option<PathBuf>,
    /// Directory of compiled components that were installed with the program, so that a first start compiles nothing;
    /// `lustra connector precompile` makes one. It must belong to root or to the program's owner, and no other user may
    /// write it. Default: none.
    pub precompiled: Option<PathBuf>,
    /// The pages for people: looking companies up, and the state of the service.
    pub web: Web,
    /// Maximum ages of data, and how long a response waits for fetches.
    pub freshness: FreshnessConfig,
    /// Limits of requests to the API.
    pub requests: Requests,
    /// Limits of client connections, of the API and of the operator's address each.
    pub connections: Connections,
    /// TLS of the API's address and, if wanted, of the operator's.
    pub tls: Tls,
    /// Traces of requests, sent to a receiver of OTLP.
    pub telemetry: Telemetry,
    /// The sandbox of invented companies.
    pub sandbox: Sandbox,
    /// The name index, which each host keeps below `data` and rebuilds from the database if necessary.
    pub search: Search,
    /// Lists of registers' subjects that connectors offer. Each host keeps an index of every requested one in memory.
    pub collections: Collections,
    /// The daily check of known companies. A source that no longer returns what it returned, or answers in an unknown
    /// form, is an error in the log, `degraded` in `/v1/status`, and counted in `/metrics`.
    pub sentinel: Sentinel,
    /// The pool of WebAssembly instances. Without enough address space, instances are created on demand.
    pub pool: Pool,
    /// How changed components and settings are applied at run time. Of the settings, `connector`, `plans`,
    /// `base_registers` and `reload` are applied; the others at the next start.
    pub reload: Reload,
    /// The address for operators and monitoring: `/metrics`, `/connectors`, and the commands `connector list`,
    /// `inspect` and `reload`. Metrics and JSON need no key, so keep it on a trusted network; pages need `operator.key`
    /// unless `listen` is a loopback address.
    pub operator: Operator,
    /// Imports of lists. Hosts on one PostgreSQL share them: each list is imported by one host at a time.
    pub imports: Imports,
    /// Batches of look-ups. Larger ones are jobs, which the hosts on one database share. The plan limits their size.
    pub batch: Batch,
    /// Lists of companies that clients send as CSV or XLSX, and imports of watch lists.
    pub files: Files,
    /// The ledger of credits, and when the host's clock is not trusted. `clock_ahead_hours` does not count as a jump.
    pub ledger: Ledger,
    /// E-mail. Hosts on one database share the messages and need the same settings.
    pub mail: Mail,
    /// Changes of watched companies and their delivery. Hosts on one database share the work and need the same
    /// settings.
    pub notifications: Notifications,
    /// How long old rows are kept.
    pub retention: Retention,
    /// What accounts may do, by the name of their plan. A file that names one plan must name all of them.
    pub plans: BTreeMap<String, Plan>,
    /// Connectors by the id in their manifest. A connector that is not named is not loaded.
    #[schemars(with = "BTreeMap<String, ConnectorConfig>")]
    pub connector: BTreeMap<ConnectorId, ConnectorConfig>,
    /// Order in which base registers are asked about a company that is not stored. Others follow by name.
    #[schemars(with = "Vec<String>")]
    pub base_registers: Vec<ConnectorId>,
    /// Advances the clock of the host and of all commands with these settings, to test months, expiries and refreshes.
    /// Each start prints a warning.
    pub clock_ahead_hours: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            store: None,
            store_connections: 16,
            database: DatabaseSettings::default(),
            data: PathBuf::from("lustra-data"),
            disk: Disk::default(),
            components: PathBuf::from("components"),
            compiled: None,
            precompiled: None,
            web: Web::default(),
            freshness: FreshnessConfig::default(),
            requests: Requests::default(),
            connections: Connections::default(),
            tls: Tls::default(),
            telemetry: Telemetry::default(),
            sandbox: Sandbox::default(),
            search: Search::default(),
            collections: Collections::default(),
            sentinel: Sentinel::default(),
            pool: Pool::default(),
            reload: Reload::default(),
            operator: Operator::default(),
            imports: Imports::default(),
            batch: Batch::default(),
            files: Files::default(),
            ledger: Ledger::default(),
            mail: Mail::default(),
            notifications: Notifications::default(),
            retention: Retention::default(),
            plans: plan::defaults(),
            connector: BTreeMap::new(),
            base_registers: vec![ConnectorId::parse("rpo").expect("its form is right")],
            clock_ahead_hours: 0,
        }
    }
}

impl Config {
    /// Combines these settings with the reloadable ones of `other`: connectors, plans, the order of base
    /// registers, and reload settings.
    #[must_use]
    pub fn with_changes_of(&self, other: Self) -> Self {
        Self {
            connector: other.connector,
            plans: other.plans,
            base_registers: other.base_registers,
            reload: other.reload,
            ..self.clone()
        }
    }

    /// Names of the settings that differ and take effect only at the next start.
    #[must_use]
    pub fn fixed_differences(&self, other: &Self) -> Vec<&'static str> {
        let differs = [
            ("listen", self.listen != other.listen),
            ("store", self.store != other.store),
            (
                "store_connections",
                self.store_connections != other.store_connections,
            ),
            ("database", self.database != other.database),
            ("data", self.data != other.data),
            ("disk", self.disk != other.disk),
            ("components", self.components != other.components),
            ("compiled", self.compiled != other.compiled),
            ("precompiled", self.precompiled != other.precompiled),
            ("web", self.web != other.web),
            ("freshness", self.freshness != other.freshness),
            ("requests", self.requests != other.requests),
            ("connections", self.connections != other.connections),
            ("tls", self.tls != other.tls),
            ("telemetry", self.telemetry != other.telemetry),
            ("sandbox", self.sandbox != other.sandbox),
            ("search", self.search != other.search),
            ("collections", self.collections != other.collections),
            ("sentinel", self.sentinel != other.sentinel),
            ("pool", self.pool != other.pool),
            ("operator", self.operator != other.operator),
            ("imports", self.imports != other.imports),
            ("batch", self.batch != other.batch),
            ("files", self.files != other.files),
            ("ledger", self.ledger != other.ledger),
            ("mail", self.mail != other.mail),
            ("notifications", self.notifications != other.notifications),
            ("retention", self.retention != other.retention),
            (
                "clock_ahead_hours",
                self.clock_ahead_hours != other.clock_ahead_hours,
            ),
        ];
        let names = differs.into_iter().filter(|(_, differs)| *differs);
        names.map(|(name, _)| name).collect()
    }

    /// The settings that loading connectors depends on.
    #[must_use]
    pub fn connectors(&self) -> ConnectorsConfig {
        ConnectorsConfig {
            components: self.components.clone(),
            last_known_good: self.data.join("kept"),
            reload: self.reload.clone(),
            base_registers: self.base_registers.clone(),
            connector: self.connector.clone(),
        }
    }

    /// Opens the store with at most `max_connections` connections and runs pending migrations.
    pub async fn open_store(&self, max_connections: u32) -> Result<Store, StoreError> {
        Store::connect_with(&self.store_url(), max_connections, self.database).await
    }

    /// Directory of compiled components: the setting, or `compiled` in `data`.
    #[must_use]
    pub fn compiled_components(&self) -> PathBuf {
        let default = || self.data.join("compiled");
        self.compiled.clone().unwrap_or_else(default)
    }

    #[must_use]
    pub fn store_url(&self) -> String {
        match &self.store {
            Some(url) => url.reveal().to_owned(),
            None => format!("sqlite:{}", self.data.join("lustra.db").display()),
        }
    }
}

#[cfg(test)]
mod tests;
