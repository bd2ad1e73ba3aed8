//! The scope `tax_reliability`: the authority's rating of a company.

use lustra_sdk::{Failure, Section, Subject};
use serde::Serialize;

use crate::lists::reliability::Rating;
use crate::lists::{Dataset, owner};
use lustra_sdk::unread::{Sources, Unread};

/// The section. The authority does not rate every company: one without a rating is neither reliable nor
/// unreliable.
#[derive(Debug, Serialize)]
struct TaxReliability {
    index: Option<String>,
    is_reliable: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// Builds the section.
///
/// # Errors
/// The host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let mut sources = Sources::default();
    let rating = if sources.has(Dataset::Reliability.id())? {
        worst(&subject.ico)?
    } else {
        None
    };
    let section = TaxReliability {
        is_reliable: rating.as_ref().and_then(Rating::is_reliable),
        index: rating.map(|rating| rating.index),
        unread: sources.unread.clone(),
    };
    sources.section(&section)
}

/// The worst rating of a company. If an IČO has had two DIČ, the list may rate both.
fn worst(ico: &str) -> Result<Option<Rating>, Failure> {
    let ratings: Vec<Rating> = owner::rows(Dataset::Reliability, ico)?;
    Ok(ratings.into_iter().min_by_key(Rating::grade))
}
