//! Autocomplete with a database alone: `SQLite`'s FTS5 with prefix indexes, and `PostgreSQL` with trigrams. Both
//! contain the same names and return the same number of results, in their own order of relevance.

use std::path::Path;
use std::time::{Duration, Instant};

use lustra_tests::lustra::names;
use lustra_tests::lustra::store::CompanyToFind;
use lustra_tests::lustra::store::testing::TestDatabase;
use sqlx::{ConnectOptions, QueryBuilder};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

/// Number of rows per insert statement.
const ROWS: usize = 1_000;

/// Names in a full-text table of `SQLite`.
pub struct Fts5(SqliteConnection);

impl Fts5 {
    /// Creates an empty table in a separate file.
    pub async fn create(folder: &Path) -> Self {
        let options = SqliteConnectOptions::new()
            .filename(folder.join("fts5.db"))
            .create_if_missing(true)
            .pragma("journal_mode", "wal")
            .pragma("cache_size", "-262144")
            .pragma("mmap_size", "4294967296");
        let mut connection = options.connect().await.expect("a fresh file");
        sqlx::query(
            "create virtual table names using fts5 (name, ico unindexed, city unindexed, \
             tokenize = \"unicode61 remove_diacritics 2\", prefix = '2 3 4')",
        )
        .execute(&mut connection)
        .await
        .expect("FTS5 is compiled in");
        Self(connection)
    }

    pub async fn insert(&mut self, companies: &[CompanyToFind]) {
        sqlx::query("begin")
            .execute(&mut self.0)
            .await
            .expect("a transaction");
        for rows in companies.chunks(ROWS) {
            let mut statement = QueryBuilder::new("insert into names (name, ico, city) ");
            statement.push_values(rows, |mut row, company| {
                row.push_bind(&company.name)
                    .push_bind(&company.ico)
                    .push_bind(&company.city);
            });
            statement
                .build()
                .execute(&mut self.0)
                .await
                .expect("they fit");
        }
        sqlx::query("commit")
            .execute(&mut self.0)
            .await
            .expect("a transaction");
    }

    /// Merges the segments of the full-text index.
    pub async fn optimize(&mut self) {
        sqlx::query("insert into names (names) values ('optimize')")
            .execute(&mut self.0)
            .await
            .expect("the table is there");
    }

    /// Runs one query for the typed text. Returns its duration.
    pub async fn ask(&mut self, typed: &str, limit: i64) -> Duration {
        let folded = names::fold(typed);
        let words: Vec<String> = folded
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(|word| format!("\"{word}\""))
            .collect();
        let started = Instant::now();
        let rows = sqlx::query(
            "select name, ico, city from names where names match $1 order by rank limit $2",
        )
        .bind(format!("{}*", words.join(" ")))
        .bind(limit)
        .fetch_all(&mut self.0)
        .await
        .expect("the question is right");
        std::hint::black_box(rows);
        started.elapsed()
    }
}

/// Names in a table of `PostgreSQL` with an index of trigrams.
pub struct Trigrams {
    connection: PgConnection,
    database: TestDatabase,
}

impl Trigrams {
    /// Creates an empty table in a separate database. `None` if there is no server or it has no `pg_trgm`.
    pub async fn create() -> Option<Self> {
        let database = TestDatabase::postgres().await?;
        let options: PgConnectOptions = database.url().parse().expect("the address is valid");
        let mut connection = options.connect().await.expect("a fresh database");
        let made = sqlx::query("create extension pg_trgm")
            .execute(&mut connection)
            .await;
        if made.is_err() {
            database.remove().await;
            return None;
        }
        sqlx::query("create table names (name text, folded text, ico text, city text)")
            .execute(&mut connection)
            .await
            .expect("a fresh database");
        Some(Self {
            connection,
            database,
        })
    }

    pub async fn insert(&mut self, companies: &[CompanyToFind]) {
        for rows in companies.chunks(ROWS) {
            let mut statement = QueryBuilder::new("insert into names (name, folded, ico, city) ");
            statement.push_values(rows, |mut row, company| {
                row.push_bind(&company.name)
                    .push_bind(names::fold(&company.name))
                    .push_bind(&company.ico)
                    .push_bind(&company.city);
            });
            statement
                .build()
                .execute(&mut self.connection)
                .await
                .expect("they fit");
        }
    }

    /// Creates the trigram index.
    pub async fn optimize(&mut self) {
        for statement in [
            "create index names_folded on names using gin (folded gin_trgm_ops)",
            "vacuum analyze names",
        ] {
            sqlx::query(statement)
                .execute(&mut self.connection)
                .await
                .expect("the table is there");
        }
    }

    /// Runs one query for the typed text. Returns its duration.
    pub async fn ask(&mut self, typed: &str, limit: i64) -> Duration {
        let folded = names::fold(typed);
        let mut words = folded.split(' ').filter(|word| !word.is_empty());
        let pattern = |word: Option<&str>| word.map_or("%".to_owned(), |word| format!("%{word}%"));
        let (first, second) = (pattern(words.next()), pattern(words.next()));
        let started = Instant::now();
        let rows = sqlx::query(
            "select name, ico, city from names where folded like $1 and folded like $2 \
             order by similarity(folded, $3) desc limit $4",
        )
        .bind(first)
        .bind(second)
        .bind(folded.as_str())
        .bind(limit)
        .fetch_all(&mut self.connection)
        .await
        .expect("the question is right");
        std::hint::black_box(rows);
        started.elapsed()
    }

    /// Drops the database of the names.
    pub async fn end(self) {
        drop(self.connection);
        self.database.remove().await;
    }
}
