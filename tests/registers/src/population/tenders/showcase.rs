//! The notices of the showcase by the index of their issue. Each shows one property.

use time::Date;
use time::macros::date;

use super::ordinary::{order, subject};
use super::{Form, Issue, Lot, Notice, Party, Spelling, Who};
use crate::population::Money;
use crate::population::calendar::before;

/// A day in order numbers that is reserved for the showcase, so that a correction finds its original on any
/// day. No issue is that old.
const ORDERS_DAY: Date = date!(2000 - 01 - 03);

fn written(index: u32, spelling: Spelling) -> Party {
    Party {
        who: Who::Company(index),
        spelling,
    }
}

fn plain(index: u32) -> Party {
    written(index, Spelling::Plain)
}

fn lot(winners: Vec<Party>, cents: u64, day: Date) -> Lot {
    Lot {
        winners,
        loser: None,
        value: Some(Money(cents)),
        currency: "EUR",
        contract: Some(before(day, 6)),
    }
}

fn notice(form: Form, number: u32, buyer: Who, lots: Vec<Lot>) -> Notice {
    let order = order(ORDERS_DAY, number);
    let (title, cpv) = subject(u64::from(number));
    Notice {
        id: 0,
        form,
        is_xml: false,
        order,
        has_uuid: number % 5 != 4,
        title: title.to_owned(),
        cpv,
        buyer: Party {
            who: buyer,
            spelling: Spelling::Plain,
        },
        lots,
    }
}

/// The showcase's notices of an issue.
pub(super) fn notices(issue: &Issue) -> Vec<Notice> {
    let day = issue.published;
    let body = Who::Body(1);
    let one = |index: u32, cents: u64| vec![lot(vec![plain(index)], cents, day)];
    let made = match issue.place {
        3 => {
            let won = lot(vec![written(0, Spelling::Spaced)], 8_470_960, day);
            notice(Form::Result, 1, body, vec![won])
        }
        6 => {
            let joint = lot(vec![plain(0), plain(1)], 46_138_030, day);
            let second = lot(vec![written(8, Spelling::NoBreak)], 123_450, day);
            notice(Form::Result, 2, Who::Company(6), vec![joint, second])
        }
        9 => notice(Form::Planning, 3, Who::Company(6), Vec::new()),
        10 => notice(Form::Competition, 4, Who::Company(6), Vec::new()),
        12 => {
            let crowns = Lot {
                currency: "CZK",
                ..lot(vec![plain(0)], 125_000_000, day)
            };
            notice(Form::Result, 5, body, vec![crowns])
        }
        15 => {
            let without = Lot {
                value: None,
                contract: None,
                ..lot(vec![plain(0)], 0, day)
            };
            let tax_number = lot(vec![written(2, Spelling::TaxNumber)], 990_000, day);
            let missing = lot(vec![written(5, Spelling::Missing)], 880_000, day);
            notice(Form::Result, 6, body, vec![without, tax_number, missing])
        }
        18 => {
            let ranked = Lot {
                loser: Some(plain(10)),
                ..lot(vec![plain(0)], 250_000, day)
            };
            notice(Form::NationalResult, 7, body, vec![ranked])
        }
        20 => notice(Form::Result, 8, body, one(0, 700_000)),
        22 => Notice {
            is_xml: true,
            ..notice(Form::Result, 9, body, one(10, 600_000))
        },
        24 => notice(Form::Result, 10, body, one(3, 155_555)),
        25 => {
            let won = lot(vec![written(6, Spelling::Spaced)], 333_333, day);
            notice(Form::Result, 11, body, vec![won])
        }
        26 => notice(Form::Correction, 8, body, one(9, 690_000)),
        28 => notice(Form::Result, 12, body, one(4, 410_000)),
        29 => notice(Form::Result, 13, body, one(1, 9_900_000)),
        30 => notice(Form::Result, 14, body, one(7, 77_777)),
        31 => {
            let closed = Lot {
                winners: Vec::new(),
                loser: Some(plain(11)),
                value: None,
                contract: None,
                ..lot(Vec::new(), 0, day)
            };
            notice(Form::Result, 15, body, vec![closed])
        }
        33 => notice(Form::Correction, 13, body, one(1, 9_800_050)),
        35 => notice(Form::ContractChange, 16, body, one(8, 500_000)),
        _ => return Vec::new(),
    };
    vec![made]
}
