//! Prints figures: one by one with their aims, and all of them as a table at the end.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

/// Environment variable with the file to which a benchmark adds its figures, each as a line of JSON.
pub const FILE: &str = "LUSTRA_BENCHMARK_FIGURES";

/// The bound that a figure should meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    AtLeast(f64),
    AtMost(f64),
}

impl Aim {
    /// Whether a value meets it.
    pub fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(aim) => value >= aim,
            Self::AtMost(aim) => value <= aim,
        }
    }

    /// The bound as text, in the unit of the figure.
    pub fn text(self, unit: &str) -> String {
        match self {
            Self::AtLeast(aim) => format!("≥ {}", with_unit(aim, unit)),
            Self::AtMost(aim) => format!("≤ {}", with_unit(aim, unit)),
        }
    }

    /// The value as a multiple of the bound; empty for a bound of 0.
    fn share(self, value: f64) -> String {
        match self {
            Self::AtLeast(0.0) | Self::AtMost(0.0) => String::new(),
            Self::AtLeast(aim) | Self::AtMost(aim) => format!("{:.2}", value / aim),
        }
    }
}

/// A measured value with its name, unit and aim.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: String,
    pub aim: Option<Aim>,
}

/// The figures of one benchmark.
pub struct Figures {
    title: &'static str,
    all: Vec<Figure>,
}

impl Figures {
    /// Starts a benchmark's output with its title and the machine.
    pub fn new(title: &'static str) -> Self {
        say(&format!("\n{title}"));
        let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        say(&format!(
            "  {cores} cores, load {} before; client and server share them",
            load()
        ));
        if cfg!(debug_assertions) {
            say("  A debug build: it shows that the benchmark runs, its figures mean nothing.");
        }
        Self {
            title,
            all: Vec::new(),
        }
    }

    /// Prints what the next figures compare.
    pub fn explain(&self, text: &str) {
        say(&format!("\n  {text}"));
    }

    /// Prints a figure without an aim.
    pub fn report(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.add(name.into(), value, unit, None);
    }

    /// Prints a figure with its aim.
    pub fn aimed(&mut self, name: impl Into<String>, value: f64, unit: &'static str, aim: Aim) {
        self.add(name.into(), value, unit, Some(aim));
    }

    /// Prints a figure, with its aim if it has one.
    pub fn add(&mut self, name: String, value: f64, unit: &'static str, aim: Option<Aim>) {
        let unit = unit.to_owned();
        let figure = Figure {
            name,
            value,
            unit,
            aim,
        };
        let [name, value, aim, share, verdict] = figure.cells();
        let judged = if figure.aim.is_some() {
            let of_it = if share.is_empty() {
                String::new()
            } else {
                format!(", {share} of it")
            };
            format!(" (aim {aim}{of_it}: {verdict})")
        } else {
            String::new()
        };
        say(&format!("  {name}: {value}{judged}"));
        self.all.push(figure);
    }

    /// Prints all figures as a table, and adds them to the file that [`FILE`] names.
    pub fn end(self) {
        if let Some(file) = std::env::var_os(FILE) {
            let lines: String = self
                .all
                .iter()
                .map(|figure| format!("{}\n", figure.to_json()))
                .collect();
            let file = OpenOptions::new().create(true).append(true).open(file);
            file.and_then(|mut file| file.write_all(lines.as_bytes()))
                .expect("the figures can be written");
        }
        let head = ["figure", "value", "aim", "of aim", ""].map(str::to_owned);
        let rows: Vec<[String; 5]> = std::iter::once(head)
            .chain(self.all.iter().map(Figure::cells))
            .collect();
        let mut widths = [0; 5];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        say(&format!("\n{}, load {} after", self.title, load()));
        for row in &rows {
            let [name, value, aim, share, verdict] = row;
            let [w0, w1, w2, w3, _] = widths;
            let line = format!("  {name:<w0$}  {value:>w1$}  {aim:>w2$}  {share:>w3$}  {verdict}");
            say(line.trim_end());
        }
    }
}

/// The figures that a benchmark wrote to a file. None if it wrote no file.
pub fn read(file: &Path) -> Vec<Figure> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .filter_map(|line| Figure::from_json(&serde_json::from_str(line).ok()?))
        .collect()
}

impl Figure {
    fn cells(&self) -> [String; 5] {
        let value = with_unit(self.value, &self.unit);
        let (aim, share, verdict) = match self.aim {
            None => (String::new(), String::new(), ""),
            Some(aim) => (
                aim.text(&self.unit),
                aim.share(self.value),
                verdict(aim.is_met(self.value)),
            ),
        };
        [self.name.clone(), value, aim, share, verdict.to_owned()]
    }

    fn to_json(&self) -> Value {
        let (at_least, at_most) = match self.aim {
            None => (None, None),
            Some(Aim::AtLeast(aim)) => (Some(aim), None),
            Some(Aim::AtMost(aim)) => (None, Some(aim)),
        };
        json!({
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "at_least": at_least,
            "at_most": at_most,
        })
    }

    fn from_json(json: &Value) -> Option<Self> {
        let at_least = json["at_least"].as_f64().map(Aim::AtLeast);
        Some(Self {
            name: json["name"].as_str()?.to_owned(),
            value: json["value"].as_f64()?,
            unit: json["unit"].as_str()?.to_owned(),
            aim: at_least.or_else(|| json["at_most"].as_f64().map(Aim::AtMost)),
        })
    }
}

/// Formats a value with its unit.
pub fn with_unit(value: f64, unit: &str) -> String {
    let space = if unit.is_empty() { "" } else { " " };
    format!("{}{space}{unit}", number(value))
}

/// The word for a value that meets its aim or misses it.
pub fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

/// Formats a number with three significant digits.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 100.0 || size.fract() == 0.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// The machine's load average of the last minute.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

/// Prints a line of the benchmark's result.
#[expect(
    clippy::print_stdout,
    reason = "the result of a benchmark is what it prints"
)]
pub fn say(line: &str) {
    println!("{line}");
}
