//! Subjects registered for VAT (`ds_dphs`).
//!
//! Registered is not the same as payer: those registered under § 7 and § 7a only for dealings with other states have
//! an IČ DPH too. Foreign payers have no IČO.

use lustra_sdk::tax_lists::Cells;
use lustra_sdk::{Failure, ico};
use serde::{Deserialize, Serialize};

use super::{Dataset, Entry};

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[
    ("ic_dph", "IC_DPH"),
    ("ico", "ICO"),
    ("registration_type", "DRUH_REG_DPH"),
    ("registered_since", "DATUM_REG"),
    ("type_changed_on", "DATUM_ZMENY_DRUHU_REG"),
    ("payer_since", "PLAT_DPH_OD"),
];

/// One registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VatPayer {
    /// The IČ DPH as the list gives it, without spaces and in upper case.
    pub ic_dph: String,
    /// The paragraph of the VAT act, for example `§4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_type: Option<String>,
    /// When the registration began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registered_since: Option<String>,
    /// When the paragraph changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub type_changed_on: Option<String>,
    /// Since when the subject is a payer; a column that the list got after 2022.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer_since: Option<String>,
}

impl VatPayer {
    /// Whether the registration makes a full payer. `None` for a paragraph that the connector does not know.
    #[must_use]
    pub fn is_full_payer(&self) -> Option<bool> {
        match self.registration_type.as_deref()? {
            "§4" | "§4b" | "§5" => Some(true),
            "§7" | "§7a" => Some(false),
            _ => None,
        }
    }

    /// The DIČ that the IČ DPH contains. A VAT group has a number of its own, which is nobody's DIČ; nor is one taken
    /// from a registration whose paragraph is not known, since it may be a group's.
    #[must_use]
    pub fn dic(&self) -> Option<String> {
        let group = self.registration_type.as_deref() == Some("§4b");
        if group || self.is_full_payer().is_none() {
            return None;
        }
        ico::parse_dic(self.ic_dph.strip_prefix("SK")?)
    }
}

/// Reads one row.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some((ico, payer)) = read(cells) else {
        return Ok(None);
    };
    let distinct = [payer.registered_since.clone(), ico.clone()];
    Entry::new(payer.ic_dph.clone(), distinct, ico, &payer).map(Some)
}

/// The facts of one row with the company's IČO; the API's rows have the same ones.
#[must_use]
pub fn read(cells: &mut Cells<'_>) -> Option<(Option<String>, VatPayer)> {
    let Some(ic_dph) = cells.compact("ic_dph") else {
        cells.odd("without_ic_dph");
        return None;
    };
    // Such a number is kept, since its holder is registered all the same; but nobody is asked about it.
    if ico::parse_ic_dph(&ic_dph).is_none() {
        cells.odd("odd_ic_dph");
    }
    let payer = VatPayer {
        ic_dph,
        registration_type: cells
            .text("registration_type")
            .map(|text| text.replace(' ', "").to_lowercase()),
        registered_since: cells.date("registered_since"),
        type_changed_on: cells.date("type_changed_on"),
        payer_since: cells.date("payer_since"),
    };
    if payer.is_full_payer().is_none() {
        cells.note("unknown_registration_type");
    }
    Some((cells.ico(), payer))
}

/// The registration that counts for a company: a full payer's first, then one that may be, then the newest, then the
/// smallest number.
#[must_use]
pub fn foremost(mut payers: Vec<VatPayer>) -> Option<VatPayer> {
    let rank = |payer: &VatPayer| match payer.is_full_payer() {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    };
    payers.sort_by(|a, b| {
        rank(a)
            .cmp(&rank(b))
            .then_with(|| b.registered_since.cmp(&a.registered_since))
            .then_with(|| a.ic_dph.cmp(&b.ic_dph))
    });
    payers.into_iter().next()
}

/// The imported registrations of a company.
///
/// # Errors
/// As [`Dataset::of_company`].
pub fn of_company(ico: &str) -> Result<Vec<VatPayer>, Failure> {
    Dataset::VatPayers.of_company(ico)
}
