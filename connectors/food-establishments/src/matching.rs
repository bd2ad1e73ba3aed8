//! Finds the companies that an establishment's operator may be, with a confidence.
//!
//! The comparison uses only what is known of every company alike (name, municipality, postal code), so that the
//! requested company is not preferred. The import and the section use the same rules.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::Failure;
use lustra_sdk::companies::{self, Candidate};
use lustra_sdk::legal_form::{LegalForm, bare};
use serde::{Deserialize, Serialize};

use crate::establishment::Establishment;
use crate::place::{Place, city_key, postal_code};

/// The lowest confidence of a stored match.
const LEAST: f64 = 0.3;

/// A match is certain only if every other company is less likely by this much.
const MARGIN: f64 = 0.1;

/// The most stored matches of an establishment.
const MAX_KEPT: usize = 10;

/// How many companies the host returns for one query.
const CANDIDATES: u32 = 50;

/// Names with at least this similarity (the host's measure) that are not equal may be misspelled.
const SIMILAR: f64 = 0.85;

/// The evidence of a match. In each the names are equal except for the legal form, or `similar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The municipality and the postal code are equal too.
    NameCityPostalCode,
    /// The municipality is equal too: that of the operator or, if that is not known, that of the establishment.
    NameCity,
    /// The postal code is equal, the municipality's name differs.
    NamePostalCode,
    /// The operator's municipality differs, but the establishment's is equal.
    NameEstablishmentCity,
    /// Only the name is equal.
    Name,
    /// The names are similar, not equal.
    SimilarName,
}

impl Method {
    /// The method's name in the section.
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

/// A company that may be the operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Match {
    pub ico: String,
    /// From 0 to 1, with two decimals.
    pub confidence: f64,
    /// The evidence of the match.
    pub method: Method,
}

/// The matches of an establishment among companies, the most certain first.
#[must_use]
pub fn matches(establishment: &Establishment, companies: &[Candidate]) -> Vec<Match> {
    let mut known = BTreeSet::new();
    let mut found: Vec<Match> = companies
        .iter()
        .filter(|company| known.insert(company.ico.as_str()))
        .filter_map(|company| alone(establishment, company))
        .collect();
    // Candidates that are nearly equally likely share the confidence, so that two of them are never both certain.
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
    found.truncate(MAX_KEPT);
    found
}

/// The match if no other company existed.
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

/// How likely the names denote the same company, and whether they are equal except for the legal form.
fn by_name(operator: &str, company: &Candidate) -> Option<(f64, bool)> {
    if bare(operator) != bare(&company.name) {
        let is_similar = company.similarity >= SIMILAR;
        return is_similar.then_some((company.similarity * 0.8, false));
    }
    let likely = match (LegalForm::of(operator), LegalForm::of(&company.name)) {
        (listed, known) if listed == known => 1.0,
        (None, _) | (_, None) => 0.95,
        // A company with the same name but another legal form.
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

/// Candidate companies, cached: one operator has many establishments, so the host is asked once.
#[derive(Debug, Default)]
pub struct Companies(BTreeMap<(String, Option<String>, Option<String>), Vec<Candidate>>);

impl Companies {
    /// Companies with a name like the operator's: anywhere, and in the places that the list names. The host compares a
    /// limited number of names with the same beginning, so a query with a place finds more.
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
