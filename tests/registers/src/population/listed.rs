//! Entries of the operator-supplied lists: licences of trades, social enterprises, travel agencies and employers.
//!
//! No register serves them, so they change only by their dates. Companies 12 to 23 have licensed trades, cycling
//! through private security, road transport, electricity, water, sewerage and heat. One in eight of the other ordinary
//! companies may be on some list, and one in three of those has a licensed trade.
//!
//! Licences of a trade, with days counted from the first day:
//!
//! | companies | licences | shows |
//! | --- | --- | --- |
//! | 12 to 17 | one, suspended from the third day | one that is suspended |
//! | 18 to 23 | one that expired; one whose last day is the fourth, and one that begins on the sixth | a gap |
//! | 0 | one of each trade | listed, but not its own trade, so no connector looks it up |
//! | 1 to 11 | none | |
//! | others of the trade | up to two, in force, suspended, expired or ended | |
//!
//! The showcase on the other lists:
//!
//! | index | social enterprise | travel agency | employer |
//! | --- | --- | --- | --- |
//! | 0 | since long ago | | 27 people |
//! | 1 | | protected; an older contract | 320 people |
//! | 2 | revoked long ago | | two registrations, one of which ended |
//! | 3 | | a natural person, protected until the fifth day | 1 person |
//! | 4 | | struck off | registration ended |
//! | 5 | | without protection | |
//! | 6 | revoked, and granted again | | of unknown size |
//! | 7 | revoked on the fifth day | | 9 people, from the sixth day 12 |
//! | 8 | | banned from the fourth day | 30,000 people |
//! | 9 to 11 | | | |

mod agencies;
mod employers;
mod enterprises;
mod licences;

use super::company::Nace;
use super::dice::{Dice, Topic};
use super::showcase::SHOWCASE_SIZE;

pub use agencies::{Agency, agencies};
pub use employers::{Employer, employers};
pub use enterprises::{Enterprise, enterprises};
pub use licences::{Halt, Licence, Trade, licences};

/// In a large enough population all companies between the showcase and this index have licensed trades.
const TRADES_END: u32 = 24;

/// Main activities with a list of licences.
const TRADES: [Nace; 6] = [
    trade("8001", "80100", "Súkromné bezpečnostné služby"),
    trade("4941", "49410", "Nákladná cestná doprava"),
    trade("3515", "35140", "Predaj elektriny"),
    trade("3600", "36000", "Zber, úprava a dodávka vody"),
    trade("3700", "37000", "Čistenie a odvod odpadových vôd"),
    trade("3530", "35300", "Dodávka pary a rozvod studeného vzduchu"),
];

const fn trade(class: &'static str, old_class: &'static str, title: &'static str) -> Nace {
    Nace {
        class,
        old_class,
        title,
        is_old: false,
    }
}

/// True if the company may be on a list. Depends only on the index, so that a list does not require computing
/// every company.
pub fn may_be_listed(seed: u64, index: u32) -> bool {
    index < TRADES_END || Dice::new(seed, index, Topic::Listed).chance(125)
}

/// The licensed trade of an ordinary company, if it has one.
pub(crate) fn licensed_trade(seed: u64, index: u32) -> Option<Nace> {
    if (SHOWCASE_SIZE..TRADES_END).contains(&index) {
        let place = (index - SHOWCASE_SIZE) as usize % TRADES.len();
        return TRADES.get(place).copied();
    }
    let mut dice = Dice::with_salt(seed, index, Topic::Listed, 1);
    (index >= SHOWCASE_SIZE && may_be_listed(seed, index) && dice.chance(330))
        .then(|| *dice.pick(&TRADES))
}
