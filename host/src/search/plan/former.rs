//! The search by former names.
//!
//! They are searched after the current names, and a result says which former name it was found by.

use tantivy::query::{BooleanQuery, Query};
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use super::{Tier, Typed, and, cloned, ranked};
use crate::names;
use crate::search::document::{Words, cut};
use crate::search::former_names::{Numbers, mark};
use crate::search::queries::{all_but, all_of, has};
use crate::search::schema::Fields;
use crate::store::CompanyStatus;

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
    for reading in typed.former_readings() {
        let words: Vec<(Field, &str)> = reading
            .iter()
            .map(|(word, is_prefix)| match is_prefix {
                true => (fields.former.prefix, cut(word)),
                false => (fields.former.word, word.as_str()),
            })
            .collect();
        let mut numbers = Numbers::ALL;
        for (field, word) in &words {
            numbers = numbers.and(Numbers::of_word(searcher, *field, word)?);
            if numbers.is_empty() {
                break;
            }
        }
        for number in numbers.iter() {
            let words = words.iter();
            let words = words.map(|(field, word)| has(*field, &mark(number, word)));
            found.push(all_of(words.collect()));
        }
    }
    Ok(found)
}

/// The former name that a search means: the first that is the typed one or has its words.
pub fn matched_former_name(
    typed: &Typed,
    former: impl IntoIterator<Item = String>,
) -> Option<String> {
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
