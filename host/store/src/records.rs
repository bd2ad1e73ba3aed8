//! Records of published datasets.
//!
//! Each query also selects the published generation in the same statement, or is given one, so a result never mixes two
//! generations.

use sqlx::AssertSqlSafe;

use super::db::{Db, end_of_prefix, list, on};
use super::{ConnectorId, Store, StoreError, content};

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

/// All records of a result: the database sends them as one row.
#[derive(sqlx::FromRow)]
struct Page {
    /// A JSON array of [`Columns`].
    records: String,
    /// The contents one after the other, as stored. `None` if there are no records.
    contents: Option<Vec<u8>>,
}

/// A record without its content.
#[derive(serde::Deserialize)]
struct Columns {
    key: String,
    ico: Option<String>,
    name: Option<String>,
    name_key: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    /// The size of the content as it is stored, in bytes.
    stored_bytes: usize,
    /// 1 if the content is packed, else 0.
    packed: u8,
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

/// Which records are selected, as SQL expressions.
struct Selection<'a> {
    generation: &'a str,
    condition: &'a str,
    limit: &'a str,
    most_bytes: &'a str,
}

impl Selection<'_> {
    /// SQL: the first records in key order as a [`Page`], in any order: at most `limit`, and none after the record at
    /// which the contents exceed `most_bytes` in total, as stored. Sizes are summed before any content is read. Most
    /// pages are small enough; only for the others is the last record searched with running sums, which takes as long
    /// as reading the page.
    fn page(&self, db: &Db) -> AssertSqlSafe<String> {
        let Self {
            generation,
            condition,
            limit,
            most_bytes,
        } = self;
        let from = format!(
            "from dataset d join dataset_record r on r.dataset_id = d.id and r.generation = {generation} \
             where d.connector = $1 and d.dataset = $2 and {condition}"
        );
        AssertSqlSafe(format!(
            "with page as (select r.key, octet_length(r.content) as bytes {from} order by r.key limit {limit}) \
             select {} records, {} contents {from} \
             and r.key <= coalesce((select case when sum(bytes) <= {most_bytes} then max(key) end from page), \
             (select max(key) from \
             (select key, sum(bytes) over (order by key) - bytes as earlier from page) counted \
             where earlier <= {most_bytes}))",
            db.rows_of(&format!(
                "r.key, r.ico, r.name, r.name_key, r.city, r.postal_code, octet_length(r.content), {}",
                content::is_packed(db, "r.content")
            )),
            db.bytes_of("r.content")
        ))
    }
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

    /// The records of a page in key order, up to the maximum size of their contents in total. Packed contents are
    /// smaller, so the statement may have returned too many.
    fn records_of(self, page: &Page) -> Result<Vec<StoredRecord>, StoreError> {
        let unreadable = |why| StoreError::Unreadable { table: TABLE, why };
        let columns: Vec<Columns> = serde_json::from_str(&page.records)
            .map_err(|error| unreadable(format!("columns as JSON: {error}")))?;
        let mut contents = page.contents.as_deref().unwrap_or_default();
        let mut stored = Vec::with_capacity(columns.len());
        for columns in columns {
            let (content, rest) =
                contents
                    .split_at_checked(columns.stored_bytes)
                    .ok_or_else(|| {
                        unreadable("the contents are shorter than their sizes".to_owned())
                    })?;
            contents = rest;
            stored.push((columns, content));
        }
        stored.sort_unstable_by(|(one, _), (other, _)| one.key.cmp(&other.key));
        let mut earlier = 0_i64;
        let mut records = Vec::with_capacity(stored.len());
        for (columns, content) in stored {
            if earlier > self.most_bytes {
                break;
            }
            let content = content::unpack(content, columns.packed == 1)
                .map_err(|error| unreadable(format!("column content: {error}")))?;
            earlier = earlier.saturating_add(i64::try_from(content.len()).unwrap_or(i64::MAX));
            records.push(StoredRecord {
                key: columns.key,
                ico: columns.ico,
                name: columns.name,
                name_key: columns.name_key,
                city: columns.city,
                postal_code: columns.postal_code,
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
        let db = &self.store.reads;
        let selection = Selection {
            generation: "d.generation",
            condition: "r.ico = $3 and r.key > $4",
            limit: "$5",
            most_bytes: "$6",
        };
        let sql = selection.page(db);
        let page: Page = on!(db, |pool| sqlx::query_as(sql)
            .bind(connector)
            .bind(dataset)
            .bind(ico)
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.records_of(&page)
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
        let db = &self.store.reads;
        let selection = Selection {
            generation: "d.generation",
            condition: "r.key >= $3 and r.key < $4 and r.key > $5",
            limit: "$6",
            most_bytes: "$7",
        };
        let sql = selection.page(db);
        let page: Page = on!(db, |pool| sqlx::query_as(sql)
            .bind(connector)
            .bind(dataset)
            .bind(prefix)
            .bind(end_of_prefix(prefix))
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.records_of(&page)
    }

    /// Records with these keys, in key order.
    pub async fn by_keys(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        keys: &[&str],
    ) -> Result<Vec<StoredRecord>, StoreError> {
        let db = &self.store.reads;
        let selection = Selection {
            generation: "d.generation",
            condition: &db.is_listed("r.key", 3),
            limit: "$4",
            most_bytes: "$5",
        };
        let sql = selection.page(db);
        let page: Page = on!(db, |pool| sqlx::query_as(sql)
            .bind(connector)
            .bind(dataset)
            .bind(list(keys.iter().copied()))
            .bind(i64::try_from(keys.len()).unwrap_or(i64::MAX))
            .bind(self.most_bytes)
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.records_of(&page)
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
        let db = &self.store.reads;
        let selection = Selection {
            generation: "$3",
            condition: "r.key > $4",
            limit: "$5",
            most_bytes: "$6",
        };
        let sql = selection.page(db);
        let page: Page = on!(db, |pool| sqlx::query_as(sql)
            .bind(connector)
            .bind(dataset)
            .bind(generation)
            .bind(after)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.records_of(&page)
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
        let selection = Selection {
            generation: "$3",
            condition: &db.is_listed("r.key", 4),
            limit: "$5",
            most_bytes: "$6",
        };
        let sql = selection.page(db);
        let page: Page = on!(db, |pool| sqlx::query_as(sql)
            .bind(connector)
            .bind(dataset)
            .bind(generation)
            .bind(list(keys.iter().copied()))
            .bind(i64::try_from(keys.len()).unwrap_or(i64::MAX))
            .bind(self.most_bytes)
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        self.records_of(&page)
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
