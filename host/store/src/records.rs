//! Records of published datasets.
//!
//! Each query also selects the published generation in the same statement, or is given one, so a result never mixes two
//! generations.

mod page;

use self::page::{Page, Selection};
use super::datasets::{self, DatasetState};
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

/// The state of a dataset and some of its records.
pub type StateAndRecords = (DatasetState, Result<Vec<StoredRecord>, StoreError>);

#[derive(sqlx::FromRow)]
struct StateAndPage {
    #[sqlx(flatten)]
    state: DatasetState,
    #[sqlx(flatten)]
    page: Page,
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
        page.records(self.most_bytes)
    }

    /// The state of a dataset and at most its first `limit` records of one company, in key order. An unreadable record
    /// does not cost the state. `None`: the dataset was never run or scheduled.
    pub async fn by_company_with_state(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        ico: &str,
        limit: u32,
    ) -> Result<Option<StateAndRecords>, StoreError> {
        let db = &self.store.reads;
        let selection = Selection {
            generation: "d.generation",
            condition: "r.ico = $3",
            limit: "$4",
            most_bytes: "$5",
        };
        let sql = selection.page_with(db, datasets::SELECT_STATE_WITH_PAGE);
        let found: Option<StateAndPage> = on!(db, |pool| sqlx::query_as(sql)
            .bind(connector)
            .bind(dataset)
            .bind(ico)
            .bind(i64::from(limit))
            .bind(self.most_bytes)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        Ok(found.map(|found| (found.state, found.page.records(self.most_bytes))))
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
        page.records(self.most_bytes)
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
        page.records(self.most_bytes)
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
        page.records(self.most_bytes)
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
        page.records(self.most_bytes)
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
