//! Types of units, statements and their figures.

use time::Date;

/// Codes of the register's classes of employees, with the fewest employees of each.
pub const SIZES: [(&str, Option<u32>); 6] = [
    ("00", None),
    ("01", Some(0)),
    ("03", Some(2)),
    ("05", Some(5)),
    ("11", Some(25)),
    ("24", Some(250)),
];

/// The kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementKind {
    /// A regular statement (riadna) of a whole period.
    Regular,
    /// An extraordinary statement (mimoriadna).
    Extraordinary,
    /// An interim statement (priebežná).
    Interim,
}

impl StatementKind {
    pub fn text(self) -> &'static str {
        match self {
            Self::Regular => "Riadna",
            Self::Extraordinary => "Mimoriadna",
            Self::Interim => "Priebežná",
        }
    }
}

/// The form of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementForm {
    /// `Úč POD` (699), for companies.
    Company,
    /// `Úč MUJ` (687), for micro companies.
    Micro,
    /// Balance sheet and result of 2009 (20 and 22).
    Old2009,
    /// Balance sheet and result of 2011 (21 and 22).
    Old2011,
    /// `Úč FO` (716), single entry.
    SingleEntry,
    /// `Úč NUJ` (385), for non-profit units.
    NonProfit,
    /// IFRS (703), which has only files.
    Ifrs,
}

impl StatementForm {
    /// The register's name of the form; for two reports, that of the balance sheet.
    pub fn name(self) -> &'static str {
        match self {
            Self::Company => "Úč POD",
            Self::Micro => "Úč MUJ",
            Self::Old2009 | Self::Old2011 => "Súvaha Úč POD 1-01",
            Self::SingleEntry => "Úč FO",
            Self::NonProfit => "Úč NUJ",
            Self::Ifrs => "IFRS účtovná závierka",
        }
    }
}

/// The visible part of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Figures,
    /// Tables in which every cell is blank.
    Blank,
    File,
    /// The existence of the statement only.
    NotPublic,
    /// Nothing: the statement was erased, but the unit still lists it.
    Erased,
}

/// The figures in whole euros. A figure is missing if the form has no line for it; a total may be blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatementFigures {
    pub assets: Option<i64>,
    pub equity: Option<i64>,
    pub liabilities: Option<i64>,
    /// Accruals beside equity and liabilities.
    pub accruals: Option<i64>,
    /// Operating revenue; all revenue or receipts in forms without it. The forms of 2009 to 2013 have no line for
    /// either.
    pub revenue: Option<i64>,
    /// The result of the year after tax.
    pub profit: Option<i64>,
    /// Net turnover, which only the form of companies has.
    pub turnover: Option<i64>,
    /// Sales of goods, products and services, as far as the form has lines for them.
    pub sales: [Option<i64>; 3],
    /// Income tax in two lines, of which the second may be blank. Forms with one line have the sum.
    pub tax: [Option<i64>; 2],
    /// All expenses of the operating activity; of non-profit units, all expenses.
    pub expenses: Option<i64>,
    pub financial_income: Option<i64>,
    pub financial_expenses: Option<i64>,
    /// All expenditures of single entry.
    pub expenditures: Option<i64>,
}

impl StatementFigures {
    /// The result of the year before tax.
    pub fn before_tax(&self) -> Option<i64> {
        Some(self.profit? + self.tax.iter().flatten().sum::<i64>())
    }

    pub fn financial_result(&self) -> Option<i64> {
        self.before_tax()?;
        Some(self.financial_income.unwrap_or(0) - self.financial_expenses.unwrap_or(0))
    }

    pub fn operating_result(&self) -> Option<i64> {
        Some(self.before_tax()? - self.financial_result()?)
    }

    /// Receipts less expenditures of single entry.
    pub fn receipts_less_expenditures(&self) -> Option<i64> {
        Some(self.revenue? - self.expenditures?)
    }

    /// Property less debts of single entry.
    pub fn property_less_debts(&self) -> Option<i64> {
        Some(self.assets? - self.liabilities?)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The register's number for it. It grows with the filings.
    pub id: u64,
    pub kind: StatementKind,
    /// The first day of its period.
    pub from: Date,
    /// The last day of its period.
    pub to: Date,
    /// The day of filing.
    pub submitted: Date,
    /// Whether it is a consolidated statement of a group.
    pub consolidated: bool,
    pub form: StatementForm,
    /// The visible part of the statement.
    pub shown: Shown,
    /// The figures, even if they are not visible.
    pub figures: StatementFigures,
}

impl Statement {
    /// True if assets equal equity, liabilities and accruals. `None` if one of the first three is missing.
    pub fn is_balanced(&self) -> Option<bool> {
        let figures = self.figures;
        let accruals = figures.accruals.unwrap_or(0);
        Some(figures.assets? == figures.equity? + figures.liabilities? + accruals)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The register's number for it.
    pub id: u64,
    /// Whether the register has erased it.
    pub is_erased: bool,
    /// The code of its class of employees; one of [`SIZES`]. Some have none.
    pub size: Option<&'static str>,
    /// Its statements in the order of their numbers, which is that of the filings.
    pub statements: Vec<Statement>,
}
