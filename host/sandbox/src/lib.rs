//! Connectors: loading components, what they may do, and calling them.
//!
//! A component is admitted in [`component`], compiled through the [`cache`], and called through [`calls`] in a store of
//! its own for each look-up. What it can reach is in [`imports`] and, for the network, [`egress`]. The [`catalogue`]
//! says which connectors there are and which scope is whose; [`reload`] changes it while the host runs.

pub mod bindings;
pub mod breaker;
pub mod build;
pub mod cache;
pub mod calls;
pub mod catalogue;
pub mod clock;
pub mod compile;
pub mod component;
pub mod configured;
pub mod cpu;
pub mod egress;
pub mod engine;
pub mod fixtures;
pub mod guest_log;
pub mod imports;
mod kept;
pub mod limits;
pub mod manifest;
pub mod names;
pub mod offered;
pub mod package;
pub mod plain_text;
pub mod reload;
mod running;
pub mod schemas;
pub mod settings;
mod shadow;
pub mod state;
pub mod stats;
mod stderr;
mod strict_json;
pub mod subject;
pub mod tape;

pub use calls::{CallFailure, Cost};
pub use component::{Loaded, Stage};
pub use configured::{SettingValues, grant_of};
pub use running::Connectors;
