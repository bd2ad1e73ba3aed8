//! Errors of searches and of updates of the index.

use super::index::IndexError;
use crate::store::StoreError;

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The index is being built. Holds the progress in percent.
    #[error("the search index is being built; {0} % is done")]
    Building(u8),
    /// The index failed; it will be checked.
    #[error("the search index failed")]
    Index(#[from] IndexError),
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// The directory of the indexes cannot be used.
    #[error("the directory of the search index cannot be used: {0}")]
    Folder(#[from] std::io::Error),
    /// A background task of the index stopped unexpectedly.
    #[error("the search index stopped: {0}")]
    Stopped(String),
}
