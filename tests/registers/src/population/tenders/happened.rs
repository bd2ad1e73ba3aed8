//! Notices of scripted and forced events.

use time::Date;

use super::ordinary::{order, subject};
use super::{Form, Lot, Notice, Party, Spelling, Who, company_on, reported_on};
use crate::population::calendar::before;
use crate::population::dice::{Dice, Topic};
use crate::population::happening::{Happened, Happening};
use crate::population::{Money, Population, SMALLEST};

/// The notices of a day. Only the showcase and companies chosen by a test have such notices.
pub(super) fn notices(population: &Population, date: Date) -> Vec<Notice> {
    if date < population.start() {
        return Vec::new();
    }
    let mut indexes: Vec<u32> = (0..SMALLEST).collect();
    let forced = population
        .forced
        .read()
        .expect("no holder of this lock panics");
    indexes.extend(forced.keys().copied().filter(|index| *index >= SMALLEST));
    drop(forced);
    indexes.sort_unstable();
    let mut notices = Vec::new();
    for index in indexes {
        let company = company_on(population, index, date);
        let today = company
            .happened
            .iter()
            .filter(|happened| reported_on(happened.on) == date);
        for happened in today {
            let place = 500 + u32::try_from(notices.len()).unwrap_or_default();
            notices.extend(notice(company.origin.seed, index, date, place, *happened));
        }
    }
    notices
}

fn notice(seed: u64, index: u32, date: Date, place: u32, happened: Happened) -> Option<Notice> {
    let party = Party {
        who: Who::Company(index),
        spelling: Spelling::Plain,
    };
    let body = Party {
        who: Who::Body(index % 20),
        spelling: Spelling::Plain,
    };
    let mut dice = Dice::with_salt(seed, index, Topic::Tenders, happened.salt);
    let (form, buyer, lots) = if happened.kind == Happening::TenderWon {
        let lot = Lot {
            winners: vec![party],
            loser: None,
            value: Some(Money(100_000 + u64::from(dice.below(5_000_000)))),
            currency: "EUR",
            contract: Some(before(date, 3)),
        };
        (Form::Result, body, vec![lot])
    } else if happened.kind == Happening::ContactChanged {
        (Form::Planning, party, Vec::new())
    } else {
        return None;
    };
    let order = order(date, place);
    let (title, cpv) = subject(dice.roll());
    Some(Notice {
        id: 0,
        form,
        is_xml: false,
        order,
        has_uuid: true,
        title: format!("{title} {order}"),
        cpv,
        buyer,
        lots,
    })
}
