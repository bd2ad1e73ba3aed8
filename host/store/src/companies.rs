//! Base records of companies.
//!
//! Several registers know the same company. The record with the greater `preference` wins: a text that its writer
//! chooses and that is compared bytewise. The writer also decides how names are folded into keys.
//! Invariant: a reader that has read all companies up to a `revision` and then asks for later ones misses none.

/// The columns of [`StoredCompany`].
macro_rules! company_columns {
    () => {
        concat!(
            "id, ico, name, name_key, city_key, legal_form, legal_form_code, street, city, postal_code, country, ",
            "country_code, established_date, terminated_date, status, nace_code, nace_description, source_register, ",
            "register_id, details, facts, preference, content_hash, connector_version, evidence, fetched_at, ",
            "changed_at, revision"
        )
    };
}

/// The columns of [`StoredCompany`] after `select`.
macro_rules! select_company {
    ($rest:literal) => {
        concat!("select ", company_columns!(), " from company ", $rest)
    };
}

mod follow;
mod status;
mod upsert;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

pub use follow::CompanyToFind;
pub use status::CompanyStatus;
pub use upsert::CompareCompanies;
pub(super) use upsert::{preferred_per_ico, upsert_in};

use super::db::{Millis, end_of_prefix, list, on};
use super::readable::Readable;
use super::{ConnectorId, Store, StoreError};

pub(super) const TABLE: &str = "company";
pub(super) const COMPANY_COLUMNS: &str = company_columns!();

/// The base record of one company, from one register.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct BaseCompany {
    /// IČO: 8 digits, with leading zeros.
    pub ico: String,
    pub name: String,
    /// The folded name, the key for finding candidates.
    pub name_key: String,
    pub city_key: Option<String>,
    pub legal_form: Option<String>,
    pub legal_form_code: Option<String>,
    pub street: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    pub country: Option<String>,
    pub country_code: Option<String>,
    /// Calendar day as `YYYY-MM-DD`.
    pub established_date: Option<String>,
    /// Calendar day as `YYYY-MM-DD`.
    pub terminated_date: Option<String>,
    #[sqlx(try_from = "String")]
    pub status: CompanyStatus,
    pub nace_code: Option<String>,
    pub nace_description: Option<String>,
    /// The connector that the record comes from.
    pub source_register: ConnectorId,
    /// The register's own id of the record.
    pub register_id: Option<String>,
    /// A JSON object that is merged into answers.
    pub details: String,
    /// JSON: facts for connectors, not shown to clients.
    pub facts: String,
    /// Of two registers' records the one with the greater text wins.
    pub preference: String,
    /// Hash of every field that is relevant to readers.
    pub content_hash: String,
    /// The version of the connector that read the record.
    pub connector_version: String,
    /// JSON: the register responses that the record was read from.
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredCompany {
    /// Internal id; never reused for another company.
    pub id: i64,
    #[sqlx(flatten)]
    pub base: BaseCompany,
    /// When the register was last read with this result.
    #[sqlx(try_from = "Millis")]
    pub fetched_at: OffsetDateTime,
    /// When the record last changed.
    #[sqlx(try_from = "Millis")]
    pub changed_at: OffsetDateTime,
    /// Increases with every change of any company; numbers may be skipped.
    pub revision: i64,
}

/// Names of a company, for name matching.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct CompanyName {
    pub ico: String,
    pub name: String,
    pub name_key: String,
    pub city: Option<String>,
    pub postal_code: Option<String>,
}

/// Counts of a written batch of base records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Upserted {
    pub inserted: u64,
    pub changed: u64,
    pub unchanged: u64,
    /// Companies whose stored record of a preferred register was kept.
    pub kept: u64,
}

impl std::ops::AddAssign for Upserted {
    fn add_assign(&mut self, other: Self) {
        self.inserted += other.inserted;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
        self.kept += other.kept;
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Companies<'a> {
    pub(super) store: &'a Store,
}

impl Companies<'_> {
    /// Looks a company up by IČO.
    pub async fn find_by_ico(&self, ico: &str) -> Result<Option<StoredCompany>, StoreError> {
        const FIND: &str = select_company!("where ico = $1");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(ico)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Looks a company up by its internal id.
    pub async fn find_by_id(&self, id: i64) -> Result<Option<StoredCompany>, StoreError> {
        const FIND: &str = select_company!("where id = $1");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Looks a company up by a register's own id. If the id is not unique, the first match.
    pub async fn find_by_register_id(
        &self,
        source_register: &ConnectorId,
        register_id: &str,
    ) -> Result<Option<StoredCompany>, StoreError> {
        const FIND: &str =
            select_company!("where register_id = $1 and source_register = $2 order by ico limit 1");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(register_id)
            .bind(source_register)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// At most `limit` companies whose name key begins with the text, in name key order; restricted to the postal code
    /// and the city key if given.
    pub async fn candidates(
        &self,
        name_key_prefix: &str,
        postal_code: Option<&str>,
        city_key: Option<&str>,
        limit: u32,
    ) -> Result<Vec<CompanyName>, StoreError> {
        const FIND: &str = "select ico, name, name_key, city, postal_code from company \
            where name_key >= $1 and name_key < $2 and ($3 is null or postal_code = $3) \
            and ($4 is null or city_key = $4) order by name_key, ico limit $5";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(name_key_prefix)
            .bind(end_of_prefix(name_key_prefix))
            .bind(postal_code)
            .bind(city_key)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// IČO of every company with one of these folded names, in order.
    pub async fn with_names(&self, name_keys: &[&str]) -> Result<Vec<String>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select ico from company where {} order by ico",
            db.is_listed("name_key", 1)
        );
        Ok(on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(
            sql.as_str()
        ))
        .bind(list(name_keys.iter().copied()))
        .fetch_all(pool)
        .await)?)
    }

    /// IČO and name of the stored companies among these.
    pub async fn names_of(&self, icos: &[&str]) -> Result<Vec<(String, String)>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select ico, name from company where {}",
            db.is_listed("ico", 1)
        );
        Ok(on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql.as_str()))
            .bind(list(icos.iter().copied()))
            .fetch_all(pool)
            .await)?)
    }

    /// The number of stored companies.
    pub async fn count(&self) -> Result<i64, StoreError> {
        const COUNT: &str = "select count(*) from company";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .fetch_one(pool)
            .await)?)
    }

    /// At most `limit` companies that changed after a revision, in revision order. Leaves out unreadable rows.
    pub async fn changed_since(
        &self,
        revision: i64,
        limit: u32,
    ) -> Result<Vec<StoredCompany>, StoreError> {
        const FIND: &str = select_company!("where revision > $1 order by revision limit $2");
        let rows = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(revision)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        Ok(Readable::all(rows))
    }
}
