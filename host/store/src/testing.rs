//! Fresh databases for unit tests of the store and for integration tests.
//!
//! `PostgreSQL` is the server in `LUSTRA_TEST_POSTGRES`, otherwise a private one that the first test starts and that
//! ends with the process. If its programs are not installed, the `PostgreSQL` half of every test is skipped with a
//! message.

mod archiving;
mod cluster;
mod filling;

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::{ConnectorId, DatabaseKind, ScopeName, Store};
pub use archiving::ArchivingServer;
use cluster::Cluster;

/// Maximum connections of a test's store.
const CONNECTIONS: u32 = 4;

/// The connector with this id, which must be valid.
#[must_use]
pub fn connector_id(id: &str) -> ConnectorId {
    ConnectorId::parse(id).expect("a test names connectors correctly")
}

/// The scope with this name, which must be valid.
#[must_use]
pub fn scope_name(name: &str) -> ScopeName {
    ScopeName::parse(name).expect("a test names scopes correctly")
}

/// A private database of one test. A file is deleted on drop. A database on an external server is deleted by
/// [`TestDatabase::remove`].
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    location: DatabaseLocation,
}

#[derive(Debug)]
enum DatabaseLocation {
    Sqlite { _folder: tempfile::TempDir },
    Postgres { server: String, name: String },
}

impl TestDatabase {
    /// Creates an empty database file path in a temporary folder.
    #[must_use]
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let url = format!(
            "sqlite:{}",
            folder.path().join("folder/lustra.db").display()
        );
        Self {
            url,
            location: DatabaseLocation::Sqlite { _folder: folder },
        }
    }

    /// Creates a database on the server. `None`: there is no server.
    pub async fn postgres() -> Option<Self> {
        let server = tokio::task::spawn_blocking(server_url)
            .await
            .expect("finding the server does not panic")?;
        let (database, created) = fresh(&server);
        if let DatabaseLocation::Postgres { name, .. } = &database.location {
            execute(&server, format!("drop database if exists {name}")).await;
        }
        execute(&server, created).await;
        Some(database)
    }

    /// Creates a database on the private server, so that it and its copies disappear with the process. `None`: there is
    /// no private server.
    pub async fn postgres_to_copy() -> Option<Self> {
        if std::env::var("LUSTRA_TEST_POSTGRES").is_ok() {
            return None;
        }
        Self::postgres().await
    }

    /// Copies the database without its file of credits; its stores must be closed. `None`: the database cannot be
    /// copied.
    pub async fn copy(&self) -> Option<Self> {
        let copy = match &self.location {
            DatabaseLocation::Sqlite { .. } => {
                let copy = Self::sqlite();
                let (from, to) = (self.file()?, copy.file()?);
                let log = from.with_extension("db-wal");
                assert!(!log.exists(), "a part of the database is in {log:?}");
                std::fs::create_dir_all(to.parent()?).expect("tests can write temporary files");
                std::fs::copy(from, to).expect("tests can write temporary files");
                copy
            }
            DatabaseLocation::Postgres { server, name } => {
                let (copy, created) = fresh(server);
                execute(server, format!("{created} template {name}")).await;
                copy
            }
        };
        Some(copy)
    }

    /// Path of the database file. `None` on `PostgreSQL`.
    fn file(&self) -> Option<&Path> {
        self.url.strip_prefix("sqlite:").map(Path::new)
    }

    /// Creates a database of each available kind.
    pub async fn of_each_kind() -> Vec<Self> {
        let mut databases = vec![Self::sqlite()];
        databases.extend(Self::postgres().await);
        databases
    }

    /// The database URL for [`Store::connect`].
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    #[must_use]
    pub fn kind(&self) -> DatabaseKind {
        match self.location {
            DatabaseLocation::Sqlite { .. } => DatabaseKind::Sqlite,
            DatabaseLocation::Postgres { .. } => DatabaseKind::Postgres,
        }
    }

    /// Opens a store in the database.
    pub async fn store(&self) -> Store {
        Store::connect(&self.url, CONNECTIONS)
            .await
            .expect("a fresh database can be opened")
    }

    /// Deletes the database; its stores must be closed.
    pub async fn remove(self) {
        if let DatabaseLocation::Postgres { server, name } = &self.location {
            execute(
                server,
                format!("drop database if exists {name} with (force)"),
            )
            .await;
        }
    }
}

/// A new database name on the server, and the statement that creates the database.
fn fresh(server: &str) -> (TestDatabase, String) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("lustra_test_{}_{count}", std::process::id());
    let mut url = url::Url::parse(server).expect("the server's address is a URL");
    url.set_path(&name);
    let created = format!("create database {name}");
    let location = DatabaseLocation::Postgres {
        server: server.to_owned(),
        name,
    };
    let url = url.to_string();
    (TestDatabase { url, location }, created)
}

/// Runs a test's body on a fresh store of each kind of database, on all of them at the same time. A failure names the
/// database.
pub async fn on_each_database<F>(body: impl Fn(Store) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let databases = TestDatabase::of_each_kind().await;
    let on_one = async |database: TestDatabase| {
        let store = database.store().await;
        let outcome = tokio::spawn(body(store.clone())).await;
        store.close().await;
        let kind = database.kind();
        database.remove().await;
        (kind, outcome.is_ok())
    };
    for (kind, is_ok) in join_all(databases.into_iter().map(on_one)).await {
        assert!(is_ok, "the test failed on {kind:?}; its panic is above");
    }
}

/// URL of the server; it is found or started once per process.
fn server_url() -> Option<String> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    if let Ok(url) = std::env::var("LUSTRA_TEST_POSTGRES") {
        return Some(url);
    }
    CLUSTER
        .get_or_init(Cluster::start)
        .as_ref()
        .map(Cluster::url)
}

async fn execute(server: &str, statement: String) {
    let options: sqlx_postgres::PgConnectOptions =
        server.parse().expect("the server's address is valid");
    let mut connection = options.connect().await.expect("the test server answers");
    sqlx::query(AssertSqlSafe(statement))
        .execute(&mut connection)
        .await
        .expect("tests may make databases");
    connection.close().await.expect("the test server answers");
}
