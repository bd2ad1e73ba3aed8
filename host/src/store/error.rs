//! Why the store could not answer.
//!
//! Callers decide one thing: is the database away for a while, or is something wrong?

/// Why the store could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is out of reach or overloaded: worth trying again later.
    #[error("the database is unavailable")]
    Unavailable(#[source] sqlx::Error),
    /// The database refused a statement: a bug, a broken constraint or a broken database.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),
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
        matches!(self, Self::Unavailable(_))
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
        if is_unavailable(&error) {
            Self::Unavailable(error)
        } else {
            Self::Database(error)
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        if let sqlx::migrate::MigrateError::Execute(error) = error {
            return Self::from(error);
        }
        Self::Database(sqlx::Error::from(error))
    }
}

fn is_unavailable(error: &sqlx::Error) -> bool {
    if let sqlx::Error::Database(refusal) = error {
        return refusal
            .code()
            .is_some_and(|code| is_code_of_unavailability(&code));
    }
    matches!(
        error,
        sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            // Not PostgreSQL's protocol: a proxy whose database is away, such as one that accepts and closes.
            | sqlx::Error::Protocol(_)
            | sqlx::Error::BeginFailed
            | sqlx::Error::WorkerCrashed
    )
}

/// `PostgreSQL`'s codes have five characters (classes: 08 connection, 57P0x shutdown, 53300 too many connections, 40P01
/// ended because two waited for each other);
/// `SQLite`'s are numbers whose low byte is the primary code.
fn is_code_of_unavailability(code: &str) -> bool {
    const SQLITE_BUSY: u32 = 5;
    const SQLITE_LOCKED: u32 = 6;
    const SQLITE_CANTOPEN: u32 = 14;
    if code.len() == 5 {
        return code.starts_with("08")
            || code.starts_with("57P0")
            || code == "53300"
            || code == "40P01";
    }
    let primary = code.parse::<u32>().map(|code| code & 0xff);
    primary.is_ok_and(|code| [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN].contains(&code))
}

#[cfg(test)]
mod tests {
    use super::is_code_of_unavailability;

    #[test]
    fn only_codes_of_absence_and_overload_are_unavailability() {
        for code in [
            "08006", "57P01", "57P03", "53300", "40P01", "5", "261", "517", "14", "6",
        ] {
            assert!(is_code_of_unavailability(code), "{code}");
        }
        for code in ["23505", "57014", "40001", "42P01", "1", "19", "2067", "11"] {
            assert!(!is_code_of_unavailability(code), "{code}");
        }
    }
}
