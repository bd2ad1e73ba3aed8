//! The forms: the lines of each table, and the fact in each line. Rows with an unknown label have an invented
//! one.

mod companies;
mod early;
mod others;

/// The content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineContent {
    Assets,
    Sources,
    Equity,
    ProfitInEquity,
    Liabilities,
    /// A part of the liabilities with its own label.
    Part,
    Accruals,
    Revenue,
    Turnover,
    Goods,
    Products,
    Services,
    /// All operating expenses; in the form of non-profit units, all expenses.
    Expenses,
    FinancialIncome,
    FinancialExpenses,
    OperatingResult,
    FinancialResult,
    BeforeTax,
    Tax,
    /// The second line of income tax.
    OtherTax,
    Expenditures,
    ReceiptsLessExpenditures,
    PropertyLessDebts,
    Profit,
    /// A labelled line that is left blank.
    Nothing,
}

/// The columns that have cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// Gross, correction, net, net of the year before.
    Gross,
    /// The main activity, the other, both, both of the year before.
    Activities,
    /// The year and the year before.
    Years,
    /// The previous year, then the year: property and debts of single entry.
    YearsTurned,
    /// The year only, in forms of single entry.
    Year,
}

impl Columns {
    pub(super) fn count(self) -> usize {
        match self {
            Self::Gross | Self::Activities => 4,
            Self::Years | Self::YearsTurned => 2,
            Self::Year => 1,
        }
    }

    /// Number of columns before the cells: mark, label and number; single entry has no marks.
    pub(super) fn leading(self) -> usize {
        match self {
            Self::Gross | Self::Activities | Self::Years => 3,
            Self::YearsTurned | Self::Year => 2,
        }
    }
}

/// A line named on the register's page: its number, its content, its label.
type Line = (u32, LineContent, &'static str);

/// A table of a form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) english: &'static str,
    pub(super) columns: Columns,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) lines: &'static [Line],
}

impl Table {
    pub(super) fn line(&self, number: u32) -> Option<&Line> {
        self.lines.iter().find(|(line, _, _)| *line == number)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) id: u64,
    pub(super) name: &'static str,
    pub(super) valid_from: &'static str,
    pub(super) tables: &'static [Table],
}

pub(super) fn form(id: u64) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.id == id)
}

const fn table(
    name: &'static str,
    english: &'static str,
    columns: Columns,
    (first, last): (u32, u32),
    lines: &'static [Line],
) -> Table {
    Table {
        name,
        english,
        columns,
        first,
        last,
        lines,
    }
}

/// Every form, by id.
pub(super) const FORMS: &[Form] = &[
    early::BALANCE_2009,
    early::BALANCE_2011,
    early::RESULT,
    others::NON_PROFIT,
    companies::MICRO,
    companies::COMPANY,
    others::IFRS,
    others::SINGLE_ENTRY,
];
