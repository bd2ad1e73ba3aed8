//! The name index: which companies somebody means who types a part of a name, of a number, or some facts.
//!
//! It is derived from the store by following the revisions of companies, so it can be thrown away and made again at
//! any time, and every host has its own. What is in the store is the truth; the index only says which companies, and
//! in which order.

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
