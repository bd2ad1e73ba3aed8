//! The lists about income tax: assessments of legal persons (`ds_dppos`) and registered subjects (`ds_dsrdp`).

use lustra_sdk::serde_json::Number;
use lustra_sdk::tax_lists::{Cells, Entry};
use lustra_sdk::{Failure, ico};
use serde::{Deserialize, Serialize};

use super::owner::Owner;
use super::{Listed, number, part};

/// The columns of `ds_dppos`.
pub const ASSESSMENT_COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("dic", "DIC"),
    ("period_from", "ZDAN_OBDOBIE_OD"),
    ("period_to", "ZDAN_OBDOBIE_DO"),
    ("tax", "VYRUBENA_DAN"),
    ("additional_tax", "DODAT_VYRUBENA_DAN"),
    ("loss", "DANOVA_STRATA"),
];

/// The columns of `ds_dsrdp`.
pub const SUBJECT_COLUMNS: &[(&str, &str)] = &[("dic", "DIC"), ("ico", "ICO")];

/// The assessment for a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The first day, `YYYY-MM-DD`.
    pub period_from: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    pub period_to: Option<String>,
    /// The tax in EUR.
    pub tax_eur: Option<Number>,
    /// Tax assessed in addition, in EUR.
    pub additional_tax_eur: Option<Number>,
    /// The loss in EUR.
    pub loss_eur: Option<Number>,
}

/// A subject that is registered for income tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    pub dic: String,
}

impl Listed for Assessment {
    fn newest_by(&self) -> String {
        let from = self.period_from.as_deref().unwrap_or_default();
        format!("{} {from}", self.period_to.as_deref().unwrap_or_default())
    }
}

/// Reads a row of `ds_dppos`.
///
/// # Errors
/// As [`Entry::new`].
pub fn assessment(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let (tax, loss) = (cells.amount("tax"), cells.amount("loss"));
    let assessment = Assessment {
        period_from: cells.date("period_from"),
        period_to: cells.date("period_to"),
        tax_eur: number(tax.as_deref()),
        additional_tax_eur: number(cells.amount("additional_tax").as_deref()),
        loss_eur: number(loss.as_deref()),
    };
    let (from, to) = (&assessment.period_from, &assessment.period_to);
    let key = owner.key(&format!(
        "{}/{}",
        part(from.as_deref()),
        part(to.as_deref())
    ));
    Entry::new(key, [tax, loss], owner.ico, &assessment).map(Some)
}

/// Reads a row of `ds_dsrdp`.
///
/// # Errors
/// As [`Entry::new`].
pub fn subject(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(dic) = cells.text("dic").and_then(|raw| ico::parse_dic(&raw)) else {
        cells.odd("without_dic");
        return Ok(None);
    };
    let ico = cells.ico();
    let distinct = [ico.clone(), None];
    Entry::new(dic.clone(), distinct, ico, &Registered { dic }).map(Some)
}
