//! Billing: keys, plan terms, the ledger of credits, and limits.
//!
//! `account_ledger` contains the rules, `booking` applies them to many commands in one transaction, `flusher` commits
//! for many calls at once, and `ledger` is the interface of the handlers.

pub mod account_ledger;
pub mod booking;
mod flusher;
mod keys;
mod ledger;
mod ledger_counts;
mod limits;
mod months;
pub mod operator;
mod terms;
#[cfg(test)]
mod tests;
mod threshold_mail;
mod time;
mod uncharged;
pub mod verify;

pub use crate::config::{Metering, RateLimits};
pub use account_ledger::Paid;
pub use keys::{KeyText, MAX_OVERLAP_HOURS, NewKey};
pub use ledger::{AccountState, ChargeError, Ledger};
pub use ledger_counts::LedgerCounts;
pub use limits::{RateLimitDecision, RateLimitState, end_of_day};
pub use terms::{Customer, Terms};
pub use time::{BookingTime, ClockState};
