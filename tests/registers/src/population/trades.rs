//! Trades of sole traders in the trade register: suspensions and ends.
//!
//! The initial trades are generated with the company; one ordinary trader in twelve has suspended all trades. In the
//! showcase only company 3 is a trader:
//!
//! | company | shows |
//! | --- | --- |
//! | 3 | all trades are suspended for two years, except one that ended earlier; another trade is added on day 5, and the suspended ones resume on day 10 |

use time::Date;

use super::calendar::{after, before};
use super::company::{Activity, Company};
use super::forms::SourceRegister;
use super::happening::Happening;

/// The announced duration of a suspension in days.
const PAUSE: u32 = 365;

/// True if the trader has an entered trade that was not given up.
pub(crate) fn is_entered(company: &Company) -> bool {
    company.source_register == SourceRegister::Trades && open(company).next().is_some()
}

/// True if a trade is suspended or its suspension is announced.
pub(crate) fn is_suspended(company: &Company) -> bool {
    is_entered(company) && open(company).any(|activity| activity.suspended.is_some())
}

/// True if some trade was never suspended.
pub(crate) fn is_trading(company: &Company) -> bool {
    is_entered(company) && open(company).any(|activity| activity.suspended.is_none())
}

fn open(company: &Company) -> impl Iterator<Item = &Activity> {
    let activities = company.activities.iter();
    activities.filter(|activity| activity.until.is_none())
}

/// Applies an event to the trades. Other events leave them unchanged.
pub(crate) fn happened(company: &mut Company, happening: Happening, on: Date) {
    let mut open = company
        .activities
        .iter_mut()
        .filter(|activity| activity.until.is_none());
    if happening == Happening::TradeSuspended {
        for activity in open.filter(|activity| activity.suspended.is_none()) {
            activity.suspended = Some((on, after(on, PAUSE)));
        }
    } else if happening == Happening::TradeResumed {
        for activity in open {
            activity.suspended = activity
                .suspended
                .map(|(from, _)| (from.min(before(on, 1)), before(on, 1)));
        }
    } else if happening == Happening::TradeEnded
        && let Some(newest) = open.next_back()
    {
        newest.until = Some(before(on, 1));
    }
}
