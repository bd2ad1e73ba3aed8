//! The figures of a statement, from the cells of its reports.

use std::collections::BTreeMap;

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, amount, malformed};

use crate::answers::{Report, Table};
use crate::content::amount_of;
use crate::figure::{Family, Figure, Named, Sources};
use crate::forms::{Form, FormTable, Line, Sum, TermKind};

/// An amount and the lines that it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cited {
    amount: String,
    lines: Vec<String>,
}

/// Figures by line and by name. `None` for a blank line; a missing key for one that the form does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    values: BTreeMap<Line, Option<Cited>>,
    named: BTreeMap<Figure, Option<Cited>>,
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
    if form.current.is_empty() {
        return Ok(());
    }
    let cell = |row: usize| -> Result<Option<String>, Failure> {
        let mut filled = Vec::new();
        for column in &form.current {
            let at = row * form.columns + column;
            let text = table.cells.get(at).map(String::as_str).unwrap_or_default();
            filled.extend(amount_of(&format!("{place}/{at}"), text)?);
        }
        Ok(total(filled))
    };
    for (line, row) in &form.lines {
        let cited = cell(*row)?.map(|amount| Cited {
            amount,
            lines: vec![form.cited(*row)],
        });
        put(&mut figures.values, *line, cited);
    }
    for sum in &form.sums {
        let cited = summed(sum, form, &cell)?;
        put(&mut figures.named, sum.figure, cited);
    }
    Ok(())
}

/// A figure from its lines. `None` if a needed line is blank, or all are.
fn summed(
    sum: &Sum,
    form: &FormTable,
    cell: &impl Fn(usize) -> Result<Option<String>, Failure>,
) -> Result<Option<Cited>, Failure> {
    let (mut amounts, mut lines) = (Vec::new(), Vec::new());
    for (row, kind) in &sum.terms {
        let amount = match (cell(*row)?, kind) {
            (Some(amount), TermKind::Needed | TermKind::Part) => amount,
            (Some(amount), TermKind::Subtracted) => negated(&amount),
            (None, TermKind::Part) => continue,
            (None, TermKind::Needed | TermKind::Subtracted) => return Ok(None),
        };
        amounts.push(amount);
        lines.push(form.cited(*row));
    }
    Ok(total(amounts).map(|amount| Cited { amount, lines }))
}

/// The sum of amounts. `None` if there are none, or one has too many decimals to add it exactly. A single amount stays
/// as it was written.
fn total(mut amounts: Vec<String>) -> Option<String> {
    if amounts.len() < 2 {
        return amounts.pop();
    }
    let total = amount::sum(amounts.iter().map(String::as_str))?;
    let whole = total.strip_suffix(".00");
    Some(whole.map_or_else(|| total.clone(), str::to_owned))
}

fn negated(amount: &str) -> String {
    match amount.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None => format!("-{amount}"),
    }
}

/// Sets a value. The value of an earlier report stays, unless it was blank.
fn put<K: Ord>(values: &mut BTreeMap<K, Option<Cited>>, key: K, value: Option<Cited>) {
    let known = values.entry(key).or_default();
    if known.is_none() {
        *known = value;
    }
}

impl Figures {
    /// Adds the figures of another report of the statement.
    pub fn add(&mut self, other: Self) {
        for (line, value) in other.values {
            put(&mut self.values, line, value);
        }
        for (figure, value) in other.named {
            put(&mut self.named, figure, value);
        }
    }

    /// Whether both the balance sheet and the profit and loss account were read. Non-profit units may file their
    /// expenses in a report of their own.
    #[must_use]
    pub fn is_whole(&self, family: Option<Family>) -> bool {
        let has_expenses = self.named.contains_key(&Figure::TotalExpenses);
        self.values.contains_key(&Line::Assets)
            && self.values.contains_key(&Line::Equity)
            && self.values.contains_key(&Line::Profit)
            && (has_expenses || family != Some(Family::NonProfit))
    }

    /// The figure of a line.
    #[must_use]
    pub fn of(&self, line: Line) -> Option<&str> {
        Some(&self.cited(line)?.amount)
    }

    fn cited(&self, line: Line) -> Option<&Cited> {
        self.values.get(&line)?.as_ref()
    }

    /// The result of the year after tax.
    #[must_use]
    pub fn profit(&self) -> Option<&str> {
        Some(&self.cited_profit()?.amount)
    }

    fn cited_profit(&self) -> Option<&Cited> {
        if let Some(profit) = self.named.get(&Figure::NetProfit) {
            return profit.as_ref();
        }
        match self.values.get(&Line::Profit) {
            Some(profit) => profit.as_ref(),
            None => self.cited(Line::ProfitInEquity),
        }
    }

    /// The figures by name, for a statement whose forms are of this family.
    #[must_use]
    pub fn named(&self, family: Option<Family>) -> Named {
        let amount = |figure: Figure| {
            let cited = self.named.get(&figure)?.as_ref();
            cited.map(|cited| cited.amount.clone())
        };
        Named {
            accounting_basis: family.map(Family::basis),
            template_family: family,
            net_turnover: amount(Figure::NetTurnover),
            sales_revenue: amount(Figure::SalesRevenue),
            operating_income: amount(Figure::OperatingIncome),
            financial_income: amount(Figure::FinancialIncome),
            total_income: amount(Figure::TotalIncome),
            total_expenses: amount(Figure::TotalExpenses),
            operating_result: amount(Figure::OperatingResult),
            financial_result: amount(Figure::FinancialResult),
            profit_before_tax: amount(Figure::ProfitBeforeTax),
            income_tax: amount(Figure::IncomeTax),
            accruals: self.of(Line::Accruals).map(str::to_owned),
            total_receipts: amount(Figure::TotalReceipts),
            total_expenditures: amount(Figure::TotalExpenditures),
            receipts_minus_expenditures: amount(Figure::ReceiptsMinusExpenditures),
            property_total: amount(Figure::PropertyTotal),
            debts_total: amount(Figure::DebtsTotal),
            property_minus_debts: amount(Figure::PropertyMinusDebts),
            figure_sources: Some(self.sources()),
        }
    }

    /// The lines of every figure that has a value.
    fn sources(&self) -> Sources {
        let named = self.named.iter();
        let named = named.filter_map(|(figure, cited)| Some((*figure, cited.as_ref()?)));
        let of_lines = [
            (Figure::TotalAssets, self.cited(Line::Assets)),
            (Figure::TotalEquity, self.cited(Line::Equity)),
            (Figure::TotalLiabilities, self.cited(Line::Liabilities)),
            (Figure::Accruals, self.cited(Line::Accruals)),
            (Figure::NetProfit, self.cited_profit()),
        ];
        let of_lines = of_lines.into_iter();
        let of_lines = of_lines.filter_map(|(figure, cited)| Some((figure, cited?)));
        named
            .chain(of_lines)
            .map(|(figure, cited)| (figure, cited.lines.clone()))
            .collect()
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
        Some((line, &value.as_ref()?.amount))
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
