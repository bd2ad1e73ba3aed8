//! Which companies an establishment's operator may be, and how sure that is.
//!
//! What is compared is what is known of every company alike (name, municipality, postal code), so that no company is
//! preferred for being the one that is asked about. The import and the section judge by the same rules.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::Failure;
use lustra_sdk::companies::{self, Candidate};
use lustra_sdk::legal_form::{LegalForm, bare};
use serde::{Deserialize, Serialize};

use crate::list::Establishment;
use crate::place::{Place, city_key, postal_code};

/// A match that is less sure than this is not kept.
const LEAST: f64 = 0.3;

/// How much less sure another company must be, or it is as likely to be meant.
const MARGIN: f64 = 0.1;

/// The most matches that are kept of an establishment.
const MOST_KEPT: usize = 10;

/// How many companies one question gives.
const CANDIDATES: u32 = 50;

/// Names that are not equal but at least so similar, by the host's measure, may be misspelled.
const SIMILAR: f64 = 0.85;

/// What a match rests on. Each includes that the names are equal but for the legal form, or `similar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The municipality and the postal code are equal too.
    NameCityPostalCode,
    /// The municipality of the operator, or of an establishment whose operator's is not known, is equal too.
    NameCity,
    /// The postal code is equal, the municipality is called otherwise.
    NamePostalCode,
    /// The operator's municipality is another one, but the establishment's is equal.
    NameEstablishmentCity,
    /// Nothing but the name.
    Name,
    /// The names are alike, not equal.
    SimilarName,
}

impl Method {
    /// The word for it in the section.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NameCityPostalCode => "name_city_postal_code",
            Self::NameCity => "name_city",
            Self::NamePostalCode => "name_postal_code",
            Self::NameEstablishmentCity => "name_establishment_city",
            Self::Name => "name",
            Self::SimilarName => "similar_name",
        }
    }
}

/// A company that the operator may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Match {
    pub ico: String,
    /// 0 to 1, in hundredths.
    pub confidence: f64,
    /// What it rests on.
    pub method: Method,
}

/// The matches of an establishment among companies, the surest first.
#[must_use]
pub fn matches(establishment: &Establishment, companies: &[Candidate]) -> Vec<Match> {
    let mut known = BTreeSet::new();
    let mut found: Vec<Match> = companies
        .iter()
        .filter(|company| known.insert(company.ico.as_str()))
        .filter_map(|company| alone(establishment, company))
        .collect();
    // As many as are nearly as likely share what there is, so two of them never both are sure.
    let likely: Vec<f64> = found.iter().map(|one| one.confidence).collect();
    for one in &mut found {
        let as_likely = likely
            .iter()
            .filter(|other| **other >= one.confidence - MARGIN)
            .fold(0.0, |count, _| count + 1.0);
        one.confidence = hundredths(one.confidence / as_likely);
    }
    found.retain(|one| one.confidence >= LEAST);
    found.sort_by(|a, b| {
        let by_confidence = b.confidence.total_cmp(&a.confidence);
        by_confidence.then_with(|| a.ico.cmp(&b.ico))
    });
    found.truncate(MOST_KEPT);
    found
}

/// As if no other company could be meant.
fn alone(establishment: &Establishment, company: &Candidate) -> Option<Match> {
    let (of_name, is_equal) = by_name(&establishment.operator, company)?;
    let (of_place, method) = by_place(establishment, company);
    Some(Match {
        ico: company.ico.clone(),
        confidence: hundredths(of_name * of_place),
        method: if is_equal {
            method
        } else {
            Method::SimilarName
        },
    })
}

/// How likely the names mean the same, and whether they are equal but for the legal form.
fn by_name(operator: &str, company: &Candidate) -> Option<(f64, bool)> {
    if bare(operator) != bare(&company.name) {
        let is_similar = company.similarity >= SIMILAR;
        return is_similar.then_some((company.similarity * 0.8, false));
    }
    let likely = match (LegalForm::of(operator), LegalForm::of(&company.name)) {
        (listed, known) if listed == known => 1.0,
        (None, _) | (_, None) => 0.95,
        // Another subject with the same name.
        (Some(_), Some(_)) => 0.6,
    };
    Some((likely, true))
}

fn by_place(establishment: &Establishment, company: &Candidate) -> (f64, Method) {
    let operator = &establishment.operator_place;
    let place = if operator.is_unknown() {
        &establishment.place
    } else {
        operator
    };
    let code = company.postal_code.as_deref().and_then(postal_code);
    let codes = place.postal_code.as_ref().zip(code.as_ref());
    let same_code = codes.map(|(listed, known)| listed == known);
    match (is_in(place, company), same_code) {
        (true, Some(true)) => (0.97, Method::NameCityPostalCode),
        (true, None) => (0.9, Method::NameCity),
        (true, Some(false)) => (0.85, Method::NameCity),
        (false, Some(true)) => (0.85, Method::NamePostalCode),
        (false, _) if is_in(&establishment.place, company) => (0.82, Method::NameEstablishmentCity),
        (false, _) => (0.7, Method::Name),
    }
}

fn is_in(place: &Place, company: &Candidate) -> bool {
    match (&place.city, &company.city) {
        (Some(listed), Some(known)) => city_key(listed) == city_key(known),
        _ => false,
    }
}

fn hundredths(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}

/// The companies that operators may be. What the host said once is not asked again: one operator has many
/// establishments.
#[derive(Debug, Default)]
pub struct Companies(BTreeMap<(String, Option<String>, Option<String>), Vec<Candidate>>);

impl Companies {
    /// Companies named like the establishment's operator: wherever they are, and of the places that the list names. The
    /// host compares only so many that begin alike, so in a place more of them are found.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn like(&mut self, establishment: &Establishment) -> Result<Vec<Candidate>, Failure> {
        let operator = &establishment.operator;
        let mut found = self.ask(operator, None, None)?.to_vec();
        for place in [&establishment.operator_place, &establishment.place] {
            if let Some(city) = &place.city {
                found.extend_from_slice(self.ask(operator, Some(city), None)?);
            }
            if let Some(code) = &place.postal_code {
                found.extend_from_slice(self.ask(operator, None, Some(code))?);
            }
        }
        Ok(found)
    }

    fn ask(
        &mut self,
        name: &str,
        city: Option<&str>,
        code: Option<&str>,
    ) -> Result<&[Candidate], Failure> {
        let question = (
            name.to_owned(),
            city.map(str::to_owned),
            code.map(str::to_owned),
        );
        match self.0.entry(question) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let found = companies::candidates(name, city, code, CANDIDATES)?;
                Ok(place.insert(found))
            }
        }
    }
}
