//! Verification of the ledger as a background job, with its progress in the store.
//!
//! It runs on the host that was asked, and on one host at a time. It checks the same as `lustra ledger verify`.

use std::pin::pin;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::billing::verify::{Findings, accounts_to_verify, verify};
use crate::context::Context;
use crate::store::{AccountId, LedgerCheck, StoreError};

const LEASE: Duration = Duration::from_secs(120);
const LEASE_NAME: &str = "ledger-check";

/// Interval at which the lease is extended during a long account.
const EXTEND: Duration = Duration::from_secs(30);

/// Interval at which progress is written.
const WRITE: Duration = Duration::from_secs(1);

/// Mistakes that are stored. The first ones usually cause the others.
const MAX_MISTAKES: usize = 100;

/// A stored mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShownMistake {
    pub(super) account_id: String,
    pub(super) what: String,
}

/// State of the newest check.
#[derive(Debug)]
pub(super) enum CheckState {
    Never,
    Running(LedgerCheck),
    /// Its host has died.
    Interrupted(LedgerCheck),
    Finished(LedgerCheck),
}

/// The state of the newest check on any host.
pub(super) async fn state(context: &Context) -> Result<CheckState, StoreError> {
    let store = &context.store;
    let Some(check) = store.ledger_checks().newest().await? else {
        return Ok(CheckState::Never);
    };
    if check.finished_at.is_some() {
        return Ok(CheckState::Finished(check));
    }
    let holder = store.leases().holder(LEASE_NAME, context.now()).await?;
    if holder.as_deref() == Some(&check.owner) {
        return Ok(CheckState::Running(check));
    }
    // It may have ended between both reads.
    let again = store.ledger_checks().newest().await?.unwrap_or(check);
    Ok(match again.finished_at {
        Some(_) => CheckState::Finished(again),
        None => CheckState::Interrupted(again),
    })
}

/// Starts a check. `false`: one is running on this or another host.
pub(super) async fn start(context: &Context) -> Result<bool, StoreError> {
    let (store, now) = (&context.store, context.now());
    let owner = uuid::Uuid::new_v4().simple().to_string();
    if !store
        .leases()
        .acquire(LEASE_NAME, &owner, LEASE, now)
        .await?
    {
        return Ok(false);
    }
    let (check, accounts) = match begin(context, &owner).await {
        Ok(Some(begun)) => begun,
        Ok(None) => {
            release(context, &owner).await;
            return Ok(false);
        }
        Err(error) => {
            release(context, &owner).await;
            return Err(error);
        }
    };
    let context = context.clone();
    tokio::spawn(async move {
        if let Err(error) = run(&context, check, accounts).await {
            tracing::error!(%error, "the ledger could not be verified");
        }
        release(&context, &owner).await;
    });
    Ok(true)
}

/// Stores a new check and lists its accounts. `None`: another host has begun a check meanwhile.
async fn begin(
    context: &Context,
    owner: &str,
) -> Result<Option<(LedgerCheck, Vec<AccountId>)>, StoreError> {
    let store = &context.store;
    let accounts = accounts_to_verify(store).await?;
    let planned = i64::try_from(accounts.len()).unwrap_or(i64::MAX);
    let checks = store.ledger_checks();
    checks.begin(owner, planned, context.now()).await?;
    let check = checks.newest().await?.filter(|check| check.owner == owner);
    Ok(check.map(|check| (check, accounts)))
}

async fn release(context: &Context, owner: &str) {
    let released = context.store.leases().release(LEASE_NAME, owner).await;
    if let Err(error) = released {
        tracing::debug!(%error, "the lease of the ledger check was not released; it expires");
    }
}

async fn run(
    context: &Context,
    mut check: LedgerCheck,
    accounts: Vec<AccountId>,
) -> Result<(), StoreError> {
    let store = &context.store;
    let mut findings = Findings::default();
    let mut written = Instant::now();
    for account in accounts {
        let failed = {
            let mut checking = pin!(verify(store, account, &mut findings));
            loop {
                tokio::select! {
                    checked = &mut checking => break checked.err(),
                    () = tokio::time::sleep(EXTEND) => {}
                }
                if !extend(context, &check.owner).await? {
                    return Ok(());
                }
            }
        };
        if let Some(error) = failed {
            check.failure = Some(error.to_string());
            break;
        }
        check.checked += 1;
        note(&mut check, &findings);
        if written.elapsed() < WRITE {
            continue;
        }
        written = Instant::now();
        let is_newest = store.ledger_checks().update(&check).await?;
        if !is_newest || !extend(context, &check.owner).await? {
            return Ok(());
        }
    }
    check.finished_at = Some(context.now());
    store.ledger_checks().update(&check).await?;
    if check.mistake_count > 0 {
        let mistakes = check.mistake_count;
        tracing::error!(
            mistakes,
            "{mistakes} mistakes in the ledger; the operator's page lists them"
        );
    }
    Ok(())
}

/// Extends the lease. `false`: another check has begun.
async fn extend(context: &Context, owner: &str) -> Result<bool, StoreError> {
    let leases = context.store.leases();
    let held = leases.acquire(LEASE_NAME, owner, LEASE, context.now());
    held.await
}

fn note(check: &mut LedgerCheck, findings: &Findings) {
    check.entries = i64::try_from(findings.entries).unwrap_or(i64::MAX);
    check.credits = findings.credits;
    check.mistake_count = i64::try_from(findings.mistakes.len()).unwrap_or(i64::MAX);
    let shown = findings.mistakes.iter().take(MAX_MISTAKES);
    let shown: Vec<ShownMistake> = shown
        .map(|mistake| ShownMistake {
            account_id: mistake.account_id.to_string(),
            what: mistake.what.clone(),
        })
        .collect();
    check.mistakes = serde_json::to_string(&shown).unwrap_or_default();
}
