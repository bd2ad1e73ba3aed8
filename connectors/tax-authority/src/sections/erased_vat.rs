//! The scope `erased_vat`: cancelled VAT registrations, and grounds for cancelling the present one.

use std::collections::BTreeSet;

use lustra_sdk::{Failure, Section, Subject};
use serde::Serialize;

use crate::lists::erased_vat_payers::ErasedVatPayer;
use crate::lists::vat_violators::VatViolator;
use crate::lists::{Dataset, owner};
use lustra_sdk::unread::{Sources, Unread};

#[derive(Debug, Serialize)]
struct ErasedVat {
    /// Null if the list was not read.
    is_erased: Option<bool>,
    entries: Vec<Entry>,
    /// True if the current registration is listed for cancellation. Null if that list was not read.
    is_listed_for_cancellation: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct Entry {
    ic_dph: String,
    violation_year: Option<u16>,
    erased_at: Option<String>,
    /// The list contains only the year of the grounds, so the reason contains no more.
    reason: Option<String>,
    published_at: Option<String>,
}

impl From<ErasedVatPayer> for Entry {
    fn from(erased: ErasedVatPayer) -> Self {
        Self {
            reason: erased
                .violation_year
                .map(|year| format!("Dôvody na zrušenie registrácie v roku {year}")),
            ic_dph: erased.ic_dph,
            violation_year: erased.violation_year,
            erased_at: erased.erased_at,
            published_at: erased.published_at,
        }
    }
}

/// Builds the section.
///
/// # Errors
/// The host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let mut sources = Sources::default();
    let entries = if sources.has(Dataset::ErasedVatPayers.id())? {
        Some(entries(&subject.ico)?)
    } else {
        None
    };
    let is_listed = if sources.has(Dataset::VatViolators.id())? {
        let violators: Vec<VatViolator> = owner::rows(Dataset::VatViolators, &subject.ico)?;
        Some(!violators.is_empty())
    } else {
        None
    };
    let section = ErasedVat {
        is_erased: entries.as_ref().map(|entries| !entries.is_empty()),
        entries: entries.unwrap_or_default(),
        is_listed_for_cancellation: is_listed,
        unread: sources.unread.clone(),
    };
    sources.section(&section)
}

/// The entries, newest first, without duplicates.
fn entries(ico: &str) -> Result<Vec<Entry>, Failure> {
    let erased: BTreeSet<ErasedVatPayer> =
        owner::rows::<ErasedVatPayer>(Dataset::ErasedVatPayers, ico)?
            .into_iter()
            .collect();
    let mut erased: Vec<ErasedVatPayer> = erased.into_iter().collect();
    erased.sort_by(|a, b| b.erased_at.cmp(&a.erased_at));
    Ok(erased.into_iter().map(Entry::from).collect())
}
