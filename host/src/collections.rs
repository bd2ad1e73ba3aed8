//! Collections: datasets that connectors offer for listing and look-up.
//!
//! Each host keeps an index of every requested collection in memory. It selects and orders the items of one published
//! generation; their contents are read from the store. An index is built at the first request after a list was
//! published or its connector replaced, so it needs no worker and follows every host's imports.

mod blocking;
mod build;
mod column;
mod error;
mod fixed;
mod follow;
mod index;
mod item;
mod offered;
mod question;
mod unread;

pub use error::CollectionError;
pub use fixed::FixedCollection;
pub use follow::{CollectionState, Collections};
pub use index::{Index, IndexBuilder};
pub use item::{Company, Listed};
pub use offered::Offered;
pub use question::{Question, Sought};
pub use unread::Unread;
