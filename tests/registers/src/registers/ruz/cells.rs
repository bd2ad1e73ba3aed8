//! The tables of a report, filled from a statement's figures.

use serde_json::{Value, json};

use super::forms::{Columns, Form, LineContent, Table};
use crate::population::statements::{Shown, Statement};

/// The correction of assets: gross minus net.
const CORRECTION: i64 = 1_000;
/// The amount of the other activity.
const OTHER: i64 = 7;

pub(super) fn tables(form: &Form, statement: &Statement) -> Value {
    let mut tables: Vec<Value> = form
        .tables
        .iter()
        .map(|table| {
            let mut name = json!({ "sk": table.name });
            if statement.id.is_multiple_of(2) {
                name["en"] = json!(table.english);
            }
            json!({ "nazov": name, "data": cells(table, statement) })
        })
        .collect();
    // The register does not guarantee an order.
    if statement.id % 5 == 2 {
        tables.reverse();
    }
    tables.into()
}

fn cells(table: &Table, statement: &Statement) -> Vec<String> {
    (table.first..=table.last)
        .flat_map(|number| row(table, number, statement))
        .collect()
}

fn row(table: &Table, number: u32, statement: &Statement) -> Vec<String> {
    let blank = vec![String::new(); table.columns.count()];
    if statement.shown == Shown::Blank {
        return blank;
    }
    let value = match table.line(number) {
        Some((_, holds, _)) => figure(*holds, statement),
        // Other rows also contain values.
        None if number % 11 == 3 => Some(i64::from(number) * 10),
        None => None,
    };
    let Some(value) = value else {
        return blank;
    };
    // A value different from the current year's, so that reading the wrong column is detected.
    let before = if number.is_multiple_of(2) {
        (value - 77).to_string()
    } else {
        String::new()
    };
    let text = |value: i64| value.to_string();
    match table.columns {
        Columns::Gross => vec![
            text(value + CORRECTION),
            text(CORRECTION),
            text(value),
            before,
        ],
        Columns::Activities => vec![text(value - OTHER), text(OTHER), text(value), before],
        Columns::Years => vec![text(value), before],
        Columns::YearsTurned => vec![before, text(value)],
        Columns::Year => vec![text(value)],
    }
}

fn figure(holds: LineContent, statement: &Statement) -> Option<i64> {
    let figures = statement.figures;
    match holds {
        LineContent::Assets => figures.assets,
        LineContent::Sources => {
            let own = figures.equity? + figures.liabilities?;
            Some(own + figures.accruals.unwrap_or(0))
        }
        LineContent::Equity => figures.equity,
        LineContent::ProfitInEquity | LineContent::Profit => figures.profit,
        LineContent::Liabilities => figures.liabilities,
        LineContent::Part => figures.liabilities.map(|owed| owed / 3),
        LineContent::Accruals => figures.accruals,
        LineContent::Revenue => figures.revenue,
        LineContent::Turnover => figures.turnover,
        LineContent::Goods => figures.sales[0],
        LineContent::Products => figures.sales[1],
        LineContent::Services => figures.sales[2],
        LineContent::Expenses => figures.expenses,
        LineContent::FinancialIncome => figures.financial_income,
        LineContent::FinancialExpenses => figures.financial_expenses,
        LineContent::OperatingResult => figures.operating_result(),
        LineContent::FinancialResult => figures.financial_result(),
        LineContent::BeforeTax => figures.before_tax(),
        LineContent::Tax => figures.tax[0],
        LineContent::OtherTax => figures.tax[1],
        LineContent::Expenditures => figures.expenditures,
        LineContent::ReceiptsLessExpenditures => figures.receipts_less_expenditures(),
        LineContent::PropertyLessDebts => figures.property_less_debts(),
        LineContent::Nothing => None,
    }
}
