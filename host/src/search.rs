//! The name index: finds companies by a part of the name or number, or by facts.
//!
//! Each host derives its own index from the store by following the companies' revisions, so it can be deleted
//! and rebuilt at any time. The store is authoritative; the index only selects and orders companies.

mod collect;
mod document;
mod error;
mod filters;
mod follow;
mod former_names;
mod index;
mod plan;
mod queries;
mod schema;
mod walk;
mod worker;
mod writing;

pub use error::SearchError;
pub use filters::Filters;
pub use follow::{Candidate, Progress, Search, Stepped};
pub use index::{Hit, IndexError, NameIndex, NumberHit};
pub use plan::SearchCriteria;
pub use walk::{Found, Page};
