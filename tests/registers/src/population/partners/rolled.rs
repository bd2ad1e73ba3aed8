//! Ordinary companies: about one in three has been a partner at some time.

use time::Date;

use super::{
    Complaint, FIRST_FILE, Fine, Official, RegisterFile, Valid, Verification, begun, dice, end,
    open, owner, replace_owner, spaced,
};
use crate::population::calendar::{after, before, days_between};
use crate::population::company::Company;
use crate::population::dice::Dice;
use crate::population::people;

const RESULTS: [&str; 3] = ["Zamietnutý", "Konanie zastavené", "Výmaz partnera"];
const FUNCTIONS: [&str; 3] = [
    "Poslanec obecného zastupiteľstva",
    "Starosta obce",
    "Člen dozornej rady štátneho podniku",
];

pub(super) fn files(company: &Company) -> Vec<RegisterFile> {
    let mut dice = dice(company, 0);
    if !dice.chance(340) {
        return Vec::new();
    }
    let start = company.origin.start;
    let began = before(start, 60 + dice.below(3_000)).max(company.established);
    if began >= start {
        return Vec::new();
    }
    let mut first = whole(company, 0, began, &mut dice);
    if dice.chance(700) {
        return vec![first];
    }
    let days = days_between(began, start);
    let ended = after(began, 1 + dice.below(days));
    end(&mut first, ended, dice.chance(800).then_some("NaNavrh"));
    if first.erasure.is_some() && dice.chance(250) {
        for owner in &mut first.owners {
            owner.valid.until = owner.valid.until.filter(|until| *until != ended);
        }
    }
    let rest = days_between(ended, start);
    if rest > 2 && dice.chance(400) {
        let again = after(ended, 1 + dice.below(rest - 1));
        let second = whole(company, 1, again, &mut dice);
        return vec![first, second];
    }
    vec![first]
}

/// A registration with all entries up to the first day.
fn whole(company: &Company, place: usize, began: Date, dice: &mut Dice) -> RegisterFile {
    let start = company.origin.start;
    let days = days_between(began, start);
    let mut file = begun(company, place, began, dice);
    // Some numbers are stored with inner spaces, in the first version or in all.
    if dice.chance(150) {
        let all = dice.chance(500);
        let count = if all { file.versions.len() } else { 1 };
        for version in file.versions.iter_mut().take(count) {
            version.stored_ico = spaced(&company.ico);
        }
    }
    for _ in 0..dice.below(3) {
        let joining = owner(began, dice);
        file.owners.push(joining);
    }
    let mut on = began;
    for _ in 0..dice.below(3) {
        on = after(on, 1 + dice.below(400));
        if on < start {
            replace_owner(&mut file, on, dice);
        }
    }
    if dice.chance(120) {
        let person = people::person(dice);
        let until = dice.chance(300).then(|| after(began, days / 2));
        file.officials.push(Official {
            person,
            function: dice.chance(800).then(|| *dice.pick(&FUNCTIONS)),
            valid: Valid {
                until: until.filter(|until| *until > began),
                ..open(began)
            },
        });
    }
    if days > 400 {
        file.verifications.push(Verification {
            on: after(began, days - 30),
            statement: "Overenie k 31. decembru",
        });
    }
    if days > 300 && dice.chance(80) {
        let started = after(began, 100);
        file.complaints.push(Complaint {
            case_number: format!("1PPok/{}/{}", file.id - FIRST_FILE + 1, started.year()),
            started,
            decided: dice.chance(700).then(|| {
                let (ended, last) = (after(started, 90), after(started, 120));
                (ended, last, *dice.pick(&RESULTS))
            }),
        });
        file.fine = dice.chance(400).then(|| Fine {
            recorded: after(started, 130),
            note: "Pokuta za neúplné údaje",
        });
    }
    file
}
