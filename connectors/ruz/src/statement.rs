//! A statement as sections show it.

use lustra_sdk::date;
use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

use crate::answers::Detail;
use crate::as_number;
use crate::figure::{Family, Named};
use crate::figures::Figures;
use crate::forms::Line;
use crate::sizes;

/// The source of a statement's figures, or the reason why there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    Table,
    /// Tables in which every cell is blank.
    Blank,
    /// Tables of a form whose lines are not known.
    Unmapped,
    PdfOnly,
    /// The register does not show the report.
    NotPublic,
    /// The statement has no report, or none with tables or a file.
    None,
}

/// The line of the revenue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevenueBasis {
    /// Výnosy z hospodárskej činnosti spolu.
    OperatingRevenue,
    /// All revenue, in forms without a line of operating revenue.
    TotalRevenue,
    /// The net turnover (čistý obrat).
    NetTurnover,
    /// Príjmy of single-entry accounting.
    Receipts,
}

/// A statement. Its amounts are decimal texts here and JSON numbers in a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The year in which its period ends.
    pub year: i32,
    /// `riadna`, `mimoriadna`, `priebežná`, `kombinovaná`.
    pub statement_type: Option<String>,
    #[serde(with = "as_number")]
    pub total_assets: Option<String>,
    #[serde(with = "as_number")]
    pub total_equity: Option<String>,
    /// Liabilities without the line of accruals.
    #[serde(with = "as_number")]
    pub total_liabilities: Option<String>,
    /// The revenue. `revenue_basis` says which line it is from.
    #[serde(with = "as_number")]
    pub total_revenue: Option<String>,
    /// The result of the year after tax.
    #[serde(with = "as_number")]
    pub net_profit: Option<String>,
    #[serde(flatten)]
    pub named: Named,
    /// The name of the form.
    pub template_type: Option<String>,
    /// The unit's size class today.
    pub size_category: Option<String>,
    /// The register's id of the statement.
    pub statement_id: u64,
    /// The first day of its period.
    pub period_from: Option<String>,
    /// The last day of its period.
    pub period_to: String,
    /// The day of filing.
    pub submitted_at: Option<String>,
    /// Whether it covers a group of units.
    pub consolidated: bool,
    /// Whether a later statement of the same period and kind replaces it.
    pub corrected: bool,
    /// The fund that the statement covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fund: Option<String>,
    /// The currency of its amounts.
    pub currency: Option<String>,
    /// The line of the revenue.
    pub revenue_basis: Option<RevenueBasis>,
    /// False if assets differ from the sum of equity, liabilities and accruals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balanced: Option<bool>,
    /// The source of the figures.
    pub data: Data,
    /// The address for people.
    pub url: Option<String>,
}

/// The data from the reports of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// The source of the figures.
    pub data: Data,
    pub figures: Figures,
    /// The form of the figures.
    pub form: Option<String>,
    /// The kind of the forms. `None` if a form's lines are not known, or there is no form.
    pub family: Option<Family>,
    /// Whether the lines of every form with tables are known.
    pub is_mapped: bool,
    /// The currency of the first report with tables.
    pub currency: Option<String>,
    /// The address of the report for people.
    pub url: Option<String>,
}

impl Statement {
    /// Builds a statement. `None` if its period is unknown, as for one that the register does not show.
    #[must_use]
    pub fn of(detail: &Detail, reported: &Reported) -> Option<Self> {
        let (year, month) = detail.to?;
        let figures = &reported.figures;
        let amount = |line| figures.of(line).map(str::to_owned);
        let revenue = figures.revenue();
        Some(Self {
            year,
            statement_type: detail.kind.clone(),
            total_assets: amount(Line::Assets),
            total_equity: amount(Line::Equity),
            total_liabilities: amount(Line::Liabilities),
            total_revenue: revenue.map(|(_, value)| value.to_owned()),
            net_profit: figures.profit().map(str::to_owned),
            named: figures.named(reported.family.filter(|_| reported.is_mapped)),
            template_type: reported.form.clone(),
            size_category: None,
            statement_id: detail.id,
            period_from: detail
                .from
                .map(|(year, month)| format!("{year:04}-{month:02}-01")),
            period_to: format!(
                "{year:04}-{month:02}-{:02}",
                date::days_in_month(year, month)
            ),
            submitted_at: detail.submitted.clone(),
            consolidated: detail.consolidated,
            corrected: false,
            fund: detail.fund.clone(),
            currency: reported.currency.clone(),
            revenue_basis: revenue.and_then(|(line, _)| basis(line)),
            balanced: figures.is_balanced().filter(|is_balanced| !is_balanced),
            data: reported.data,
            url: reported.url.clone(),
        })
    }

    /// Whether it is a regular statement of the unit itself: neither of a group nor of a fund.
    #[must_use]
    pub fn is_regular(&self) -> bool {
        let is_regular = self.statement_type.as_deref().map(fold).as_deref() == Some("riadna");
        is_regular && !self.consolidated && self.fund.is_none()
    }

    /// Whether it has tables with figures whose lines are not known, all or some.
    #[must_use]
    pub fn is_unmapped(&self) -> bool {
        let has_figures = matches!(self.data, Data::Table | Data::Unmapped);
        has_figures && !self.is_outdated() && self.named.template_family.is_none()
    }

    /// Whether it was read by an earlier version, which did not know all figures.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.named.figure_sources.is_none()
    }

    fn same_as(&self, other: &Self) -> bool {
        self.period_from == other.period_from
            && self.period_to == other.period_to
            && self.statement_type == other.statement_type
            && self.consolidated == other.consolidated
            && self.fund == other.fund
    }
}

/// Sorts newest first, marks statements that a later one of the same period and kind replaced, and sets the unit's
/// size.
pub fn arrange(statements: &mut [Statement], size: Option<&str>) {
    statements.sort_by(|a, b| {
        let newness = |statement: &Statement| {
            let filed = statement.submitted_at.clone();
            (statement.period_to.clone(), filed, statement.statement_id)
        };
        newness(b).cmp(&newness(a))
    });
    let size = size.and_then(sizes::text_of);
    for place in 0..statements.len() {
        let (newer, rest) = statements.split_at_mut(place);
        if let Some(statement) = rest.first_mut() {
            statement.corrected = newer.iter().any(|newer| newer.same_as(statement));
            statement.size_category.clone_from(&size);
        }
    }
}

fn basis(line: Line) -> Option<RevenueBasis> {
    match line {
        Line::OperatingRevenue => Some(RevenueBasis::OperatingRevenue),
        Line::TotalRevenue => Some(RevenueBasis::TotalRevenue),
        Line::Turnover => Some(RevenueBasis::NetTurnover),
        Line::Receipts => Some(RevenueBasis::Receipts),
        Line::Assets
        | Line::Equity
        | Line::Liabilities
        | Line::Accruals
        | Line::Profit
        | Line::ProfitInEquity => None,
    }
}
