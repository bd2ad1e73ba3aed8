//! Finds the entries of a list that are worth comparing with a company, and compares them.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Failure, malformed};
use serde::de::DeserializeOwned;

use crate::entry::{Entry, Kind};
use crate::index::bucket::{EntriesByLength, similar_in};
use crate::index::{entry_key, keys_asked, sounds};
use crate::matching::judge::{Company, Verdict, judge};

/// The most entries that are compared: those with the most similar words. A name shares its words with fewer entries.
pub const MAX_COMPARED: usize = 60;

/// Access to the records of a list.
pub trait Shelf {
    /// The content of the record with a key. `None` if there is no such record.
    ///
    /// # Errors
    /// The host's refusal.
    fn content(&self, key: &str) -> Result<Option<String>, Failure>;
}

/// An entry that may denote the company.
#[derive(Debug, Clone)]
pub struct Hit {
    pub entry: Entry,
    /// The score and its reasons.
    pub verdict: Verdict,
}

/// The entries that may denote a company, the highest score first. `numbered` are keys of entries with its register
/// number.
///
/// # Errors
/// The host's refusal; [`Failure::Malformed`] for records of another format, or a missing entry.
pub fn hits(
    shelf: &impl Shelf,
    company: &Company,
    numbered: &[String],
    threshold: f64,
) -> Result<Vec<Hit>, Failure> {
    let mut ids: BTreeSet<String> = numbered.iter().cloned().collect();
    ids.extend(candidates(shelf, company)?);
    let mut hits = Vec::new();
    for id in ids {
        let key = entry_key(&id);
        let entry: Entry = read(shelf, &key)?
            .ok_or_else(|| malformed("records of the list", format!("the record {key}"), "none"))?;
        if let Some(verdict) = judge(company, &entry)
            && verdict.score >= threshold
        {
            hits.push(Hit { entry, verdict });
        }
    }
    hits.sort_by(|a, b| {
        b.verdict
            .score
            .total_cmp(&a.verdict.score)
            .then_with(|| a.entry.key().cmp(b.entry.key()))
    });
    Ok(hits)
}

/// The keys of entries with words like the company's: the [`MAX_COMPARED`] most similar of each kind.
///
/// # Errors
/// As [`hits`].
pub fn candidates(shelf: &impl Shelf, company: &Company) -> Result<Vec<String>, Failure> {
    let mut ids = of_kind(shelf, Kind::Entity, &sounds(&company.name))?;
    if let Some(person) = &company.person {
        ids.extend(of_kind(shelf, Kind::Person, &sounds(person))?);
    }
    Ok(ids)
}

fn of_kind(
    shelf: &impl Shelf,
    kind: Kind,
    asked: &BTreeSet<String>,
) -> Result<Vec<String>, Failure> {
    // For each entry: how many of the company's words it has (weighted), and the number of words of its name.
    let mut found: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for word in asked.iter().filter(|word| !word.is_empty()) {
        let mut of_word: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        let keys: BTreeSet<String> = keys_asked(kind, word).into_iter().collect();
        for key in keys {
            for (alike, by_length) in similar(shelf, &key, word)? {
                for (length, id) in by_length
                    .into_iter()
                    .flat_map(|(length, ids)| ids.into_iter().map(move |id| (length, id)))
                {
                    let known = of_word.entry(id).or_insert((alike, length));
                    known.0 = known.0.max(alike);
                    known.1 = known.1.min(length);
                }
            }
        }
        for (id, (alike, length)) in of_word {
            let sum = found.entry(id).or_insert((0.0, length));
            sum.0 += alike;
            sum.1 = sum.1.max(length);
        }
    }
    let mut ranked: Vec<(f64, String)> = found
        .into_iter()
        .map(|(id, (common, length))| {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            // Short names first: they contain fewer other words.
            (common - 0.1 * f64::from(length), id)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.truncate(MAX_COMPARED);
    Ok(ranked.into_iter().map(|(_, id)| id).collect())
}

/// The words of a bucket that sound like this one: the similarity and the entries of each.
fn similar(
    shelf: &impl Shelf,
    key: &str,
    word: &str,
) -> Result<Vec<(f64, EntriesByLength)>, Failure> {
    let Some(content) = shelf.content(key)? else {
        return Ok(Vec::new());
    };
    similar_in(&content, word).map_err(|error| other_form(key, &error))
}

fn read<T: DeserializeOwned>(shelf: &impl Shelf, key: &str) -> Result<Option<T>, Failure> {
    let Some(content) = shelf.content(key)? else {
        return Ok(None);
    };
    let read = serde_json::from_str(&content).map_err(|error| other_form(key, &error))?;
    Ok(Some(read))
}

fn other_form(key: &str, error: &serde_json::Error) -> Failure {
    malformed(
        format!("stored record {key}"),
        "this version's form",
        error.to_string(),
    )
}
