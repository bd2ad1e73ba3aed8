//! Records of published lists.
//!
//! Each question is one statement that also looks up the published generation, so an answer never mixes two lists.

use super::db::{end_of_prefix, on};
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

/// Records of published lists.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    pub(super) store: &'a Store,
}

macro_rules! select_record {
    ($condition:literal) => {
        concat!(
            "select r.key, r.ico, r.name, r.name_key, r.city, r.postal_code, r.content from dataset d ",
            "join dataset_record r on r.dataset_id = d.id and r.generation = d.generation ",
            "where d.connector = $1 and d.dataset = $2 and ",
            $condition
        )
    };
}

impl Records<'_> {
    /// Records of one company behind the key, in the order of their keys, at most `limit`.
    pub async fn by_company(
        &self,
        connector: &str,
        dataset: &str,
        ico: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_record!("r.ico = $3 and r.key > $4 order by r.key limit $5");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(ico)
            .bind(after)
            .bind(i64::from(limit))
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
        const FIND: &str =
            select_record!("r.key >= $3 and r.key < $4 and r.key > $5 order by r.key limit $6");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(prefix)
            .bind(end_of_prefix(prefix))
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Records with the folded name, in the order of their keys, at most `limit`; only those with the postal code,
    /// where one is given.
    pub async fn by_name_key(
        &self,
        connector: &str,
        dataset: &str,
        name_key: &str,
        postal_code: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_record!(
            "r.name_key = $3 and ($4 is null or r.postal_code = $4) order by r.key limit $5"
        );
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(name_key)
            .bind(postal_code)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Records whose folded name begins with the text, in the order of their keys, at most `limit`; only those with
    /// the postal code, where one is given.
    pub async fn by_name_prefix(
        &self,
        connector: &str,
        dataset: &str,
        prefix: &str,
        postal_code: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        const FIND: &str = select_record!(
            "r.name_key >= $3 and r.name_key < $4 and ($5 is null or r.postal_code = $5) \
             order by r.key limit $6"
        );
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .bind(prefix)
            .bind(end_of_prefix(prefix))
            .bind(postal_code)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }
}
