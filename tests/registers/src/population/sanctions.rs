//! Entries of the lists of sanctions that mean the company, and look-alikes.
//!
//! Three of two hundred ordinary companies are listed. The showcase:
//!
//! | index | entries | shows |
//! | --- | --- | --- |
//! | 0 | none; one shares a word with it | a shared word is not a match |
//! | 1 | on the Union's list in Cyrillic, on the main one of the United States in other words | another script, words of trade in other languages, another country, a reference number that another entry has too |
//! | 2 | none until the script lists it with the United States on day 17; others share words of trade | words of trade alone are not a match |
//! | 3 | a person on the main list of the United States | a sole trader is compared with persons, including those of the same town |
//! | 4 | none; one differs in a letter | a single word must be identical |
//! | 5 | on the other lists of the United States, with its town | a town that agrees but for a postal code, another list |
//! | 6 | on the Union's list under another name, with its register number, spaced | a number alone is a hit |
//! | 7 | on the Union's list, in another order and a German spelling | an entry without a reference number |
//! | 8 | none; from day 16 to day 18 on the Union's list | listed and removed by the script |
//! | 9 | a weak name on the main list of the United States; no match with another that has one more word | a weak name must be identical |
//! | 10 | none; one has an additional number | |
//! | 11 | none; a person has its name | persons are not compared with companies |

mod outsiders;

use time::Date;

use super::calendar::before;
use super::company::Company;
use super::dice::{Dice, Topic};
use super::forms::LegalForm;
use super::happening::Happening;
use super::showcase::SHOWCASE_SIZE;
use crate::registers::fold::fold;

pub use outsiders::outsiders;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    Union,
    /// The United States' list of specially designated nationals.
    Main,
    /// The United States' other lists.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A company or another body.
    Body,
    /// A person; the name begins with the given one.
    Person,
    /// A subject of a type unknown to readers.
    Vessel,
    /// An entry of a type unknown to readers.
    Unknown,
}

/// The reference number of an entry of the Union's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// A reference number that no other entry has.
    Own,
    /// No reference number, as in some entries of the real list.
    Missing,
    /// The reference number of the entry with this number, as in some real entries.
    Shared(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The list that contains it.
    pub list: List,
    pub number: u32,
    /// The reference number, used on the Union's list only.
    pub reference: Reference,
    pub kind: Kind,
    /// Its names, the main one first; the flag marks a weak name.
    pub names: Vec<(String, bool)>,
    /// The sanctions programme of the listing.
    pub programme: &'static str,
    pub since: Date,
    /// The country of its address: the code, and the United States' name for it.
    pub country: Option<(&'static str, &'static str)>,
    /// The town of its address.
    pub town: Option<String>,
    /// Its Slovak register number, as listed.
    pub register_number: Option<String>,
}

const RUSSIA: (&str, &str) = ("RU", "Russia");
const SLOVAKIA: (&str, &str) = ("SK", "Slovakia");

/// The entries that mean a company, ordered by number.
pub fn entries(company: &Company) -> Vec<Entry> {
    let mut all = first(company);
    for happened in &company.happened {
        if happened.kind == Happening::ListedByUnion {
            all.push(named(company, List::Union, 8, happened.on));
        } else if happened.kind == Happening::ListedByUnitedStates {
            all.push(named(company, List::Main, 9, happened.on));
        } else if happened.kind == Happening::Delisted {
            all.clear();
        }
    }
    all
}

/// True if an entry means the company. Checks all lists if `list` is `None`.
pub(crate) fn is_listed(company: &Company, list: Option<List>) -> bool {
    entries(company)
        .iter()
        .any(|entry| list.is_none_or(|list| entry.list == list))
}

/// The entries before any forced event.
fn first(company: &Company) -> Vec<Entry> {
    if company.index >= SHOWCASE_SIZE {
        return rolled(company);
    }
    let since = before(company.origin.start, 400);
    let entry = |list, names: &[&str]| Entry {
        names: strong(names),
        country: Some(RUSSIA),
        ..named(company, list, 1, since)
    };
    match company.index {
        1 => vec![
            entry(
                List::Union,
                &["АО «Жблнкотех Холдинг»", "ZHBLNKOTEKH KHOLDING JSC"],
            ),
            entry(List::Main, &["HOLDING ZBLNKOTECH OAO"]),
        ],
        3 => vec![Entry {
            kind: Kind::Person,
            town: Some(fold(company.seat().city).to_uppercase()),
            country: Some(SLOVAKIA),
            ..entry(List::Main, &["Zofia Ivanovna PAPRADOVA", "Sofja PAPRADOWA"])
        }],
        5 => vec![Entry {
            town: Some(format!(
                "010 01 {}",
                fold(company.seat().city).to_uppercase()
            )),
            country: Some(SLOVAKIA),
            ..entry(List::Other, &["TAPKOTRANS LOGISTICS LIMITED"])
        }],
        6 => vec![Entry {
            country: Some(SLOVAKIA),
            register_number: Some(format!(
                "{} {} {}",
                &company.ico[..2],
                &company.ico[2..5],
                &company.ico[5..]
            )),
            ..entry(List::Union, &["SKRYTA ZBROJOVKA LLC"])
        }],
        7 => vec![Entry {
            country: None,
            reference: Reference::Missing,
            ..entry(List::Union, &["MUELLERIK & KAEFEROVA GMBH"])
        }],
        9 => vec![Entry {
            country: None,
            names: vec![
                ("UTAJENE SYSTEMY".to_owned(), false),
                ("BRMBOSOFT".to_owned(), true),
            ],
            ..entry(List::Main, &[])
        }],
        _ => Vec::new(),
    }
}

fn strong(names: &[&str]) -> Vec<(String, bool)> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), false))
        .collect()
}

fn rolled(company: &Company) -> Vec<Entry> {
    let mut dice = Dice::new(company.origin.seed, company.index, Topic::Sanctions);
    if !dice.chance(15) {
        return Vec::new();
    }
    let list = *dice.pick(&[List::Union, List::Main, List::Other]);
    let since = before(company.origin.start, 30 + dice.below(2_000)).max(company.established);
    vec![named(company, list, 1, since)]
}

/// An entry with the company's own name, in capitals and without marks.
fn named(company: &Company, list: List, place: u32, since: Date) -> Entry {
    let name = fold(own_name(company.name())).to_uppercase();
    let is_person = company.legal_form == LegalForm::Trader;
    let name = if is_person {
        name
    } else {
        format!("{name} LLC")
    };
    Entry {
        list,
        number: 100_000 + company.index * 10 + place,
        reference: Reference::Own,
        kind: if is_person { Kind::Person } else { Kind::Body },
        names: strong(&[&name]),
        programme: match list {
            List::Union => "XYZ",
            List::Main => "XYZ-EO00000",
            List::Other => "XYZ-DIRECTIVE0",
        },
        since,
        country: (!is_person).then_some(RUSSIA),
        town: None,
        register_number: None,
    }
}

/// The name without its legal form.
fn own_name(name: &str) -> &str {
    const ENDINGS: [&str; 9] = [
        ", ",
        " s.r.o",
        " s. r. o",
        " spol.",
        " a.s",
        " a. s",
        " v.o.s",
        " k.s",
        " v likvidácii",
    ];
    let ends = ENDINGS.iter().filter_map(|ending| name.find(ending));
    name[..ends.min().unwrap_or(name.len())].trim_matches(['"', '„', '“', ' '])
}
