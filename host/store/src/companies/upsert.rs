//! Writes base records: resolves conflicts between registers, detects changes and assigns revisions.
//!
//! Writers of changes serialise on the revision counter, so revisions become visible in order. A batch without changes
//! does not lock the counter and, unless `touch` is set, writes nothing.

use std::collections::{BTreeMap, HashMap};

use sqlx::{AssertSqlSafe, QueryBuilder};
use time::OffsetDateTime;

use super::{BaseCompany, Companies, StoredCompany, TABLE, Upserted};
use crate::db::{Db, Tx, list, millis, on};
use crate::{ChangeSet, ConnectorId, StoreError, events};

/// Compares a stored record (first) with the new one (second), which gets the given revision.
pub type CompareCompanies<'a> = &'a (dyn Fn(&BaseCompany, &BaseCompany, i64) -> ChangeSet + Sync);

/// Companies per statement: 27 values each, far below the limit of `SQLite`, 32,766 parameters.
const ROWS_OF_A_STATEMENT: usize = 50;

/// The fields of a stored record that decide whether a new one replaces it.
#[derive(sqlx::FromRow)]
struct StoredVersion {
    ico: String,
    source_register: ConnectorId,
    register_id: Option<String>,
    preference: String,
    content_hash: String,
}

#[derive(Default)]
struct Decision<'a> {
    outcome: Upserted,
    write: Vec<&'a BaseCompany>,
    unchanged: Vec<&'a BaseCompany>,
}

impl Companies<'_> {
    /// Like [`Self::upsert_compared`], but raises no events.
    pub async fn upsert(
        &self,
        companies: &[BaseCompany],
        touch: bool,
        now: OffsetDateTime,
    ) -> Result<Upserted, StoreError> {
        self.upsert_compared(companies, touch, &|_, _, _| ChangeSet::default(), now)
            .await
    }

    /// Writes a batch in one transaction and stores the changes and events that `compare` finds for each changed
    /// record; `compare` also gets the new revision. A new record replaces a stored one if its preference is equal or
    /// higher, or if it is from the same register with the same id. If a batch names an IČO twice, the preferred record
    /// counts; at equal preference the later one. With `touch`, unchanged records get `now` as their time of reading:
    /// live look-ups set it, imports do not.
    pub async fn upsert_compared(
        &self,
        companies: &[BaseCompany],
        touch: bool,
        compare: CompareCompanies<'_>,
        now: OffsetDateTime,
    ) -> Result<Upserted, StoreError> {
        let companies = preferred_per_ico(companies);
        let decision = decide(
            &companies,
            &read_stored(&self.store.reads, &companies).await?,
        );
        let touches = touch && !decision.unchanged.is_empty();
        if decision.write.is_empty() && !touches {
            return Ok(decision.outcome);
        }
        let mut tx = self.store.writes.begin().await?;
        let (outcome, raised_events) = upsert_in(&mut tx, &companies, touch, compare, now).await?;
        tx.commit().await?;
        if raised_events {
            self.store.signals.events.notify_one();
        }
        Ok(outcome)
    }
}

/// The batch with one record per IČO, in IČO order. The order avoids deadlocks between batches.
pub(crate) fn preferred_per_ico(companies: &[BaseCompany]) -> Vec<&BaseCompany> {
    let mut chosen: BTreeMap<&str, &BaseCompany> = BTreeMap::new();
    for company in companies {
        let held = chosen.entry(&company.ico).or_insert(company);
        if company.preference >= held.preference {
            *held = company;
        }
    }
    chosen.into_values().collect()
}

/// Writes companies, as returned by [`preferred_per_ico`], within the given transaction. Also returns whether events
/// were raised.
pub(crate) async fn upsert_in(
    tx: &mut Tx,
    companies: &[&BaseCompany],
    touch: bool,
    compare: CompareCompanies<'_>,
    now: OffsetDateTime,
) -> Result<(Upserted, bool), StoreError> {
    // Lock the revision counter before reading, so that no other transaction writes companies in between.
    let first = reserve_revisions(tx, companies.len()).await?;
    let decision = decide(companies, &read_stored_in(tx, companies).await?);
    let found = changes(tx, &decision, first, compare).await?;
    events::keep(tx, &found).await?;
    write(tx, &decision.write, first, now).await?;
    if touch {
        for company in &decision.unchanged {
            touch_one(tx, company, now).await?;
        }
    }
    Ok((decision.outcome, !found.events.is_empty()))
}

fn decide<'a>(companies: &[&'a BaseCompany], stored: &[StoredVersion]) -> Decision<'a> {
    let stored: HashMap<&str, &StoredVersion> = stored
        .iter()
        .map(|existing| (existing.ico.as_str(), existing))
        .collect();
    let mut decision = Decision::default();
    for company in companies {
        let Some(existing) = stored.get(company.ico.as_str()) else {
            decision.outcome.inserted += 1;
            decision.write.push(company);
            continue;
        };
        if !existing.is_replaced_by(company) {
            decision.outcome.kept += 1;
        } else if existing.content_hash == company.content_hash {
            decision.outcome.unchanged += 1;
            decision.unchanged.push(company);
        } else {
            decision.outcome.changed += 1;
            decision.write.push(company);
        }
    }
    decision
}

/// Changes and events from comparing the changed records with the stored ones.
async fn changes(
    tx: &mut Tx,
    decision: &Decision<'_>,
    first_revision: i64,
    compare: CompareCompanies<'_>,
) -> Result<ChangeSet, StoreError> {
    let mut found = ChangeSet::default();
    if decision.outcome.changed == 0 {
        return Ok(found);
    }
    let sql = format!("{}{}", select_company!("where "), tx.is_listed("ico", 1));
    let icos = list(decision.write.iter().map(|company| company.ico.as_str()));
    let stored: Vec<StoredCompany> = on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(icos)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))?;
    let stored: HashMap<&str, &BaseCompany> = stored
        .iter()
        .map(|stored| (stored.base.ico.as_str(), &stored.base))
        .collect();
    for (revision, company) in (first_revision..).zip(&decision.write) {
        if let Some(before) = stored.get(company.ico.as_str()) {
            found.extend(compare(before, company, revision));
        }
    }
    Ok(found)
}

impl StoredVersion {
    fn is_replaced_by(&self, company: &BaseCompany) -> bool {
        let same_record = self.source_register == company.source_register
            && self.register_id.is_some()
            && self.register_id == company.register_id;
        same_record || company.preference >= self.preference
    }
}

const SELECT_STORED: &str =
    "select ico, source_register, register_id, preference, content_hash from company where ";

async fn read_stored(
    db: &Db,
    companies: &[&BaseCompany],
) -> Result<Vec<StoredVersion>, StoreError> {
    let sql = format!("{SELECT_STORED}{}", db.is_listed("ico", 1));
    let icos = list(companies.iter().map(|company| company.ico.as_str()));
    on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
        .bind(icos)
        .fetch_all(pool)
        .await)
    .map_err(StoreError::reading(TABLE))
}

async fn read_stored_in(
    tx: &mut Tx,
    companies: &[&BaseCompany],
) -> Result<Vec<StoredVersion>, StoreError> {
    let sql = format!("{SELECT_STORED}{}", tx.is_listed("ico", 1));
    let icos = list(companies.iter().map(|company| company.ico.as_str()));
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(icos)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))
}

/// Reserves as many revisions as there may be changes and returns the first. Other writers wait until this transaction
/// ends.
async fn reserve_revisions(tx: &mut Tx, count: usize) -> Result<i64, StoreError> {
    const RESERVE: &str =
        "update counter set value = value + $1 where name = 'company_revision' returning value";
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let last: i64 = on!(tx, |tx| sqlx::query_scalar(RESERVE)
        .bind(count)
        .fetch_one(&mut **tx)
        .await)?;
    Ok(last - count + 1)
}

async fn write(
    tx: &mut Tx,
    companies: &[&BaseCompany],
    first_revision: i64,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let numbered: Vec<(i64, &BaseCompany)> =
        (first_revision..).zip(companies.iter().copied()).collect();
    for chunk in numbered.chunks(ROWS_OF_A_STATEMENT) {
        on!(&mut *tx, |tx| {
            let mut statement = QueryBuilder::new(INSERT);
            statement.push_values(chunk, |mut row, (revision, company)| {
                row.push_bind(&company.ico)
                    .push_bind(&company.name)
                    .push_bind(&company.name_key);
                row.push_bind(&company.city_key)
                    .push_bind(&company.legal_form)
                    .push_bind(&company.legal_form_code);
                row.push_bind(&company.street)
                    .push_bind(&company.city)
                    .push_bind(&company.postal_code);
                row.push_bind(&company.country)
                    .push_bind(&company.country_code);
                row.push_bind(&company.established_date)
                    .push_bind(&company.terminated_date);
                row.push_bind(company.status.word())
                    .push_bind(&company.nace_code)
                    .push_bind(&company.nace_description);
                row.push_bind(&company.source_register)
                    .push_bind(&company.register_id);
                row.push_bind(&company.details)
                    .push_bind(&company.facts)
                    .push_bind(&company.preference);
                row.push_bind(&company.content_hash)
                    .push_bind(&company.connector_version);
                row.push_bind(&company.evidence)
                    .push_bind(millis(now))
                    .push_bind(millis(now))
                    .push_bind(*revision);
            });
            statement.push(ON_CONFLICT);
            // Only full-size chunks and single rows recur often enough to cache the prepared statement.
            let keep = chunk.len() == ROWS_OF_A_STATEMENT || chunk.len() == 1;
            statement
                .build()
                .persistent(keep)
                .execute(&mut **tx)
                .await
                .map(drop)
        })?;
    }
    Ok(())
}

const INSERT: &str = "insert into company (ico, name, name_key, city_key, legal_form, legal_form_code, street, city, \
    postal_code, country, country_code, established_date, terminated_date, status, nace_code, nace_description, \
    source_register, register_id, details, facts, preference, content_hash, connector_version, evidence, fetched_at, \
    changed_at, revision) ";

const ON_CONFLICT: &str = " on conflict (ico) do update set name = excluded.name, name_key = excluded.name_key, \
    city_key = excluded.city_key, legal_form = excluded.legal_form, legal_form_code = excluded.legal_form_code, \
    street = excluded.street, city = excluded.city, postal_code = excluded.postal_code, country = excluded.country, \
    country_code = excluded.country_code, established_date = excluded.established_date, \
    terminated_date = excluded.terminated_date, status = excluded.status, nace_code = excluded.nace_code, \
    nace_description = excluded.nace_description, source_register = excluded.source_register, \
    register_id = excluded.register_id, details = excluded.details, facts = excluded.facts, \
    preference = excluded.preference, content_hash = excluded.content_hash, \
    connector_version = excluded.connector_version, evidence = excluded.evidence, \
    fetched_at = excluded.fetched_at, changed_at = excluded.changed_at, revision = excluded.revision";

/// Updates the time of reading, the evidence and the connector version of an unchanged record.
async fn touch_one(
    tx: &mut Tx,
    company: &BaseCompany,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    const TOUCH: &str = "update company set fetched_at = $2, preference = $3, connector_version = $4, evidence = $5 \
        where ico = $1";
    on!(tx, |tx| sqlx::query(TOUCH)
        .bind(&company.ico)
        .bind(millis(now))
        .bind(&company.preference)
        .bind(&company.connector_version)
        .bind(&company.evidence)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
