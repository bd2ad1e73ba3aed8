//! Why a collection could not answer.

use super::Unread;
use crate::store::StoreError;

/// Why a collection could not answer.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// The list was read and has no such item.
    #[error("there is no item with this id")]
    NoSuchItem,
    /// The list was not read.
    #[error("the list {} was not read: {}", .0.source, .0.why)]
    Unread(Unread),
    /// No record of the list fits the serving version of its connector, or the requested one does not.
    #[error("the list is stored in another form and will be read again at its next import")]
    OtherForm,
    /// The list is larger than the settings allow.
    #[error("the list is larger than this service can offer")]
    TooLarge,
    /// The list was replaced several times while it was being read.
    #[error("the list is being replaced")]
    Replaced,
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The task that built the index ended early.
    #[error("building the index was stopped: {0}")]
    Stopped(String),
}
