//! Classifies database failures from the errors of both drivers.
//!
//! Only this file knows the drivers' codes: SQLSTATE of `PostgreSQL`, result codes of `SQLite`.
//! Invariant: the text of a cause never contains the password of an address or a value of a statement.

use std::fmt::{self, Display, Formatter};
use std::io;

use sqlx::migrate::MigrateError;

/// The problem of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The connection was refused: nothing listens at the address.
    Refused,
    /// No answer within the timeout of this side: a statement, a connection attempt or a lock.
    NoAnswer,
    /// The connection was lost.
    Lost,
    /// The peer does not speak the protocol, or TLS with it is not possible. Holds the driver's text.
    Foreign(String),
    /// The server offers no TLS, and the address requires it.
    NoTls,
    /// The host or the file is unreachable. Holds the text of the operating system.
    Unreachable(String),
    /// No connection in time: all connections of this host are in use, or none could be opened.
    NoConnection,
    /// This host has closed its store.
    Closed,
    /// The server has reached its connection limit.
    Crowded,
    /// Authentication failed: unknown role, wrong password or wrong method. Holds the server's text.
    Unauthenticated(String),
    /// The role lacks a privilege. Holds the server's text.
    NotPermitted(String),
    /// The server has no database of this name. Holds the server's text.
    NoSuchDatabase(String),
    /// The server is starting up or shutting down. Holds the server's text.
    Restarting(String),
    /// The server is a standby or read-only.
    Standby,
    /// The server cancelled a statement that exceeded its timeout.
    SlowStatement,
    /// A lock was not available in time.
    Locked,
    /// The server rolled back a transaction that was idle for too long.
    IdleTransaction,
    /// Two transactions waited for each other, and the server rolled this one back.
    Deadlock,
    DiskFull,
    /// The server is out of memory or another resource. Holds the server's text.
    Exhausted(String),
    /// The file is read-only.
    ReadOnlyFile,
    /// An input or output error of the disk.
    DiskFailed,
    CannotOpen,
    /// The file is not a database.
    NotADatabase,
    Damaged,
    /// An applied migration differs from the one of this version. Holds its number.
    MigrationChanged(i64),
    /// Any other error; a retry does not help. Holds the driver's text.
    Other(String),
}

impl Cause {
    /// Classifies an error of a driver.
    #[must_use]
    pub fn of(error: &sqlx::Error) -> Self {
        if let sqlx::Error::Database(refusal) = error {
            of_refusal(refusal.as_ref())
        } else if let sqlx::Error::Io(error) = error {
            of_io(error)
        } else if let sqlx::Error::Tls(error) = error {
            of_tls(&error.to_string())
        } else if let sqlx::Error::Protocol(error) = error {
            Self::Foreign(error.clone())
        } else if let sqlx::Error::Migrate(error) = error {
            of_migration(error)
        } else if matches!(error, sqlx::Error::PoolTimedOut) {
            Self::NoConnection
        } else if matches!(error, sqlx::Error::PoolClosed) {
            Self::Closed
        } else if matches!(error, sqlx::Error::WorkerCrashed | sqlx::Error::BeginFailed) {
            Self::Lost
        } else {
            Self::Other(error.to_string())
        }
    }

    /// Whether the same statement may succeed later without a code change: the database is unreachable, out of space or
    /// overloaded, or an operator must repair it.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Refused
            | Self::NoAnswer
            | Self::Lost
            | Self::Foreign(_)
            | Self::NoTls
            | Self::Unreachable(_)
            | Self::NoConnection
            | Self::Closed
            | Self::Crowded
            | Self::Unauthenticated(_)
            | Self::NoSuchDatabase(_)
            | Self::Restarting(_)
            | Self::Standby
            | Self::SlowStatement
            | Self::Locked
            | Self::IdleTransaction
            | Self::Deadlock
            | Self::DiskFull
            | Self::Exhausted(_)
            | Self::ReadOnlyFile
            | Self::DiskFailed
            | Self::CannotOpen => true,
            Self::NotPermitted(_)
            | Self::NotADatabase
            | Self::Damaged
            | Self::MigrationChanged(_)
            | Self::Other(_) => false,
        }
    }
}

impl Display for Cause {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let sentence = match self {
            Self::Refused => "nothing listens at its address (connection refused)",
            Self::NoAnswer => "it did not answer in time",
            Self::Lost => "the connection was lost",
            Self::NoConnection => {
                "no connection was free in time: all are in use, or the database is unreachable"
            }
            Self::NoTls => {
                "the server offers no TLS; sslmode=require (or verify-ca, verify-full) in its address needs it"
            }
            Self::Closed => "the store is closed",
            Self::Crowded => "the server accepts no more connections",
            Self::Standby => "the server accepts no writes: it is a standby or read-only",
            Self::SlowStatement => "the server cancelled a statement that took too long",
            Self::Locked => "a lock was not released in time",
            Self::IdleTransaction => {
                "the server rolled back a transaction that was idle for too long"
            }
            Self::Deadlock => {
                "deadlock: the server rolled back one of two transactions that waited for each other"
            }
            Self::DiskFull => "the disk is full",
            Self::ReadOnlyFile => "the file is read-only",
            Self::DiskFailed => "the disk failed",
            Self::CannotOpen => "the file cannot be opened",
            Self::NotADatabase => "the file is not a database",
            Self::Damaged => "the database is damaged",
            Self::MigrationChanged(version) => {
                return write!(
                    formatter,
                    "migration {version} was applied with a different content than in this version"
                );
            }
            Self::Foreign(why) => {
                return write!(formatter, "the peer is not a database of this kind: {why}");
            }
            Self::Unreachable(why) => return write!(formatter, "it is unreachable: {why}"),
            Self::Unauthenticated(why) => {
                return write!(formatter, "the server refused the login: {why}");
            }
            Self::NotPermitted(why) => {
                return write!(
                    formatter,
                    "the role lacks a privilege: {why}; make the role the owner of the database, or `grant` it the privilege"
                );
            }
            Self::NoSuchDatabase(why) => {
                return write!(formatter, "the server has no such database: {why}");
            }
            Self::Restarting(why) => {
                return write!(
                    formatter,
                    "the server is starting up or shutting down: {why}"
                );
            }
            Self::Exhausted(why) => {
                return write!(formatter, "the server is out of a resource: {why}");
            }
            Self::Other(why) => why,
        };
        formatter.write_str(sentence)
    }
}

fn of_io(error: &io::Error) -> Cause {
    use io::ErrorKind as Kind;
    const LOST: [Kind; 5] = [
        Kind::UnexpectedEof,
        Kind::ConnectionReset,
        Kind::ConnectionAborted,
        Kind::BrokenPipe,
        Kind::NotConnected,
    ];
    let kind = error.kind();
    if LOST.contains(&kind) {
        return Cause::Lost;
    }
    let known = [
        (Kind::ConnectionRefused, Cause::Refused),
        (Kind::TimedOut, Cause::NoAnswer),
        (Kind::StorageFull, Cause::DiskFull),
        (Kind::QuotaExceeded, Cause::DiskFull),
        (Kind::ReadOnlyFilesystem, Cause::ReadOnlyFile),
    ];
    known
        .into_iter()
        .find(|(of, _)| *of == kind)
        .map_or_else(|| Cause::Unreachable(error.to_string()), |(_, cause)| cause)
}

/// The driver has no code for a server without TLS, only this text. A test with such a server notices another one.
fn of_tls(why: &str) -> Cause {
    match why {
        "server does not support TLS" => Cause::NoTls,
        other => Cause::Foreign(other.to_owned()),
    }
}

fn of_migration(error: &MigrateError) -> Cause {
    if let MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) = error {
        Cause::of(error)
    } else if let MigrateError::VersionMismatch(version) = error {
        Cause::MigrationChanged(*version)
    } else {
        Cause::Other(error.to_string())
    }
}

fn of_refusal(refusal: &dyn sqlx::error::DatabaseError) -> Cause {
    let words = || refusal.message().to_owned();
    let code = refusal.code().unwrap_or_default();
    let known = if code.len() == 5 {
        of_sqlstate(&code, words)
    } else {
        of_sqlite(&code)
    };
    known.unwrap_or_else(|| Cause::Other(format!("{} (code {code})", words())))
}

/// Classifies a SQLSTATE of `PostgreSQL`; its first two characters are the class.
fn of_sqlstate(code: &str, words: impl Fn() -> String) -> Option<Cause> {
    Some(match code {
        "53100" => Cause::DiskFull,
        "53300" => Cause::Crowded,
        "40P01" => Cause::Deadlock,
        "57014" => Cause::SlowStatement,
        "55P03" => Cause::Locked,
        "25P03" => Cause::IdleTransaction,
        "25006" => Cause::Standby,
        "XX001" | "XX002" => Cause::Damaged,
        "42501" => Cause::NotPermitted(words()),
        "3D000" => Cause::NoSuchDatabase(words()),
        _ => match code.get(..2)? {
            "08" => Cause::Lost,
            "28" => Cause::Unauthenticated(words()),
            "53" => Cause::Exhausted(words()),
            "57" => Cause::Restarting(words()),
            "58" => Cause::DiskFailed,
            _ => return None,
        },
    })
}

/// Classifies a result code of `SQLite`; its low byte is the primary code.
fn of_sqlite(code: &str) -> Option<Cause> {
    Some(match code.parse::<u32>().ok()? & 0xff {
        5 | 6 => Cause::Locked,
        8 => Cause::ReadOnlyFile,
        10 => Cause::DiskFailed,
        11 => Cause::Damaged,
        13 => Cause::DiskFull,
        14 => Cause::CannotOpen,
        26 => Cause::NotADatabase,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Cause, of_sqlite, of_sqlstate};

    fn of_code(code: &str) -> Option<Cause> {
        if code.len() == 5 {
            of_sqlstate(code, String::new)
        } else {
            of_sqlite(code)
        }
    }

    #[test]
    fn codes_of_absence_and_overload_are_retryable() {
        for code in [
            "08006", "28P01", "3D000", "57P01", "57P03", "53300", "53100", "40P01", "57014",
            "55P03", "25P03", "25006", "5", "261", "517", "6", "8", "10", "13", "14",
        ] {
            assert!(
                of_code(code).is_some_and(|cause| cause.may_pass()),
                "{code}"
            );
        }
        for code in [
            "23505", "40001", "42P01", "42501", "XX001", "1", "19", "2067", "11", "26",
        ] {
            assert!(
                of_code(code).is_none_or(|cause| !cause.may_pass()),
                "{code}"
            );
        }
    }
}
