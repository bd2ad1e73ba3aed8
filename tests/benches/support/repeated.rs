//! Runs benchmarks several times and prints the median of each figure with its range.

use std::path::{Path, PathBuf};

use super::figures::{self, Figure, say, verdict, with_unit};
use super::median;

/// A figure's values in several runs.
struct Repeated {
    /// The figure of the first run that printed it.
    first: Figure,
    values: Vec<f64>,
}

/// The file with the figures of one run.
pub fn file(folder: &Path, benchmark: &str, round: u32) -> PathBuf {
    folder.join(format!("{benchmark}-{round}.json"))
}

/// Prints the figures of a benchmark's runs as a Markdown table.
pub fn print(folder: &Path, benchmark: &str, rounds: u32) {
    let mut all: Vec<Repeated> = Vec::new();
    for round in 0..rounds {
        for figure in figures::read(&file(folder, benchmark, round)) {
            match all.iter_mut().find(|known| known.first.name == figure.name) {
                Some(known) => known.values.push(figure.value),
                None => all.push(Repeated {
                    values: vec![figure.value],
                    first: figure,
                }),
            }
        }
    }
    if all.is_empty() {
        return;
    }
    say(&format!(
        "\n{benchmark}: median and range of {rounds} runs\n"
    ));
    say("| Figure | Median | Range | Aim | |");
    say("| --- | --- | --- | --- | --- |");
    for mut figure in all {
        figure.values.sort_by(f64::total_cmp);
        say(&figure.row(rounds));
    }
}

impl Repeated {
    /// A row of the table, which tells if not every run printed the figure. The values must be sorted.
    fn row(&self, rounds: u32) -> String {
        let Figure {
            name, unit, aim, ..
        } = &self.first;
        let (Some(least), Some(most)) = (self.values.first(), self.values.last()) else {
            return String::new();
        };
        let median = median(&self.values);
        let (aim, met) = match aim {
            Some(aim) => (aim.text(unit), verdict(aim.is_met(median))),
            None => (String::new(), ""),
        };
        let runs = self.values.len();
        let partly = if runs < rounds as usize {
            format!(" ({runs} of {rounds} runs)")
        } else {
            String::new()
        };
        format!(
            "| {name}{partly} | {} | {} to {} | {aim} | {met} |",
            with_unit(median, unit),
            figures::number(*least),
            with_unit(*most, unit),
        )
    }
}
