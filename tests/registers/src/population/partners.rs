//! Registrations of the company as a public sector partner.
//!
//! Nothing is stored: the register's content on a day is computed from the company's dice and its events until then.
//! The register does not follow other changes after the first day, such as a new name.
//!
//! The showcase ([`shown`]):
//!
//! | index | on the first day |
//! | --- | --- |
//! | 0 | partner with two identity versions, the older one's number with inner spaces; 25 rows of owners over time, company 1 among the current ones; a former official, two verifying firms, yearly verifications; an owner is replaced on day 15 |
//! | 1 | partner with one owner and a pending complaint; erased on day 17 |
//! | 2 | erased four years ago after a fine and a complaint; the register left the owner's row open |
//! | 3 | a sole trader under her own name, verified by an individual advocate |
//! | 4 | ended with the company, without an erasure |
//! | 5 | none |
//! | 6 | partner whose number is stored only with inner spaces |
//! | 7 | partner with a foreign owner, and one whose name is missing |
//! | 8 | two register files, the older one erased; the owner is a public official and is also listed as an official |
//! | 9 | none |
//! | 10 | erased, but its identity version was left open |
//! | 11 | none until it is registered on day 16 |

mod facts;
mod rolled;
mod shown;

use time::{Date, Duration};

pub use facts::{
    Authorised, Complaint, Erasure, Fine, Official, Owner, PartnerForm, RegisterFile, Valid,
    Verification, Version,
};

use super::company::Company;
use super::dice::{Dice, Topic};
use super::forms::LegalForm;
use super::happening::Happening;
use super::holders::Holder;
use super::showcase::SHOWCASE_SIZE;
use super::{LARGEST, identifiers, people};

/// The company's register files, oldest first.
pub fn register_files(company: &Company) -> Vec<RegisterFile> {
    let mut files = if company.index < SHOWCASE_SIZE {
        shown::files(company)
    } else {
        rolled::files(company)
    };
    for happened in &company.happened {
        if happened.kind == Happening::PartnerRegistered {
            let mut dice = dice(company, happened.salt);
            let place = files.len();
            files.push(begun(company, place, happened.on, &mut dice));
        } else if happened.kind == Happening::PartnerErased {
            for file in files.iter_mut().filter(|file| file.is_current()) {
                end(file, happened.on, Some("NaNavrh"));
            }
        } else if happened.kind == Happening::OwnerReplaced {
            let mut dice = dice(company, happened.salt);
            let current = files.iter_mut().find(|file| file.is_current());
            if let Some(file) = current {
                replace_owner(file, happened.on, &mut dice);
            }
        }
    }
    files
}

/// The company that owns the register file with an id.
pub(crate) fn company_of_file(id: u32) -> Option<u32> {
    Some(id.checked_sub(FIRST_FILE)? / FILES_EACH)
}

/// Whether it is registered now.
pub(crate) fn is_partner(company: &Company) -> bool {
    register_files(company).iter().any(RegisterFile::is_current)
}

/// Ids and numbers of files start here. Each company has a range of its own.
const FIRST_FILE: u32 = 90_000;
const FILES_EACH: u32 = 64;

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(company.origin.seed, company.index, Topic::Partners, salt)
}

fn open(since: Date) -> Valid {
    Valid { since, until: None }
}

/// An initial registration: the company's names since then, one owner, one verifying firm, one verification.
fn begun(company: &Company, place: usize, since: Date, dice: &mut Dice) -> RegisterFile {
    let place = u32::try_from(place).map_or(FILES_EACH - 1, |place| place.min(FILES_EACH - 1));
    let id = FIRST_FILE + FILES_EACH * company.index + place;
    RegisterFile {
        id,
        number: id - FIRST_FILE + 1,
        versions: versions(company, since),
        owners: vec![owner(since, dice)],
        authorised: vec![Authorised {
            holder: firm(dice),
            valid: open(since),
        }],
        officials: Vec::new(),
        verifications: vec![Verification {
            on: since,
            statement: "Overenie pri zápise",
        }],
        complaints: Vec::new(),
        fine: None,
        erasure: None,
    }
}

/// One version for each name of the company between the given day and the simulator's first day.
fn versions(company: &Company, since: Date) -> Vec<Version> {
    let first_day = company.origin.start;
    let names: Vec<_> = company
        .names
        .iter()
        .filter(|name| name.since <= first_day)
        .collect();
    let is_trader = company.legal_form == LegalForm::Trader;
    let trader = company
        .officers
        .iter()
        .find_map(|officer| match &officer.holder {
            Holder::Person(person) => Some(person.clone()),
            Holder::Company { .. } => None,
        });
    let person = trader.filter(|_| is_trader && company.index % 5 == 3);
    let ends = names.iter().skip(1).map(|next| Some(next.since));
    let periods = names.iter().zip(ends.chain([None]));
    periods
        .filter(|(_, until)| until.is_none_or(|until| until > since))
        .map(|(name, until)| Version {
            business_name: person.is_none().then(|| name.value.clone()),
            person: person.clone(),
            form: if is_trader {
                PartnerForm::Trader
            } else {
                PartnerForm::Legal
            },
            stored_ico: company.ico.clone(),
            valid: Valid {
                since: name.since.max(since),
                until,
            },
        })
        .collect()
}

const COUNTRY: &str = "Slovenská republika";

fn owner(since: Date, dice: &mut Dice) -> Owner {
    let person = people::person(dice);
    owned_by(Holder::Person(person), since, dice)
}

fn owned_by(holder: Holder, since: Date, dice: &mut Dice) -> Owner {
    let is_person = matches!(holder, Holder::Person(_));
    let age = i64::from(9_000 + dice.below(14_000));
    Owner {
        holder: Some(holder),
        is_public_official: is_person && dice.chance(60),
        citizenship: is_person.then_some(COUNTRY),
        born: is_person.then(|| since.saturating_sub(Duration::days(age))),
        valid: open(since),
    }
}

/// A verifying firm. Their numbers lie beyond those of the largest population.
fn firm(dice: &mut Dice) -> Holder {
    const FIRMS: [&str; 3] = [
        "Advokátska kancelária Overko, s. r. o.",
        "Audit Vzorový a partneri, spol. s r.o.",
        "Daňová poradkyňa Účtovníková, k. s.",
    ];
    let name = *dice.pick(&FIRMS);
    verifying_firm(name, 1 + dice.below(40))
}

fn verifying_firm(name: &str, place: u32) -> Holder {
    Holder::Company {
        name: name.to_owned(),
        ico: Some(identifiers::ico(LARGEST + place)),
    }
}

/// Ends all open entries, and erases the file if a reason is given.
fn end(file: &mut RegisterFile, on: Date, erased_for: Option<&'static str>) {
    // Remove names that the company took later.
    file.versions.retain(|version| version.valid.since <= on);
    let versions = file.versions.iter_mut().map(|version| &mut version.valid);
    let owners = file.owners.iter_mut().map(|owner| &mut owner.valid);
    let authorised = file.authorised.iter_mut().map(|one| &mut one.valid);
    let officials = file.officials.iter_mut().map(|one| &mut one.valid);
    for valid in versions.chain(owners).chain(authorised).chain(officials) {
        valid.until = Some(valid.until.map_or(on, |until| until.min(on)));
    }
    file.erasure = erased_for.map(|reason| Erasure { on, reason });
}

/// Replaces the newest owner and adds a verification.
fn replace_owner(file: &mut RegisterFile, on: Date, dice: &mut Dice) {
    let leaving = file
        .owners
        .iter_mut()
        .rev()
        .find(|owner| owner.valid.until.is_none());
    if let Some(leaving) = leaving {
        leaving.valid.until = Some(on);
    }
    file.owners.push(owner(on, dice));
    file.verifications.push(Verification {
        on,
        statement: "Overenie pri zmene",
    });
}

/// Formats an IČO as `99 999 994`.
fn spaced(ico: &str) -> String {
    format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..])
}
