//! The lists about VAT: deductions and own tax (`ds_dphno`), a special regime (`ds_dpho`), reasons for cancelling a
//! registration (`ds_dphz`).

use lustra_sdk::Failure;
use lustra_sdk::serde_json::Number;
use lustra_sdk::tax_lists::{Cells, Entry};
use serde::{Deserialize, Serialize};

use super::owner::Owner;
use super::{Listed, number, part};

/// The columns of `ds_dphno`.
pub const DEDUCTION_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("dic", "DIC"),
    ("ic_dph", "IC_DPH"),
    ("period", "ZDAN_OBDOBIE"),
    ("excess", "NADMERNY_ODPOCET"),
    ("own_tax", "VLAST_DAN_POV"),
];

/// The columns of `ds_dpho`.
pub const REGIME_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("ic_dph", "IC_DPH"),
    ("started_at", "DAT_ZACATIA"),
    ("ended_at", "DAT_SKONCENIA"),
];

/// The columns of `ds_dphz`.
pub const REASON_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("ic_dph", "IC_DPH"),
    ("year", "ROK_PORUSENIA"),
    ("published_at", "DAT_ZVEREJNENIA"),
];

/// A payer's declaration for a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deduction {
    /// The period in the list's words.
    pub period: Option<String>,
    /// The excess deduction in EUR.
    pub excess_eur: Option<Number>,
    /// The tax to be paid in EUR.
    pub own_tax_eur: Option<Number>,
}

/// The time of a payer under the regime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regime {
    /// The IČ DPH as the list gives it.
    pub ic_dph: Option<String>,
    /// The first day, `YYYY-MM-DD`.
    pub started_at: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    pub ended_at: Option<String>,
}

/// Reasons for cancelling a registration. The list states when they arose, but not what they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The year in which they arose.
    pub year: Option<u16>,
    /// The day of publication, `YYYY-MM-DD`.
    pub published_at: Option<String>,
}

impl Listed for Deduction {
    fn newest_by(&self) -> String {
        self.period.clone().unwrap_or_default()
    }
}

impl Listed for Regime {
    fn newest_by(&self) -> String {
        self.started_at.clone().unwrap_or_default()
    }
}

impl Listed for Reason {
    fn newest_by(&self) -> String {
        let published = self.published_at.as_deref().unwrap_or_default();
        format!("{:04} {published}", self.year.unwrap_or_default())
    }
}

/// Reads a row of `ds_dphno`.
///
/// # Errors
/// As [`Entry::new`].
pub fn deduction(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let (excess, own_tax) = (cells.amount("excess"), cells.amount("own_tax"));
    let deduction = Deduction {
        period: cells.text("period"),
        excess_eur: number(excess.as_deref()),
        own_tax_eur: number(own_tax.as_deref()),
    };
    let key = owner.key(part(deduction.period.as_deref()));
    Entry::new(key, [excess, own_tax], owner.ico, &deduction).map(Some)
}

/// Reads a row of `ds_dpho`.
///
/// # Errors
/// As [`Entry::new`].
pub fn regime(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let regime = Regime {
        ic_dph: cells.compact("ic_dph"),
        started_at: cells.date("started_at"),
        ended_at: cells.date("ended_at"),
    };
    let key = owner.key(part(regime.started_at.as_deref()));
    let distinct = [regime.ic_dph.clone(), regime.ended_at.clone()];
    Entry::new(key, distinct, owner.ico, &regime).map(Some)
}

/// Reads a row of `ds_dphz`.
///
/// # Errors
/// As [`Entry::new`].
pub fn reason(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let reason = Reason {
        year: cells.year("year"),
        published_at: cells.date("published_at"),
    };
    let year = reason.year.map(|year| year.to_string());
    let key = owner.key(part(year.as_deref()));
    let distinct = [reason.published_at.clone(), cells.compact("ic_dph")];
    Entry::new(key, distinct, owner.ico, &reason).map(Some)
}
