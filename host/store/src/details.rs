//! Register data about a company beyond the base record: one row per company and connector.
//!
//! A failed read never deletes data that was read earlier.

use serde::Deserialize;
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;
use time::error::ComponentRange;

use super::db::{Db, MaybeMillis, Millis, Tx, end_of_prefix, list, millis, on};
use super::source_failure::FailureColumns;
use super::{
    ChangeSet, ConnectorId, PutOutcome, ScopeName, SourceFailure, Store, StoreError, events,
    one_text,
};

const TABLE: &str = "company_details";
/// The columns of [`Columns`].
const COLUMNS: &str = "ico, connector, register_id, cast(found as integer), content_hash, connector_version, \
    generation, fetched_at, failed_at, failure, failure_kind";

/// A register's answer about a company, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    pub ico: String,
    pub connector: ConnectorId,
    /// The register's own id of the company.
    pub register_id: Option<String>,
    /// Whether the register knows the company.
    pub found: bool,
    /// JSON text. `None` if the register does not know the company.
    pub content: Option<String>,
    pub content_hash: String,
    pub connector_version: String,
    /// The generation of the connector that read it.
    pub generation: i64,
    /// JSON: the register responses that it was read from.
    pub evidence: String,
}

/// Stored register data about a company.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredDetails {
    pub ico: String,
    pub connector: ConnectorId,
    pub register_id: Option<String>,
    /// Whether the register knew the company. Meaningless while `fetched_at` is `None`.
    pub found: bool,
    pub content: Option<String>,
    pub content_hash: Option<String>,
    pub connector_version: Option<String>,
    pub generation: Option<i64>,
    /// When it was last read. `None`: every read has failed so far.
    #[sqlx(try_from = "MaybeMillis")]
    pub fetched_at: Option<OffsetDateTime>,
    /// When a read failed, if that was after `fetched_at`.
    #[sqlx(try_from = "MaybeMillis")]
    pub failed_at: Option<OffsetDateTime>,
    #[sqlx(flatten, try_from = "FailureColumns")]
    pub failure: Option<SourceFailure>,
}

/// Columns of a [`StoredDetails`] besides its content, in the order of [`COLUMNS`].
#[derive(Deserialize)]
struct Columns {
    ico: String,
    connector: ConnectorId,
    register_id: Option<String>,
    found: u8,
    content_hash: Option<String>,
    connector_version: Option<String>,
    generation: Option<i64>,
    fetched_at: Option<Millis>,
    failed_at: Option<Millis>,
    failure: Option<String>,
    failure_kind: Option<String>,
}

impl Columns {
    fn with_content(self, content: Option<String>) -> Result<StoredDetails, ComponentRange> {
        let failure = FailureColumns {
            failure: self.failure,
            failure_kind: self.failure_kind,
        };
        Ok(StoredDetails {
            ico: self.ico,
            connector: self.connector,
            register_id: self.register_id,
            found: self.found != 0,
            content,
            content_hash: self.content_hash,
            connector_version: self.connector_version,
            generation: self.generation,
            fetched_at: self.fetched_at.map(Millis::try_into).transpose()?,
            failed_at: self.failed_at.map(Millis::try_into).transpose()?,
            failure: failure.into(),
        })
    }
}

/// SQL: the data of every connector about the company `$1`, as one text for [`of_text`].
pub(super) fn select_text(db: &Db) -> String {
    format!(
        "select {} from company_details where ico = $1",
        db.rows_with("content", COLUMNS)
    )
}

/// The data of the text of [`select_text`], in order of connector ids.
///
/// # Errors
/// [`StoreError::Unreadable`].
pub(super) fn of_text(text: Option<&str>) -> Result<Vec<StoredDetails>, StoreError> {
    let mut details = one_text::with_contents(TABLE, text, Columns::with_content)?;
    details.sort_unstable_by(|one, other| one.connector.cmp(&other.connector));
    Ok(details)
}

/// Register data about companies beyond the base record.
#[derive(Debug, Clone, Copy)]
pub struct DetailsStore<'a> {
    pub(super) store: &'a Store,
}

macro_rules! select_details {
    ($rest:literal) => {
        concat!(
            "select ico, connector, register_id, found, content, content_hash, connector_version, generation, ",
            "fetched_at, failed_at, failure, failure_kind from company_details ",
            $rest
        )
    };
}

impl DetailsStore<'_> {
    /// Stored data of every connector about the company, in order of connector ids.
    pub async fn find(&self, ico: &str) -> Result<Vec<StoredDetails>, StoreError> {
        let db = &self.store.reads;
        let sql = select_text(db);
        let all: Option<String> = on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(ico)
            .fetch_one(pool)
            .await)?;
        of_text(all.as_deref())
    }

    /// Stored data of one connector about companies with a register id, in IČO order. Bare digits also match every id
    /// that continues with a slash: the same number in any section of the register.
    pub async fn find_by_register_id(
        &self,
        connector: &ConnectorId,
        register_id: &str,
    ) -> Result<Vec<StoredDetails>, StoreError> {
        const FIND: &str = select_details!(
            "where connector = $1 and (register_id = $2 or (register_id >= $3 and register_id < $4)) order by ico"
        );
        let bare = !register_id.is_empty() && register_id.bytes().all(|byte| byte.is_ascii_digit());
        let continued = bare.then(|| format!("{register_id}/"));
        let end = continued.as_deref().map(end_of_prefix);
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(register_id)
            .bind(continued)
            .bind(end)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Like [`Self::put_compared`], but raises no events.
    pub async fn put(
        &self,
        details: &Details,
        now: OffsetDateTime,
    ) -> Result<PutOutcome, StoreError> {
        self.put_compared(details, &|_, _| ChangeSet::default(), &[], now)
            .await
    }

    /// Stores an answer read at `now`, and the changes and events that `compare` finds. Clears an earlier failure.
    /// Marks the company's sections of the scopes in `extending`, which are made from the details, as dirty if the
    /// content differs.
    pub async fn put_compared(
        &self,
        details: &Details,
        compare: &(dyn Fn(Option<&StoredDetails>, &Details) -> ChangeSet + Sync),
        extending: &[ScopeName],
        now: OffsetDateTime,
    ) -> Result<PutOutcome, StoreError> {
        const PUT: &str = "insert into company_details (ico, connector, register_id, found, content, content_hash, \
            connector_version, generation, fetched_at, evidence) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
            on conflict (ico, connector) do update set register_id = excluded.register_id, found = excluded.found, \
            content = excluded.content, content_hash = excluded.content_hash, \
            connector_version = excluded.connector_version, generation = excluded.generation, \
            fetched_at = excluded.fetched_at, evidence = excluded.evidence, failed_at = null, failure = null, \
            failure_kind = null";
        let mut tx = self.store.writes.begin().await?;
        let previous = lock(&mut tx, &details.ico, &details.connector).await?;
        let read_before = previous.filter(|previous| previous.fetched_at.is_some());
        on!(&mut tx, |tx| sqlx::query(PUT)
            .bind(&details.ico)
            .bind(&details.connector)
            .bind(&details.register_id)
            .bind(details.found)
            .bind(&details.content)
            .bind(&details.content_hash)
            .bind(&details.connector_version)
            .bind(details.generation)
            .bind(millis(now))
            .bind(&details.evidence)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        let found = compare(read_before.as_ref(), details);
        events::keep(&mut tx, &found).await?;
        let previous = read_before.and_then(|previous| previous.content_hash);
        let written = PutOutcome::compare(previous.as_deref(), &details.content_hash);
        if written != PutOutcome::Unchanged && !extending.is_empty() {
            mark_extending(&mut tx, &details.ico, extending).await?;
        }
        tx.commit().await?;
        if !found.events.is_empty() {
            self.store.signals.events.notify_one();
        }
        Ok(written)
    }

    /// Records that a connector failed to read the company at `now`, and why.
    pub async fn put_failure(
        &self,
        ico: &str,
        connector: &ConnectorId,
        failure: &SourceFailure,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const PUT: &str = "insert into company_details (ico, connector, found, failed_at, failure, failure_kind) \
            values ($1, $2, false, $3, $4, $5) \
            on conflict (ico, connector) do update set failed_at = excluded.failed_at, failure = excluded.failure, \
            failure_kind = excluded.failure_kind";
        on!(&self.store.writes, |pool| sqlx::query(PUT)
            .bind(ico)
            .bind(connector)
            .bind(millis(now))
            .bind(&failure.detail)
            .bind(failure.kind.word())
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }
}

async fn mark_extending(tx: &mut Tx, ico: &str, scopes: &[ScopeName]) -> Result<(), StoreError> {
    let sql = format!(
        "update section set dirty = true where ico = $1 and {}",
        tx.is_listed("scope", 2)
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(ico)
        .bind(list(scopes.iter().map(ScopeName::as_str)))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// Locks the row until the transaction ends and returns its stored content.
async fn lock(
    tx: &mut Tx,
    ico: &str,
    connector: &ConnectorId,
) -> Result<Option<StoredDetails>, StoreError> {
    const LOCK: &str = "update company_details set found = found where ico = $1 and connector = $2 \
        returning ico, connector, register_id, found, content, content_hash, connector_version, generation, \
        fetched_at, failed_at, failure, failure_kind";
    on!(tx, |tx| sqlx::query_as(LOCK)
        .bind(ico)
        .bind(connector)
        .fetch_optional(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))
}
