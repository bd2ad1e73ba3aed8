//! Food establishments approved by the veterinary and food administration, as on its two lists.
//!
//! The lists name operators without a number and in their own spellings. Seven of eight ordinary companies have no
//! establishment, the others one to three. The showcase:
//!
//! | company | establishments |
//! | --- | --- |
//! | 0 | two for products of animal origin, the operator once in capitals |
//! | 1 | one for food, in another municipality, with the operator's own address |
//! | 2 | one for products of animal origin, the operator without the legal form |
//! | 3 | a sole trader's one for food |
//! | 4 | none; the company has ended |
//! | 5 | one in another municipality, the operator without an address: an uncertain match |
//! | 6 | two for products of animal origin, one of them in two sections and with two activities, each in a separate row |
//! | 7 | one for food; quotes and umlauts in the operator's name |
//! | 8 | one of another operator with the same name but another legal form |
//! | 9 | one for food, from day 4 on |
//! | 10 | one for products of animal origin, until day 6 |
//! | 11 | none at first; one from day 12 to day 17 by the script |

use time::Date;

use super::calendar::{after, before};
use super::company::{Address, Company};
use super::dice::{Dice, Topic};
use super::forms::LegalForm;
use super::happening::Happening;
use super::showcase::SHOWCASE_SIZE;
use super::words::PLACES;
use super::{Population, places};

/// Which of the two lists an establishment is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Food,
    /// Products of animal origin.
    Vet,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Establishment {
    /// The list that contains it.
    pub list: List,
    pub number: String,
    /// The numbers of its sections; empty on the list for food.
    pub sections: Vec<&'static str>,
    /// The codes of its activities.
    pub activities: Vec<&'static str>,
    /// The name of the establishment.
    pub name: String,
    /// The operator's name in the spelling of the list.
    pub operator: String,
    /// The operator's seat, if the list has it.
    pub operator_seat: Option<Address>,
    pub address: Address,
    /// True if the operator's name and place match those of the company.
    pub is_certain: bool,
    /// The first day on the list.
    pub since: Date,
    /// The first day on which it is no longer on the list.
    pub until: Option<Date>,
}

impl Establishment {
    /// Whether it is on its list on a day.
    pub fn is_listed(&self, on: Date) -> bool {
        self.since <= on && self.until.is_none_or(|until| until > on)
    }
}

/// How a list names an operator.
#[derive(Debug, Clone, Copy)]
enum Spelling {
    AsRegistered,
    Capitals,
    WithoutForm,
    OtherForm,
    Elsewhere,
    ElsewhereWithSeat,
}

const ACTIVITIES: [&str; 6] = ["PP", "CS", "CP", "SH", "RW", "PAP"];
const SECTIONS: [&str; 6] = ["0", "I", "II", "V", "VI", "IX"];
const KINDS: [&str; 5] = ["Výrobňa", "Sklad", "Bitúnok", "Mliekareň", "Pekáreň"];

/// Indexes of forced events start after those of the first day.
const HAPPENED: u32 = 16;

/// The establishments of a company, including past ones; the newest is last.
pub fn establishments(company: &Company) -> Vec<Establishment> {
    let mut all = at_first(company);
    for (happened, place) in company.happened.iter().zip(HAPPENED..) {
        if happened.kind == Happening::EstablishmentApproved {
            let mut dice = dice(company, happened.salt);
            let list = *dice.pick(&[List::Food, List::Vet]);
            let mut one = made(company, list, Spelling::AsRegistered, place, &mut dice);
            one.since = happened.on;
            all.push(one);
        } else if happened.kind == Happening::EstablishmentWithdrawn
            && let Some(newest) = all.iter_mut().rfind(|one| is_in_force(one))
        {
            newest.until = Some(happened.on);
        }
    }
    if let Some(ending) = &company.ending {
        for one in &mut all {
            one.until = Some(
                one.until
                    .map_or(ending.date, |until| until.min(ending.date)),
            );
        }
    }
    all
}

/// True if an establishment that certainly belongs to the company has no end.
pub(crate) fn has_establishment(company: &Company) -> bool {
    establishments(company).iter().any(is_in_force)
}

fn is_in_force(one: &Establishment) -> bool {
    one.until.is_none() && one.is_certain
}

/// Operators on a list that are not companies of the population.
pub fn strangers(population: &Population, list: List) -> Vec<(String, Address)> {
    let salt = match list {
        List::Food => 1,
        List::Vet => 2,
    };
    (0..4 + population.len() / 100)
        .map(|place| {
            let mut dice = Dice::with_salt(population.seed(), place, Topic::Establishments, salt);
            let name = format!("Cudzia potravina {}, s. r. o.", 1 + place);
            (name, places::address(&mut dice))
        })
        .collect()
}

/// The establishments before any forced event.
fn at_first(company: &Company) -> Vec<Establishment> {
    use Spelling::{AsRegistered, Capitals, Elsewhere, ElsewhereWithSeat, OtherForm, WithoutForm};
    let start = company.origin.start;
    let shown: &[(List, Spelling)] = match company.index {
        0 => &[(List::Vet, AsRegistered), (List::Vet, Capitals)],
        1 => &[(List::Food, ElsewhereWithSeat)],
        2 => &[(List::Vet, WithoutForm)],
        3 | 7 | 9 => &[(List::Food, AsRegistered)],
        5 => &[(List::Vet, Elsewhere)],
        6 => &[(List::Vet, AsRegistered), (List::Vet, AsRegistered)],
        8 => &[(List::Vet, OtherForm)],
        10 => &[(List::Vet, AsRegistered)],
        _ => &[],
    };
    if company.index >= SHOWCASE_SIZE {
        return rolled(company);
    }
    (0..)
        .zip(shown)
        .map(|(place, (list, spelling))| {
            let mut dice = dice(company, u64::from(place));
            let mut one = made(company, *list, *spelling, place, &mut dice);
            match (company.index, place) {
                (6, 0) => {
                    one.sections = vec!["I", "VI"];
                    one.activities = vec!["CP", "SH"];
                }
                (9, _) => one.since = after(start, 4),
                (10, _) => one.until = Some(after(start, 6)),
                _ => {}
            }
            one
        })
        .collect()
}

fn rolled(company: &Company) -> Vec<Establishment> {
    let mut dice = dice(company, 0);
    if !dice.chance(125) {
        return Vec::new();
    }
    (0..1 + dice.below(3))
        .map(|place| {
            let list = *dice.pick(&[List::Food, List::Vet]);
            let spelling = match dice.below(100) {
                0..60 => Spelling::AsRegistered,
                60..70 => Spelling::Capitals,
                70..78 => Spelling::WithoutForm,
                78..85 => Spelling::OtherForm,
                85..93 => Spelling::Elsewhere,
                _ => Spelling::ElsewhereWithSeat,
            };
            made(company, list, spelling, place, &mut dice)
        })
        .collect()
}

fn made(
    company: &Company,
    list: List,
    spelling: Spelling,
    place: u32,
    dice: &mut Dice,
) -> Establishment {
    let (seat, name) = (company.seat().clone(), company.name());
    let (operator, is_certain) = match spelling {
        Spelling::AsRegistered | Spelling::ElsewhereWithSeat => (name.to_owned(), true),
        Spelling::Capitals => (name.to_uppercase(), true),
        Spelling::WithoutForm => (without_form(company).to_owned(), true),
        Spelling::OtherForm => other_form(company),
        Spelling::Elsewhere => (name.to_owned(), false),
    };
    // The list for products of animal origin has no operators' addresses.
    let has_seat = matches!(spelling, Spelling::ElsewhereWithSeat) && list == List::Food;
    let is_elsewhere = has_seat || matches!(spelling, Spelling::Elsewhere);
    let elsewhere = places::address_in(other_place(seat.city, dice), dice);
    let operator_seat = match list {
        List::Food if !matches!(spelling, Spelling::Elsewhere) => Some(seat.clone()),
        List::Food | List::Vet => None,
    };
    let number = company.index * 32 + place;
    Establishment {
        list,
        number: match list {
            List::Food => format!("SK U {number:05}/2013"),
            List::Vet => format!("SK 99{number:05}"),
        },
        sections: match list {
            List::Food => Vec::new(),
            List::Vet => vec![*dice.pick(&SECTIONS)],
        },
        activities: vec![*dice.pick(&ACTIVITIES)],
        name: format!("{} {}", dice.pick(&KINDS), 1 + place),
        operator,
        operator_seat,
        address: if is_elsewhere { elsewhere } else { seat },
        is_certain,
        since: before(company.origin.start, 30 + dice.below(3_000)),
        until: None,
    }
}

/// Another municipality. Parts of a city count as the same one.
fn other_place(city: &str, dice: &mut Dice) -> &'static super::words::Place {
    let first = |city: &str| city.split(' ').next().map(str::to_owned);
    let count = u32::try_from(PLACES.len()).expect("a short list");
    let from = dice.below(count) as usize;
    (from..from + PLACES.len())
        .map(|place| &PLACES[place % PLACES.len()])
        .find(|place| first(place.city) != first(city))
        .expect("there are several municipalities")
}

fn without_form(company: &Company) -> &str {
    let name = company.name();
    let endings = company.legal_form.endings().iter();
    endings
        .filter(|ending| !ending.is_empty())
        .find_map(|ending| name.strip_suffix(*ending))
        .unwrap_or(name)
}

/// The name with a legal form that the company does not have. Forms that are optional in a name stay.
fn other_form(company: &Company) -> (String, bool) {
    let form = match company.legal_form {
        LegalForm::LimitedCompany => ", a. s.",
        LegalForm::JointStockCompany => ", s. r. o.",
        LegalForm::GeneralPartnership
        | LegalForm::LimitedPartnership
        | LegalForm::SimpleShareCompany
        | LegalForm::Cooperative
        | LegalForm::FlatOwners
        | LegalForm::Association
        | LegalForm::Trader => return (company.name().to_owned(), true),
    };
    match without_form(company) {
        // A remark follows the form.
        name if name == company.name() => (name.to_owned(), true),
        name => (format!("{name}{form}"), false),
    }
}

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(
        company.origin.seed,
        company.index,
        Topic::Establishments,
        salt,
    )
}
