//! Executes many commands in one transaction: reads the accounts under row locks, applies the rules, and writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::{Date, OffsetDateTime};

use super::account_ledger::{AccountLedger, Exhausted, Paid, refund_of};
use super::limits::RateLimitDecision;
use super::{Customer, Terms, threshold_mail};
use crate::config::RateLimits;
use crate::store::{
    AccountId, BookingError, Bookings, EntryKind, Grant, LedgerEntry, LockedAccount,
    LockedAccounts, Store, StoreError, Thresholds, UsageOfDay, Window,
};

/// A command of one account to the ledger.
#[derive(Debug, Clone)]
pub struct LedgerCommand {
    /// The account, with its plan's terms.
    pub customer: Arc<Customer>,
    pub task: Task,
}

impl LedgerCommand {
    /// The refund of this command's call; for a refund a copy of itself. `None` for other commands.
    #[must_use]
    pub fn rollback(&self) -> Option<Self> {
        let (Task::Charge { operation, .. } | Task::Refund { operation }) = &self.task else {
            return None;
        };
        let operation = operation.clone();
        Some(Self {
            customer: Arc::clone(&self.customer),
            task: Task::Refund { operation },
        })
    }
}

/// The kind of a command.
#[derive(Debug, Clone)]
pub enum Task {
    Charge {
        /// Unique id of the call.
        operation: String,
        endpoint: &'static str,
    },
    /// Refunds a call if it was charged.
    Refund {
        /// Id of the call.
        operation: String,
    },
    /// Counts a request against the plan's rate limits.
    Admit(RateLimits),
    /// Books only what is due: expiries, ended months and plan changes.
    Advance,
}

/// Result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOutcome {
    Charged(Result<Paid, Exhausted>),
    /// Whether a charge was refunded.
    Refunded(bool),
    Admitted(RateLimitDecision),
    /// Everything due was booked, see [`Task::Advance`].
    Advanced,
}

/// Prepared bookings. Dropping them rolls back.
pub struct Prepared {
    opened: LockedAccounts,
    bookings: Bookings,
    outcomes: Vec<CommandOutcome>,
}

/// State of an account while its commands are executed.
struct Account {
    ledger: AccountLedger,
    thresholds: Thresholds,
    windows: Vec<Window>,
    counted: bool,
}

/// Reads the accounts and computes the bookings. `in_doubt`: an earlier commit of the same commands has an unknown
/// outcome.
///
/// # Errors
/// The store failed.
pub async fn prepare(
    store: &Store,
    commands: &[LedgerCommand],
    in_doubt: bool,
    now: OffsetDateTime,
) -> Result<Prepared, StoreError> {
    let mut ids: Vec<AccountId> = commands
        .iter()
        .map(|command| command.customer.account_id)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let limited = commands
        .iter()
        .any(|command| matches!(command.task, Task::Admit(_)));
    let mut opened = store.billing().open(&ids, limited).await?;
    let earlier = Earlier::read(&mut opened, commands, in_doubt).await?;
    let mut bookings = Bookings::default();
    let mut usage = Usage::default();
    let mut accounts: BTreeMap<AccountId, Account> = BTreeMap::new();
    let mut outcomes = Vec::with_capacity(commands.len());
    for command in commands {
        let id = command.customer.account_id;
        let account = accounts.entry(id).or_insert_with(|| {
            let stored = opened.accounts.remove(&id).unwrap_or_default();
            Account::of(id, stored, &command.customer.terms, now)
        });
        // Every command advances its account, whatever its own result.
        account.ledger.advance(&command.customer.terms, now);
        let outcome = match &command.task {
            Task::Charge {
                operation,
                endpoint,
            } => CommandOutcome::Charged(match earlier.entry(id, operation) {
                Some(entry) => Ok(paid(entry)),
                None => {
                    account.charge(command, operation, endpoint, &mut usage, &mut bookings, now)
                }
            }),
            Task::Refund { operation } => {
                let refunded = refund(&earlier, account, command, operation, now);
                if let Some(entry) = refunded {
                    usage.subtract(entry);
                }
                CommandOutcome::Refunded(refunded.is_some())
            }
            Task::Admit(limits) => {
                account.counted = true;
                CommandOutcome::Admitted(limits.admit(id, &mut account.windows, now))
            }
            Task::Advance => CommandOutcome::Advanced,
        };
        outcomes.push(outcome);
    }
    for account in accounts.into_values() {
        account.ledger.finish(&mut bookings);
        if account.counted {
            bookings.windows.extend(account.windows);
        }
    }
    bookings.usage = usage.rows();
    Ok(Prepared {
        opened,
        bookings,
        outcomes,
    })
}

impl Prepared {
    /// Commits, and returns the results in the order of the commands.
    ///
    /// # Errors
    /// Nothing was written, or the outcome of the commit is unknown.
    pub async fn commit(self) -> Result<Vec<CommandOutcome>, BookingError> {
        self.opened.commit(&self.bookings).await?;
        Ok(self.outcomes)
    }
}

fn paid(entry: &LedgerEntry) -> Paid {
    Paid {
        credits: i64::from(entry.kind == EntryKind::Charge),
        remaining: entry.balance,
    }
}

/// The refunded entry. `None`: nothing was charged, or it was refunded before.
fn refund<'a>(
    earlier: &'a Earlier,
    account: &mut Account,
    command: &LedgerCommand,
    operation: &str,
    now: OffsetDateTime,
) -> Option<&'a LedgerEntry> {
    let id = command.customer.account_id;
    let entry = earlier.entry(id, operation)?;
    let refund = refund_of(operation);
    if account.ledger.is_booking(&refund) || earlier.entry(id, &refund).is_some() {
        return None;
    }
    let grant = entry
        .grant
        .and_then(|number| earlier.grants.get(&(id, number)));
    let terms = &command.customer.terms;
    account
        .ledger
        .refund(entry, grant.cloned(), terms, now)
        .then_some(entry)
}

/// Existing entries of the commands' operations.
#[derive(Default)]
struct Earlier {
    entries: BTreeMap<AccountId, BTreeMap<String, LedgerEntry>>,
    grants: BTreeMap<(AccountId, i64), Grant>,
}

impl Earlier {
    /// Reads the charges that are to be refunded. If an earlier commit is in doubt, reads the entries of all commands.
    async fn read(
        opened: &mut LockedAccounts,
        commands: &[LedgerCommand],
        in_doubt: bool,
    ) -> Result<Self, StoreError> {
        let mut operations: Vec<(AccountId, String)> = Vec::new();
        for command in commands {
            let id = command.customer.account_id;
            match &command.task {
                Task::Charge { operation, .. } if in_doubt => {
                    operations.push((id, operation.clone()));
                }
                Task::Refund { operation } => {
                    operations.push((id, operation.clone()));
                    operations.push((id, refund_of(operation)));
                }
                Task::Charge { .. } | Task::Admit(_) | Task::Advance => {}
            }
        }
        operations.sort();
        operations.dedup();
        let named: Vec<(AccountId, &str)> = operations
            .iter()
            .map(|(id, operation)| (*id, operation.as_str()))
            .collect();
        let mut this = Self::default();
        let mut grants = Vec::new();
        for entry in opened.entries_of(&named).await? {
            grants.extend(entry.grant.map(|number| (entry.account_id, number)));
            let of_account = this.entries.entry(entry.account_id).or_default();
            of_account.insert(entry.operation.clone(), entry);
        }
        grants.sort_unstable();
        grants.dedup();
        for grant in opened.grants(&grants).await? {
            this.grants.insert((grant.account_id, grant.number), grant);
        }
        Ok(this)
    }

    fn entry(&self, account_id: AccountId, operation: &str) -> Option<&LedgerEntry> {
        self.entries.get(&account_id)?.get(operation)
    }
}

impl Account {
    fn of(id: AccountId, mut stored: LockedAccount, terms: &Terms, now: OffsetDateTime) -> Self {
        Self {
            thresholds: std::mem::take(&mut stored.thresholds),
            windows: std::mem::take(&mut stored.windows),
            counted: false,
            ledger: AccountLedger::of(id, stored, terms, now),
        }
    }

    fn charge(
        &mut self,
        command: &LedgerCommand,
        operation: &str,
        endpoint: &str,
        usage: &mut Usage,
        bookings: &mut Bookings,
        now: OffsetDateTime,
    ) -> Result<Paid, Exhausted> {
        let customer = &command.customer;
        let paid = self
            .ledger
            .charge(operation, endpoint, &customer.terms, now)?;
        let day = self.ledger.account().booked_at.date();
        let row = usage.row(customer.account_id, day, endpoint);
        row.requests += 1;
        row.credits += paid.credits;
        // A charge of 0 credits is overage.
        row.overage += i64::from(paid.credits == 0);
        let Thresholds { percents, emails } = &self.thresholds;
        if !emails.is_empty()
            && let Some(percent) = self.ledger.crossed(percents)
        {
            let account = self.ledger.account();
            let mails = threshold_mail::mails(customer, account, percent, emails, now);
            bookings.mails.extend(mails);
        }
        Ok(paid)
    }
}

/// Usage rows, summed by account, day and endpoint.
#[derive(Default)]
struct Usage(BTreeMap<(AccountId, Date, String), UsageOfDay>);

impl Usage {
    fn row(&mut self, account_id: AccountId, day: Date, endpoint: &str) -> &mut UsageOfDay {
        let key = (account_id, day, endpoint.to_owned());
        self.0.entry(key).or_insert_with(|| UsageOfDay {
            account_id,
            day,
            endpoint: endpoint.to_owned(),
            requests: 0,
            cached: 0,
            credits: 0,
            overage: 0,
        })
    }

    fn subtract(&mut self, refunded: &LedgerEntry) {
        let row = self.row(
            refunded.account_id,
            refunded.booked_at.date(),
            &refunded.about,
        );
        match refunded.kind {
            EntryKind::Overage => row.overage -= 1,
            EntryKind::Charge
            | EntryKind::Grant
            | EntryKind::Refund
            | EntryKind::Adjustment
            | EntryKind::Expiry
            | EntryKind::OverageRefund => row.credits -= 1,
        }
    }

    fn rows(self) -> Vec<UsageOfDay> {
        self.0.into_values().collect()
    }
}
