//! The hand-written contracts of the showcase. The parent module has their table.

use time::Date;

use super::chance::{BUYERS, buyer_ico};
use super::days::{after_days, working};
use super::{
    Amendment, Contract, Effective, Later, Money, Population, Spelling, State, Supplier, id,
    number_of,
};

/// The special property of a showcase contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trait {
    Plain,
    /// Neither amount is known.
    Worthless,
    /// The total is 0 and the agreed amount is not.
    TotalUnknown,
    Amends(Amendment),
    Draft,
    /// The state changes after this number of days.
    Turns(i64, State),
    Supplemented(i64),
    Attached(i64),
    InWords,
    Undated,
    PrivateBuyer,
    Spelled(Spelling),
}

/// Days before the start, the company, and the special property.
const SHOWN: &[(i64, u32, Trait)] = &[
    (118, 0, Trait::Plain),
    (117, 4, Trait::Plain),
    (110, 0, Trait::Supplemented(30)),
    (104, 0, Trait::Worthless),
    (98, 0, Trait::Amends(Amendment::ByType)),
    (97, 2, Trait::Turns(9, State::Cancelled)),
    (92, 0, Trait::Plain),
    (90, 7, Trait::Spelled(Spelling::Entities)),
    (88, 0, Trait::Amends(Amendment::BySubject)),
    (85, 0, Trait::Undated),
    (80, 1, Trait::Worthless),
    (78, 0, Trait::Turns(12, State::Cancelled)),
    (77, 7, Trait::Spelled(Spelling::Stray)),
    (71, 0, Trait::PrivateBuyer),
    (66, 10, Trait::Attached(25)),
    (64, 0, Trait::Turns(5, State::Withdrawn)),
    (62, 3, Trait::Spelled(Spelling::Spaced)),
    (58, 0, Trait::Plain),
    (55, 6, Trait::Spelled(Spelling::ZerosLost)),
    (51, 0, Trait::TotalUnknown),
    (50, 9, Trait::Draft),
    (44, 0, Trait::InWords),
    (41, 5, Trait::Amends(Amendment::ByType)),
    (38, 0, Trait::Spelled(Spelling::Entities)),
    (36, 10, Trait::InWords),
    (33, 0, Trait::Plain),
    (29, 0, Trait::Amends(Amendment::ByNumber)),
    (27, 10, Trait::TotalUnknown),
    (24, 7, Trait::Spelled(Spelling::Entities)),
    (19, 0, Trait::Worthless),
    (10, 0, Trait::Spelled(Spelling::Spaced)),
    (4, 0, Trait::Attached(2)),
];

fn all(population: &Population) -> impl Iterator<Item = Contract> {
    let places = SHOWN.iter().zip(0_u32..);
    places.map(|((days_before, index, peculiar), place)| {
        let day = working(after_days(population.start(), -days_before));
        let mut contract = written(day, *index, place, *peculiar);
        contract.id = id(number_of(population, day), 4_000 + u64::from(place));
        contract
    })
}

pub(super) fn published_on(population: &Population, day: Date) -> Vec<Contract> {
    all(population)
        .filter(|contract| contract.published == day)
        .collect()
}

pub(super) fn changed_on(population: &Population, day: Date) -> Vec<Contract> {
    all(population)
        .filter(|contract| contract.later.is_some_and(|(on, _)| on == day))
        .collect()
}

fn written(day: Date, index: u32, place: u32, peculiar: Trait) -> Contract {
    let amount = Money(100_005 + 17_301 * u64::from(place));
    let later = |days: i64, later| Some((working(after_days(day, days)), later));
    let mut contract = Contract {
        id: 0,
        number: format!("VZ-{place:02}/{}", day.year()),
        subject: format!("Ukážková zmluva č. {place}"),
        buyer: BUYERS[place as usize % BUYERS.len()],
        buyer_ico: Some(buyer_ico(place % 6)),
        supplier: Supplier::Company(index),
        agreed: Some(amount),
        total: Some(amount),
        signed: Some(after_days(day, -2)),
        effective: Effective::On(after_days(day, 1)),
        published: day,
        state: State::Published,
        amendment: None,
        later: None,
        spelling: Spelling::Plain,
    };
    match peculiar {
        Trait::Plain => {}
        Trait::Worthless => (contract.agreed, contract.total) = (None, None),
        Trait::TotalUnknown => contract.total = None,
        Trait::Amends(how) => {
            contract.amendment = Some(how);
            match how {
                Amendment::ByType => {}
                Amendment::BySubject => contract.subject = format!("Dodatok č. {place} k zmluve"),
                Amendment::ByNumber => contract.number = format!("DODATOK-{place}"),
            }
        }
        Trait::Draft => contract.state = State::Draft,
        Trait::Turns(days, state) => contract.later = later(days, Later::Turns(state)),
        Trait::Supplemented(days) => {
            contract.later = later(days, Later::Supplemented(Money(amount.0 + 50_000)));
        }
        Trait::Attached(days) => contract.later = later(days, Later::Attachment),
        Trait::InWords => contract.effective = Effective::InWords,
        Trait::Undated => (contract.signed, contract.effective) = (None, Effective::Unknown),
        Trait::PrivateBuyer => {
            contract.buyer = "Žigmund Vymyslený";
            contract.buyer_ico = None;
        }
        Trait::Spelled(spelling) => {
            contract.spelling = spelling;
            if matches!(spelling, Spelling::Entities | Spelling::Stray) {
                contract.subject = format!("Čistenie škôl & \"záhrad\" č. {place}");
            }
        }
    }
    contract
}
