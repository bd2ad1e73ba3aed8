//! What the office for public procurement keeps of companies: bans, entries in the list of economic subjects, profiles
//! of buyers, and references that buyers wrote.
//!
//! | index | ban | list | profile | references |
//! | --- | --- | --- | --- | --- |
//! | 0 | none | holds | none | 32 on two pages: one cancelled, one in crowns, one without a price |
//! | 1 | holds until the sixth day, listed two days longer; with persons | renewed: one over, one holds | § 9 | three |
//! | 2 | over, listed until the ninth day | struck off | none | one, cancelled |
//! | 3 | from the fourth day | entered and struck off by the script | none | none |
//! | 4 | over before the first day | none | none | none |
//! | 5 | without an end | none | a class of no provision | none |
//! | 6 | holds; number with spaces | holds until the third day | an old one of Act 25/2006, a new one of § 8 | two; number with spaces |
//! | 7 | given and lifted by the script | none | none | none |
//! | 8 | lifted on the fifth day | put to rest | § 9 | none |
//! | 9 | two: one over, one holds | over | § 7, a municipality's | one more by the script |
//! | 10 | none, but a Czech firm with its digits is barred | from the second day | by the script | none |
//! | 11 | none | none | none | one, beside another supplier of the same contract |
//!
//! Of ordinary companies few are barred ([`BARRED_BELOW`] keeps the register short however many there are), one in ten
//! is a qualified supplier, one in twenty-five has a profile, and every fourth has references.

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
