//! Lustra's host: it loads connectors, keeps what they give, and answers questions about companies over HTTP.
//!
//! `ARCHITECTURE.md` beside the README is the map. Arrows go one way: [`api`] calls the domain folders ([`companies`],
//! [`datasets`]), they call [`store`] and [`connectors`]; nothing calls back up.

pub mod api;
pub mod batches;
pub mod billing;
pub mod changes;
pub mod companies;
pub mod config;
pub mod datasets;
pub mod disk;
pub mod http_server;
pub mod mail;
pub mod notifications;
pub mod operator;
pub mod presence;
pub mod reload;
pub mod repeated;
pub mod sandbox;
pub mod search;
pub mod server;
pub mod worker;

pub use lustra_sandbox as connectors;
pub use lustra_sandbox::{clock, names, plain_text};
pub use lustra_store as store;
