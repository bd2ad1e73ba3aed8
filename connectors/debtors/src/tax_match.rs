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
    /// Entries have the company's name and postal code, but their legal forms do not tell whether they are the
    /// company's.
    OtherForm,
}

/// The entries with the company's name and postal code.
#[derive(Debug, Default)]
pub struct Equal {
    /// Entries of the company's legal form.
    pub rows: Vec<Stored>,
    /// There are entries that only differ in the legal form.
    pub has_other_forms: bool,
}

/// The entries with the company's name and postal code.
#[must_use]
pub fn equal(wanted: &Wanted<'_>, similar: Vec<Similar>) -> Equal {
    let equal = similar
        .into_iter()
        .filter(|similar| similar.similarity >= 1.0)
        .map(|similar| similar.found)
        .filter(|row| {
            row.postal_code.as_deref().and_then(postal_code).as_deref() == Some(wanted.postal_code)
        })
        .partition::<Vec<Stored>, _>(|row| wanted.may_be_meant_by(row));
    let (rows, others) = equal;
    Equal {
        rows,
        has_other_forms: !others.is_empty(),
    }
}

/// Whether the entries found by [`equal`] are the company's; `candidates` are the companies of that name.
#[must_use]
pub fn decide(wanted: &Wanted<'_>, equal: Equal, candidates: &[Candidate]) -> Match {
    let rows = equal.rows;
    let Some(listed) = rows.first().map(form_of) else {
        return if equal.has_other_forms {
            Match::OtherForm
        } else {
            Match::None
        };
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
        LegalForm::of(self.name).or_else(|| self.form_of_register())
    }

    fn form_of_register(&self) -> Option<LegalForm> {
        let form = self.legal_form.and_then(LegalForm::of);
        form.filter(|form| form.must_be_in_name())
    }

    /// Whether the legal forms allow that a row of this name means the company.
    ///
    /// A form at an unusual place is not recognised in either name. It still distinguishes the company from a person,
    /// so the row's missing form is not compared with the register's if the names are identical.
    fn may_be_meant_by(&self, row: &Stored) -> bool {
        let listed = row.name.as_deref().unwrap_or_default();
        let has_form = |form: LegalForm| form.is_in(self.name);
        let is_identical = fold(listed) == fold(self.name);
        may_mean(LegalForm::of(listed), self.form())
            || (is_identical && self.form_of_register().is_some_and(has_form))
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
        let others = equal(
            &WANTED,
            vec![
                row("Vzorový dlžník", "Vzorovo"),
                row("Vzorový dlžník, a. s.", "Vzorovo"),
            ],
        );
        assert!(others.rows.is_empty());
        assert!(matches!(decide(&WANTED, others, &[]), Match::OtherForm));
        let unnamed = Wanted {
            name: "Vzorový dlžník",
            ..WANTED
        };
        let others = equal(&unnamed, vec![row("Vzorový dlžník", "Vzorovo")]);
        assert!(others.rows.is_empty() && others.has_other_forms);
        let trader = Wanted {
            name: "Ján Skúšobný",
            legal_form: Some("Podnikateľ - fyzická osoba"),
            ..WANTED
        };
        let rows = equal(&trader, vec![row("Ján Skúšobný", "Vzorovo")]).rows;
        assert_eq!(rows.len(), 1);
        assert!(matches!(
            decide(&trader, Equal::default(), &[]),
            Match::None
        ));
    }

    #[test]
    fn form_within_an_identical_name_matches() {
        for (name, legal_form, listed) in [
            (
                "Roľnícke družstvo Vzorovo",
                "Družstvo",
                "ROĽNÍCKE DRUŽSTVO VZOROVO",
            ),
            (
                "Vzor, s. r. o., r. s. p.",
                "Spoločnosť s ručením obmedzeným",
                "VZOR S.R.O.",
            ),
            (
                "Vzor, a. s., závod Vzorovo",
                "Akciová spoločnosť",
                "VZOR A.S. ZÁVOD VZOROVO",
            ),
        ] {
            let wanted = Wanted {
                name,
                legal_form: Some(legal_form),
                ..WANTED
            };
            let rows = equal(&wanted, vec![row(listed, "Vzorovo")]);
            let found = decide(&wanted, rows, &[candidate("99999901", name)]);
            assert!(matches!(found, Match::Hits(_)), "{name}: {found:?}");
        }
    }

    #[test]
    fn company_unknown_to_host_is_unverified() {
        let rows = equal(&WANTED, vec![row("Vzorový dlžník s.r.o.", "Vzorovo")]);
        assert!(matches!(decide(&WANTED, rows, &[]), Match::Unverified));
        let rows = equal(&WANTED, vec![row("Vzorový dlžník s.r.o.", "Vzorovo")]);
        let other = [candidate("99900017", "Vzorový dlžník s.r.o.")];
        assert!(matches!(decide(&WANTED, rows, &other), Match::Unverified));
    }
}
