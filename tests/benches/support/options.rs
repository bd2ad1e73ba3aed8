//! The command line of the benchmarks, the same for all: `cargo bench -- --quick --companies 100`.

use std::collections::BTreeMap;

use super::figures::say;

/// Every option that takes a number, and what it is.
const NUMBERS: &[(&str, &str)] = &[
    ("companies", "companies of the profiles or of the search"),
    ("connections", "connections to the host at once"),
    ("contracts", "contracts of one company"),
    ("days", "daily exports of contracts that are imported"),
    (
        "entries",
        "entries of one company in the commercial bulletin",
    ),
    ("iterations", "calls of a sandbox"),
    ("listed", "entries of a list of sanctions"),
    ("names", "names that are typed letter by letter"),
    ("profiles-rate", "requests a second of the open loop"),
    (
        "copies",
        "connectors beside the shipped ones, for calls at once",
    ),
    ("reloads", "new versions that are taken up"),
    (
        "rival-names",
        "names that are typed where databases search alone",
    ),
    ("notices", "deliveries that wait"),
    ("notices-rate", "events a second"),
    ("rounds", "rounds, of which the middle one counts"),
    ("rpo-records", "records of the dump that is imported"),
    ("seconds", "length of a round, in seconds"),
    ("vat-payers", "records of the list that is imported"),
];

/// What the benchmark was asked for.
#[derive(Debug, Default)]
pub struct Options {
    /// Small sizes, to see that it runs.
    pub quick: bool,
    numbers: BTreeMap<String, u32>,
    /// What the benchmark passes to itself in a process of its own.
    pub inner: Option<(String, String)>,
}

impl Options {
    /// Reads the command line. `None`: another benchmark is meant, or the line is wrong, which is said.
    pub fn read(benchmark: &str) -> Option<Self> {
        let mut options = Self::default();
        let mut filters = Vec::new();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                // Cargo says so to every benchmark.
                Some("bench") => {}
                Some("quick") => options.quick = true,
                Some("inner") => options.inner = words.next().zip(words.next()),
                Some(name) => {
                    let value = words.next().and_then(|value| value.parse().ok());
                    let known = NUMBERS.iter().any(|(known, _)| *known == name);
                    let Some(value) = value.filter(|_| known) else {
                        usage(&word);
                        return None;
                    };
                    options.numbers.insert(name.to_owned(), value);
                }
                None => filters.push(word),
            }
        }
        let wanted = filters.is_empty() || filters.iter().any(|filter| benchmark.contains(filter));
        wanted.then_some(options)
    }

    /// A number: as asked for, else `quick` or `normal`.
    pub fn number(&self, name: &str, normal: u32, quick: u32) -> u32 {
        debug_assert!(NUMBERS.iter().any(|(known, _)| *known == name), "{name}");
        let default = if self.quick { quick } else { normal };
        self.numbers.get(name).copied().unwrap_or(default)
    }
}

fn usage(word: &str) {
    say(&format!(
        "{word} is no option with a number. There are --quick and"
    ));
    for (name, what) in NUMBERS {
        say(&format!("  --{name} N   {what}"));
    }
}
