//! The ledger check: recomputes every balance from the entries.

use std::collections::BTreeMap;

use serde::Serialize;
use time::OffsetDateTime;

use crate::store::{AccountId, Books, EntryKind, LedgerEntry, Store, StoreError};

/// Entries that one query reads.
const ENTRIES_OF_A_PAGE: i64 = 5_000;

/// Reported mistakes per account. The first one usually causes the others.
const MAX_MISTAKES: usize = 10;

/// Result of the check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Number of checked accounts.
    pub accounts: u64,
    /// Number of checked entries.
    pub entries: u64,
    /// Sum of all balances.
    pub credits: i64,
    /// Mistakes with their accounts.
    pub mistakes: Vec<Mistake>,
}

/// A mistake in an account's ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    pub account_id: AccountId,
    /// Description of the mistake for operators.
    pub what: String,
}

/// Checks the ledger of an account. Hosts may continue booking meanwhile.
///
/// # Errors
/// The store failed.
pub async fn verify(
    store: &Store,
    account_id: AccountId,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let Some(mut books) = store.billing().books(account_id).await? else {
        if store.billing().has_entries(account_id).await? {
            let what = "the account has entries, but no balance row".to_owned();
            findings.accounts += 1;
            findings.mistakes.push(Mistake { account_id, what });
        }
        return Ok(());
    };
    let mut check = Check::default();
    loop {
        let entries = books.entries(check.last, ENTRIES_OF_A_PAGE).await?;
        for entry in &entries {
            check.entry(entry, &books);
        }
        findings.entries += u64::try_from(entries.len()).unwrap_or(0);
        if i64::try_from(entries.len()).unwrap_or(ENTRIES_OF_A_PAGE) < ENTRIES_OF_A_PAGE {
            break;
        }
    }
    check.end(&books);
    findings.accounts += 1;
    findings.credits += books.account.balance;
    let mistakes = check.mistakes.into_iter();
    findings
        .mistakes
        .extend(mistakes.map(|what| Mistake { account_id, what }));
    Ok(())
}

/// Ids of all accounts, in order: those with a balance or a grant, and those without, which may have entries that
/// belong to nothing.
///
/// # Errors
/// The store failed.
pub async fn accounts_to_verify(store: &Store) -> Result<Vec<AccountId>, StoreError> {
    let mut accounts = store.billing().accounts().await?;
    let listed = store.keys().list_accounts().await?;
    accounts.extend(listed.into_iter().map(|account| account.id));
    accounts.sort_unstable();
    accounts.dedup();
    Ok(accounts)
}

/// Checks the ledger of all accounts.
///
/// # Errors
/// The store failed.
pub async fn verify_all(store: &Store) -> Result<Findings, StoreError> {
    let mut findings = Findings::default();
    for account in accounts_to_verify(store).await? {
        verify(store, account, &mut findings).await?;
    }
    Ok(findings)
}

#[derive(Default)]
struct Check {
    last: i64,
    balance: i64,
    time: Option<OffsetDateTime>,
    /// Remaining credits of each grant, computed from the entries.
    left: BTreeMap<i64, i64>,
    charged: i64,
    beyond: i64,
    mistakes: Vec<String>,
}

impl Check {
    fn report(&mut self, what: String) {
        if self.mistakes.len() < MAX_MISTAKES {
            self.mistakes.push(what);
        }
    }

    fn entry(&mut self, entry: &LedgerEntry, books: &Books) {
        let number = entry.number;
        if number != self.last + 1 {
            self.report(format!("entry {number} follows entry {}", self.last));
        }
        self.last = number;
        if self.time.is_some_and(|before| before > entry.booked_at) {
            self.report(format!(
                "entry {number} is earlier than the entry before it"
            ));
        }
        self.time = Some(entry.booked_at);
        if entry.kind.moves_balance() {
            self.balance += entry.amount;
        }
        if entry.balance != self.balance {
            let (stated, computed) = (entry.balance, self.balance);
            self.report(format!(
                "entry {number} states a balance of {stated}, but the entries sum up to {computed}"
            ));
        }
        if self.balance < 0 {
            self.report(format!("entry {number} makes the balance negative"));
        }
        match entry.kind {
            EntryKind::Charge => self.charged += 1,
            EntryKind::Refund => self.charged -= 1,
            EntryKind::Overage => self.beyond += 1,
            EntryKind::OverageRefund => self.beyond -= 1,
            EntryKind::Grant | EntryKind::Adjustment | EntryKind::Expiry => {}
        }
        let Some(number) = entry.grant else { return };
        let left = self.left.entry(number).or_default();
        *left += entry.amount;
        let left = *left;
        let place = books
            .grants
            .binary_search_by_key(&number, |grant| grant.number);
        let Some(grant) = place.ok().map(|place| &books.grants[place]) else {
            return self.report(format!(
                "entry {} refers to grant {number}, which does not exist",
                entry.number
            ));
        };
        if left < 0 || left > grant.granted {
            self.report(format!(
                "entry {} leaves {left} credits of grant {number}, outside 0 to its size",
                entry.number
            ));
        }
        let ended = grant.expires_at.is_some_and(|at| at <= entry.booked_at);
        if entry.kind == EntryKind::Charge && (ended || entry.booked_at < grant.effective_at) {
            self.report(format!(
                "entry {} uses grant {number} outside its validity",
                entry.number
            ));
        }
    }

    fn compare(&mut self, what: &str, stored: i64, computed: i64) {
        if stored != computed {
            self.report(format!(
                "{what} is {stored}, but the entries give {computed}"
            ));
        }
    }

    fn end(&mut self, books: &Books) {
        let account = &books.account;
        let left = books.grants.iter().map(|grant| grant.remaining).sum();
        self.compare("the last entry", account.last_entry, self.last);
        self.compare("the balance", account.balance, self.balance);
        self.compare("the sum of the grants", left, self.balance);
        self.compare("the usage's credits", books.usage.0, self.charged);
        self.compare("the usage's overage", books.usage.1, self.beyond);
        for grant in &books.grants {
            let left = self.left.get(&grant.number).copied().unwrap_or(0);
            let what = format!("the rest of grant {}", grant.number);
            self.compare(&what, grant.remaining, left);
        }
    }
}
