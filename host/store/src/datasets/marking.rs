//! Marks the sections that are built from the records of a batch, in the transaction that writes the records.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;

use crate::db::{Either, Tx, list, on};
use crate::{ScopeName, StoreError};

/// Whom records are about.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    icos: BTreeSet<String>,
    /// Folded names of records without an IČO. They concern every company with that name.
    names: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct Marked {
    /// All companies of the subjects, by IČO.
    pub(super) companies: BTreeSet<String>,
    /// Those with a section that was clean before.
    pub(super) were_clean: BTreeSet<String>,
}

impl Subjects {
    /// Adds the subject of one record.
    pub(super) fn add(&mut self, ico: Option<&str>, name_key: Option<&str>) {
        match (ico, name_key) {
            (Some(ico), _) => drop(self.icos.insert(ico.to_owned())),
            (None, Some(name)) => drop(self.names.insert(name.to_owned())),
            (None, None) => {}
        }
    }
}

/// Marks the subjects' sections of these scopes as dirty. Without scopes nothing is marked and no company named.
pub(super) async fn mark(
    tx: &mut Tx,
    scopes: &[ScopeName],
    subjects: Subjects,
) -> Result<Marked, StoreError> {
    let mut companies = subjects.icos;
    if scopes.is_empty() || (companies.is_empty() && subjects.names.is_empty()) {
        return Ok(Marked::default());
    }
    if !subjects.names.is_empty() {
        companies.extend(namesakes(tx, &subjects.names).await?);
    }
    let of_subjects = format!(
        "{} and {}",
        tx.is_listed("scope", 1),
        tx.is_listed("ico", 2)
    );
    // A look-up that has read the records before these may be about to store such a section as clean. It waits for the
    // lock, or this statement waits for it, so that the section ends as dirty.
    let lock = format!(
        "select count(*) from (select ico from section where dirty and {of_subjects} order by ico, scope{}) locked",
        tx.locking_no_key_of("section")
    );
    let mark = format!(
        "update section set dirty = true where dirty = false and {of_subjects} returning ico"
    );
    let scopes = list(scopes.iter().map(ScopeName::as_str));
    let icos = list(companies.iter().map(String::as_str));
    if let Either::Postgres(_) = tx {
        let _locked: i64 = on!(&mut *tx, |tx| sqlx::query_scalar(AssertSqlSafe(lock))
            .bind(&scopes)
            .bind(&icos)
            .fetch_one(&mut **tx)
            .await)?;
    }
    let were_clean: Vec<String> = on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(mark))
        .bind(&scopes)
        .bind(&icos)
        .fetch_all(&mut **tx)
        .await)?;
    Ok(Marked {
        companies,
        were_clean: were_clean.into_iter().collect(),
    })
}

/// The companies with these folded names.
async fn namesakes(tx: &mut Tx, names: &BTreeSet<String>) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "select ico from company where {}",
        tx.is_listed("name_key", 1)
    );
    Ok(on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(list(names.iter().map(String::as_str)))
        .fetch_all(&mut **tx)
        .await)?)
}
