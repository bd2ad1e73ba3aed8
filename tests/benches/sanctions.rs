//! The quality of matching companies with lists of sanctions, and the cost of a look-up among 30,000 entries.
//!
//! `cargo bench -- sanctions`. The labelled pairs are the connector's own, and its matcher was developed with them, so
//! they show how it treats such names and not how frequent those are.

#[path = "../../connectors/sanctions/labelled/measure.rs"]
mod measure;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use lustra_sanctions::entry::{Alias, Entry, Kind};
use lustra_sanctions::matching::judge::{Company, judge};
use lustra_sanctions::search::{self, Shelf};
use lustra_sanctions::settings::THRESHOLD;
use lustra_sdk::Failure;
use measure::{Counts, Kept, Pair, pairs};

use crate::support::{self, Aim, Figures, Options, percentile};

const SYLLABLES: [&str; 40] = [
    "vzo", "ro", "stav", "hrk", "ot", "mont", "per", "lo", "dom", "lop", "uch", "vin", "brm", "bo",
    "soft", "zub", "ra", "trans", "kva", "pko", "plast", "drob", "ko", "vent", "mrk", "va", "les",
    "glu", "fo", "kov", "psr", "uho", "tex", "zih", "le", "med", "du", "dlo", "graf", "ny",
];

const TRADES: [&str; 12] = [
    "TRADING",
    "HOLDING",
    "GROUP",
    "SHIPPING",
    "PETROLEUM",
    "INDUSTRIES",
    "BANK",
    "LOGISTICS",
    "INTERNATIONAL",
    "PLANT",
    "RESEARCH INSTITUTE",
    "COMPANY",
];

pub fn run(options: &Options) {
    let pairs = pairs();
    let mut figures = Figures::new("Lists of sanctions");
    quality(&pairs, &mut figures);
    costs(&pairs, options, &mut figures);
    figures.end();
}

fn quality(pairs: &[Pair], figures: &mut Figures) {
    figures.explain(&format!(
        "{} labelled pairs of a company and an entry.",
        pairs.len()
    ));
    for threshold in [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.92] {
        let counts = Counts::of(pairs.iter(), threshold);
        let (precision, recall) = (100.0 * counts.precision(), 100.0 * counts.recall());
        if threshold == THRESHOLD {
            figures.aimed(
                format!("precision from {threshold}"),
                precision,
                "%",
                Aim::AtLeast(98.0),
            );
            figures.aimed(
                format!("recall from {threshold}"),
                recall,
                "%",
                Aim::AtLeast(98.0),
            );
        } else {
            figures.report(format!("precision from {threshold}"), precision, "%");
            figures.report(format!("recall from {threshold}"), recall, "%");
        }
    }
    let categories: BTreeSet<&str> = pairs.iter().map(|pair| pair.category.as_str()).collect();
    for category in categories {
        let counts = Counts::of(
            pairs.iter().filter(|pair| pair.category == category),
            THRESHOLD,
        );
        support::figures::say(&format!(
            "  {category}: found {}, missed {}, wrong {}, right {}",
            counts.found, counts.missed, counts.wrong, counts.right
        ));
    }
    for pair in pairs
        .iter()
        .filter(|pair| pair.is_match != (pair.score() >= THRESHOLD))
    {
        let listed: Vec<&str> = pair
            .entry
            .names
            .iter()
            .map(|alias| alias.name.as_str())
            .collect();
        support::figures::say(&format!(
            "  error: {} and {listed:?}: {}",
            pair.name,
            pair.score()
        ));
    }
}

/// Counts the records and bytes that the matcher reads.
struct Counted<'a> {
    list: &'a Kept,
    reads: Cell<u32>,
    bytes: Cell<usize>,
}

impl Shelf for Counted<'_> {
    fn content(&self, key: &str) -> Result<Option<String>, Failure> {
        let content = self.list.content(key)?;
        self.reads.set(self.reads.get() + 1);
        self.bytes
            .set(self.bytes.get() + content.as_ref().map_or(0, String::len));
        Ok(content)
    }
}

fn costs(pairs: &[Pair], options: &Options, figures: &mut Figures) {
    let count = options.number("listed", 30_000, 2_000);
    figures.explain(&format!("Look-ups in a list of {count} synthetic entries and those of the pairs, natively on one thread."));
    let made = (0..count).map(entry);
    let entries: Vec<Entry> = made
        .chain(pairs.iter().map(|pair| pair.entry.clone()))
        .collect();
    let started = Instant::now();
    let list = Kept::of(&entries);
    figures.report(
        "the list's records are made in",
        started.elapsed().as_secs_f64(),
        "s",
    );
    let counted = Counted {
        list: &list,
        reads: Cell::new(0),
        bytes: Cell::new(0),
    };
    let (mut times, mut compared, mut hits, mut overlooked) = (Vec::new(), 0_usize, 0_usize, 0_u32);
    for pair in pairs {
        let started = Instant::now();
        let found = search::hits(&counted, &pair.company, &[], THRESHOLD).expect("it is kept");
        times.push(started.elapsed());
        hits += black_box(found).len();
        compared += search::candidates(&list, &pair.company)
            .expect("it is kept")
            .len();
    }
    // The hits that a comparison with every entry would find.
    let whole = pairs.iter().step_by(10);
    let mut slowest = Vec::new();
    for pair in whole.clone() {
        let started = Instant::now();
        let all = of_all(&pair.company, &entries);
        slowest.push(started.elapsed());
        let looked_at = search::candidates(&list, &pair.company).expect("it is kept");
        overlooked += u32::try_from(all.iter().filter(|id| !looked_at.contains(id)).count())
            .unwrap_or(u32::MAX);
    }
    let each = |value: usize| value as f64 / pairs.len() as f64;
    figures.report(
        "a look-up, median",
        percentile(&mut times, 0.5).as_secs_f64() * 1e3,
        "ms",
    );
    figures.aimed(
        "a look-up, p99",
        percentile(&mut times, 0.99).as_secs_f64() * 1e3,
        "ms",
        Aim::AtMost(3.0),
    );
    figures.report(
        "comparing with every entry, median",
        percentile(&mut slowest, 0.5).as_secs_f64() * 1e3,
        "ms",
    );
    figures.report(
        "records read by a look-up",
        f64::from(counted.reads.get()) / pairs.len() as f64,
        "",
    );
    figures.report("bytes read by a look-up", each(counted.bytes.get()), "B");
    figures.report("entries compared by a look-up", each(compared), "");
    figures.report(
        "entries per compared entry",
        entries.len() as f64 / each(compared).max(1.0),
        "",
    );
    figures.report("hits of a look-up", each(hits), "");
    figures.aimed(
        "hits that the index misses",
        f64::from(overlooked),
        "",
        Aim::AtMost(0.0),
    );
}

fn of_all(company: &Company, entries: &[Entry]) -> Vec<String> {
    let is_hit =
        |entry: &&Entry| judge(company, entry).is_some_and(|verdict| verdict.score >= THRESHOLD);
    entries
        .iter()
        .filter(is_hit)
        .map(|entry| entry.id.clone())
        .collect()
}

/// Three of five are persons, as on the real lists.
fn entry(number: u32) -> Entry {
    let word = |salt: u32| -> String {
        let mixed = (number
            .wrapping_mul(2_654_435_761)
            .wrapping_add(salt.wrapping_mul(40_503)))
            ^ (number >> 3);
        let syllable = |shift: u32| SYLLABLES[((mixed >> shift) as usize) % SYLLABLES.len()];
        format!("{}{}{}", syllable(3), syllable(11), syllable(19))
    };
    let is_person = number % 5 < 3;
    let trade = TRADES[(number as usize / 7) % TRADES.len()];
    let name = |salt: u32| match (is_person, number % 3) {
        (true, _) => format!("{} {}", word(salt), word(salt + 1)),
        (false, 0) => format!("{} {trade} LLC", word(salt)),
        (false, _) => format!("{} {} {trade}", word(salt), word(salt + 1)),
    };
    Entry {
        id: format!("made-{number}"),
        kind: if is_person {
            Kind::Person
        } else {
            Kind::Entity
        },
        names: (0..1 + number % 4)
            .map(|place| Alias {
                name: name(place * 3).to_uppercase(),
                is_weak: false,
            })
            .collect(),
        ..Entry::default()
    }
}
