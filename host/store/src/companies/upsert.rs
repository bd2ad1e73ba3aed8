//! Writing base records: who wins, what changed, which revision it gets.
//!
//! Writers of changes take turns at the revision counter, so revisions become visible in their order. A batch that
//! changes nothing takes no turn and, unless asked to touch, writes nothing.

use std::collections::{BTreeMap, HashMap};

use sqlx::{AssertSqlSafe, QueryBuilder};
use time::OffsetDateTime;

use super::{BaseCompany, Companies, StoredCompany, TABLE, Upserted};
use crate::db::{Db, Tx, list, millis, on};
use crate::{Found, StoreError, events};

/// Compares a stored record with a new one, which gets this revision.
pub type CompareCompanies<'a> = &'a (dyn Fn(&BaseCompany, &BaseCompany, i64) -> Found + Sync);

/// Companies written by one statement: 27 values each, far below `SQLite`'s 32,766 parameters.
const ROWS_OF_A_STATEMENT: usize = 50;

/// What the decision about a record needs of the stored one.
#[derive(sqlx::FromRow)]
struct Rival {
    ico: String,
    source_register: String,
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
    /// Writes a batch in one transaction, as [`Self::upsert_compared`], of which nobody is told.
    pub async fn upsert(
        &self,
        companies: &[BaseCompany],
        touch: bool,
        now: OffsetDateTime,
    ) -> Result<Upserted, StoreError> {
        self.upsert_compared(companies, touch, &|_, _, _| Found::default(), now)
            .await
    }

    /// Writes a batch in one transaction, with what the comparison of each changed record with the stored one finds;
    /// it is given the record's new revision too. A stored record gives way to one that is at least as preferred or is the
    /// same register's about the same id; a batch that names an IČO twice means the preferred, else the later one.
    /// With `touch` records that did not change are noted as read at `now`: live look-ups do, imports don't.
    pub async fn upsert_compared(
        &self,
        companies: &[BaseCompany],
        touch: bool,
        compare: CompareCompanies<'_>,
        now: OffsetDateTime,
    ) -> Result<Upserted, StoreError> {
        let companies = without_rivals(companies);
        let decision = decide(
            &companies,
            &rivals_in_pool(&self.store.reads, &companies).await?,
        );
        let touches = touch && !decision.unchanged.is_empty();
        if decision.write.is_empty() && !touches {
            return Ok(decision.outcome);
        }
        let mut tx = self.store.writes.begin().await?;
        let (outcome, told) = upsert_in(&mut tx, &companies, touch, compare, now).await?;
        tx.commit().await?;
        if told {
            self.store.signals.events.notify_one();
        }
        Ok(outcome)
    }
}

/// The batch with each IČO once, in their order: batches that meet then wait for each other and never in a circle.
pub(crate) fn without_rivals(companies: &[BaseCompany]) -> Vec<&BaseCompany> {
    let mut chosen: BTreeMap<&str, &BaseCompany> = BTreeMap::new();
    for company in companies {
        let held = chosen.entry(&company.ico).or_insert(company);
        if company.preference >= held.preference {
            *held = company;
        }
    }
    chosen.into_values().collect()
}

/// Writes companies that [`without_rivals`] gave as a part of somebody's transaction; also gives whether there is something to be
/// told.
pub(crate) async fn upsert_in(
    tx: &mut Tx,
    companies: &[&BaseCompany],
    touch: bool,
    compare: CompareCompanies<'_>,
    now: OffsetDateTime,
) -> Result<(Upserted, bool), StoreError> {
    // First the turn, then the look: nobody else writes companies between the two.
    let first = take_revisions(tx, companies.len()).await?;
    let decision = decide(companies, &rivals_in(tx, companies).await?);
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

fn decide<'a>(companies: &[&'a BaseCompany], rivals: &[Rival]) -> Decision<'a> {
    let rivals: HashMap<&str, &Rival> = rivals
        .iter()
        .map(|rival| (rival.ico.as_str(), rival))
        .collect();
    let mut decision = Decision::default();
    for company in companies {
        let Some(rival) = rivals.get(company.ico.as_str()) else {
            decision.outcome.inserted += 1;
            decision.write.push(company);
            continue;
        };
        if !rival.gives_way_to(company) {
            decision.outcome.kept += 1;
        } else if rival.content_hash == company.content_hash {
            decision.outcome.unchanged += 1;
            decision.unchanged.push(company);
        } else {
            decision.outcome.changed += 1;
            decision.write.push(company);
        }
    }
    decision
}

/// What the comparison of the changed records with the stored ones finds.
async fn changes(
    tx: &mut Tx,
    decision: &Decision<'_>,
    first_revision: i64,
    compare: CompareCompanies<'_>,
) -> Result<Found, StoreError> {
    let mut found = Found::default();
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

impl Rival {
    fn gives_way_to(&self, company: &BaseCompany) -> bool {
        let same_record = self.source_register == company.source_register
            && self.register_id.is_some()
            && self.register_id == company.register_id;
        same_record || company.preference >= self.preference
    }
}

const RIVALS: &str =
    "select ico, source_register, register_id, preference, content_hash from company where ";

async fn rivals_in_pool(db: &Db, companies: &[&BaseCompany]) -> Result<Vec<Rival>, StoreError> {
    let sql = format!("{RIVALS}{}", db.is_listed("ico", 1));
    let icos = list(companies.iter().map(|company| company.ico.as_str()));
    on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
        .bind(icos)
        .fetch_all(pool)
        .await)
    .map_err(StoreError::reading(TABLE))
}

async fn rivals_in(tx: &mut Tx, companies: &[&BaseCompany]) -> Result<Vec<Rival>, StoreError> {
    let sql = format!("{RIVALS}{}", tx.is_listed("ico", 1));
    let icos = list(companies.iter().map(|company| company.ico.as_str()));
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(icos)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))
}

/// Takes as many revisions as there may be changes; gives the first. Others wait until this transaction ends.
async fn take_revisions(tx: &mut Tx, count: usize) -> Result<i64, StoreError> {
    const TAKE: &str =
        "update counter set value = value + $1 where name = 'company_revision' returning value";
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let last: i64 = on!(tx, |tx| sqlx::query_scalar(TAKE)
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
                row.push_bind(&company.status)
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
            // Only the full size comes again often enough to be worth keeping prepared.
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

/// Notes that an unchanged record was read again, from where and by which version.
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
