//! Figures with one meaning each, whatever the form: their names, and how a section writes them.
//!
//! Source of the names: the figures of newer clients. A figure that the statement does not publish is null.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::as_number;

/// A figure with one meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    NetTurnover,
    /// Sales of goods, products and services.
    SalesRevenue,
    OperatingIncome,
    FinancialIncome,
    TotalIncome,
    TotalExpenses,
    OperatingResult,
    FinancialResult,
    ProfitBeforeTax,
    /// Due and deferred income tax.
    IncomeTax,
    NetProfit,
    TotalAssets,
    TotalEquity,
    TotalLiabilities,
    Accruals,
    TotalReceipts,
    TotalExpenditures,
    ReceiptsMinusExpenditures,
    PropertyTotal,
    DebtsTotal,
    PropertyMinusDebts,
}

/// The kind of bookkeeping behind a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountingBasis {
    DoubleEntry,
    SingleEntry,
}

/// The kind of a statement's forms, across their versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    /// Companies with double entry.
    #[serde(rename = "POD")]
    Company,
    /// Micro companies with double entry.
    #[serde(rename = "MUJ")]
    Micro,
    /// Non-profit units with double entry.
    #[serde(rename = "NUJ")]
    NonProfit,
    /// Non-profit units with single entry.
    #[serde(rename = "NO")]
    NonProfitSingleEntry,
    /// Persons with single entry.
    #[serde(rename = "FO")]
    Person,
    /// Selected figures of a statement under IFRS.
    #[serde(rename = "VU_POD")]
    IfrsExtract,
    /// A statement under IFRS, which is a file.
    #[serde(rename = "IFRS")]
    Ifrs,
}

impl Family {
    #[must_use]
    pub fn basis(self) -> AccountingBasis {
        match self {
            Self::Company | Self::Micro | Self::NonProfit | Self::IfrsExtract | Self::Ifrs => {
                AccountingBasis::DoubleEntry
            }
            Self::NonProfitSingleEntry | Self::Person => AccountingBasis::SingleEntry,
        }
    }
}

/// The lines that each figure was read from, for example `Výkaz ziskov a strát, r. 03`.
pub type Sources = BTreeMap<Figure, Vec<String>>;

/// The figures beside those of the first specification. Amounts are decimal texts here and JSON numbers in a section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Named {
    /// Null for a form whose lines are not known.
    pub accounting_basis: Option<AccountingBasis>,
    pub template_family: Option<Family>,
    #[serde(with = "as_number")]
    pub net_turnover: Option<String>,
    #[serde(with = "as_number")]
    pub sales_revenue: Option<String>,
    #[serde(with = "as_number")]
    pub operating_income: Option<String>,
    #[serde(with = "as_number")]
    pub financial_income: Option<String>,
    #[serde(with = "as_number")]
    pub total_income: Option<String>,
    #[serde(with = "as_number")]
    pub total_expenses: Option<String>,
    #[serde(with = "as_number")]
    pub operating_result: Option<String>,
    #[serde(with = "as_number")]
    pub financial_result: Option<String>,
    #[serde(with = "as_number")]
    pub profit_before_tax: Option<String>,
    #[serde(with = "as_number")]
    pub income_tax: Option<String>,
    #[serde(with = "as_number")]
    pub accruals: Option<String>,
    #[serde(with = "as_number")]
    pub total_receipts: Option<String>,
    #[serde(with = "as_number")]
    pub total_expenditures: Option<String>,
    #[serde(with = "as_number")]
    pub receipts_minus_expenditures: Option<String>,
    #[serde(with = "as_number")]
    pub property_total: Option<String>,
    #[serde(with = "as_number")]
    pub debts_total: Option<String>,
    #[serde(with = "as_number")]
    pub property_minus_debts: Option<String>,
    /// `None` in a stored statement that an earlier version read, which did not know these figures.
    pub figure_sources: Option<Sources>,
}
