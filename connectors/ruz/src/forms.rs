//! Forms: the meaning of the cells in a report's tables.
//!
//! The forms of companies (699 and 687) are known by their line numbers, which never change. Any other form is read
//! from its template: a line by its label, or by its number and label, the column of the year by the table's head.

mod columns;
mod known;
mod rules;
mod template;

pub use known::{IFRS, known};
pub use template::{Head, Row, Template, TemplateTable, read_template};

use lustra_sdk::text::fold;

use crate::figure::{Family, Figure};
use crate::settings::Labels;

/// The lines of the figures of the first specification.
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

/// How a line contributes to a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// If the line is blank, the figure is not published.
    Needed,
    /// A blank line adds nothing.
    Part,
    /// Subtracted. If the line is blank, the figure is not published.
    Subtracted,
}

/// A figure and the rows of a table that it is the sum of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    pub figure: Figure,
    /// Rows, counted from 0, and how each contributes.
    pub terms: Vec<(usize, TermKind)>,
}

/// A table of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormTable {
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of cells in a row.
    pub columns: usize,
    /// The columns whose sum is the amount of the year itself. Empty if the head does not say.
    pub current: Vec<usize>,
    /// The numbers of the rows.
    pub numbers: Vec<Option<u32>>,
    /// The rows of known lines, counted from 0.
    pub lines: Vec<(Line, usize)>,
    pub sums: Vec<Sum>,
}

impl FormTable {
    /// A row as people cite it: the table and the line's number.
    #[must_use]
    pub fn cited(&self, row: usize) -> String {
        match self.numbers.get(row).copied().flatten() {
            Some(number) => format!("{}, r. {number:02}", self.name),
            None => self.name.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub name: String,
    /// `None` if the lines of its figures are not known.
    pub family: Option<Family>,
    pub tables: Vec<FormTable>,
}

impl Form {
    /// Whether any line is known.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.tables.iter().any(|table| {
            let has_figures = !table.lines.is_empty() || !table.sums.is_empty();
            has_figures && !table.current.is_empty()
        })
    }
}

/// Reads a form from its template.
#[must_use]
pub fn of_template(template: &Template, labels: &Labels) -> Form {
    let mapping = rules::of(template.id);
    let rows: Vec<&[Row]> = template.tables.iter().map(|table| &*table.rows).collect();
    let sums = mapping.and_then(|mapping| mapping.sums(&rows));
    let family = mapping.filter(|_| sums.is_some()).map(|known| known.family);
    let sums = sums.unwrap_or_default().into_iter();
    let sums = sums.chain(std::iter::repeat(Vec::new()));
    let tables = template.tables.iter().zip(sums);
    Form {
        name: template.name.clone(),
        family,
        tables: tables
            .map(|(table, sums)| FormTable {
                name: table.name.clone().unwrap_or_default(),
                rows: table.rows.len(),
                columns: table.data_columns,
                current: columns::current(table),
                numbers: table.rows.iter().map(|row| row.number).collect(),
                lines: lines(table, labels),
                sums,
            })
            .collect(),
    }
}

/// The lines of a table. If a line has several labels, the first label that the table contains wins, because a table
/// may have both a total (`Záväzky celkom`) and one of its parts (`Záväzky`). A label in several rows is ignored.
fn lines(table: &TemplateTable, labels: &Labels) -> Vec<(Line, usize)> {
    let rows: Vec<String> = table.rows.iter().map(|row| core(&row.label)).collect();
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
