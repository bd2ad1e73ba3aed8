//! The toolkit for writing connectors.
//!
//! A connector is a crate with a `manifest.json`, a type that implements the abilities it has, and one line:
//!
//! ```ignore
//! lustra_sdk::export!(Replik: Enrichment);
//! ```
//!
//! Asking and reading are apart: functions that read bytes are pure and run natively over fixtures; the imports of
//! [`http`], [`records`], [`companies`] and [`runtime`] answer from a [`testing::TestHost`] when the crate is built
//! for anything but WebAssembly, so that a whole look-up can be tested without a host too.

// The macros name this crate as connectors do.
extern crate self as lustra_sdk;

#[cfg(all(feature = "allocator", target_family = "wasm"))]
mod allocator;
#[doc(hidden)]
pub mod bindings;

pub mod companies;
mod export;
pub mod failure;
pub mod formats;
pub mod http;
mod json;
#[cfg(feature = "sheet")]
pub mod listed;
mod notes;
pub mod records;
pub mod runtime;
pub mod settings;
pub mod snapshot;
#[cfg(feature = "xml")]
pub mod tax_lists;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod traits;
pub mod unread;
mod verdict;

pub use bindings::base::lustra::connector::types::{
    Address, Company, CompanyStatus, Drift, Evidence, Failure, Field,
};
pub use bindings::company_source::exports::lustra::connector::company_source::CompanyKey;
pub use bindings::enrichment::exports::lustra::connector::enrichment::{Section, Subject};
pub use bindings::importer::exports::lustra::connector::importer::{Batch, Item};
pub use failure::malformed;
#[cfg(feature = "csv")]
pub use formats::csv;
pub use formats::fingerprint::fingerprint;
#[cfg(feature = "html")]
pub use formats::html;
#[cfg(feature = "sheet")]
pub use formats::sheet;
#[cfg(feature = "xml")]
pub use formats::xml;
pub use formats::{amount, calendar, charset, date, entities, iban, ico, legal_form, person, text};
pub use json::to_json;
pub use notes::Notes;
pub use traits::{CompanySource, Enrichment, ImportRun, Importer};
pub use verdict::Verdict;

/// The serde crates, re-exported so that connectors and this crate use the same versions.
pub use serde;
pub use serde_json;
