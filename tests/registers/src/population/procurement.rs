//! Data of the office for public procurement: bans, entries in the list of economic subjects, profiles of buyers, and
//! references written by buyers.
//!
//! | index | ban | list | profile | references |
//! | --- | --- | --- | --- | --- |
//! | 0 | none | in force | none | 32 on two pages: one cancelled, one in crowns, one without a price |
//! | 1 | in force until the sixth day, listed two days longer; with persons | renewed: one expired, one in force | § 9 | three |
//! | 2 | expired, listed until the ninth day | struck off | none | one, cancelled |
//! | 3 | from the fourth day | entered and struck off by the script | none | none |
//! | 4 | expired before the first day | none | none | none |
//! | 5 | without an end | none | a class without a provision | none |
//! | 6 | in force; number with spaces | in force until the third day | an old one of Act 25/2006, a new one of § 8 | two; number with spaces |
//! | 7 | imposed and lifted by the script | none | none | none |
//! | 8 | lifted on the fifth day | suspended | § 9 | none |
//! | 9 | two: one expired, one in force | expired | § 7, of a municipality | one more by the script |
//! | 10 | none, but a Czech firm with the same digits is barred | from the second day | by the script | none |
//! | 11 | none | none | none | one, beside another supplier of the same contract |
//!
//! Few ordinary companies are barred ([`BARRED_BELOW`] keeps the register short in a large population), one in ten is a
//! qualified supplier, one in twenty-five has a profile, and every fourth has references.

pub mod bans;
pub mod profiles;
pub mod references;
pub mod suppliers;

pub use bans::{Ban, BarredOutsider, bans, barred_outsiders};
pub use profiles::{Profile, profile_by_id, profiles};
pub use references::{Reference, reference_by_id, references};
pub use suppliers::{Supplier, suppliers};

use super::company::Company;
use super::dice::{Dice, Topic};

/// Ordinary companies from this index on are never barred without a forced event.
pub const BARRED_BELOW: u32 = 3_000;

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(company.origin.seed, company.index, Topic::Procurement, salt)
}
