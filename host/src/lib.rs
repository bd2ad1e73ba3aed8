//! Lustra's host: loads connectors, stores what they return, and serves company data over HTTP.
//!
//! `ARCHITECTURE.md` beside the README describes the system. Dependencies point one way: [`api`] calls the
//! domain modules ([`companies`], [`datasets`]), which call [`store`] and [`connectors`]. No call goes the
//! other way.

pub mod accounts;
pub mod api;
pub mod backup;
pub mod batches;
pub mod billing;
pub mod changes;
pub mod collections;
pub mod companies;
pub mod config;
pub mod context;
pub mod datasets;
pub mod disk;
pub mod doctor;
mod handlers;
mod html;
pub mod http_server;
pub mod language;
pub mod mail;
pub mod membership;
mod minute_limit;
pub mod notifications;
pub mod operator;
pub mod reload;
pub mod retention;
pub mod sandbox_companies;
pub mod sealing;
pub mod search;
pub mod server;
pub mod status;
pub mod tables;
mod trace;
pub mod warning_limiter;
pub mod watch_lists;
pub mod web;
pub mod worker;

pub use lustra_sandbox as connectors;
pub use lustra_sandbox::{clock, names, plain_text};
pub use lustra_store as store;
