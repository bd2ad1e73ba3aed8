//! Why the store could not answer.
//!
//! Callers decide one thing: is the database away for a while, or is something wrong? Operators read the [`Cause`], in
//! logs and in the errors of commands; clients of the API never see it.

pub use super::cause::Cause;

/// Why the store could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is out of reach or overloaded: worth trying again later.
    #[error("the database is unavailable: {}", Cause::of(.0))]
    Unavailable(#[source] sqlx::Error),
    /// The database refused a statement: a bug, a broken constraint or a broken database.
    #[error("the database failed: {}", Cause::of(.0))]
    Database(#[source] sqlx::Error),
    /// The database could not be opened.
    #[error("the database {address} cannot be opened: {}", cause_of(.error))]
    Opening {
        /// Its address, without a password.
        address: String,
        /// Why.
        #[source]
        error: Box<Self>,
    },
    /// A stored value is not what this version writes.
    #[error("a stored value of {table} is unreadable: {why}")]
    Unreadable {
        /// The table it stands in.
        table: &'static str,
        /// The column and what is wrong with it.
        why: String,
    },
    /// The address of the database is none. The text names the mistake and never repeats the address, which may
    /// contain a password.
    #[error("the address of the database is invalid: {0}")]
    InvalidUrl(String),
}

impl StoreError {
    /// Whether the same call may succeed later without anybody doing anything.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Unavailable(_) => true,
            Self::Opening { error, .. } => error.is_unavailable(),
            Self::Database(_) | Self::Unreadable { .. } | Self::InvalidUrl(_) => false,
        }
    }

    /// What is wrong with the database. `None`: the database itself is in order.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        match self {
            Self::Unavailable(error) | Self::Database(error) => Some(Cause::of(error)),
            Self::Opening { error, .. } => error.cause(),
            Self::Unreadable { .. } | Self::InvalidUrl(_) => None,
        }
    }

    /// As the error of opening the database of an address, which has no password in it.
    pub(super) fn opening(self, address: String) -> Self {
        let error = Box::new(self);
        Self::Opening { address, error }
    }

    /// For statements that read typed rows: names the table of a value that does not parse.
    pub(super) fn reading(table: &'static str) -> impl Fn(sqlx::Error) -> Self {
        move |error| {
            if let sqlx::Error::ColumnDecode { index, source } = error {
                return Self::Unreadable {
                    table,
                    why: format!("column {index}: {source}"),
                };
            }
            Self::from(error)
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if Cause::of(&error).may_pass() {
            Self::Unavailable(error)
        } else {
            Self::Database(error)
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::from(sqlx::Error::from(error))
    }
}

/// The cause of an error on its own, since what it belongs to is said before it.
fn cause_of(error: &StoreError) -> String {
    error
        .cause()
        .map_or_else(|| error.to_string(), |cause| cause.to_string())
}
