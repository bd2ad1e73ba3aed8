//! The forms: which lines a table has, and which of them hold what is known. Rows whose label is not known have a
//! made-up one.

mod companies;
mod early;
mod others;

/// What a line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Assets,
    Sources,
    Equity,
    ProfitInEquity,
    Liabilities,
    /// A part of the liabilities under a label of its own.
    Part,
    Accruals,
    Revenue,
    Turnover,
    /// One of the lines of revenue in a form that has no sum of them.
    Sales,
    Profit,
    /// A line that has a label of its own and is left blank.
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
    /// The year before and the year, in this order: property and debts of single entry.
    YearsTurned,
    /// The year, in forms of single entry.
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

    /// The columns before those that have cells: mark, label and number; single entry has no marks.
    pub(super) fn leading(self) -> usize {
        match self {
            Self::Gross | Self::Activities | Self::Years => 3,
            Self::YearsTurned | Self::Year => 2,
        }
    }
}

/// A line that the register's page names: its number, what it holds, its label.
type Line = (u32, Holds, &'static str);

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

/// A form.
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
