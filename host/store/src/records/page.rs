//! Records as one row, which the database sends for one statement.
//!
//! Read row by row, each record would cost a change of threads (`SQLite`) or a message, and each of its values an
//! allocation, which takes longer than finding it.

use sqlx::AssertSqlSafe;

use super::{StoreError, StoredRecord, TABLE};
use crate::content;
use crate::db::Db;

/// All records of a result: the database sends them as one row.
#[derive(sqlx::FromRow)]
pub(super) struct Page {
    /// A JSON array of [`Columns`].
    page: String,
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

impl Page {
    /// The records in key order. The last one is that at which their contents exceed `most_bytes` in total. Packed
    /// contents are smaller, so the statement may have returned too many.
    pub(super) fn records(&self, most_bytes: i64) -> Result<Vec<StoredRecord>, StoreError> {
        let unreadable = |why| StoreError::Unreadable { table: TABLE, why };
        let columns: Vec<Columns> = serde_json::from_str(&self.page)
            .map_err(|error| unreadable(format!("columns as JSON: {error}")))?;
        let mut contents = self.contents.as_deref().unwrap_or_default();
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
            if earlier > most_bytes {
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
}

/// Which records are selected, as SQL expressions.
pub(super) struct Selection<'a> {
    pub(super) generation: &'a str,
    pub(super) condition: &'a str,
    pub(super) limit: &'a str,
    pub(super) most_bytes: &'a str,
}

impl Selection<'_> {
    /// SQL: the first records in key order as a [`Page`], in any order: at most `limit`, and none after the record at
    /// which the contents exceed `most_bytes` in total, as stored.
    pub(super) fn page(&self, db: &Db) -> AssertSqlSafe<String> {
        self.page_with(db, "select page, contents from page")
    }

    /// SQL: like [`Self::page`], selected by another statement from the table `page`, which has one row.
    ///
    /// Sizes are summed before any content is read. Most pages are small enough; only for the others is the last record
    /// searched with running sums, which takes as long as reading the page.
    pub(super) fn page_with(&self, db: &Db, select: &str) -> AssertSqlSafe<String> {
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
        let columns = db.rows_of(&format!(
            "r.key, r.ico, r.name, r.name_key, r.city, r.postal_code, octet_length(r.content), {}",
            content::is_packed(db, "r.content")
        ));
        let contents = db.bytes_of("r.content");
        AssertSqlSafe(format!(
            "with sizes as (select r.key, octet_length(r.content) as bytes {from} order by r.key limit {limit}), \
             page as (select {columns} page, {contents} contents {from} \
             and r.key <= coalesce((select case when sum(bytes) <= {most_bytes} then max(key) end from sizes), \
             (select max(key) from \
             (select key, sum(bytes) over (order by key) - bytes as earlier from sizes) counted \
             where earlier <= {most_bytes}))) {select}"
        ))
    }
}
