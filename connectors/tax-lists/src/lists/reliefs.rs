//! The lists about reliefs from income tax: research and development, investments, the patent box. Neither their slugs
//! nor their columns are known.

use lustra_sdk::Failure;
use lustra_sdk::serde_json::Number;
use lustra_sdk::tax_lists::{Cells, Entry};
use serde::{Deserialize, Serialize};

use super::owner::Owner;
use super::{Listed, mark, number, part};

/// The columns of the list of deductions for research and development.
pub const RESEARCH_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("dic", "DIC"),
    ("period", "ZDAN_OBDOBIE"),
    ("amount", "VYSKA_ODPOCTU"),
    ("project", "CIELE_PROJEKTU"),
    ("started_at", "DATUM_ZACATIA"),
];

/// The columns of the list of deductions of investments.
pub const INVESTMENT_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("dic", "DIC"),
    ("period", "ZDAN_OBDOBIE"),
    ("amount", "VYSKA_ODPOCTU"),
    ("investment", "VYSKA_INVESTICIE"),
    ("percent_planned", "PERCENTO_PLANU"),
];

/// The columns of the list of the patent box.
pub const PATENT_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("dic", "DIC"),
    ("subtype", "DRUH"),
    ("period", "ZDAN_OBDOBIE"),
    ("exemption", "VYSKA_OSLOBODENIA"),
    ("patent", "PREDMET"),
];

/// A deduction for a project of research and development.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Research {
    /// The period in the list's words.
    pub period: Option<String>,
    /// The deduction in EUR.
    pub amount_eur: Option<Number>,
    /// The aim of the project, in the list's words.
    pub project: Option<String>,
    /// The day on which the project began, `YYYY-MM-DD`.
    pub started_at: Option<String>,
}

/// A deduction of an investment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Investment {
    /// The period in the list's words.
    pub period: Option<String>,
    /// The deduction in EUR.
    pub amount_eur: Option<Number>,
    /// The investment in EUR.
    pub investment_eur: Option<Number>,
    /// The planned investment in percent, as the list has it.
    pub percent_planned: Option<Number>,
}

/// Income that is exempt under the patent box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Patent {
    /// The kind of exemption, in the list's words.
    pub subtype: Option<String>,
    /// The period in the list's words.
    pub period: Option<String>,
    /// The exempt income in EUR.
    pub exemption_eur: Option<Number>,
    /// The patent, in the list's words.
    pub patent_text: Option<String>,
}

impl Listed for Research {
    fn newest_by(&self) -> String {
        self.period.clone().unwrap_or_default()
    }
}

impl Listed for Investment {
    fn newest_by(&self) -> String {
        self.period.clone().unwrap_or_default()
    }
}

impl Listed for Patent {
    fn newest_by(&self) -> String {
        self.period.clone().unwrap_or_default()
    }
}

/// Reads a row about research and development.
///
/// # Errors
/// As [`Entry::new`].
pub fn research(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let amount = cells.amount("amount");
    let research = Research {
        period: cells.text("period"),
        amount_eur: number(amount.as_deref()),
        project: cells.text("project"),
        started_at: cells.date("started_at"),
    };
    let period = part(research.period.as_deref());
    let key = owner.key(&format!("{period}/{}", mark(research.project.as_deref())));
    let distinct = [research.started_at.clone(), amount];
    Entry::new(key, distinct, owner.ico, &research).map(Some)
}

/// Reads a row about an investment.
///
/// # Errors
/// As [`Entry::new`].
pub fn investment(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let (amount, invested) = (cells.amount("amount"), cells.amount("investment"));
    let investment = Investment {
        period: cells.text("period"),
        amount_eur: number(amount.as_deref()),
        investment_eur: number(invested.as_deref()),
        percent_planned: percent(cells),
    };
    let key = owner.key(part(investment.period.as_deref()));
    Entry::new(key, [invested, amount], owner.ico, &investment).map(Some)
}

/// A share as the list writes it, with or without a percent sign.
fn percent(cells: &mut Cells<'_>) -> Option<Number> {
    let raw = cells.text("percent_planned")?;
    let parsed = lustra_sdk::amount::parse(raw.trim_end_matches('%'));
    if parsed.is_none() {
        cells.odd("unreadable_percent");
    }
    number(parsed.as_deref())
}

/// Reads a row about the patent box.
///
/// # Errors
/// As [`Entry::new`].
pub fn patent(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let exemption = cells.amount("exemption");
    let patent = Patent {
        subtype: cells.text("subtype"),
        period: cells.text("period"),
        exemption_eur: number(exemption.as_deref()),
        patent_text: cells.text("patent"),
    };
    let period = part(patent.period.as_deref());
    let key = owner.key(&format!("{period}/{}", mark(patent.patent_text.as_deref())));
    let distinct = [patent.subtype.clone(), exemption];
    Entry::new(key, distinct, owner.ico, &patent).map(Some)
}
