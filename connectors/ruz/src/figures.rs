//! The figures of a statement, from the cells of its reports.

use std::collections::BTreeMap;

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, amount, malformed};

use crate::answers::{Report, Table};
use crate::content::amount_of;
use crate::forms::{Form, FormTable, Line};

/// Figures by line. `None` for a blank line; a missing key for a line that the form does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    values: BTreeMap<Line, Option<String>>,
}

/// The result of reading one report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    pub figures: Figures,
    /// Whether every cell is blank.
    pub is_blank: bool,
}

/// Reads the figures of a report with its form.
///
/// # Errors
/// [`Failure::Malformed`] if its tables differ in size from the form's, or if a cell is not an amount.
pub fn read(report: &Report, form: &Form) -> Result<Filled, Failure> {
    let mut figures = Figures::default();
    let mut is_blank = true;
    for (table, place) in report.tables.iter().zip(0..) {
        is_blank &= table.cells.iter().all(|cell| cell.trim().is_empty());
        let Some(of_form) = of_form(form, table, place) else {
            let what = format!("report {}: /obsah/tabulky/{place}", report.id);
            let found = table.name.as_deref().unwrap_or("a table without a name");
            return Err(malformed(what, format!("a table of {}", form.name), found));
        };
        let place = format!("report {}: /obsah/tabulky/{place}/data", report.id);
        read_table(&place, table, of_form, &mut figures)?;
    }
    Ok(Filled { figures, is_blank })
}

/// The form's table with the same name, else the one at the same index.
fn of_form<'a>(form: &'a Form, table: &Table, place: usize) -> Option<&'a FormTable> {
    let named = table.name.as_deref().map(fold).and_then(|name| {
        let mut named = form.tables.iter().filter(|table| fold(&table.name) == name);
        let first = named.next();
        first.filter(|_| named.next().is_none())
    });
    named.or_else(|| form.tables.get(place))
}

fn read_table(
    place: &str,
    table: &Table,
    form: &FormTable,
    figures: &mut Figures,
) -> Result<(), Failure> {
    if table.cells.len() != form.rows * form.columns {
        let expected = format!("{} rows of {} cells", form.rows, form.columns);
        return Err(malformed(
            place,
            expected,
            format!("{} cells", table.cells.len()),
        ));
    }
    let Some(current) = form.current else {
        return Ok(());
    };
    for (line, row) in &form.lines {
        let at = row * form.columns + current;
        let cell = table.cells.get(at).map(String::as_str).unwrap_or_default();
        let value = amount_of(&format!("{place}/{at}"), cell)?;
        figures.put(*line, value);
    }
    Ok(())
}

impl Figures {
    /// Sets a line. The value of an earlier report stays, unless it was blank.
    fn put(&mut self, line: Line, value: Option<String>) {
        let known = self.values.entry(line).or_default();
        if known.is_none() {
            *known = value;
        }
    }

    /// Adds the figures of another report of the statement.
    pub fn add(&mut self, other: Self) {
        for (line, value) in other.values {
            self.put(line, value);
        }
    }

    /// Whether both the balance sheet and the profit and loss account were read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.values.contains_key(&Line::Assets)
            && self.values.contains_key(&Line::Equity)
            && self.values.contains_key(&Line::Profit)
    }

    /// The figure of a line.
    #[must_use]
    pub fn of(&self, line: Line) -> Option<&str> {
        self.values.get(&line)?.as_deref()
    }

    /// The result of the year after tax.
    #[must_use]
    pub fn profit(&self) -> Option<&str> {
        match self.values.get(&Line::Profit) {
            Some(profit) => profit.as_deref(),
            None => self.of(Line::ProfitInEquity),
        }
    }

    /// The revenue and its line: the first revenue line that the form has. If that line is blank, no other line
    /// replaces it.
    #[must_use]
    pub fn revenue(&self) -> Option<(Line, &str)> {
        let lines = [
            Line::OperatingRevenue,
            Line::TotalRevenue,
            Line::Turnover,
            Line::Receipts,
        ];
        let (line, value) = lines
            .into_iter()
            .find_map(|line| Some((line, self.values.get(&line)?)))?;
        Some((line, value.as_deref()?))
    }

    /// Whether assets equal equity, liabilities and accruals. `None` if one of the first three is not known.
    #[must_use]
    pub fn is_balanced(&self) -> Option<bool> {
        let accruals = self.of(Line::Accruals).unwrap_or("0");
        let (assets, equity, liabilities) = (
            self.of(Line::Assets)?,
            self.of(Line::Equity)?,
            self.of(Line::Liabilities)?,
        );
        let sources = amount::sum([equity, liabilities, accruals])?;
        Some(amount::sum([assets])? == sources)
    }
}
