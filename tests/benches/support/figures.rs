//! Prints figures: one by one with their aims, and all of them as a table at the end.

/// The bound that a figure should meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    AtLeast(f64),
    AtMost(f64),
}

struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    aim: Option<Aim>,
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

    fn add(&mut self, name: String, value: f64, unit: &'static str, aim: Option<Aim>) {
        let figure = Figure {
            name,
            value,
            unit,
            aim,
        };
        let [name, value, aim, share, verdict] = figure.cells();
        let judged = if figure.aim.is_some() {
            format!(" (aim {aim}, {share} of it: {verdict})")
        } else {
            String::new()
        };
        say(&format!("  {name}: {value}{judged}"));
        self.all.push(figure);
    }

    /// Prints all figures as a table.
    pub fn end(self) {
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

impl Figure {
    fn cells(&self) -> [String; 5] {
        let with_unit = |value: f64| {
            let space = if self.unit.is_empty() { "" } else { " " };
            format!("{}{space}{}", number(value), self.unit)
        };
        let value = with_unit(self.value);
        let (aim, share, verdict) = match self.aim {
            None => (String::new(), String::new(), ""),
            Some(Aim::AtLeast(aim)) => (
                format!("≥ {}", with_unit(aim)),
                format!("{:.2}", self.value / aim),
                verdict(self.value >= aim),
            ),
            Some(Aim::AtMost(aim)) => (
                format!("≤ {}", with_unit(aim)),
                format!("{:.2}", self.value / aim),
                verdict(self.value <= aim),
            ),
        };
        [self.name.clone(), value, aim, share, verdict.to_owned()]
    }
}

fn verdict(is_met: bool) -> &'static str {
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
