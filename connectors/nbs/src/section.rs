//! The scope `nbs`: the licences of one company, including ended ones.

use std::collections::BTreeSet;

use lustra_sdk::text::fold;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, Verdict, ico, records};
use serde::Serialize;
use serde_json::Value;

use crate::categories;
use crate::dataset::Dataset;
use crate::licence::Licence;

#[derive(Debug, Serialize)]
struct Supervision {
    /// Null if the list of institutions was not read and nothing else shows a licence.
    is_regulated: Option<bool>,
    license_types: BTreeSet<String>,
    categories: BTreeSet<String>,
    /// The lists have no id beside the IČO.
    entity_id: Option<String>,
    is_natural_person: Option<bool>,
    licences: Vec<Entry>,
    /// The number of agents; 0 if the list was read, because it does not link agents to principals.
    agents_count: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// One licence. Members that the lists do not state are null.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Entry {
    /// Licences in force sort before ended ones.
    status: Status,
    category: String,
    license_type: String,
    valid_from: Option<String>,
    sector: Option<String>,
    country: String,
    regfap_number: Option<String>,
    parent: Option<String>,
    first_seen_on: String,
    ended_on: Option<String>,
    source: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Current,
    Ended,
}

impl Entry {
    fn of(licence: Licence, source: &'static str) -> Self {
        Self {
            status: match licence.ended_on {
                None => Status::Current,
                Some(_) => Status::Ended,
            },
            category: categories::of(&licence.license_type).to_owned(),
            license_type: licence.license_type,
            valid_from: licence.valid_from,
            sector: None,
            country: licence.country,
            regfap_number: None,
            parent: None,
            first_seen_on: licence.first_seen_on,
            ended_on: licence.ended_on,
            source,
        }
    }
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if no list was ever imported; a subject without an IČO; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "licences")?;
    let (mut licences, mut unread) = (Vec::new(), Vec::new());
    let mut has_read = false;
    let mut is_regulated = Verdict::default();
    for dataset in Dataset::ALL {
        let state = records::state(dataset.id())?;
        match Gap::of_state(&state) {
            Some(gap) => {
                is_regulated.unread(&gap);
                unread.extend(unread::of_state(dataset.id(), &state));
            }
            None => {
                has_read = true;
                for stored in records::all_of_company(dataset.id(), &subject.ico)? {
                    if records::is_unreadable_row(&stored) {
                        is_regulated.undecided();
                        unread.push(Unread::of_odd_row(dataset.id()));
                        continue;
                    }
                    let licence = records::content::<Licence>(&stored)?;
                    licences.push(Entry::of(licence, dataset.id()));
                }
            }
        }
    }
    if !has_read {
        let lists: Vec<String> = unread.iter().map(Unread::of_its_dataset).collect();
        return Err(Failure::Unavailable(lists.join("; ")));
    }
    licences.sort();
    of_lists(subject, licences, unread, is_regulated)
}

fn of_lists(
    subject: &Subject,
    licences: Vec<Entry>,
    unread: Vec<Unread>,
    mut is_regulated: Verdict,
) -> Result<Section, Failure> {
    let in_force = || {
        licences
            .iter()
            .filter(|entry| entry.status == Status::Current)
    };
    // Only the list of institutions names all supervised subjects. Without it, even if it is off, the verdict
    // is unknown.
    let is_complete = !unread
        .iter()
        .any(|unread| unread.source == Dataset::Institutions.id());
    is_regulated.read(in_force().next().is_some());
    if !is_complete {
        is_regulated.undecided();
    }
    let supervision = Supervision {
        is_regulated: is_regulated.get(),
        license_types: in_force().map(|entry| entry.license_type.clone()).collect(),
        categories: in_force().map(|entry| entry.category.clone()).collect(),
        entity_id: None,
        is_natural_person: is_natural_person(&subject.company),
        agents_count: is_complete.then_some(0),
        licences,
        unread,
    };
    unread::section(&supervision, &supervision.unread, Vec::new())
}

/// Whether the base record is of a natural person in business. `None` if its legal form is not known.
///
/// The statistical office's legal forms 100 to 110 are those of natural persons (code list CL000056).
fn is_natural_person(company: &str) -> Option<bool> {
    let company: Value = serde_json::from_str(company).unwrap_or_default();
    let code = company["legal_form_code"].as_str();
    if let Some(code) = code.and_then(|code| code.trim().parse::<u16>().ok()) {
        return Some((100..=110).contains(&code));
    }
    let form = company["legal_form"].as_str()?;
    Some(fold(form).contains("fyzicka osoba"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_persons_are_known_by_their_legal_form() {
        for (company, expected) in [
            (r#"{"legal_form_code": "101"}"#, Some(true)),
            (r#"{"legal_form_code": "112"}"#, Some(false)),
            (
                r#"{"legal_form": "Podnikateľ - fyzická osoba"}"#,
                Some(true),
            ),
            (r#"{"legal_form": "Akciová spoločnosť"}"#, Some(false)),
            ("{}", None),
            ("not JSON", None),
        ] {
            assert_eq!(is_natural_person(company), expected, "{company}");
        }
    }
}
