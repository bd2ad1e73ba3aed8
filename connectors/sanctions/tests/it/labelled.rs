//! Runs the matcher over the labelled pairs. The test fails if its figures get worse.

use lustra_sanctions::search;
use lustra_sanctions::settings::THRESHOLD;

use crate::measure::{Counts, Kept, Pair, pairs};

/// The figures of the matcher when these numbers were written, minus one pair.
const PRECISION: f64 = 0.985;
const RECALL: f64 = 0.985;

#[test]
fn precision_and_recall_do_not_fall() {
    let pairs = pairs();
    assert!(pairs.len() >= 340, "{}", pairs.len());
    let counts = Counts::of(pairs.iter(), THRESHOLD);
    let is_wrong = |pair: &&Pair| pair.is_match != (pair.score() >= THRESHOLD);
    let told = |pair: &Pair| {
        let listed: Vec<&str> = pair
            .entry
            .names
            .iter()
            .map(|alias| alias.name.as_str())
            .collect();
        let score = pair.score();
        format!("{}: {} and {listed:?}: {score}", pair.category, pair.name)
    };
    let errors: Vec<String> = pairs.iter().filter(is_wrong).map(told).collect();
    assert!(
        counts.precision() >= PRECISION && counts.recall() >= RECALL,
        "precision {:.3}, recall {:.3}: {errors:#?}",
        counts.precision(),
        counts.recall()
    );
    let strong = Counts::of(pairs.iter(), 0.92);
    assert!(strong.precision() >= 0.99, "{strong:?}");
}

/// Every hit must be among the compared entries, whichever of its words are right.
#[test]
fn every_hit_is_among_the_compared_entries() {
    let pairs = pairs();
    let entries: Vec<_> = pairs.iter().map(|pair| pair.entry.clone()).collect();
    let list = Kept::of(&entries);
    let is_overlooked = |pair: &&Pair| {
        let looked_at = search::candidates(&list, &pair.company).unwrap();
        !looked_at.contains(&pair.entry.id)
    };
    let hits = pairs.iter().filter(|pair| pair.score() >= THRESHOLD);
    let overlooked: Vec<&str> = hits
        .filter(is_overlooked)
        .map(|pair| pair.name.as_str())
        .collect();
    assert_eq!(overlooked, Vec::<&str>::new());
}
