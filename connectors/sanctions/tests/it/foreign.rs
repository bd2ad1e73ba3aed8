//! Runs the matcher over names that other projects labelled, if they are on this machine. The matcher was not tuned
//! with these names. The test prints the figures (`--nocapture` shows them) and fails if they get worse.

use std::path::PathBuf;

use lustra_sanctions::entry::{Alias, Entry, Kind};
use lustra_sanctions::matching::judge::{Company, judge};
use lustra_sanctions::settings::THRESHOLD;
use lustra_sdk::testing::samples;

use crate::measure::{Counts, Pair};

/// The default threshold and others, for comparison.
const THRESHOLDS: [f64; 5] = [0.6, 0.65, THRESHOLD, 0.75, 0.8];

fn file(name: &str) -> Option<String> {
    let file: Option<PathBuf> = samples("name-matching", name).into_iter().next();
    file.map(|file| std::fs::read_to_string(file).unwrap())
}

/// Prints a line, which `--nocapture` shows.
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn say(line: &str) {
    println!("{line}");
}

fn pair(category: &str, kind: Kind, name: &str, listed: &str, is_match: bool) -> Pair {
    let names = vec![Alias {
        name: listed.to_owned(),
        is_weak: false,
    }];
    Pair {
        category: category.to_owned(),
        company: Company::of("99999901", name, None, kind == Kind::Person),
        name: name.to_owned(),
        entry: Entry {
            id: "1".to_owned(),
            kind,
            names,
            ..Entry::default()
        },
        is_match,
    }
}

/// The pairs of `checks.yml` by their schemas, without vessels, which are not stored.
fn checks() -> Vec<Pair> {
    let text = file("checks.yml").unwrap_or_default();
    text.split("\n  - ").filter_map(check).collect()
}

fn check(text: &str) -> Option<Pair> {
    let (mut schema, mut is_match) = (String::new(), None);
    // The names of the query and of the candidate, in the order of their parts.
    let mut sides: Vec<Vec<String>> = Vec::new();
    let mut is_in_name = false;
    for line in text.lines() {
        let Some((key, value)) = line.trim().split_once(':') else {
            let continued = sides.last_mut().and_then(|names| names.last_mut());
            if let Some(name) = continued.filter(|_| is_in_name) {
                *name = format!("{name} {}", line.trim());
            }
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        is_in_name = key.ends_with("ame");
        match key {
            "match" => is_match = Some(value == "true"),
            "schema" => schema = value,
            "query" | "candidate" => sides.push(Vec::new()),
            "name" | "firstName" | "middleName" | "lastName" => sides.last_mut()?.push(value),
            _ => {}
        }
    }
    let kind = match schema.as_str() {
        "Person" => Kind::Person,
        "Company" | "Organization" | "LegalEntity" => Kind::Entity,
        _ => return None,
    };
    let [query, candidate]: [Vec<String>; 2] = sides.try_into().ok()?;
    // Some have the whole name in addition to its parts.
    let name = |parts: Vec<String>| match parts.as_slice() {
        [whole, _] if whole.contains(' ') => whole.clone(),
        parts => parts.join(" "),
    };
    Some(pair(
        &schema,
        kind,
        &name(query),
        &name(candidate),
        is_match?,
    ))
}

fn measured(what: &str, pairs: &[Pair]) -> Counts {
    for threshold in THRESHOLDS {
        let counts = Counts::of(pairs.iter(), threshold);
        say(&format!(
            "{what} from {threshold}: {} pairs, precision {:.2}, recall {:.2} ({counts:?})",
            pairs.len(),
            counts.precision(),
            counts.recall()
        ));
    }
    for pair in pairs {
        let score = pair.score();
        if pair.is_match != (score >= THRESHOLD) {
            let listed = &pair.entry.names[0].name;
            let label = if pair.is_match { "missed" } else { "wrong" };
            say(&format!("  {label} {score}: {} | {listed}", pair.name));
        }
    }
    Counts::of(pairs.iter(), THRESHOLD)
}

#[test]
fn foreign_company_pairs_are_separated() {
    let bodies: Vec<Pair> = checks()
        .into_iter()
        .filter(|pair| pair.entry.kind == Kind::Entity)
        .collect();
    if bodies.is_empty() {
        return;
    }
    assert!(bodies.len() > 75, "{}", bodies.len());
    let companies: Vec<Pair> = bodies
        .iter()
        .filter(|pair| pair.category == "Company")
        .cloned()
        .collect();
    for (what, pairs) in [
        ("companies", &companies),
        ("companies and other bodies", &bodies),
    ] {
        let counts = measured(what, pairs);
        assert!(
            counts.precision() >= 0.95 && counts.recall() >= 0.85,
            "{what}: {counts:?}"
        );
    }
}

#[test]
fn foreign_person_pairs_are_separated() {
    let persons: Vec<Pair> = checks()
        .into_iter()
        .filter(|pair| pair.entry.kind == Kind::Person)
        .collect();
    if persons.is_empty() {
        return;
    }
    assert!(persons.len() > 120, "{}", persons.len());
    let counts = measured("persons", &persons);
    assert!(
        counts.precision() >= 0.85 && counts.recall() >= 0.65,
        "{counts:?}"
    );
}

#[test]
fn recall_in_other_scripts_does_not_fall() {
    let Some(pairs) = file("cross_script_pairs.csv") else {
        return;
    };
    let pairs = pairs.lines().filter(|line| !line.starts_with('#'));
    let pairs: Vec<Pair> = pairs
        .filter_map(|line| {
            let mut cells = line.split(',');
            let (name, listed) = (cells.next()?, cells.next()?);
            Some(pair("cross-script", Kind::Person, name, listed, true))
        })
        .collect();
    measured("persons in another script", &pairs);
    let names = file("putin_names.txt").unwrap_or_default();
    let names: Vec<Pair> = names
        .lines()
        .map(|name| {
            pair(
                "one person",
                Kind::Person,
                name,
                "Vladimir Vladimirovich PUTIN",
                true,
            )
        })
        .collect();
    let counts = measured("names of one person", &names);
    assert!(counts.recall() >= 0.5, "{counts:?}");
}

/// None of these persons is listed, so each hit is a false alarm.
#[test]
fn invented_persons_raise_few_alarms() {
    let Some(invented) = file("negatives_global.csv") else {
        return;
    };
    let listed: Vec<Entry> = samples("ofac", "_prim.csv")
        .into_iter()
        .chain(samples("ofac", "sdn.csv"))
        .flat_map(|file| persons_of(&String::from_utf8_lossy(&std::fs::read(file).unwrap())))
        .collect();
    let names = invented
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next());
    let (mut alarms, mut asked) = (0_u32, 0_u32);
    for name in names {
        asked += 1;
        let trader = Company::of("99999901", name, None, true);
        let is_hit =
            |entry: &Entry| judge(&trader, entry).is_some_and(|verdict| verdict.score >= THRESHOLD);
        alarms += u32::from(listed.iter().any(is_hit));
    }
    say(&format!(
        "{asked} invented persons against {} listed ones: {alarms} false alarms",
        listed.len()
    ));
    assert!(
        listed.is_empty() || alarms <= asked / 100,
        "{alarms} of {asked}"
    );
}

/// The persons of a list in the United States' CSV. The second column is the name, the third the kind.
fn persons_of(csv: &str) -> Vec<Entry> {
    let rows = csv.lines().filter_map(|line| {
        let cells: Vec<&str> = line
            .split("\",\"")
            .flat_map(|cell| cell.split(",\""))
            .collect();
        let is_person = cells
            .iter()
            .any(|cell| cell.trim_matches('"').trim() == "individual");
        let name = cells.get(1)?.trim_matches('"');
        is_person.then(|| pair("listed", Kind::Person, "", name, false).entry)
    });
    rows.collect()
}
