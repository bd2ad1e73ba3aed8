//! Rows of lists, of which one unreadable row must not cost the others.

use sqlx::{FromRow, Row};

/// A row of a list. `None`: a stored value of it is unreadable, for example a word of a newer version. It is logged.
#[derive(Debug)]
pub(super) struct Readable<T>(Option<T>);

impl<T> Readable<T> {
    /// The rows that could be read.
    pub(super) fn all(rows: Vec<Self>) -> Vec<T> {
        rows.into_iter().filter_map(|row| row.0).collect()
    }
}

impl<'r, R: Row, T: FromRow<'r, R>> FromRow<'r, R> for Readable<T> {
    fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
        match T::from_row(row) {
            Ok(value) => Ok(Self(Some(value))),
            Err(error @ sqlx::Error::ColumnDecode { .. }) => {
                tracing::error!(%error, "a stored row is unreadable; leaving it out of a list");
                Ok(Self(None))
            }
            Err(error) => Err(error),
        }
    }
}
