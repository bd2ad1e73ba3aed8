//! The scope `svps_establishments`: the establishments whose match with the company is certain enough.
//!
//! The specification makes the section an array, without a place for `unread`. So the section fails if an unread list
//! may hide an establishment.

use std::collections::BTreeMap;

use lustra_sdk::companies::Candidate;
use lustra_sdk::unread::{self, Sources, Unread};
use lustra_sdk::{Failure, Section, Subject, ico, records};
use serde::Serialize;

use crate::codes;
use crate::establishment::Establishment;
use crate::import::Content;
use crate::matching::{self, Companies, Match};
use crate::settings::{Register, Settings};

/// The most establishments with a similar operator's name that are examined.
const MOST: u32 = 1_000;

#[derive(Debug, Serialize)]
struct Shown {
    approval_number: String,
    register_type: Register,
    section_code: Option<String>,
    section_label: Option<&'static str>,
    activity_code: Option<String>,
    activity_label: Option<String>,
    name: String,
    city: Option<String>,
    district: Option<String>,
    region: Option<String>,
    match_confidence: f64,
    match_method: &'static str,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if a list that may have an establishment was not read; a subject without an IČO; the host's
/// refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "establishments")?;
    let shown_from = Settings::read()?.shown_from;
    let (mut sources, mut companies) = (Sources::default(), Companies::default());
    let mut all = Vec::new();
    for register in Register::ALL {
        if !sources.has(register.id())? {
            continue;
        }
        for (establishment, similarity) in stored(register, subject)?.into_values() {
            let own = Own {
                subject,
                similarity,
                shown_from,
            };
            if let Some(sure) = own.sure_of(&establishment, &mut companies)? {
                all.push(shown(register, establishment, &sure));
            }
        }
    }
    if all.is_empty() && !sources.unread.is_empty() {
        let lists: Vec<String> = sources.unread.iter().map(Unread::of_its_dataset).collect();
        return Err(Failure::Unavailable(lists.join("; ")));
    }
    all.sort_by(|a, b| {
        let of = |one: &Shown| {
            (
                one.register_type,
                one.approval_number.clone(),
                one.section_code.clone(),
                one.name.clone(),
            )
        };
        of(a).cmp(&of(b))
    });
    unread::section(&all, &sources.unread, sources.evidence)
}

/// By key: establishments whose operator's name is like the company's, and those that the import matched with the
/// company. Each with the similarity of the names by the host's measure.
fn stored(
    register: Register,
    subject: &Subject,
) -> Result<BTreeMap<String, (Establishment, f64)>, Failure> {
    let own = records::all_of_company(register.id(), &subject.ico)?;
    let own = own.into_iter().map(|stored| (stored, 0.0));
    let alike = records::by_name(register.id(), &subject.name, None, MOST)?;
    let alike = alike
        .into_iter()
        .map(|similar| (similar.found, similar.similarity));
    own.chain(alike)
        .map(|(stored, similarity)| {
            let content: Content = records::content(&stored)?;
            Ok((stored.key, (content.establishment, similarity)))
        })
        .collect()
}

/// The requested company as a possible operator.
struct Own<'a> {
    subject: &'a Subject,
    /// The similarity of the operator's name.
    similarity: f64,
    shown_from: f64,
}

impl Own<'_> {
    /// The match that certainly assigns the establishment to the company, judged by the companies known today.
    fn sure_of(
        &self,
        establishment: &Establishment,
        companies: &mut Companies,
    ) -> Result<Option<Match>, Failure> {
        let mut all = vec![Candidate {
            ico: self.subject.ico.clone(),
            name: self.subject.name.clone(),
            city: self.subject.city.clone(),
            postal_code: self.subject.postal_code.clone(),
            similarity: self.similarity,
        }];
        // Other companies only lower the confidence. So the host is not asked for them if the match is uncertain
        // anyway: a chain has many places.
        if self.among(establishment, &all).is_none() {
            return Ok(None);
        }
        all.extend(companies.like(establishment)?);
        Ok(self.among(establishment, &all))
    }

    fn among(&self, establishment: &Establishment, all: &[Candidate]) -> Option<Match> {
        let mut matches = matching::matches(establishment, all).into_iter();
        matches.find(|one| one.ico == self.subject.ico && one.confidence >= self.shown_from)
    }
}

fn shown(register: Register, establishment: Establishment, own: &Match) -> Shown {
    let Establishment {
        approval_number,
        section,
        activities,
        name,
        place,
        district,
        region,
        operator: _,
        operator_place: _,
    } = establishment;
    Shown {
        approval_number,
        register_type: register,
        section_label: section.as_deref().and_then(codes::section_label),
        section_code: section,
        activity_label: codes::activity_label(&activities),
        activity_code: (!activities.is_empty()).then(|| activities.join(", ")),
        name,
        city: place.city,
        district,
        region,
        match_confidence: own.confidence,
        match_method: own.method.word(),
    }
}
