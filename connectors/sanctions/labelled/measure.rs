//! The labelled pairs, and how well the matcher separates them. The connector's tests and the benchmark include this
//! file.
//!
//! A line of `pairs.csv` is a company and an entry of a list: the category, the company's name (`@` before a sole
//! trader's), its town, the entry's names separated by `|` (`~` before a weak one, `@` before a person's), the
//! countries separated by `|`, and whether a person should review the pair. All names are invented.

use lustra_sanctions::entry::{Alias, Entry, Kind};
use lustra_sanctions::matching::judge::{Company, judge};
use lustra_sanctions::search::Shelf;
use lustra_sdk::Failure;

/// A pair with its label.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The difficulty of the pair.
    pub category: String,
    pub company: Company,
    /// The company's name as written.
    pub name: String,
    pub entry: Entry,
    /// Whether a person should review the pair.
    pub is_match: bool,
}

impl Pair {
    /// The matcher's score; 0 if it finds nothing.
    pub fn score(&self) -> f64 {
        judge(&self.company, &self.entry).map_or(0.0, |verdict| verdict.score)
    }
}

pub fn pairs() -> Vec<Pair> {
    let lines = include_str!("pairs.csv").lines().skip(1);
    lines
        .enumerate()
        .map(|(number, line)| pair(number, line))
        .collect()
}

fn pair(number: usize, line: &str) -> Pair {
    let cells: Vec<&str> = line.split(';').collect();
    let label = cells[cells.len() - 1];
    assert!(
        cells.len() >= 5 && ["match", "no"].contains(&label),
        "line {number}: {line}"
    );
    let (name, town, listed) = (cells[1], cells[2], cells[3]);
    let countries = if cells.len() == 6 { cells[4] } else { "" };
    let is_person = listed.starts_with('@');
    let names = listed.trim_start_matches('@').split('|').map(|name| Alias {
        name: name.trim_start_matches('~').to_owned(),
        is_weak: name.starts_with('~'),
    });
    let entry = Entry {
        id: format!("{number}"),
        kind: if is_person {
            Kind::Person
        } else {
            Kind::Entity
        },
        names: names.collect(),
        countries: countries
            .split('|')
            .filter(|country| !country.is_empty())
            .map(str::to_owned)
            .collect(),
        ..Entry::default()
    };
    let bare = name.trim_start_matches('@');
    Pair {
        category: cells[0].to_owned(),
        company: Company::of("99999901", bare, Some(town), bare.len() < name.len()),
        name: bare.to_owned(),
        entry,
        is_match: label == "match",
    }
}

/// The results of the matcher.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Matches that the matcher found.
    pub found: u32,
    /// Matches that it missed.
    pub missed: u32,
    /// Other pairs that it reported as matches.
    pub wrong: u32,
    /// Other pairs that it did not report.
    pub right: u32,
}

impl Counts {
    /// Counts the results for pairs at a threshold.
    pub fn of<'a>(pairs: impl Iterator<Item = &'a Pair>, threshold: f64) -> Self {
        let mut counts = Self::default();
        for pair in pairs {
            let count = match (pair.is_match, pair.score() >= threshold) {
                (true, true) => &mut counts.found,
                (true, false) => &mut counts.missed,
                (false, true) => &mut counts.wrong,
                (false, false) => &mut counts.right,
            };
            *count += 1;
        }
        counts
    }

    /// The share of matches among the reported pairs; 1 if none was reported.
    pub fn precision(self) -> f64 {
        share(self.found, self.found + self.wrong)
    }

    /// The share of matches that were found; 1 if there are none.
    pub fn recall(self) -> f64 {
        share(self.found, self.found + self.missed)
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    f64::from(part) / f64::from(whole)
}

/// The records of a list, in memory.
pub struct Kept(std::collections::HashMap<String, String>);

impl Kept {
    /// Stores the records of these entries.
    ///
    /// # Panics
    /// If the records cannot be made.
    pub fn of(entries: &[Entry]) -> Self {
        let items = lustra_sanctions::index::items(entries);
        let items = items.unwrap_or_else(|failure| panic!("{failure:?}"));
        Self(
            items
                .into_iter()
                .map(|item| (item.key, item.content))
                .collect(),
        )
    }
}

impl Shelf for Kept {
    fn content(&self, key: &str) -> Result<Option<String>, Failure> {
        Ok(self.0.get(key).cloned())
    }
}
