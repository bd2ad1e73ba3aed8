//! Subjects registered for VAT (`ds_dphs`).
//!
//! Registered does not mean payer: subjects registered under § 7 and § 7a, only for dealings with other states,
//! have an IČ DPH too. Foreign payers have no IČO.

use lustra_sdk::tax_lists::Cells;
use lustra_sdk::{Failure, ico};
use serde::{Deserialize, Serialize};

use super::{Dataset, Entry, owner};

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[
    ("ic_dph", "IC_DPH"),
    ("ico", "ICO"),
    ("registration_type", "DRUH_REG_DPH"),
    ("registered_since", "DATUM_REG"),
    ("type_changed_on", "DATUM_ZMENY_DRUHU_REG"),
    ("payer_since", "PLAT_DPH_OD"),
];

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
    /// The first day as a payer; the list has this column since 2022.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer_since: Option<String>,
}

impl VatPayer {
    /// True if the registration makes a full payer. `None` for an unknown paragraph.
    #[must_use]
    pub fn is_full_payer(&self) -> Option<bool> {
        match self.registration_type.as_deref()? {
            "§4" | "§4b" | "§5" => Some(true),
            "§7" | "§7a" => Some(false),
            _ => None,
        }
    }

    /// The DIČ contained in the IČ DPH. `None` for a VAT group, whose number is not a DIČ, and for an unknown
    /// paragraph, which may belong to a group.
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

/// The facts of one row with the company's IČO; rows of the API have the same ones.
#[must_use]
pub fn read(cells: &mut Cells<'_>) -> Option<(Option<String>, VatPayer)> {
    let Some(ic_dph) = cells.compact("ic_dph") else {
        cells.odd("without_ic_dph");
        return None;
    };
    // An invalid number is stored, because its holder is registered, but it is never used in a request.
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

/// The decisive registration of a company: a full payer's first, then one that may be, then the newest, then
/// the smallest number.
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
/// As [`owner::rows`].
pub fn of_company(ico: &str) -> Result<Vec<VatPayer>, Failure> {
    owner::rows(Dataset::VatPayers, ico)
}
