//! Proceedings of ordinary companies on the first day.

use time::Date;

use super::super::calendar::{after, before};
use super::super::company::Company;
use super::super::dice::{Dice, Topic};
use super::super::forms::LegalForm;
use super::{Kind, MANY, Proceeding, State};

const OF_COMPANIES: [Kind; 5] = [
    Kind::Bankruptcy,
    Kind::SmallBankruptcy,
    Kind::Restructuring,
    Kind::Preventive,
    Kind::Other,
];
const OF_TRADERS: [Kind; 2] = [Kind::ReliefByBankruptcy, Kind::ReliefBySchedule];

const REASONS: [&str; 5] = [
    "NEDOSTATOK_MAJETKU",
    "SPLNENIE_ROZVRHU_VYTAZKU",
    "ODSUHLAS_ENY_PLAN",
    "ZIADNY_VERITEL",
    "INAK",
];

pub(super) fn of(company: &Company, first: u64) -> Vec<Proceeding> {
    let mut dice = Dice::new(company.origin.seed, company.index, Topic::Proceedings);
    if company.index == MANY {
        return (0..130)
            .map(|place| ended(company, first + place, &mut dice))
            .collect();
    }
    match dice.below(100) {
        0..5 => vec![active(company, first, &mut dice)],
        5..26 => vec![ended(company, first, &mut dice)],
        26..31 => vec![
            ended(company, first, &mut dice),
            ended(company, first + 1, &mut dice),
        ],
        31..34 => {
            let long_ago =
                before(company.origin.start, 900 + dice.below(900)).max(company.established);
            let liquidation =
                Proceeding::begun(first, Kind::Liquidation, long_ago).declared(long_ago);
            vec![liquidation.over(after(long_ago, 200), "INY_DOVOD")]
        }
        _ => Vec::new(),
    }
}

fn kind(company: &Company, dice: &mut Dice) -> Kind {
    if company.legal_form == LegalForm::Trader {
        *dice.pick(&OF_TRADERS)
    } else {
        *dice.pick(&OF_COMPANIES)
    }
}

/// An active proceeding, with its last event within the last three months.
fn active(company: &Company, id: u64, dice: &mut Dice) -> Proceeding {
    let changed = before(company.origin.start, 1 + dice.below(90));
    let began = before(changed, 10 + dice.below(400)).max(company.established);
    let begun = Proceeding::begun(id, kind(company, dice), began);
    let state = *dice.pick(&[State::Declared, State::GoingOn, State::Suspended]);
    if dice.chance(200) {
        return Proceeding {
            last_event_on: changed,
            ..begun
        };
    }
    Proceeding {
        state,
        ..begun.declared(changed.max(began))
    }
}

/// A proceeding that ended at least five days ago.
fn ended(company: &Company, id: u64, dice: &mut Dice) -> Proceeding {
    let latest = before(company.origin.start, 5);
    let began = before(latest, 300 + dice.below(3_000))
        .max(company.established)
        .min(latest);
    let end = |days: u32| -> Date { after(began, days).min(latest) };
    let (declared, over) = (end(20 + dice.below(60)), end(150 + dice.below(900)));
    let begun = Proceeding::begun(id, kind(company, dice), began);
    if dice.chance(250) {
        return begun.stopped(declared, "SPATVZATIE");
    }
    begun
        .declared(declared)
        .over(over, dice.pick::<&str>(&REASONS))
}
