//! Finds the company of an entry in the tax authority's list, which has no numbers.
//!
//! A hit needs an equal name *and* an equal postal code *and* exactly one such company. Nothing is guessed.

use lustra_sdk::companies::Candidate;
use lustra_sdk::legal_form::{LegalForm, may_mean};
use lustra_sdk::records::{Similar, Stored};
use lustra_sdk::text::fold;

use crate::debt::postal_code;

/// The confidence of a unique match whose municipality is equal too.
const CONFIDENT: f64 = 0.95;
/// The confidence of a unique match whose municipality differs or is not known.
const LESS_CONFIDENT: f64 = 0.9;

/// The company whose entries are searched.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub ico: &'a str,
    pub name: &'a str,
    /// The legal form in words, if known.
    pub legal_form: Option<&'a str>,
    /// The municipality, if known.
    pub city: Option<&'a str>,
    /// The postal code: five digits.
    pub postal_code: &'a str,
}

/// What the list says about a company.
#[derive(Debug, Clone)]
pub enum Match {
    /// No entry has the company's name and postal code.
    None,
    /// These entries are the company's, each with the confidence.
    Hits(Vec<(Stored, f64)>),
    /// Entries have the company's name and postal code, but so do this many companies. The right one is not known.
    Ambiguous(usize),
    /// Entries have the company's name and postal code, but the host knows no such company to compare with.
    Unverified,
}

/// The entries with the company's name and postal code.
#[must_use]
pub fn equal(wanted: &Wanted<'_>, similar: Vec<Similar>) -> Vec<Stored> {
    similar
        .into_iter()
        .filter(|similar| similar.similarity >= 1.0)
        .map(|similar| similar.found)
        .filter(|row| {
            row.postal_code.as_deref().and_then(postal_code).as_deref() == Some(wanted.postal_code)
        })
        .filter(|row| may_mean(form_of(row), wanted.form()))
        .collect()
}

/// Whether the entries found by [`equal`] are the company's; `candidates` are the companies of that name.
#[must_use]
pub fn decide(wanted: &Wanted<'_>, rows: Vec<Stored>, candidates: &[Candidate]) -> Match {
    let Some(listed) = rows.first().map(form_of) else {
        return Match::None;
    };
    let mut icos: Vec<&str> = candidates
        .iter()
        .filter(|candidate| candidate.similarity >= 1.0)
        .filter(|candidate| {
            candidate
                .postal_code
                .as_deref()
                .and_then(postal_code)
                .as_deref()
                == Some(wanted.postal_code)
        })
        .filter(|candidate| {
            candidate.ico == wanted.ico || may_mean(listed, LegalForm::of(&candidate.name))
        })
        .map(|candidate| candidate.ico.as_str())
        .collect();
    icos.sort_unstable();
    icos.dedup();
    match icos.as_slice() {
        [one] if *one == wanted.ico => {
            let city = wanted.city.map(fold).filter(|city| !city.is_empty());
            let confidence = |row: &Stored| match (&city, row.city.as_deref().map(fold)) {
                (Some(city), Some(listed)) if *city == listed => CONFIDENT,
                _ => LESS_CONFIDENT,
            };
            Match::Hits(
                rows.into_iter()
                    .map(|row| (confidence(&row), row))
                    .map(|(sure, row)| (row, sure))
                    .collect(),
            )
        }
        [] | [_] => Match::Unverified,
        several => Match::Ambiguous(several.len()),
    }
}

fn form_of(row: &Stored) -> Option<LegalForm> {
    row.name.as_deref().and_then(LegalForm::of)
}

impl Wanted<'_> {
    /// The legal form in the name, else the register's. A company with either is not a natural person.
    fn form(&self) -> Option<LegalForm> {
        LegalForm::of(self.name).or_else(|| {
            self.legal_form
                .and_then(LegalForm::of)
                .filter(|form| form.must_be_in_name())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted<'_> = Wanted {
        ico: "99999901",
        name: "Vzorový dlžník, s. r. o.",
        legal_form: Some("Spoločnosť s ručením obmedzeným"),
        city: Some("Vzorovo"),
        postal_code: "99901",
    };

    fn row(name: &str, city: &str) -> Similar {
        let found = Stored {
            key: name.to_owned(),
            ico: None,
            name: Some(name.to_owned()),
            city: Some(city.to_owned()),
            postal_code: Some("99901".to_owned()),
            content: "{}".to_owned(),
        };
        Similar {
            found,
            similarity: 1.0,
        }
    }

    fn candidate(ico: &str, name: &str) -> Candidate {
        Candidate {
            ico: ico.to_owned(),
            name: name.to_owned(),
            city: None,
            postal_code: Some("999 01".to_owned()),
            similarity: 1.0,
        }
    }

    #[test]
    fn single_company_of_the_name_matches() {
        let rows = equal(
            &WANTED,
            vec![
                row("VZOROVY DLZNIK S.R.O.", "VZOROVO"),
                row("Vzorový dlžník sro", "Inde"),
            ],
        );
        let found = decide(
            &WANTED,
            rows,
            &[candidate("99999901", "Vzorový dlžník, s. r. o.")],
        );
        let Match::Hits(hits) = found else {
            panic!("{found:?}")
        };
        assert_eq!(
            hits.iter()
                .map(|(_, confidence)| *confidence)
                .collect::<Vec<_>>(),
            [0.95, 0.9]
        );
    }

    #[test]
    fn two_companies_of_the_name_are_ambiguous() {
        let rows = equal(&WANTED, vec![row("Vzorový dlžník s.r.o.", "Vzorovo")]);
        let candidates = [
            candidate("99999901", "Vzorový dlžník, s.r.o."),
            candidate("99900017", "Vzorový dlžník sro"),
        ];
        assert!(matches!(
            decide(&WANTED, rows, &candidates),
            Match::Ambiguous(2)
        ));
    }

    #[test]
    fn person_or_other_legal_form_does_not_match() {
        assert!(
            equal(
                &WANTED,
                vec![
                    row("Vzorový dlžník", "Vzorovo"),
                    row("Vzorový dlžník, a. s.", "Vzorovo")
                ]
            )
            .is_empty()
        );
        let unnamed = Wanted {
            name: "Vzorový dlžník",
            ..WANTED
        };
        assert!(equal(&unnamed, vec![row("Vzorový dlžník", "Vzorovo")]).is_empty());
        let trader = Wanted {
            name: "Ján Skúšobný",
            legal_form: Some("Podnikateľ - fyzická osoba"),
            ..WANTED
        };
        assert_eq!(
            equal(&trader, vec![row("Ján Skúšobný", "Vzorovo")]).len(),
            1
        );
    }

    #[test]
    fn company_unknown_to_host_is_unverified() {
        let rows = equal(&WANTED, vec![row("Vzorový dlžník s.r.o.", "Vzorovo")]);
        assert!(matches!(
            decide(&WANTED, rows.clone(), &[]),
            Match::Unverified
        ));
        let other = [candidate("99900017", "Vzorový dlžník s.r.o.")];
        assert!(matches!(decide(&WANTED, rows, &other), Match::Unverified));
    }
}
