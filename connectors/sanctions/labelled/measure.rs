//! The labelled pairs, and how well the matcher tells them apart. The connector's tests and the benchmark include it.
//!
//! A line of `pairs.csv` is a company and an entry of a list: the category, the company's name (`@` before a sole
//! trader's), its town, the entry's names parted by `|` (`~` before a weak one, `@` before a person's), the countries
//! parted by `|`, and whether somebody should look at it. All names are invented.

use lustra_sanctions::entry::{Alias, Entry, Kind};
use lustra_sanctions::matching::judge::{Company, judge};
use lustra_sanctions::search::Shelf;
use lustra_sdk::Failure;

/// A pair, and what somebody thinks of it.
#[derive(Debug, Clone)]
pub struct Pair {
    /// What makes it hard.
    pub category: String,
    pub company: Company,
    /// Its name, as written.
    pub name: String,
    pub entry: Entry,
    /// Whether somebody should look at it.
    pub is_match: bool,
}

impl Pair {
    /// How sure the matcher is; 0 where nothing speaks for it.
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

/// How pairs were told apart.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Matches that were found.
    pub found: u32,
    /// Matches that were not.
    pub missed: u32,
    /// Others that were taken for matches.
    pub wrong: u32,
    /// Others that were not.
    pub right: u32,
}

impl Counts {
    /// Of pairs at a threshold.
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

    /// The share of what was found that is a match; 1 where nothing was found.
    pub fn precision(self) -> f64 {
        share(self.found, self.found + self.wrong)
    }

    /// The share of matches that was found; 1 where there is none.
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
    /// Of these entries.
    ///
    /// # Panics
    /// They cannot be kept.
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
