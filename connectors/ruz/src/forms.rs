//! Forms: the meaning of the cells in a report's tables.
//!
//! The forms of companies (699 and 687) are known by their line numbers, which never change. Any other form is read
//! from its template: a line by its label, the column of the year by the table's head.

mod columns;
mod known;
mod template;

pub use known::{IFRS, known};
pub use template::{Head, Template, TemplateTable, read_template};

use lustra_sdk::text::fold;

use crate::settings::Labels;

/// The lines that the connector reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Line {
    Assets,
    Equity,
    /// Liabilities without the line of accruals.
    Liabilities,
    /// Accruals, listed separately from equity and liabilities.
    Accruals,
    OperatingRevenue,
    TotalRevenue,
    Turnover,
    /// Receipts of single-entry accounting.
    Receipts,
    /// The result of the year after tax, in the profit and loss account.
    Profit,
    /// The result of the year after tax, within equity.
    ProfitInEquity,
}

/// A table of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormTable {
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of cells in a row.
    pub columns: usize,
    /// The column of the year itself. `None` if the head does not say.
    pub current: Option<usize>,
    /// The rows of known lines, counted from 0.
    pub lines: Vec<(Line, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub name: String,
    pub tables: Vec<FormTable>,
}

impl Form {
    /// Whether any line is known.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.tables
            .iter()
            .any(|table| table.current.is_some() && !table.lines.is_empty())
    }
}

/// Reads a form from its template.
#[must_use]
pub fn of_template(template: &Template, labels: &Labels) -> Form {
    let tables = template.tables.iter();
    Form {
        name: template.name.clone(),
        tables: tables
            .map(|table| FormTable {
                name: table.name.clone().unwrap_or_default(),
                rows: table.labels.len(),
                columns: table.data_columns,
                current: columns::current(table),
                lines: lines(table, labels),
            })
            .collect(),
    }
}

/// The lines of a table. If a line has several labels, the first label that the table contains wins, because a table
/// may have both a total (`Záväzky celkom`) and one of its parts (`Záväzky`). A label in several rows is ignored.
fn lines(table: &TemplateTable, labels: &Labels) -> Vec<(Line, usize)> {
    let rows: Vec<String> = table.labels.iter().map(|label| core(label)).collect();
    let row_of = |wanted: &[String]| {
        let label = wanted
            .iter()
            .map(|label| fold(label))
            .find(|label| rows.contains(label))?;
        let mut hits = rows.iter().zip(0..).filter(|(row, _)| **row == label);
        let first = hits.next().map(|(_, place)| place);
        first.filter(|_| hits.next().is_none())
    };
    let (equity, liabilities) = (
        row_of(&labels.total_equity),
        row_of(&labels.total_liabilities),
    );
    let has_sources = equity.is_some() || liabilities.is_some();
    let profit = if has_sources {
        Line::ProfitInEquity
    } else {
        Line::Profit
    };
    let found = [
        (Line::Assets, row_of(&labels.total_assets)),
        (Line::Equity, equity),
        (Line::Liabilities, liabilities),
        // Assets have accruals under the same label.
        (
            Line::Accruals,
            row_of(&labels.accruals).filter(|_| has_sources),
        ),
        (Line::OperatingRevenue, row_of(&labels.operating_revenue)),
        (Line::TotalRevenue, row_of(&labels.total_revenue)),
        (Line::Turnover, row_of(&labels.net_turnover)),
        (Line::Receipts, row_of(&labels.receipts)),
        (profit, row_of(&labels.net_profit)),
    ];
    found
        .into_iter()
        .filter_map(|(line, row)| Some((line, row?)))
        .collect()
}

/// A label without its formula (`r. 02 + r. 33`, `(r. 03 až r. 09)`, `/+-/`) and without `súčet`, folded.
fn core(label: &str) -> String {
    let end = label.find(['(', '/']).unwrap_or(label.len());
    let mut words: Vec<&str> = label[..end].split_whitespace().collect();
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let formula = words.iter().zip(0..).find(|(word, place)| {
        let follows = words.get(place + 1).is_some_and(is_number);
        (matches!(**word, "r." | "r" | "riadok" | "riadky") && follows)
            || word
                .strip_prefix("r.")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    if let Some((_, place)) = formula {
        words.truncate(place);
    }
    let folded = fold(&words.join(" "));
    let folded = folded.strip_suffix(" sucet").unwrap_or(&folded);
    folded.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lose_their_formulas() {
        for (label, expected) in [
            ("SPOLU MAJETOK r. 02 + r. 33 + r. 74", "spolu majetok"),
            ("Záväzky r. 102 + r. 118", "zavazky"),
            ("Záväzky r.102 + r.118", "zavazky"),
            (
                "Záväzky z obchodného styku súčet (r. 104 až r. 106)",
                "zavazky z obchodneho styku",
            ),
            (
                "Výnosy z hospodárskej činnosti spolu súčet (r. 03 až r. 09)",
                "vynosy z hospodarskej cinnosti spolu",
            ),
            (
                "Výsledok hospodárenia za účtovné obdobie po zdanení /+-/ r. 01 - (r. 81)",
                "vysledok hospodarenia za uctovne obdobie po zdaneni",
            ),
            ("Čistý obrat (časť účt. tr. 6 podľa zákona)", "cisty obrat"),
            ("Spolu", "spolu"),
            ("", ""),
        ] {
            assert_eq!(core(label), expected, "{label}");
        }
    }
}
