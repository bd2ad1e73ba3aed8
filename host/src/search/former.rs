//! Former names: what a company was called before, from a fact of its base register.
//!
//! They are searched after the current names, and a result says which former name it was found by.

use tantivy::query::{BooleanQuery, Query};
use tantivy::{Searcher, Term};

use super::document::{Words, cut};
use super::plan::{Tier, Typed, and, cloned, ranked};
use super::queries::{all_but, all_of, has};
use super::schema::Fields;
use crate::names;
use crate::store::{CompanyStatus, CompanyToFind};

/// The fact with the former names of a company: a JSON list of texts, newest first.
pub const FORMER_NAMES: &str = "former_names";

/// Maximum former names of a company that are indexed.
const MAX_NAMES: usize = 20;

/// The former names of a company, newest first, without those that are the current one in another spelling.
pub fn former_names(company: &CompanyToFind) -> Vec<String> {
    let facts = company.facts.as_deref();
    let facts = facts.and_then(|facts| serde_json::from_str::<serde_json::Value>(facts).ok());
    let listed = facts
        .as_ref()
        .and_then(|facts| facts.get(FORMER_NAMES)?.as_str());
    let listed = listed.and_then(|listed| serde_json::from_str::<Vec<String>>(listed).ok());
    let current = names::name_key(&company.name);
    let mut former = listed.unwrap_or_default();
    former.retain(|name| {
        let key = names::name_key(name);
        !key.is_empty() && key != current
    });
    former.truncate(MAX_NAMES);
    former
}

/// The term of a word or a prefix in a company's former name with this number.
pub fn mark(number: usize, word: &str) -> String {
    format!("{number}#{word}")
}

/// The tiers of former names, after those of current names.
pub struct Former {
    pub tiers: Vec<Tier>,
    /// Queries for every company that the tiers find.
    pub all: Vec<Box<dyn Query>>,
}

/// The tiers of former names: whole names, then names with the words; active companies first in each. `current` are the
/// queries of the tiers before them.
pub fn tiers(
    typed: &Typed,
    exact: bool,
    filters: &[Box<dyn Query>],
    current: &[Box<dyn Query>],
    fields: &Fields,
    searcher: &Searcher,
) -> tantivy::Result<Former> {
    let mut former = Former {
        tiers: Vec::new(),
        all: Vec::new(),
    };
    let keys: &[_] = if exact {
        &[fields.former.key]
    } else {
        &[fields.former.key, fields.former.bare]
    };
    let mut whole = Vec::new();
    for field in keys {
        let term = Term::from_field_text(*field, &typed.key);
        if searcher.doc_freq(&term)? > 0 {
            whole.push(has(*field, &typed.key));
        }
    }
    let words = if exact {
        Vec::new()
    } else {
        with_words(typed, fields, searcher)?
    };
    for found in [whole, words] {
        if found.is_empty() {
            continue;
        }
        let any: Box<dyn Query> = Box::new(BooleanQuery::union(cloned(&found)));
        let mut before = cloned(current);
        before.extend(cloned(&former.all));
        let active = || has(fields.status, CompanyStatus::Active.word());
        let of_active = and(vec![any.box_clone(), active()], filters);
        let of_ended = and(vec![any], filters);
        former
            .tiers
            .push(ranked(all_but(of_active, cloned(&before))));
        before.push(active());
        former.tiers.push(ranked(all_but(of_ended, before)));
        former.all.extend(found);
    }
    for tier in &mut former.tiers {
        tier.is_former = true;
    }
    Ok(former)
}

/// Queries for companies of which one former name has all words.
fn with_words(
    typed: &Typed,
    fields: &Fields,
    searcher: &Searcher,
) -> tantivy::Result<Vec<Box<dyn Query>>> {
    let mut found = Vec::new();
    for number in 0..MAX_NAMES {
        for reading in typed.former_readings() {
            let mut queries = Vec::new();
            for (word, is_prefix) in reading {
                let (field, text) = if is_prefix {
                    (fields.former.prefix, mark(number, cut(&word)))
                } else {
                    (fields.former.word, mark(number, &word))
                };
                // Few companies have many former names, so most terms of high numbers are in no document.
                if searcher.doc_freq(&Term::from_field_text(field, &text))? == 0 {
                    queries.clear();
                    break;
                }
                queries.push(has(field, &text));
            }
            if !queries.is_empty() {
                found.push(all_of(queries));
            }
        }
    }
    Ok(found)
}

/// The former name that a search means: the first that is the typed one or has its words.
pub fn matched(typed: &Typed, former: impl IntoIterator<Item = String>) -> Option<String> {
    let readings = typed.former_readings();
    let is_meant = |name: &String| {
        if names::name_key(name) == typed.key || names::bare_name(name) == typed.key {
            return true;
        }
        let words = Words::of(name).all;
        readings.iter().any(|reading| {
            reading.iter().all(|(wanted, is_prefix)| {
                let wanted = cut(wanted);
                words.iter().any(|word| match is_prefix {
                    true => word.starts_with(wanted),
                    false => word == wanted,
                })
            })
        })
    };
    former.into_iter().find(is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_name_in_another_spelling_is_no_former_name() {
        let company = CompanyToFind {
            ico: "99999994".to_owned(),
            name: "Mlyn, s. r. o.".to_owned(),
            city: None,
            legal_form: None,
            legal_form_code: None,
            status: CompanyStatus::Active,
            nace_code: None,
            established_date: None,
            facts: Some(
                serde_json::json!({FORMER_NAMES: "[\"MLYN spol. s r.o.\",\"Pekáreň, s. r. o.\",\"...\"]"})
                    .to_string(),
            ),
            revision: 1,
        };
        assert_eq!(former_names(&company), ["Pekáreň, s. r. o."]);
        for damaged in [None, Some("{"), Some("{\"former_names\":\"x\"}")] {
            let facts = damaged.map(str::to_owned);
            let company = CompanyToFind {
                facts,
                ..company.clone()
            };
            assert_eq!(former_names(&company), Vec::<String>::new());
        }
    }
}
