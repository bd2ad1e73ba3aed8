//! Errors of the store.
//!
//! Callers decide one thing: is the database temporarily away, or is something wrong? Operators read the [`Cause`] in
//! logs and in errors of commands; API clients never see it.

pub use super::cause::Cause;
use super::schema_refusal::SchemaRefusal;

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is unreachable or overloaded. A later retry may succeed.
    #[error("the database is unavailable: {}", Cause::of(.0))]
    Unavailable(#[source] sqlx::Error),
    /// The database rejected a statement: a bug, a violated constraint or a damaged database.
    #[error("the database failed: {}", Cause::of(.0))]
    Database(#[source] sqlx::Error),
    #[error("the database {address} cannot be opened: {}", cause_of(.error))]
    Opening {
        /// The database address without a password.
        address: String,
        #[source]
        error: Box<Self>,
    },
    /// A stored value has a form that this version does not write.
    #[error("a stored value of {table} is unreadable: {why}")]
    Unreadable {
        /// The table that holds the value.
        table: &'static str,
        /// The column and the problem.
        why: String,
    },
    /// The database address is malformed. The text names the mistake and never repeats the address, which may contain a
    /// password.
    #[error("the address of the database is invalid: {0}")]
    InvalidUrl(String),
    /// This program may not use the store, because of its schema.
    #[error("the database cannot be used: {0}")]
    Schema(#[from] SchemaRefusal),
}

impl StoreError {
    /// Whether a later retry of the same call may succeed without an operator or a code change.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Unavailable(_) => true,
            Self::Opening { error, .. } => error.is_unavailable(),
            Self::Database(_) | Self::Unreadable { .. } | Self::InvalidUrl(_) | Self::Schema(_) => {
                false
            }
        }
    }

    /// The problem of the database. `None`: the database itself is in order.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        match self {
            Self::Unavailable(error) | Self::Database(error) => Some(Cause::of(error)),
            Self::Opening { error, .. } => error.cause(),
            Self::Unreadable { .. } | Self::InvalidUrl(_) | Self::Schema(_) => None,
        }
    }

    /// Wraps the error of opening a database together with its address, which contains no password.
    pub(super) fn opening(self, address: String) -> Self {
        let error = Box::new(self);
        Self::Opening { address, error }
    }

    /// For statements that read typed rows: if a value does not parse, the error names the table.
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

/// The cause alone, because the outer error text already has the prefix.
fn cause_of(error: &StoreError) -> String {
    if let StoreError::Schema(refusal) = error {
        return refusal.to_string();
    }
    error
        .cause()
        .map_or_else(|| error.to_string(), |cause| cause.to_string())
}
