//! Records of published lists.
//!
//! Each question is one statement that also looks up the published generation, so an answer never mixes two lists.

use sqlx::AssertSqlSafe;

use super::db::{end_of_prefix, list, on};
use super::{Store, StoreError};

const TABLE: &str = "dataset_record";

/// A record of a published list.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredRecord {
    pub key: String,
    pub ico: Option<String>,
    pub name: Option<String>,
    /// The folded name.
    pub name_key: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    /// JSON text as the import gave it.
    pub content: String,
}

/// The name of a record of a published list.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RecordName {
    pub key: String,
    pub name: Option<String>,
}

/// Records of published lists.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    pub(super) store: &'a Store,
    most_bytes: i64,
}

/// Selects the records of `$condition` in the order of their keys: at most `$limit`, and none behind records that have
/// more than `$bytes` bytes of content together. Sizes are added up before any content is read.
macro_rules! select_records {
    ($condition:literal, $limit:literal, $bytes:literal) => {
        concat!(
            "with page as (select r.dataset_id, r.generation, r.key, octet_length(r.content) as bytes from dataset d ",
            "join dataset_record r on r.dataset_id = d.id and r.generation = d.generation ",
            "where d.connector = $1 and d.dataset = $2 and ",
            $condition,
            " order by r.key limit ",
            $limit,
            "), counted as (select dataset_id, generation, key, sum(bytes) over (order by key) - bytes as earlier ",
            "from page) select r.key, r.ico, r.name, r.name_key, r.city, r.postal_code, r.content from counted c ",
            "join dataset_record r on r.dataset_id = c.dataset_id and r.generation = c.generation and r.key = c.key ",
            "where c.earlier <= ",
            $bytes,
            " order by r.key"
        )
    };
}

/// Selects names of the records of `$condition` in the order of their keys, at most `$limit`.
macro_rules! select_names {
    ($condition:literal, $limit:literal) => {
        concat!(
            "select r.key, r.name from dataset d ",
            "join dataset_record r on r.dataset_id = d.id and r.generation = d.generation ",
            "where d.connector = $1 and d.dataset = $2 and ($8 is null or r.postal_code = $8) and ",
            $condition,
            " order by r.key limit ",
            $limit
        )
    };
}

impl<'a> Records<'a> {
    pub(super) fn of(store: &'a Store) -> Self {
        Self {
            store,
            most_bytes: i64::MAX,
        }
    }

    /// Bounds each answer: it ends with the record by which its contents have more than so many bytes together.
    #[must_use]
    pub fn within(self, bytes: u64) -> Self {
        let most_bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        Self { most_bytes, ..self }
    }

    /// Records of one company behind the key, in the order of their keys, at most `limit`.
    pub async fn by_company(
        &self,
        connector: &str,
        dataset: &str,
        ico: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_records!("r.ico = $3 and r.key > $4", "$5", "$6");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(ico)
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Records whose key begins with the text and lies behind another, in the order of their keys, at most `limit`.
    pub async fn by_key_prefix(
        &self,
        connector: &str,
        dataset: &str,
        prefix: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_records!("r.key >= $3 and r.key < $4 and r.key > $5", "$6", "$7");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(prefix)
            .bind(end_of_prefix(prefix))
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Records with these keys, in the order of their keys.
    pub async fn by_keys(
        &self,
        connector: &str,
        dataset: &str,
        keys: &[&str],
    ) -> Result<Vec<StoredRecord>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(select_records!("{}", "$4", "$5"), db.is_listed("r.key", 3));
        on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(connector)
            .bind(dataset)
            .bind(list(keys.iter().copied()))
            .bind(i64::try_from(keys.len()).unwrap_or(i64::MAX))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Names of records that have the folded name (at most `equal`) or whose folded name begins with the prefix (at most
    /// `alike`), in the order of their keys; only those with the postal code, where one is given.
    pub async fn names(
        &self,
        connector: &str,
        dataset: &str,
        (name_key, equal): (&str, u32),
        (prefix, alike): (&str, u32),
        postal_code: Option<&str>,
    ) -> Result<Vec<RecordName>, StoreError> {
        const FIND: &str = concat!(
            "select key, name from (",
            select_names!("r.name_key = $3", "$4"),
            ") equal union select key, name from (",
            select_names!("r.name_key >= $5 and r.name_key < $6", "$7"),
            ") alike order by key"
        );
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(name_key)
            .bind(i64::from(equal))
            .bind(prefix)
            .bind(end_of_prefix(prefix))
            .bind(i64::from(alike))
            .bind(postal_code)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }
}
