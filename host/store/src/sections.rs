//! Sections: the stored document of one scope of one company.
//!
//! A failed read never deletes content that was read earlier. `dirty` means that a dataset behind the section changed:
//! the section must be read again, whatever its age.

mod former;

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;
use time::error::ComponentRange;

use super::db::{Db, Millis, Tx, list, millis, on};
use super::source_failure::FailureColumns;
use super::{
    ChangeSet, ConnectorId, PutOutcome, ScopeName, SourceFailure, Store, StoreError, events,
    one_text,
};

use former::reader;
pub use former::{Baseline, FormerSection};

const TABLE: &str = "section";
/// The columns of [`Columns`]. Every answer reads them, so they are only those that it needs.
const COLUMNS: &str = "scope, cast(unread as integer), connector_version, generation, fetched_at, \
    cast(dirty as integer), failed_at, failure, failure_kind, unread_sources";
/// Companies that one transaction marks.
const COMPANIES_OF_A_SLICE: usize = 500;

/// Sections that one statement looks at when all of a scope are marked. Few enough for the time limit of a statement.
const SECTIONS_OF_A_SLICE: i64 = 10_000;

/// A section to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub ico: String,
    pub scope: ScopeName,
    pub content: Option<String>,
    pub content_hash: String,
    /// Whether a source could not be read. If so, missing data does not mean absence.
    pub unread: bool,
    /// JSON: the sources that could not be read. Set if the content is not an object and so cannot list them itself.
    pub unread_sources: Option<String>,
    pub connector: ConnectorId,
    pub connector_version: String,
    /// The generation of the connector that read it.
    pub generation: i64,
    /// JSON: the register responses that it was read from.
    pub evidence: String,
}

/// A stored section, as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSection {
    pub scope: ScopeName,
    pub content: Option<String>,
    pub unread: bool,
    pub connector_version: Option<String>,
    pub generation: Option<i64>,
    /// When it was last read. `None`: every read has failed so far.
    pub fetched_at: Option<OffsetDateTime>,
    pub dirty: bool,
    /// When a read failed, if that was after `fetched_at`.
    pub failed_at: Option<OffsetDateTime>,
    pub failure: Option<SourceFailure>,
    /// Same format as [`Section::unread_sources`].
    pub unread_sources: Option<String>,
}

/// Columns of a [`StoredSection`] besides its content, in the order of [`COLUMNS`].
#[derive(Deserialize)]
struct Columns {
    scope: ScopeName,
    unread: u8,
    connector_version: Option<String>,
    generation: Option<i64>,
    fetched_at: Option<Millis>,
    dirty: u8,
    failed_at: Option<Millis>,
    failure: Option<String>,
    failure_kind: Option<String>,
    unread_sources: Option<String>,
}

impl Columns {
    fn with_content(self, content: Option<String>) -> Result<StoredSection, ComponentRange> {
        let failure = FailureColumns {
            failure: self.failure,
            failure_kind: self.failure_kind,
        };
        Ok(StoredSection {
            scope: self.scope,
            content,
            unread: self.unread != 0,
            connector_version: self.connector_version,
            generation: self.generation,
            fetched_at: self.fetched_at.map(Millis::try_into).transpose()?,
            dirty: self.dirty != 0,
            failed_at: self.failed_at.map(Millis::try_into).transpose()?,
            failure: failure.into(),
            unread_sources: self.unread_sources,
        })
    }
}

impl Section {
    /// The connector and the version that read it, as one text.
    #[must_use]
    pub fn reader(&self) -> String {
        reader(&self.connector, &self.connector_version)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Sections<'a> {
    pub(super) store: &'a Store,
}

/// SQL: the sections of the company `$1` for the scopes of the list `$2`, as one text for [`of_text`].
pub(super) fn select_text(db: &Db) -> String {
    format!(
        "select {} from section where ico = $1 and {}",
        db.rows_with("content", COLUMNS),
        db.is_listed_among_few("scope", 2)
    )
}

/// The sections of the text of [`select_text`], in scope order.
///
/// # Errors
/// [`StoreError::Unreadable`].
pub(super) fn of_text(text: Option<&str>) -> Result<Vec<StoredSection>, StoreError> {
    let mut sections = one_text::with_contents(TABLE, text, Columns::with_content)?;
    sections.sort_unstable_by(|one, other| one.scope.cmp(&other.scope));
    Ok(sections)
}

impl Sections<'_> {
    /// Stored sections of a company for these scopes, in scope order. The database sends them as one row.
    pub async fn find(
        &self,
        ico: &str,
        scopes: &[ScopeName],
    ) -> Result<Vec<StoredSection>, StoreError> {
        let db = &self.store.reads;
        let sql = select_text(db);
        let all: Option<String> = on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(ico)
            .bind(list(scopes.iter().map(ScopeName::as_str)))
            .fetch_one(pool)
            .await)?;
        of_text(all.as_deref())
    }

    /// Stored contents of one scope for these companies, by IČO. Companies without content are left out.
    pub async fn contents(
        &self,
        icos: &[String],
        scope: &str,
    ) -> Result<HashMap<String, String>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select ico, content from section where scope = $1 and content is not null and {}",
            db.is_listed("ico", 2)
        );
        on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(scope)
            .bind(list(icos.iter().map(String::as_str)))
            .fetch_all(pool)
            .await)
        .map(|found: Vec<(String, String)>| found.into_iter().collect())
        .map_err(StoreError::reading(TABLE))
    }

    /// Like [`Self::put_compared`], but raises no events.
    pub async fn put(
        &self,
        section: &Section,
        now: OffsetDateTime,
    ) -> Result<PutOutcome, StoreError> {
        self.put_compared(section, &|_, _| ChangeSet::default(), now)
            .await
    }

    /// Stores a section read at `now`, and the changes and events that `compare` finds. Clears `dirty` and an earlier
    /// failure.
    pub async fn put_compared(
        &self,
        section: &Section,
        compare: &(dyn Fn(Option<&FormerSection>, &Section) -> ChangeSet + Sync),
        now: OffsetDateTime,
    ) -> Result<PutOutcome, StoreError> {
        const PUT: &str = "insert into section (ico, scope, content, content_hash, unread, connector, \
            connector_version, generation, fetched_at, dirty, evidence, baseline, baseline_by, \
            baseline_unread, unread_sources) \
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, false, $10, $11, $12, $13, $14) \
            on conflict (ico, scope) do update set content = excluded.content, \
            content_hash = excluded.content_hash, unread = excluded.unread, connector = excluded.connector, \
            connector_version = excluded.connector_version, generation = excluded.generation, \
            fetched_at = excluded.fetched_at, dirty = false, evidence = excluded.evidence, \
            baseline = excluded.baseline, baseline_by = excluded.baseline_by, \
            baseline_unread = excluded.baseline_unread, unread_sources = excluded.unread_sources, \
            failed_at = null, failure = null, failure_kind = null";
        let mut tx = self.store.writes.begin().await?;
        let previous = lock(&mut tx, &section.ico, &section.scope).await?;
        let read_before = previous.filter(|previous| previous.fetched_at.is_some());
        let baseline = read_before
            .as_ref()
            .filter(|_| section.unread)
            .and_then(FormerSection::complete);
        on!(&mut tx, |tx| sqlx::query(PUT)
            .bind(&section.ico)
            .bind(&section.scope)
            .bind(&section.content)
            .bind(&section.content_hash)
            .bind(section.unread)
            .bind(&section.connector)
            .bind(&section.connector_version)
            .bind(section.generation)
            .bind(millis(now))
            .bind(&section.evidence)
            .bind(baseline.as_ref().map(|baseline| baseline.content))
            .bind(baseline.as_ref().map(|baseline| &baseline.reader))
            .bind(baseline.as_ref().map(|baseline| baseline.unread_sources))
            .bind(&section.unread_sources)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        let found = compare(read_before.as_ref(), section);
        events::keep(&mut tx, &found).await?;
        tx.commit().await?;
        if !found.events.is_empty() {
            self.store.signals.events.notify_one();
        }
        let previous = read_before.and_then(|previous| previous.content_hash);
        Ok(PutOutcome::compare(
            previous.as_deref(),
            &section.content_hash,
        ))
    }

    /// Records that a connector failed to read a scope of a company at `now`, and why.
    pub async fn put_failure(
        &self,
        ico: &str,
        scope: &ScopeName,
        connector: &ConnectorId,
        failure: &SourceFailure,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const PUT: &str = "insert into section (ico, scope, unread, connector, dirty, failed_at, failure, failure_kind) \
            values ($1, $2, true, $3, false, $4, $5, $6) \
            on conflict (ico, scope) do update set failed_at = excluded.failed_at, failure = excluded.failure, \
            failure_kind = excluded.failure_kind";
        on!(&self.store.writes, |pool| sqlx::query(PUT)
            .bind(ico)
            .bind(scope)
            .bind(connector)
            .bind(millis(now))
            .bind(&failure.detail)
            .bind(failure.kind.word())
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Marks stored sections of these scopes and companies as dirty. Returns the companies that had a clean one, by
    /// IČO. Commits in slices: after a failure, calling again marks the rest.
    pub async fn mark_dirty(
        &self,
        scopes: &[ScopeName],
        icos: &[&str],
    ) -> Result<BTreeSet<String>, StoreError> {
        let db = &self.store.writes;
        let sql = format!(
            "update section set dirty = true where {} and {} and dirty = false returning ico",
            db.is_listed("ico", 1),
            db.is_listed("scope", 2)
        );
        let scopes = list(scopes.iter().map(ScopeName::as_str));
        let mut marked = BTreeSet::new();
        for slice in icos.chunks(COMPANIES_OF_A_SLICE) {
            let icos = list(slice.iter().copied());
            let of_slice: Vec<String> =
                on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(sql.as_str()))
                    .bind(icos)
                    .bind(&scopes)
                    .fetch_all(pool)
                    .await)?;
            marked.extend(of_slice);
        }
        Ok(marked)
    }
}

impl Sections<'_> {
    /// Marks every stored section of these scopes as dirty, for a list that cannot be compared with an earlier one.
    /// Returns the number of companies that had a clean one. Commits in slices: after a failure, calling again marks
    /// the rest.
    pub async fn mark_all_dirty(&self, scopes: &[ScopeName]) -> Result<u64, StoreError> {
        const END: &str = "select max(ico) from \
            (select ico from section where ico > $1 order by ico limit $2) slice";
        let db = &self.store.writes;
        let mark = format!(
            "update section set dirty = true where ico > $1 and ico <= $2 and {} and dirty = false returning ico",
            db.is_listed_among_few("scope", 3)
        );
        let scopes = list(scopes.iter().map(ScopeName::as_str));
        let (mut after, mut companies) = (String::new(), 0);
        loop {
            let end: Option<String> = on!(db, |pool| sqlx::query_scalar(END)
                .bind(&after)
                .bind(SECTIONS_OF_A_SLICE)
                .fetch_one(pool)
                .await)?;
            let Some(end) = end else {
                return Ok(companies);
            };
            let marked: Vec<String> =
                on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(mark.as_str()))
                    .bind(&after)
                    .bind(&end)
                    .bind(&scopes)
                    .fetch_all(pool)
                    .await)?;
            companies += marked.into_iter().collect::<BTreeSet<_>>().len() as u64;
            after = end;
        }
    }
}

/// Locks the row until the transaction ends and returns what it holds.
async fn lock(
    tx: &mut Tx,
    ico: &str,
    scope: &ScopeName,
) -> Result<Option<FormerSection>, StoreError> {
    let lock = format!(
        "update section set dirty = dirty where ico = $1 and scope = $2 returning {}",
        former::COLUMNS
    );
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(lock))
        .bind(ico)
        .bind(scope)
        .fetch_optional(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))
}
