//! Base records of companies.
//!
//! Several registers know the same company; which of them is kept is decided by `preference`, a text that its writer
//! chooses and that compares by its bytes. How names are folded into keys is the writer's business, too.
//! Invariant: whoever read all companies up to a `revision` and asks for later ones misses none.

/// The columns of [`StoredCompany`] after `select`.
macro_rules! select_company {
    ($rest:literal) => {
        concat!(
            "select id, ico, name, name_key, city_key, legal_form, legal_form_code, street, city, postal_code, ",
            "country, country_code, established_date, terminated_date, status, nace_code, nace_description, ",
            "source_register, register_id, details, facts, preference, content_hash, connector_version, evidence, ",
            "fetched_at, changed_at, revision from company ",
            $rest
        )
    };
}

mod follow;
mod upsert;

use time::OffsetDateTime;

pub use follow::CompanyToFind;
pub use upsert::CompareCompanies;
pub(super) use upsert::{upsert_in, without_rivals};

use super::db::{Millis, end_of_prefix, on};
use super::{Store, StoreError};

const TABLE: &str = "company";

/// What one register says about one company.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct BaseCompany {
    /// 8 digits, leading zeros kept.
    pub ico: String,
    pub name: String,
    /// The folded name, which candidates are found by.
    pub name_key: String,
    /// The folded city.
    pub city_key: Option<String>,
    pub legal_form: Option<String>,
    pub legal_form_code: Option<String>,
    pub street: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    pub country: Option<String>,
    pub country_code: Option<String>,
    /// `YYYY-MM-DD`.
    pub established_date: Option<String>,
    /// `YYYY-MM-DD`.
    pub terminated_date: Option<String>,
    /// `active`, `terminated` or `deleted`.
    pub status: String,
    pub nace_code: Option<String>,
    pub nace_description: Option<String>,
    /// The register that says so.
    pub source_register: String,
    /// The register's own id of the record.
    pub register_id: Option<String>,
    /// A JSON object that is spliced into answers.
    pub details: String,
    /// JSON: facts for connectors, not shown to clients.
    pub facts: String,
    /// Of two registers the one with the greater text is kept.
    pub preference: String,
    /// Of everything that makes a difference to a reader.
    pub content_hash: String,
    /// The version of the connector that read it.
    pub connector_version: String,
    /// JSON: the register's answers that it was read from.
    pub evidence: String,
}

/// A stored base record.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredCompany {
    /// Ours; never given to another company.
    pub id: i64,
    #[sqlx(flatten)]
    pub base: BaseCompany,
    /// When the register was last asked and said this.
    #[sqlx(try_from = "Millis")]
    pub fetched_at: OffsetDateTime,
    /// When it last became different.
    #[sqlx(try_from = "Millis")]
    pub changed_at: OffsetDateTime,
    /// Grows with every change of any company; numbers may be left out.
    pub revision: i64,
}

/// A company as names are compared.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct CompanyName {
    pub ico: String,
    pub name: String,
    /// The folded name.
    pub name_key: String,
    pub city: Option<String>,
    pub postal_code: Option<String>,
}

/// What became of a batch of base records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Upserted {
    /// Companies that were not known.
    pub inserted: u64,
    /// Companies that differ now.
    pub changed: u64,
    /// Companies that were known like this.
    pub unchanged: u64,
    /// Companies of which a preferred register's record was kept.
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

/// Base records of companies.
#[derive(Debug, Clone, Copy)]
pub struct Companies<'a> {
    pub(super) store: &'a Store,
}

impl Companies<'_> {
    /// The company with the IČO.
    pub async fn find_by_ico(&self, ico: &str) -> Result<Option<StoredCompany>, StoreError> {
        const FIND: &str = select_company!("where ico = $1");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(ico)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The company with our id.
    pub async fn find_by_id(&self, id: i64) -> Result<Option<StoredCompany>, StoreError> {
        const FIND: &str = select_company!("where id = $1");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The company that a register knows by its id; the first one, should the register's ids not be unique.
    pub async fn find_by_register_id(
        &self,
        source_register: &str,
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

    /// The names of companies whose name key begins with the text, in the order of their name keys, at most `limit`; only those
    /// with the postal code and the city key, where given.
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

    /// How many companies are stored.
    pub async fn count(&self) -> Result<i64, StoreError> {
        const COUNT: &str = "select count(*) from company";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .fetch_one(pool)
            .await)?)
    }

    /// Companies that changed after a revision, in the order of their revisions, at most `limit`.
    pub async fn changed_since(
        &self,
        revision: i64,
        limit: u32,
    ) -> Result<Vec<StoredCompany>, StoreError> {
        const FIND: &str = select_company!("where revision > $1 order by revision limit $2");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(revision)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }
}
