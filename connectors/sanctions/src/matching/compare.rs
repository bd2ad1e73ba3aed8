//! The similarity of two names, and the words that it is based on.

use super::forms::Form;
use super::name::Name;
use super::pairs::{Likeness, Pairs};
use super::reasons::{Reason, Rule};

/// The share of its weight with which a word counts that only the listed name has.
const EXTRA_OF_LISTED: f64 = 0.55;
/// The same for a word of a person's name: it may be a patronymic.
const EXTRA_OF_PERSON: f64 = 0.2;
/// Deducted if both names have legal forms of different kinds.
const OTHER_FORM: f64 = 0.03;
/// Deducted if one name is of a non-profit body and the other of a business.
const OTHER_NATURE: f64 = 0.35;
/// Deducted if only one of the names has a number.
const NUMBER_OF_ONE: f64 = 0.1;
/// Deducted if only one of the names has a number of a series, such as a fund or a ship.
const NUMBER_OF_SERIES: f64 = 0.3;
/// Numbers below this belong to a series. Larger ones are years and the like.
const END_OF_SERIES: u32 = 100;

/// The similarity of a company's name and a listed one. `None` without a common distinctive word.
#[must_use]
pub fn companies(company: &Name, listed: &Name) -> Option<Likeness> {
    if differ_by_form(company, listed) {
        return None;
    }
    if is_same(company, listed) {
        return Some(with_form(
            Likeness {
                score: 1.0,
                reasons: vec![Reason::of(Rule::SameName)],
            },
            company,
            listed,
        ));
    }
    let (ours, theirs) = (company.numbers(), listed.numbers());
    if !ours.is_empty() && !theirs.is_empty() && ours != theirs {
        return None;
    }
    let pairs = Pairs::of(company, listed);
    if !pairs.has_distinctive(company, listed) || !pairs.is_enough(company, listed) {
        return None;
    }
    let mut likeness = pairs.likeness(company, listed, EXTRA_OF_LISTED);
    let alone = pairs.numbers_of_one(company, listed);
    if !alone.is_empty() {
        let is_of_series = |number: &str| number.parse::<u32>().is_ok_and(|it| it < END_OF_SERIES);
        likeness.score -= match alone.into_iter().all(is_of_series) {
            true => NUMBER_OF_SERIES,
            false => NUMBER_OF_ONE,
        };
        likeness.reasons.push(Reason::of(Rule::NumberMissing));
    }
    Some(with_form(likeness, company, listed))
}

/// The similarity of two persons' names. `None` with fewer than two names in common.
#[must_use]
pub fn persons(trader: &Name, listed: &Name) -> Option<Likeness> {
    let pairs = Pairs::of(trader, listed);
    (pairs.count() >= 2).then(|| pairs.likeness(trader, listed, EXTRA_OF_PERSON))
}

/// Whether names are equal word by word, in Latin letters.
#[must_use]
pub fn is_same(one: &Name, other: &Name) -> bool {
    !one.words.is_empty()
        && one.words.len() == other.words.len()
        && one
            .words
            .iter()
            .zip(&other.words)
            .all(|(a, b)| a.text == b.text)
}

/// True if both names consist only of words of trade and places and have legal forms of different kinds. Then
/// only the form distinguishes them.
fn differ_by_form(company: &Name, listed: &Name) -> bool {
    let is_named = |name: &Name| name.distinctive().next().is_some();
    let (Some(ours), Some(theirs)) = (company.form, listed.form) else {
        return false;
    };
    let is_told = ours != Form::Company && theirs != Form::Company && ours != theirs;
    is_told && !is_named(company) && !is_named(listed)
}

fn with_form(mut likeness: Likeness, company: &Name, listed: &Name) -> Likeness {
    if let (Some(ours), Some(theirs)) = (company.form, listed.form)
        && ours != theirs
    {
        let natures = (ours.is_without_profit(), theirs.is_without_profit());
        likeness.score -= match natures {
            (Some(ours), Some(theirs)) if ours != theirs => OTHER_NATURE,
            _ => OTHER_FORM,
        };
        likeness.reasons.push(Reason::of(Rule::OtherLegalForm));
    }
    likeness
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(company: &str, listed: &str) -> Option<f64> {
        companies(&Name::of(company), &Name::of(listed)).map(|likeness| likeness.score)
    }

    #[test]
    fn one_name_in_other_spellings_is_found() {
        for (company, listed, least) in [
            ("Žblnkotech Holding, a. s.", "ЖБЛНКОТЕХ ХОЛДИНГ АО", 0.92),
            ("Žblnkotech Holding, a. s.", "HOLDING ZHBLNKOTEKH JSC", 0.92),
            (
                "Vzorostav Čučoriedka, s. r. o.",
                "VZORO STAV CUCORIEDKA LLC",
                0.92,
            ),
            (
                "Ťapkotrans Logistika s.r.o.",
                "TAPKOTRANS LOGISTICS LIMITED",
                0.92,
            ),
            (
                "Vzorostav Čučoriedka, s. r. o.",
                "VZOROSTAV CUCORIETKA",
                0.92,
            ),
            ("Vzorostav Slovakia s.r.o.", "VZOROSTAV OOO", 0.7),
        ] {
            let found = score(company, listed);
            assert!(
                found.is_some_and(|score| score >= least),
                "{company} {listed}: {found:?}"
            );
        }
    }

    #[test]
    fn different_names_are_not_found() {
        for (company, listed) in [
            ("Škrobopek Trade", "GLOBAL TRADE LLC"),
            (
                "Vzorostav Čučoriedka, s. r. o.",
                "VZOROSTAV BALTIC PLAST OOO",
            ),
            ("Vzor 7 s.r.o.", "VZOR 8 LLC"),
            ("Delta s.r.o.", "DELTA TANKERS URAL INC"),
            ("Hrkotmont, s.r.o.", "HRKOTFONT LLC"),
            ("Vzorostav Fond, a.s.", "VZOROSTAV FUND I"),
            ("Vzorostav, s.r.o.", "VZOROSTAV FOUNDATION"),
            ("Obchodná banka, a.s.", "TRADE BANK LLC"),
            ("Brmbosoft Raketaly", "BRMBOSOFT RAKETAVY"),
        ] {
            let found = score(company, listed);
            assert!(
                found.is_none_or(|score| score < 0.7),
                "{company} {listed}: {found:?}"
            );
        }
    }

    #[test]
    fn persons_need_two_names() {
        let score = |trader: &str, listed: &str| {
            persons(&Name::of_person(trader), &Name::of_person(listed)).map(|found| found.score)
        };
        assert!(score("Žofia Papraďová", "PAPRADOVA, Zofia").is_some_and(|score| score > 0.9));
        assert!(
            score("Žofia Papraďová", "Zofia Ivanovna Papradova").is_some_and(|score| score > 0.85)
        );
        assert_eq!(score("Žofia Papraďová", "Zofia Zvonckova"), None);
    }
}
