//! `lustra ledger`.

mod confirm_clock;
mod export;
mod verify;

use std::collections::BTreeMap;

use super::CliError;
use super::account::find;
use lustra_store::{AccountId, Store};

/// Export and verify the ledger of credits.
#[derive(Debug, clap::Subcommand)]
pub enum Ledger {
    Export(export::Export),
    Verify(verify::Verify),
    ConfirmClock(confirm_clock::ConfirmClock),
}

impl Ledger {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::Export(export) => export.run().await,
            Self::Verify(verify) => verify.run().await,
            Self::ConfirmClock(confirm) => confirm.run().await,
        }
    }
}

/// Accounts with bookings, or the given one, as ids with names. Bookings outlive their account; then the id is the
/// name.
async fn accounts(
    store: &Store,
    account: Option<&str>,
) -> Result<Vec<(AccountId, String)>, CliError> {
    if let Some(name) = account {
        let account = find(store, name).await?;
        return Ok(vec![(account.id, account.name)]);
    }
    // Read bookings first, so that an account created meanwhile already has its name.
    let booked = store.billing().accounts().await?.into_iter();
    let accounts = store.keys().list_accounts().await?.into_iter();
    let mut names: BTreeMap<AccountId, String> =
        accounts.map(|account| (account.id, account.name)).collect();
    Ok(booked
        .map(|id| (id, names.remove(&id).unwrap_or_else(|| id.to_string())))
        .collect())
}
