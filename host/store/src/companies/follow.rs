//! Changes of companies since a revision, for consumers that maintain derived data such as the search index.

use super::{Companies, CompanyStatus, StoredCompany, TABLE};
use crate::StoreError;
use crate::db::{list, on};
use crate::readable::Readable;

/// The searchable fields of a company.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct CompanyToFind {
    /// IČO of 8 digits.
    pub ico: String,
    pub name: String,
    pub city: Option<String>,
    pub legal_form: Option<String>,
    pub legal_form_code: Option<String>,
    #[sqlx(try_from = "String")]
    pub status: CompanyStatus,
    pub nace_code: Option<String>,
    /// Calendar day as `YYYY-MM-DD`.
    pub established_date: Option<String>,
    /// JSON of the company's facts, if the wanted one may be among them.
    pub facts: Option<String>,
    /// Same number as [`StoredCompany::revision`].
    pub revision: i64,
}

impl Companies<'_> {
    /// The highest visible revision. A reader that has read all changes up to it has missed none.
    pub async fn revision(&self) -> Result<i64, StoreError> {
        const REVISION: &str = "select value from counter where name = 'company_revision'";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(REVISION)
            .fetch_one(pool)
            .await)?)
    }

    /// Searchable fields of at most `limit` companies that changed after a revision, in revision order, with the facts
    /// of those that have `fact`. Leaves out unreadable rows.
    pub async fn to_find_since(
        &self,
        revision: i64,
        fact: &str,
        limit: u32,
    ) -> Result<Vec<CompanyToFind>, StoreError> {
        const FIND: &str = "select ico, name, city, legal_form, legal_form_code, status, nace_code, established_date, \
            case when facts like $3 then facts end as facts, revision \
            from company where revision > $1 order by revision limit $2";
        let rows = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(revision)
            .bind(i64::from(limit))
            .bind(format!("%\"{fact}\":%"))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        Ok(Readable::all(rows))
    }

    /// Stored companies with these IČOs, in no particular order; unknown and unreadable ones are omitted.
    pub async fn find_by_icos(&self, icos: &[String]) -> Result<Vec<StoredCompany>, StoreError> {
        let sql = format!(
            "{}{}",
            select_company!("where "),
            self.store.reads.is_listed("ico", 1)
        );
        let icos = list(icos.iter().map(String::as_str));
        let rows = on!(&self.store.reads, |pool| sqlx::query_as(
            sqlx::AssertSqlSafe(sql)
        )
        .bind(icos)
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading(TABLE))?;
        Ok(Readable::all(rows))
    }
}
