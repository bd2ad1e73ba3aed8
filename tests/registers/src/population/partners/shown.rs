//! The registrations of the showcase. The parent module's table lists what each company shows.

use time::Date;

use super::{
    Authorised, COUNTRY, Complaint, Erasure, Fine, Official, Owner, RegisterFile, Valid,
    Verification, begun, dice, end, open, owned_by, owner, spaced, verifying_firm,
};
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::dice::Dice;
use crate::population::holders::Holder;
use crate::population::identifiers;
use crate::population::showcase::{NAMES, named};

pub(super) fn files(company: &Company) -> Vec<RegisterFile> {
    let start = company.origin.start;
    let mut dice = dice(company, 0);
    let mut begin = |place: usize, days: u32| begun(company, place, before(start, days), &mut dice);
    match company.index {
        0 => vec![much_owned(company, begin(0, 2_900), start)],
        1 => vec![complained_of(begin(0, 2_500), start)],
        2 => vec![fined(begin(0, 3_000), start)],
        3 => vec![verified_by_a_person(begin(0, 700))],
        4 => {
            let mut file = begin(0, 3_100);
            let ended = company.ending.as_ref().map(|ending| ending.date);
            end(&mut file, ended.unwrap_or(start), None);
            vec![file]
        }
        6 => {
            let mut file = begin(0, 1_200);
            for version in &mut file.versions {
                version.stored_ico = spaced(&company.ico);
            }
            vec![file]
        }
        7 => vec![foreign(begin(0, 900))],
        8 => {
            let mut former = begin(0, 3_200);
            end(&mut former, before(start, 1_800), Some("ZUradnejMoci"));
            vec![former, official(begin(1, 1_000))]
        }
        10 => {
            let mut file = begin(0, 2_000);
            file.erasure = Some(Erasure {
                on: before(start, 500),
                reason: "NaNavrh",
            });
            vec![file]
        }
        _ => Vec::new(),
    }
}

/// 23 former owners, one after another, and two current ones.
fn much_owned(company: &Company, mut file: RegisterFile, start: Date) -> RegisterFile {
    let mut dice: Dice = dice(company, 1);
    let began = before(start, 2_900);
    let leaving = |place: u32| after(began, 100 * (place + 1));
    file.owners = (0..23)
        .map(|place| {
            let since = if place == 0 {
                began
            } else {
                leaving(place - 1)
            };
            let mut owner = owner(since, &mut dice);
            owner.is_public_official = place == 4;
            owner.valid.until = Some(leaving(place));
            owner
        })
        .collect();
    let holding = Holder::Company {
        name: NAMES[1].to_owned(),
        ico: Some(identifiers::ico(1)),
    };
    let since = leaving(22);
    let jana = named(&["Ing."], "Jana", "Skúšobná", &["PhD."]);
    file.owners.push(owned_by(holding, since, &mut dice));
    let mut jana = owned_by(Holder::Person(jana), since, &mut dice);
    jana.is_public_official = false;
    file.owners.push(jana);
    if let Some(oldest) = file.versions.first_mut() {
        oldest.stored_ico = spaced(&company.ico);
    }
    let turn = before(start, 1_000);
    for former in &mut file.authorised {
        former.valid.until = Some(turn);
    }
    file.authorised.push(Authorised {
        holder: verifying_firm("Notárka Pečiatková, s. r. o.", 0),
        valid: open(turn),
    });
    file.officials.push(Official {
        person: named(&["Mgr."], "Ľubomír", "Vymyslený", &[]),
        function: Some("Poslanec Národnej rady Slovenskej republiky"),
        valid: Valid {
            since: before(start, 2_400),
            until: Some(before(start, 1_300)),
        },
    });
    file.verifications.extend((0..7).map(|year| Verification {
        on: after(began, 365 * (year + 1)),
        statement: "Overenie k 31. decembru",
    }));
    file
}

fn complained_of(mut file: RegisterFile, start: Date) -> RegisterFile {
    if let Some(owner) = file.owners.first_mut() {
        owner.holder = Some(Holder::Person(named(&[], "Rastislav", "Orieškovič", &[])));
        owner.is_public_official = false;
    }
    file.complaints.push(Complaint {
        case_number: "1PPok/8/2025".to_owned(),
        started: before(start, 70),
        decided: None,
    });
    file
}

fn fined(mut file: RegisterFile, start: Date) -> RegisterFile {
    file.complaints.push(Complaint {
        case_number: "2PPok/31/2021".to_owned(),
        started: before(start, 1_700),
        decided: Some((before(start, 1_560), before(start, 1_530), "Výmaz partnera")),
    });
    file.fine = Some(Fine {
        recorded: before(start, 1_500),
        note: "Pokuta za nepravdivé údaje o konečnom užívateľovi výhod",
    });
    end(&mut file, before(start, 1_460), Some("ZUradnejMoci"));
    for owner in &mut file.owners {
        owner.valid.until = None;
    }
    file
}

fn verified_by_a_person(mut file: RegisterFile) -> RegisterFile {
    for authorised in &mut file.authorised {
        authorised.holder = Holder::Person(named(&["JUDr."], "Soňa", "Overková", &[]));
    }
    file
}

fn foreign(mut file: RegisterFile) -> RegisterFile {
    let valid = file.versions.first().map(|version| version.valid);
    for owner in &mut file.owners {
        owner.holder = Some(Holder::Person(named(&[], "Jürgen", "Mustermannik", &[])));
        owner.citizenship = Some("Nemecká spolková republika");
    }
    file.owners.extend(valid.map(|valid| Owner {
        holder: None,
        is_public_official: false,
        citizenship: None,
        born: None,
        valid,
    }));
    file
}

fn official(mut file: RegisterFile) -> RegisterFile {
    let person = named(&["doc."], "Anežka", "Starostková", &["CSc."]);
    for owner in &mut file.owners {
        owner.holder = Some(Holder::Person(person.clone()));
        owner.is_public_official = true;
        owner.citizenship = Some(COUNTRY);
    }
    let valid = file.versions.first().map(|version| version.valid);
    file.officials.extend(valid.map(|valid| Official {
        person,
        function: Some("Primátorka mesta"),
        valid,
    }));
    file
}
