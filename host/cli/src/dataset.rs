//! `lustra dataset`.

mod history;
mod import;
mod list;
mod named;
mod pause;

use time::OffsetDateTime;

use super::{CliError, say};
use lustra::config::Config;
use lustra_sandbox::clock::rfc3339;
use lustra_sandbox::dataset_catalogue::DatasetCatalogue;
use lustra_store::ImportRun;

/// List datasets, import them, pause their imports, and show past imports.
#[derive(Debug, clap::Subcommand)]
pub enum Dataset {
    List(list::List),
    Import(import::Import),
    History(history::History),
    Pause(pause::Pause),
    Resume(pause::Resume),
}

impl Dataset {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run().await,
            Self::Import(import) => Box::pin(import.run()).await,
            Self::History(history) => history.run().await,
            Self::Pause(pause) => pause.run().await,
            Self::Resume(resume) => resume.run().await,
        }
    }
}

/// The datasets of all components. Refused components are printed, so that the user sees why their datasets are
/// missing.
fn offered(config: &Config) -> Result<DatasetCatalogue, CliError> {
    let offered = DatasetCatalogue::read(&config.connectors()).map_err(|error| {
        let directory = config.components.display();
        let about = format!("the directory of components {directory} cannot be read");
        CliError::caused(about, &error)
    })?;
    for (name, refusal) in &offered.refused {
        say(&format!("component {name} was refused: {refusal}"));
    }
    Ok(offered)
}

/// Formats rows and a heading in columns; `right` lists the right-aligned ones.
fn table(rows: &[Vec<String>], right: &[usize]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, width))| {
                if right.contains(&column) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            })
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A time for people, to the second.
fn shown_time(at: OffsetDateTime) -> String {
    rfc3339(at.replace_nanosecond(0).unwrap_or(at))
}

/// Progress of a run.
fn shown_progress(run: &ImportRun) -> String {
    let records = super::many(run.records, "record", "records");
    match run.progress {
        Some(share) => format!("{}.{} %, {records}", share / 10, share % 10),
        None => records,
    }
}

/// A reason as one line without control characters: it may quote a register and must not control the terminal.
fn shown_reason(reason: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    reason.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_columns_are_aligned() {
        let rows = [
            ["list", "records"],
            ["žltý", "7"],
            ["a longer one", "12345678"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            table(&rows, &[1]),
            [
                "list           records",
                "žltý                 7",
                "a longer one  12345678"
            ]
        );
    }

    #[test]
    fn register_text_cannot_control_terminal() {
        assert_eq!(
            shown_reason("answered \u{1b}[2J\r\n\u{9b}31mred"),
            "answered  [2J   31mred"
        );
    }
}
