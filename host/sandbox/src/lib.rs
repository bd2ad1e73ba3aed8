//! Connectors: loads components, limits what they may do, and calls them.
//!
//! [`component`] admits a component, the [`cache`] compiles it, and [`calls`] runs each look-up in a store of its own.
//! [`imports`] and, for the network, [`egress`] define what it can reach. The [`catalogue`] lists the connectors and
//! the connector of each scope; [`reload`] replaces it while the host runs.

pub mod background_runtime;
pub mod bindings;
mod body_handle;
pub mod breaker;
pub mod build;
pub mod cache;
pub mod call_failure;
pub mod calls;
pub mod cassette;
pub mod catalogue;
pub mod clock;
mod code;
mod code_file;
pub mod compile;
pub mod component;
pub mod configured;
pub mod cpu;
pub mod dataset_catalogue;
pub mod egress;
pub mod engine;
mod fingerprint;
pub mod fixtures;
pub mod guest_log;
pub mod imports;
mod last_known_good;
pub mod limits;
pub mod linker;
pub mod manifest;
pub mod names;
mod optimize;
pub mod package;
pub mod plain_text;
pub mod precompile;
pub mod precompiled;
mod record_pages;
pub mod recording;
pub mod refusal;
pub mod reload;
pub mod replay;
pub mod retry_after;
mod running;
pub mod settings;
mod shadow;
pub mod single_pass;
pub mod state;
pub mod stats;
mod stderr;
mod strict_json;
pub mod subject;
pub mod time_slice;

pub use call_failure::CallFailure;
pub use component::Loaded;
pub use configured::{SettingValues, grant_of};
pub use refusal::{Refusal, Stage};
pub use running::Connectors;
pub use shadow::ShadowReport;
pub use stats::Cost;
