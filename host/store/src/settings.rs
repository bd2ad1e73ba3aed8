//! Timeouts and limits of database access.

use schemars::JsonSchema;
use serde::Deserialize;

/// Access to the database: timeouts in milliseconds, and sizes in MiB. On `PostgreSQL` the server also enforces the
/// timeouts of statements, locks and transactions, so that a stopped host does not block the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DatabaseSettings {
    /// Timeout of the wait for a connection; with SQLite, for the write lock. At least 100.
    pub acquire_ms: u32,
    /// Timeout of a statement. It is cancelled, its connection is closed, and the request gets 503. At least 100.
    pub statement_ms: u32,
    /// Timeout of a statement of an import. At least `statement_ms`.
    pub import_statement_ms: u32,
    /// Timeout of the wait for a row lock; with SQLite, for another process that writes. At least 100.
    pub lock_ms: u32,
    /// Pause between two statements of a transaction, after which the server rolls it back. Less than `lock_ms`, so
    /// that a frozen host's locks are free in time. At least 100.
    pub idle_transaction_ms: u32,
    /// Timeout of the round trip that checks whether an idle connection is alive. 10 to `acquire_ms`.
    pub check_ms: u32,
    /// Time after which the server closes the connection of a host that does not respond. At least 1000.
    pub silent_host_ms: u32,
    /// Age at which a connection is replaced. At least 1000.
    pub lifetime_ms: u32,
    /// Idle time after which a connection is closed. At least 1000.
    pub idle_ms: u32,
    /// Only SQLite: this much of the file, from its beginning, is mapped into memory, which makes reading faster. The
    /// system can take the memory back, but counts it for each reading connection as memory of the process. After a
    /// fault of the disk the process ends instead of answering with an error. 0 switches it off; at most 2047.
    pub map_mib: u32,
}

impl Default for DatabaseSettings {
    fn default() -> Self {
        Self {
            acquire_ms: 3_000,
            statement_ms: 12_000,
            import_statement_ms: 60_000,
            lock_ms: 5_000,
            idle_transaction_ms: 4_000,
            check_ms: 1_000,
            silent_host_ms: 10_000,
            lifetime_ms: 1_800_000,
            idle_ms: 600_000,
            map_mib: 256,
        }
    }
}

impl DatabaseSettings {
    /// The mistakes in these settings, each with the setting's name.
    #[must_use]
    pub fn mistakes(&self) -> Vec<&'static str> {
        let rules = [
            (self.acquire_ms >= 100, "database.acquire_ms: at least 100"),
            (
                self.statement_ms >= 100,
                "database.statement_ms: at least 100",
            ),
            (
                self.import_statement_ms >= self.statement_ms,
                "database.import_statement_ms: at least database.statement_ms",
            ),
            (self.lock_ms >= 100, "database.lock_ms: at least 100"),
            (
                (100..self.lock_ms).contains(&self.idle_transaction_ms),
                "database.idle_transaction_ms: at least 100 and less than database.lock_ms",
            ),
            (
                (10..=self.acquire_ms).contains(&self.check_ms),
                "database.check_ms: at least 10 and at most database.acquire_ms",
            ),
            (
                self.silent_host_ms >= 1_000,
                "database.silent_host_ms: at least 1000",
            ),
            (
                self.lifetime_ms >= 1_000,
                "database.lifetime_ms: at least 1000",
            ),
            (self.idle_ms >= 1_000, "database.idle_ms: at least 1000"),
            // SQLite maps no more.
            (self.map_mib <= 2_047, "database.map_mib: at most 2047"),
        ];
        let broken = rules.into_iter().filter(|(holds, _)| !holds);
        broken.map(|(_, mistake)| mistake).collect()
    }
}
