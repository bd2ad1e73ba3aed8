//! The command line of all benchmarks: `cargo bench -- --quick --companies 100`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::figures::say;

/// Every numeric option: its name, the minimum, and its description.
const NUMBERS: &[(&str, u32, &str)] = &[
    (
        "bookings",
        300,
        "largest number of bookings of one account for growth",
    ),
    (
        "companies",
        60,
        "number of companies for profiles and search, the largest for growth",
    ),
    ("connections", 2, "concurrent connections to the host"),
    ("contracts", 20, "contracts of one company"),
    ("copies", 1, "further connectors for concurrent calls"),
    (
        "connectors",
        2,
        "connectors that a host starts with; the largest number for growth",
    ),
    (
        "days",
        2,
        "simulated days, or daily exports of contracts to import",
    ),
    (
        "entries",
        5,
        "entries of one company in the commercial bulletin",
    ),
    ("hosts", 2, "largest number of hosts on one database"),
    (
        "iterations",
        5,
        "calls to measure, of the sandbox or the ledger",
    ),
    ("items", 200, "items of a collection"),
    (
        "least-companies",
        60,
        "smallest number of companies for growth",
    ),
    (
        "least-subscriptions",
        100,
        "smallest number of subscriptions for growth",
    ),
    ("listed", 200, "entries in the list of sanctions"),
    (
        "listings-rate",
        20,
        "requests per second for listings of a collection",
    ),
    ("names", 3, "names to type letter by letter"),
    ("notices", 50, "pending deliveries"),
    ("notices-rate", 20, "events per second"),
    ("profiles-rate", 20, "requests per second of the open loop"),
    ("reloads", 1, "new versions to load"),
    ("rival-names", 2, "names to search with databases alone"),
    ("rounds", 2, "rounds; the median counts"),
    ("rpo-records", 200, "records of the imported dump"),
    ("seconds", 1, "length of a round, in seconds"),
    (
        "subscriptions",
        100,
        "largest number of subscriptions for growth",
    ),
    (
        "times",
        1,
        "runs of each benchmark; then the median of each figure is printed with its range",
    ),
    ("vat-payers", 200, "records of the imported list"),
];

/// The default amount of measurement, if no number is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The size for published figures.
    Normal,
    /// About a minute per benchmark: `--quick`.
    Quick,
    /// The minimum that shows that the benchmark works: without cargo's `--bench`, or with `--test`.
    Least,
}

/// The parsed command line of the benchmarks.
#[derive(Debug)]
pub struct Options {
    pub size: Size,
    numbers: BTreeMap<String, u32>,
    filters: Vec<String>,
    /// Where growth writes its figures and plots, if the command line names a folder.
    folder: Option<PathBuf>,
    /// The single benchmark that this process runs.
    pub alone: Option<String>,
    /// The two words that a benchmark passes to its child process.
    pub inner: Option<(String, String)>,
}

impl Options {
    /// Parses the command line. `None` if it is invalid, which is printed.
    pub fn read() -> Option<Self> {
        let mut options = Self {
            size: Size::Normal,
            numbers: BTreeMap::new(),
            filters: Vec::new(),
            folder: None,
            alone: None,
            inner: None,
        };
        let (mut is_bench, mut is_test) = (false, false);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                Some("bench") => is_bench = true,
                Some("test") => is_test = true,
                Some("quick") => options.size = Size::Quick,
                Some("alone") => options.alone = words.next(),
                Some("output") => options.folder = words.next().map(PathBuf::from),
                Some("inner") => options.inner = words.next().zip(words.next()),
                Some(name) => {
                    let value = words.next().and_then(|value| value.parse().ok());
                    let known = NUMBERS.iter().any(|(known, ..)| *known == name);
                    let Some(value) = value.filter(|_| known) else {
                        usage(&word);
                        return None;
                    };
                    options.numbers.insert(name.to_owned(), value);
                }
                None => options.filters.push(word),
            }
        }
        if is_test || !is_bench {
            options.size = Size::Least;
        }
        Some(options)
    }

    /// Whether a benchmark is selected.
    pub fn wants(&self, benchmark: &str) -> bool {
        let mut filters = self.filters.iter();
        self.filters.is_empty() || filters.any(|filter| benchmark.contains(filter.as_str()))
    }

    /// The value of a numeric option; by default `normal`, `quick` or the option's minimum, depending on the size.
    pub fn number(&self, name: &str, normal: u32, quick: u32) -> u32 {
        let known = NUMBERS.iter().find(|(known, ..)| *known == name);
        let (_, least, _) = known.expect("benchmarks read only known options");
        let default = match self.size {
            Size::Normal => normal,
            Size::Quick => quick,
            Size::Least => quick.min(*least),
        };
        self.numbers.get(name).copied().unwrap_or(default)
    }

    /// The folder for figures and plots: the given one, otherwise one below `target`. Short runs have another one, so
    /// that they do not replace the figures of long ones.
    pub fn output(&self) -> PathBuf {
        let name = if self.size == Size::Normal {
            "growth"
        } else {
            "growth-quick"
        };
        let usual = || lustra_demo::connectors_target().with_file_name(name);
        self.folder.clone().unwrap_or_else(usual)
    }

    /// The length of a round: as [`Self::number`], but far below a second for [`Size::Least`].
    pub fn seconds(&self, normal: u32, quick: u32) -> Duration {
        if self.size == Size::Least && !self.numbers.contains_key("seconds") {
            return Duration::from_millis(200);
        }
        Duration::from_secs(self.number("seconds", normal, quick).into())
    }
}

fn usage(word: &str) {
    say(&format!(
        "{word} is not a numeric option, or its value is missing. Options: --quick, --test, --output FOLDER and"
    ));
    for (name, _, what) in NUMBERS {
        say(&format!("  --{name} N   {what}"));
    }
}
