//! A company with everything that an answer is assembled from.
//!
//! Every answer reads this, so the database sends it as one row for one statement: each statement costs two changes of
//! threads (`SQLite`) or a round trip (`PostgreSQL`). The parts are of one snapshot.

use sqlx::AssertSqlSafe;

use super::companies::{COMPANY_COLUMNS, TABLE};
use super::db::{Db, list, on};
use super::{
    Companies, ImportTime, ScopeName, StoreError, StoredCompany, StoredDetails, StoredSection,
    datasets, details, sections,
};

/// What is stored about a company besides its base record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredParts {
    /// Those of every connector, in order of connector ids.
    pub details: Vec<StoredDetails>,
    /// In scope order.
    pub sections: Vec<StoredSection>,
    /// When each dataset was imported, in no particular order. Datasets without a successful run are left out.
    pub imports: Vec<ImportTime>,
}

/// Columns of [`StoredParts`], each a text of all its rows.
#[derive(sqlx::FromRow)]
struct Texts {
    details_text: Option<String>,
    sections_text: Option<String>,
    imports_text: String,
}

#[derive(sqlx::FromRow)]
struct CompanyAndTexts {
    #[sqlx(flatten)]
    company: StoredCompany,
    #[sqlx(flatten)]
    texts: Texts,
}

impl TryFrom<Texts> for StoredParts {
    type Error = StoreError;

    fn try_from(texts: Texts) -> Result<Self, Self::Error> {
        Ok(Self {
            details: details::of_text(texts.details_text.as_deref())?,
            sections: sections::of_text(texts.sections_text.as_deref())?,
            imports: datasets::import_times_of(&texts.imports_text)?,
        })
    }
}

impl Companies<'_> {
    /// Looks a company up by IČO, with its parts. Its sections are those of the scopes.
    pub async fn find_with_parts(
        &self,
        ico: &str,
        scopes: impl IntoIterator<Item = &ScopeName>,
    ) -> Result<Option<(StoredCompany, StoredParts)>, StoreError> {
        let scopes = list(scopes.into_iter().map(ScopeName::as_str));
        let db = &self.store.reads;
        let sql = format!(
            "select {COMPANY_COLUMNS}, {} from company where ico = $1",
            select_texts(db)
        );
        let found: Option<CompanyAndTexts> = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(ico)
            .bind(&scopes)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        found
            .map(|found| Ok((found.company, found.texts.try_into()?)))
            .transpose()
    }

    /// The parts of a company. Its sections are those of the scopes.
    pub async fn parts(
        &self,
        ico: &str,
        scopes: impl IntoIterator<Item = &ScopeName>,
    ) -> Result<StoredParts, StoreError> {
        let scopes = list(scopes.into_iter().map(ScopeName::as_str));
        let db = &self.store.reads;
        let sql = format!("select {}", select_texts(db));
        let texts: Texts = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(ico)
            .bind(&scopes)
            .fetch_one(pool)
            .await)?;
        texts.try_into()
    }
}

/// SQL: the columns of [`Texts`] of the company `$1` and the scopes of the list `$2`.
fn select_texts(db: &Db) -> String {
    format!(
        "({}) details_text, ({}) sections_text, ({}) imports_text",
        details::select_text(db),
        sections::select_text(db),
        datasets::select_import_times(db)
    )
}
