//! Observations of the database.

use std::path::PathBuf;
use std::time::Duration;

use super::{Description, fail, ok, shown, warn};
use crate::store::DatabaseKind;

const MIB: u64 = 1 << 20;

/// What was observed of the database.
#[derive(Debug, Clone)]
pub enum DatabaseObservation {
    Answers {
        kind: DatabaseKind,
        version: String,
        schema: i64,
        bytes: u64,
        latency: Duration,
    },
    Missing(PathBuf),
    Failed(String),
    /// The file is damaged, or it is no database.
    Damaged(String),
    /// The role lacks a privilege.
    NotPermitted(String),
    /// It has no tables yet.
    Empty,
    /// The role may not create tables, which the pending migrations do.
    NoRightToCreate,
    Slow(Duration),
    MigrationsPending(usize),
    MigrationsNewer(usize),
    MigrationsChanged(Vec<i64>),
    WalSize {
        bytes: u64,
    },
    WalLarge {
        bytes: u64,
    },
    PoolFits {
        wanted: u32,
        used: u32,
        most: u32,
    },
    PoolTooLarge {
        wanted: u32,
        used: u32,
        most: u32,
    },
    Standby,
}

impl DatabaseObservation {
    pub(super) fn described(&self) -> Description {
        match self {
            Self::Answers {
                kind,
                version,
                schema,
                bytes,
                latency,
            } => {
                let name = match kind {
                    DatabaseKind::Sqlite => "SQLite",
                    DatabaseKind::Postgres => "PostgreSQL",
                };
                let (mib, latency) = (bytes / MIB, shown(*latency));
                let found =
                    format!("{name} {version} answers in {latency}; schema {schema}, {mib} MiB");
                ok("database_answers", found)
            }
            Self::Missing(path) => {
                let path = path.display();
                let found = format!("there is no database yet; the first start creates {path}");
                ok("database_missing", found)
            }
            Self::Failed(reason) => fail(
                "database_failed",
                reason,
                "check `store` in the settings, and that the database runs and accepts this user",
            ),
            Self::Damaged(reason) => fail(
                "database_failed",
                reason,
                "restore a backup with `lustra restore`; keep the damaged file until then",
            ),
            Self::NotPermitted(reason) => fail(
                "database_failed",
                reason,
                "name the role that owns the tables in `store`, or grant this role the privilege",
            ),
            Self::Empty => ok(
                "database_empty",
                "it is empty; the first start creates the tables",
            ),
            Self::NoRightToCreate => fail(
                "no_right_to_create",
                "the role may not create tables, so a start cannot apply the migrations",
                "make the role the owner of the database, or run `grant create, usage on schema public to ROLE`",
            ),
            Self::Slow(latency) => warn(
                "database_slow",
                format!("a round trip takes {}", shown(*latency)),
                "move the database nearer, or reduce its load",
            ),
            Self::MigrationsPending(pending) => warn(
                "migrations_pending",
                format!("it is of an earlier version: {pending} migrations are pending"),
                "make a backup; the next start applies them",
            ),
            Self::MigrationsNewer(newer) => warn(
                "migrations_newer",
                format!(
                    "a newer version of Lustra has used it: {newer} migrations are unknown here"
                ),
                "upgrade this program as soon as no older host is needed",
            ),
            Self::MigrationsChanged(versions) => fail(
                "migrations_changed",
                format!(
                    "these migrations were applied with another content than in this version: {versions:?}"
                ),
                "use an unmodified release of Lustra, or restore a backup",
            ),
            Self::WalSize { bytes } => ok(
                "wal_size",
                format!("the write-ahead log has {} MiB", bytes / MIB),
            ),
            Self::WalLarge { bytes } => warn(
                "wal_large",
                format!("the write-ahead log has grown to {} MiB", bytes / MIB),
                "end programs that read the database for long, and check replication and archiving",
            ),
            Self::PoolFits { wanted, used, most } => ok(
                "pool_fits",
                format!(
                    "{used} of {most} connections of the server are in use; this host opens up to {wanted}"
                ),
            ),
            Self::PoolTooLarge { wanted, used, most } => warn(
                "pool_too_large",
                format!(
                    "this host opens up to {wanted} connections, and {used} of the server's {most} are in use"
                ),
                "reduce store_connections, or raise max_connections of the server",
            ),
            Self::Standby => fail(
                "standby",
                "the server is a standby and accepts no writes",
                "name the primary server in `store`",
            ),
        }
    }
}
