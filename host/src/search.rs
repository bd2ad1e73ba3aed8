//! The name index: finds companies by a part of a name, a part of a number, or facts.
//!
//! The index is derived from the store by following the revisions of companies. It can be deleted and rebuilt at any
//! time, and every host has its own. The store holds the data; the index only returns which companies match, and in
//! which order.

mod collect;
mod document;
mod filters;
mod follow;
mod index;
mod plan;
mod schema;
mod writing;

pub use filters::Filters;
pub use follow::{Candidate, Progress, Search, SearchError, Stepped};
pub use index::{Found, Hit, IndexError, NameIndex, Page};
pub use plan::Wanted;
