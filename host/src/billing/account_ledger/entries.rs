//! Adds entries and grants to an account's ledger, and selects the grant that is used first.

use time::OffsetDateTime;

use super::AccountLedger;
use crate::store::{EntryKind, Grant, GrantKind, LedgerEntry};

impl AccountLedger {
    /// Adds an empty grant. The entry that books it adds its credits.
    pub(super) fn add_grant(
        &mut self,
        kind: GrantKind,
        granted: i64,
        effective_at: OffsetDateTime,
        expires_at: Option<OffsetDateTime>,
        source: &str,
    ) -> i64 {
        self.account.last_grant += 1;
        self.grants.push(Grant {
            account_id: self.account.account_id,
            number: self.account.last_grant,
            kind,
            granted,
            remaining: 0,
            effective_at,
            expires_at,
            source: source.to_owned(),
        });
        self.account.last_grant
    }

    /// Ensures that a stored grant is among the loaded ones, also if it was used up. Returns its number.
    pub(super) fn ensure_loaded(&mut self, grant: Grant) -> i64 {
        let number = grant.number;
        if self.grants.iter().all(|known| known.number != number) {
            self.grants.push(grant);
        }
        number
    }

    /// The grant to be used first.
    pub(super) fn first_to_use(&self) -> Option<i64> {
        let live = self.grants.iter().filter(|grant| grant.remaining > 0);
        live.min_by_key(|grant| usage_order(grant))
            .map(|grant| grant.number)
    }

    pub(super) fn remaining(&self, number: i64) -> i64 {
        let grant = self.grants.iter().find(|grant| grant.number == number);
        grant.map_or(0, |grant| grant.remaining)
    }

    #[expect(clippy::too_many_arguments, reason = "an entry has as many parts")]
    pub(super) fn book(
        &mut self,
        kind: EntryKind,
        grant: Option<i64>,
        amount: i64,
        at: OffsetDateTime,
        operation: &str,
        part: i64,
        about: &str,
    ) {
        if let Some(number) = grant {
            if let Some(grant) = self.grants.iter_mut().find(|grant| grant.number == number) {
                grant.remaining += amount;
            }
            self.touched.insert(number);
        }
        if kind.moves_balance() {
            self.account.balance += amount;
        }
        self.account.last_entry += 1;
        self.account.booked_at = at;
        self.changed = true;
        self.entries.push(LedgerEntry {
            account_id: self.account.account_id,
            number: self.account.last_entry,
            booked_at: at,
            kind,
            grant,
            amount,
            balance: self.account.balance,
            operation: operation.to_owned(),
            part,
            about: about.to_owned(),
        });
    }
}

/// Sort key for the order of use: by expiry, then by kind, then by number.
pub(super) fn usage_order(grant: &Grant) -> (bool, Option<OffsetDateTime>, GrantKind, i64) {
    (
        grant.expires_at.is_none(),
        grant.expires_at,
        grant.kind,
        grant.number,
    )
}
