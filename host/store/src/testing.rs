//! Fresh databases for tests, here and in the integration tests.
//!
//! `PostgreSQL` is the server that `LUSTRA_TEST_POSTGRES` names, else a private one that the first test starts and
//! that ends with the process; where its programs are not installed, that half of every test is skipped aloud.

mod cluster;

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::{Kind, Store};
use cluster::Cluster;

/// Connections that a test's store opens at most.
const CONNECTIONS: u32 = 4;

/// A database that nobody else uses. A file is deleted with it; a database of a server that is not ours, by
/// [`TestDatabase::remove`].
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Sqlite { _folder: tempfile::TempDir },
    Postgres { server: String, name: String },
}

impl TestDatabase {
    /// A new file.
    #[must_use]
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let url = format!(
            "sqlite:{}",
            folder.path().join("folder/lustra.db").display()
        );
        Self {
            url,
            place: Place::Sqlite { _folder: folder },
        }
    }

    /// A new database of the server. None: there is no server.
    pub async fn postgres() -> Option<Self> {
        let server = tokio::task::spawn_blocking(server_url)
            .await
            .expect("finding the server does not panic")?;
        let (database, created) = fresh(&server);
        if let Place::Postgres { name, .. } = &database.place {
            execute(&server, format!("drop database if exists {name}")).await;
        }
        execute(&server, created).await;
        Some(database)
    }

    /// A new database of the server that the process itself started, whose copies and which itself end with the
    /// process. None: there is no such server.
    pub async fn postgres_to_copy() -> Option<Self> {
        if std::env::var("LUSTRA_TEST_POSTGRES").is_ok() {
            return None;
        }
        Self::postgres().await
    }

    /// A copy of it, after its stores were closed. None: it is not there to be copied.
    pub async fn copy(&self) -> Option<Self> {
        let copy = match &self.place {
            Place::Sqlite { .. } => {
                let copy = Self::sqlite();
                let (from, to) = (self.file()?, copy.file()?);
                std::fs::create_dir_all(to.parent()?).expect("tests can write temporary files");
                std::fs::copy(from, to).expect("tests can write temporary files");
                copy
            }
            Place::Postgres { server, name } => {
                let (copy, created) = fresh(server);
                execute(server, format!("{created} template {name}")).await;
                copy
            }
        };
        Some(copy)
    }

    /// The file, where it is one. Its journal is folded into it when the last store is closed.
    fn file(&self) -> Option<&Path> {
        self.url.strip_prefix("sqlite:").map(Path::new)
    }

    /// One of each kind that there is.
    pub async fn of_each_kind() -> Vec<Self> {
        let mut databases = vec![Self::sqlite()];
        databases.extend(Self::postgres().await);
        databases
    }

    /// Its address, for [`Store::connect`].
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.place {
            Place::Sqlite { .. } => Kind::Sqlite,
            Place::Postgres { .. } => Kind::Postgres,
        }
    }

    /// A store in it.
    pub async fn store(&self) -> Store {
        Store::connect(&self.url, CONNECTIONS)
            .await
            .expect("a fresh database can be opened")
    }

    /// Deletes it, after its stores were closed.
    pub async fn remove(self) {
        if let Place::Postgres { server, name } = &self.place {
            execute(
                server,
                format!("drop database if exists {name} with (force)"),
            )
            .await;
        }
    }
}

/// A database of the server under a name of its own, and the statement that creates it.
fn fresh(server: &str) -> (TestDatabase, String) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("lustra_test_{}_{count}", std::process::id());
    let mut url = url::Url::parse(server).expect("the server's address is a URL");
    url.set_path(&name);
    let created = format!("create database {name}");
    let place = Place::Postgres {
        server: server.to_owned(),
        name,
    };
    let url = url.to_string();
    (TestDatabase { url, place }, created)
}

/// Runs a test's body on a fresh store of each kind of database; a failure names the database.
pub async fn on_each_database<F>(body: impl Fn(Store) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        let outcome = tokio::spawn(body(store.clone())).await;
        store.close().await;
        let kind = database.kind();
        database.remove().await;
        assert!(
            outcome.is_ok(),
            "the test failed on {kind:?}; its panic is above"
        );
    }
}

/// The server's address, found or started once a process.
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
