//! Expected figures with one meaning, and the lines that they are from.

use lustra_tests::register_simulator::population::statements::{StatementFigures, StatementForm};
use serde_json::{Map, Value, json};

/// The members beside those of the first specification.
pub const NAMES: [&str; 20] = [
    "accounting_basis",
    "template_family",
    "net_turnover",
    "sales_revenue",
    "operating_income",
    "financial_income",
    "total_income",
    "total_expenses",
    "operating_result",
    "financial_result",
    "profit_before_tax",
    "income_tax",
    "accruals",
    "total_receipts",
    "total_expenditures",
    "receipts_minus_expenditures",
    "property_total",
    "debts_total",
    "property_minus_debts",
    "figure_sources",
];

/// Figures that a statement has under these names already.
const KNOWN: [&str; 4] = [
    "total_assets",
    "total_equity",
    "total_liabilities",
    "net_profit",
];

/// A figure, and the lines that it is the sum of: the line's number and amount.
type Row = (&'static str, &'static str, Vec<(u32, Option<i64>)>);

/// The members of [`NAMES`]. No form: nothing is shown of the statement. No figures: no cell is filled.
pub fn named(
    form: Option<StatementForm>,
    figures: Option<&StatementFigures>,
) -> Vec<(&'static str, Value)> {
    let (family, basis) = form.map(kind).unzip();
    let rows = form.zip(figures);
    let rows = rows.map(|(form, figures)| rows_of(form, figures));
    let (mut values, mut sources) = (Map::new(), Map::new());
    for (name, table, lines) in rows.unwrap_or_default() {
        let filled: Vec<(u32, i64)> = lines
            .into_iter()
            .filter_map(|(number, amount)| Some((number, amount?)))
            .collect();
        if filled.is_empty() {
            continue;
        }
        let total: i64 = filled.iter().map(|(_, amount)| amount).sum();
        let cited = filled
            .iter()
            .map(|(number, _)| format!("{table}, r. {number:02}"));
        sources.insert(name.to_owned(), cited.collect());
        if !KNOWN.contains(&name) {
            values.insert(name.to_owned(), json!(total));
        }
    }
    NAMES
        .into_iter()
        .map(|name| {
            let value = match name {
                "accounting_basis" => json!(basis),
                "template_family" => json!(family),
                "figure_sources" => Value::Object(sources.clone()),
                _ => values.get(name).cloned().unwrap_or_default(),
            };
            (name, value)
        })
        .collect()
}

fn kind(form: StatementForm) -> (&'static str, &'static str) {
    match form {
        StatementForm::Company | StatementForm::Old2009 | StatementForm::Old2011 => {
            ("POD", "double_entry")
        }
        StatementForm::Micro => ("MUJ", "double_entry"),
        StatementForm::NonProfit => ("NUJ", "double_entry"),
        StatementForm::SingleEntry => ("FO", "single_entry"),
        StatementForm::Ifrs => ("IFRS", "double_entry"),
    }
}

fn rows_of(form: StatementForm, figures: &StatementFigures) -> Vec<Row> {
    let mut rows = match form {
        StatementForm::Company => balance(figures, [1, 80, 101, 141]),
        StatementForm::Micro => balance(figures, [1, 25, 34, 0]),
        StatementForm::Old2009 => balance(figures, [1, 67, 88, 121]),
        StatementForm::Old2011 => balance(figures, [1, 67, 86, 119]),
        StatementForm::NonProfit => balance(figures, [60, 61, 74, 101]),
        StatementForm::SingleEntry => single_entry(figures),
        StatementForm::Ifrs => Vec::new(),
    };
    rows.extend(match form {
        StatementForm::Company => result(figures, &COMPANY),
        StatementForm::Micro => result(figures, &MICRO),
        StatementForm::Old2009 | StatementForm::Old2011 => early_result(figures),
        StatementForm::NonProfit => non_profit_result(figures),
        StatementForm::SingleEntry | StatementForm::Ifrs => Vec::new(),
    });
    rows
}

/// The balance sheet: assets, equity, liabilities, accruals.
fn balance(figures: &StatementFigures, lines: [u32; 4]) -> Vec<Row> {
    let [assets, equity, liabilities, accruals] = lines;
    vec![
        (
            "total_assets",
            "Strana aktív",
            vec![(assets, figures.assets)],
        ),
        (
            "total_equity",
            "Strana pasív",
            vec![(equity, figures.equity)],
        ),
        (
            "total_liabilities",
            "Strana pasív",
            vec![(liabilities, figures.liabilities)],
        ),
        (
            "accruals",
            "Strana pasív",
            vec![(accruals, figures.accruals)],
        ),
    ]
}

const RESULT: &str = "Výkaz ziskov a strát";

/// The lines of a result since 2014.
struct ResultLines {
    sales: &'static [u32],
    /// Operating income, operating expenses, operating result.
    operating: [u32; 3],
    /// Financial income, financial expenses, financial result.
    financial: [u32; 3],
    before_tax: u32,
    tax: u32,
    after_tax: u32,
}

const COMPANY: ResultLines = ResultLines {
    sales: &[3, 4, 5],
    operating: [2, 10, 27],
    financial: [29, 45, 55],
    before_tax: 56,
    tax: 57,
    after_tax: 61,
};

const MICRO: ResultLines = ResultLines {
    sales: &[2, 3],
    operating: [1, 8, 18],
    financial: [20, 27, 34],
    before_tax: 35,
    tax: 36,
    after_tax: 38,
};

fn result(figures: &StatementFigures, lines: &ResultLines) -> Vec<Row> {
    let [income, expenses, operating] = lines.operating;
    let [financial_income, financial_expenses, financial] = lines.financial;
    let sales = lines.sales.iter().copied().zip(figures.sales);
    let income = (income, figures.revenue);
    let financial_income = (financial_income, figures.financial_income);
    vec![
        ("net_turnover", RESULT, vec![(1, figures.turnover)]),
        ("sales_revenue", RESULT, sales.collect()),
        ("operating_income", RESULT, vec![income]),
        ("financial_income", RESULT, vec![financial_income]),
        ("total_income", RESULT, vec![income, financial_income]),
        (
            "total_expenses",
            RESULT,
            vec![
                (expenses, figures.expenses),
                (financial_expenses, figures.financial_expenses),
            ],
        ),
        (
            "operating_result",
            RESULT,
            vec![(operating, figures.operating_result())],
        ),
        (
            "financial_result",
            RESULT,
            vec![(financial, figures.financial_result())],
        ),
        (
            "profit_before_tax",
            RESULT,
            vec![(lines.before_tax, figures.before_tax())],
        ),
        ("income_tax", RESULT, vec![(lines.tax, figures.tax[0])]),
        (
            "net_profit",
            RESULT,
            vec![(lines.after_tax, figures.profit)],
        ),
    ]
}

/// The result of 2009 to 2013, without totals of income and expenses.
fn early_result(figures: &StatementFigures) -> Vec<Row> {
    let [goods, products, _] = figures.sales;
    let [tax, other_tax] = figures.tax;
    vec![
        ("sales_revenue", RESULT, vec![(1, goods), (5, products)]),
        (
            "operating_result",
            RESULT,
            vec![(26, figures.operating_result())],
        ),
        (
            "financial_result",
            RESULT,
            vec![(46, figures.financial_result())],
        ),
        (
            "profit_before_tax",
            RESULT,
            vec![(59, figures.before_tax())],
        ),
        ("income_tax", RESULT, vec![(48, tax), (55, other_tax)]),
        ("net_profit", RESULT, vec![(61, figures.profit)]),
    ]
}

fn non_profit_result(figures: &StatementFigures) -> Vec<Row> {
    let [goods, products, services] = figures.sales;
    let [tax, other_tax] = figures.tax;
    vec![
        (
            "sales_revenue",
            "Výnosy",
            vec![(39, products), (40, services), (41, goods)],
        ),
        ("total_income", "Výnosy", vec![(74, figures.revenue)]),
        ("total_expenses", "Náklady", vec![(38, figures.expenses)]),
        (
            "profit_before_tax",
            "Výnosy",
            vec![(75, figures.before_tax())],
        ),
        ("income_tax", "Výnosy", vec![(76, tax), (77, other_tax)]),
        ("net_profit", "Výnosy", vec![(78, figures.profit)]),
    ]
}

fn single_entry(figures: &StatementFigures) -> Vec<Row> {
    vec![
        ("total_assets", "Majetok", vec![(15, figures.assets)]),
        (
            "total_liabilities",
            "Záväzky",
            vec![(20, figures.liabilities)],
        ),
        ("total_receipts", "Príjmy", vec![(4, figures.revenue)]),
        (
            "total_expenditures",
            "Výdavky",
            vec![(11, figures.expenditures)],
        ),
        (
            "receipts_minus_expenditures",
            "Výdavky",
            vec![(12, figures.receipts_less_expenditures())],
        ),
        ("property_total", "Majetok", vec![(15, figures.assets)]),
        ("debts_total", "Záväzky", vec![(20, figures.liabilities)]),
        (
            "property_minus_debts",
            "Záväzky",
            vec![(21, figures.property_less_debts())],
        ),
    ]
}
