//! Records of published datasets.
//!
//! Each query also selects the published generation in the same statement, or is given one, so a result never mixes two
//! generations.

use sqlx::AssertSqlSafe;

use super::content::StoredContent;
use super::db::{end_of_prefix, list, on};
use super::{ConnectorId, Store, StoreError};

const TABLE: &str = "dataset_record";

/// A record of a published list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    pub key: String,
    pub ico: Option<String>,
    pub name: Option<String>,
    pub name_key: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    /// JSON text, as imported.
    pub content: String,
}

/// A record whose content may be packed.
#[derive(sqlx::FromRow)]
struct Row {
    key: String,
    ico: Option<String>,
    name: Option<String>,
    name_key: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    content: StoredContent,
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

/// Selects records that match `$condition`, in key order: at most `$limit`, and none after the record at which the
/// contents exceed `$bytes` bytes in total, as stored. Sizes are summed before any content is read. Most pages are small
/// enough; only for the others is the last record searched with running sums, which takes as long as reading the page.
macro_rules! select_records {
    ($condition:literal, $limit:literal, $bytes:literal) => {
        select_records!(of "d.generation", $condition, $limit, $bytes)
    };
    (of $generation:literal, $condition:literal, $limit:literal, $bytes:literal) => {
        concat!(
            "with page as (select r.key, octet_length(r.content) as bytes from dataset d ",
            "join dataset_record r on r.dataset_id = d.id and r.generation = ",
            $generation,
            " where d.connector = $1 and d.dataset = $2 and ",
            $condition,
            " order by r.key limit ",
            $limit,
            ") select r.key, r.ico, r.name, r.name_key, r.city, r.postal_code, r.content from dataset d ",
            "join dataset_record r on r.dataset_id = d.id and r.generation = ",
            $generation,
            " where d.connector = $1 and d.dataset = $2 and ",
            $condition,
            " and r.key <= coalesce((select case when sum(bytes) <= ",
            $bytes,
            " then max(key) end from page), (select max(key) from ",
            "(select key, sum(bytes) over (order by key) - bytes as earlier from page) counted where earlier <= ",
            $bytes,
            ")) order by r.key"
        )
    };
}

/// Selects the names of at most `$limit` records that match `$condition`, in key order.
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

    /// Limits the size of each result: the last record is the one at which the contents exceed this many bytes in
    /// total.
    #[must_use]
    pub fn within(self, bytes: u64) -> Self {
        let most_bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        Self { most_bytes, ..self }
    }

    /// Unpacks contents up to the maximum size in total. Packed contents are smaller, so the statement may have returned
    /// too many.
    fn unpacked(self, rows: Vec<Row>) -> Result<Vec<StoredRecord>, StoreError> {
        let mut earlier = 0_i64;
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            if earlier > self.most_bytes {
                break;
            }
            let size = i64::try_from(row.content.size()).unwrap_or(i64::MAX);
            earlier = earlier.saturating_add(size);
            let unpacked = row.content.unpack();
            let content = unpacked.map_err(|error| StoreError::Unreadable {
                table: TABLE,
                why: format!("column content: {error}"),
            })?;
            records.push(StoredRecord {
                key: row.key,
                ico: row.ico,
                name: row.name,
                name_key: row.name_key,
                city: row.city,
                postal_code: row.postal_code,
                content,
            });
        }
        Ok(records)
    }

    /// At most `limit` records of one company after a key, in key order.
    pub async fn by_company(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        ico: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_records!("r.ico = $3 and r.key > $4", "$5", "$6");
        let rows: Vec<Row> = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(ico)
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.unpacked(rows)
    }

    /// At most `limit` records after a key whose own key begins with the text, in key order.
    pub async fn by_key_prefix(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        prefix: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_records!("r.key >= $3 and r.key < $4 and r.key > $5", "$6", "$7");
        let rows: Vec<Row> = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(prefix)
            .bind(end_of_prefix(prefix))
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.unpacked(rows)
    }

    /// Records with these keys, in key order.
    pub async fn by_keys(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        keys: &[&str],
    ) -> Result<Vec<StoredRecord>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(select_records!("{0}", "$4", "$5"), db.is_listed("r.key", 3));
        let rows: Vec<Row> = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(connector)
            .bind(dataset)
            .bind(list(keys.iter().copied()))
            .bind(i64::try_from(keys.len()).unwrap_or(i64::MAX))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.unpacked(rows)
    }

    /// At most `limit` records of a generation after a key, in key order. The generation may be an earlier one, or
    /// gone.
    pub async fn of_generation(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        generation: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_records!(of "$3", "r.key > $4", "$5", "$6");
        let rows: Vec<Row> = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(generation)
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.unpacked(rows)
    }

    /// Records of a generation with these keys, in key order.
    pub async fn of_generation_by_keys(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        generation: i64,
        keys: &[&str],
    ) -> Result<Vec<StoredRecord>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            select_records!(of "$3", "{0}", "$5", "$6"),
            db.is_listed("r.key", 4)
        );
        let rows: Vec<Row> = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(connector)
            .bind(dataset)
            .bind(generation)
            .bind(list(keys.iter().copied()))
            .bind(i64::try_from(keys.len()).unwrap_or(i64::MAX))
            .bind(self.most_bytes)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.unpacked(rows)
    }

    /// Names of records with exactly this folded name (at most `equal`) or whose folded name begins with the prefix (at
    /// most `alike`), in key order; restricted to the postal code if given.
    pub async fn names(
        &self,
        connector: &ConnectorId,
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
