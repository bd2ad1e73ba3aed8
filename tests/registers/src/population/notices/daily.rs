//! The bulletin's notices about ordinary companies.

use super::super::dice::{Dice, Topic};
use super::super::showcase::SHOWCASE_SIZE;
use super::forms::{Form, Part};
use super::{FIRST, Notice, Party, Place};

/// Number of companies per notice a day.
const COMPANIES_OF_A_NOTICE: u32 = 60;
/// Maximum number of notices a day, which is the real number.
const MOST: u32 = 800;

/// The ordinary notices of an issue: none at weekends, and none without ordinary companies.
pub(super) fn ordinary(place: &Place<'_>) -> Vec<Notice> {
    let ordinary = place.population.len() - SHOWCASE_SIZE;
    if ordinary == 0 || !place.is_working_day() {
        return Vec::new();
    }
    let count = (place.population.len() / COMPANIES_OF_A_NOTICE).clamp(1, MOST);
    (0..count)
        .map(|slot| notice(place, slot, count, ordinary))
        .collect()
}

fn notice(place: &Place<'_>, slot: u32, count: u32, ordinary: u32) -> Notice {
    let day = u32::try_from(place.issue + FIRST).unwrap_or(0);
    let mut dice = Dice::with_salt(
        place.population.seed(),
        day,
        Topic::Notices,
        u64::from(slot),
    );
    // Only the first of three consecutive ordinary companies is ever named.
    let named_company = |dice: &mut Dice| {
        let index = SHOWCASE_SIZE + dice.below(ordinary);
        index - index % 3
    };
    let form = Form::ALL[(day * count + slot) as usize % Form::ALL.len()];
    let index = named_company(&mut dice);
    let mut notice = place.notice(place.id(slot), form, index);
    notice.is_broken = dice.chance(15);
    let is_bankruptcy = form == Form::Bankruptcy;
    let is_enforcement = form == Form::Enforcement;
    if (is_bankruptcy || is_enforcement) && dice.chance(250) {
        notice.parties.clear();
        notice.people = 1 + dice.below(3);
    } else if is_bankruptcy {
        let proposers = dice.below(3);
        for _ in 0..proposers {
            let index = named_company(&mut dice);
            join(&mut notice, index, Part::Proposer);
        }
        // A company that withdraws is no longer named.
        if dice.chance(300) && !notice.is_broken {
            notice.updated = place.updated();
            if notice.updated.is_some() {
                notice.parties.truncate(1);
            }
        }
    } else if is_enforcement {
        let others = if dice.chance(50) { 199 } else { dice.below(4) };
        for _ in 0..others {
            let index = named_company(&mut dice);
            join(&mut notice, index, Part::Obligor);
        }
        notice.people = dice.below(2);
    } else if form.is_auction() {
        let index = named_company(&mut dice);
        join(&mut notice, index, Part::Auctioneer);
        // The auctioneer comes first.
        notice.parties.reverse();
    }
    notice
}

/// Adds a company that the notice does not name yet.
fn join(notice: &mut Notice, index: u32, part: Part) {
    if notice.parties.iter().all(|party| party.index != index) {
        notice.parties.push(Party { index, part });
    }
}
