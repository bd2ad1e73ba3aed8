//! The history of a record: everything that the register publishes with a validity, from the first day on.
//!
//! [`published`] reads it from a record's JSON, tolerantly: an unreadable row is counted and left out. [`line`] reads
//! both the record and its history in one pass. [`kept`] is the form that an import stores, with the register's own
//! dates and one row for each published row, so that later versions can join rows in another way without a new import.
//! [`offices`] joins the rows of one person in one function, [`deposits`] assigns deposits to their holders, [`codes`]
//! holds the code lists, [`unknown`] counts what they do not have.

pub mod codes;
pub mod deposits;
pub mod kept;
pub mod line;
pub mod offices;
pub mod published;
pub mod unknown;

pub use kept::History;
