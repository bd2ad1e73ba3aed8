//! Facts that a company must match besides its name.

use std::ops::Bound;

use tantivy::Term;
use tantivy::query::{Query, RangeQuery};

use super::document::{day, digits_of};
use super::queries::{all_of, has};
use super::schema::Fields;
use crate::names;
use crate::store::CompanyStatus;

/// Filters; all of them must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// Words of the city; all must match.
    pub city: Option<String>,
    /// Legal form: its code, its usual abbreviation, or words of it.
    pub legal_form: Option<String>,
    pub status: Option<CompanyStatus>,
    /// Prefix of the main activity's code, with or without dots.
    pub nace_code: Option<String>,
    /// Earliest date of entry, `YYYY-MM-DD`.
    pub established_from: Option<String>,
    /// Latest date of entry, `YYYY-MM-DD`.
    pub established_to: Option<String>,
}

impl Filters {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Queries for the filters; all must match.
    pub(super) fn queries(&self, fields: &Fields) -> Vec<Box<dyn Query>> {
        let mut queries: Vec<Box<dyn Query>> = Vec::new();
        if let Some(city) = &self.city {
            let city = names::fold(city);
            let words = city.split(' ').filter(|word| !word.is_empty());
            queries.extend(words.map(|word| has(fields.city, word)));
        }
        if let Some(form) = &self.legal_form {
            queries.push(of_form(form, fields));
        }
        if let Some(status) = self.status {
            queries.push(has(fields.status, status.word()));
        }
        if let Some(code) = &self.nace_code {
            queries.push(has(fields.nace, &digits_of(code)));
        }
        let (from, to) = (
            self.established_from.as_deref().and_then(day),
            self.established_to.as_deref().and_then(day),
        );
        if from.is_some() || to.is_some() {
            let bound = |day: Option<u64>| {
                day.map_or(Bound::Unbounded, |day| {
                    Bound::Included(Term::from_field_u64(fields.established, day))
                })
            };
            queries.push(Box::new(RangeQuery::new(bound(from), bound(to))));
        }
        queries
    }
}

fn of_form(form: &str, fields: &Fields) -> Box<dyn Query> {
    let form = form.trim();
    if !form.is_empty() && form.bytes().all(|byte| byte.is_ascii_digit()) {
        return has(fields.form, &format!("c:{form}"));
    }
    if let Some(token) = names::form_token(form) {
        return has(fields.form, &format!("t:{token}"));
    }
    let folded = names::fold(form);
    let words = folded.split(' ').filter(|word| !word.is_empty());
    all_of(
        words
            .map(|word| has(fields.form, &format!("w:{word}")))
            .collect(),
    )
}
