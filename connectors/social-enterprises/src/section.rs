//! The scope `social_enterprise`: the registration of one company.

use lustra_sdk::listed::{OfCompany, ShownTerm};
use lustra_sdk::unread::Unread;
use serde::Serialize;

use crate::enterprise::Enterprise;

/// The section: the registration in force, else the newest one.
#[derive(Debug, Serialize)]
pub struct SocialEnterprise {
    /// Null if the list was not read.
    is_registered: Option<bool>,
    r#type: Option<String>,
    granted_at: Option<String>,
    revoked_at: Option<String>,
    certificate_number: Option<String>,
    /// The status in the list's words.
    status: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// The section on a day given as `YYYY-MM-DD`.
pub fn section(mut found: OfCompany<Enterprise>, today: &str) -> SocialEnterprise {
    found
        .entries
        .sort_by_key(|entry| entry.term.shown(today).order());
    let first = found.entries.first();
    let term: Option<ShownTerm> = first.map(|entry| entry.term.shown(today));
    SocialEnterprise {
        is_registered: found.verdict(term.as_ref().is_some_and(ShownTerm::is_valid)),
        r#type: first.and_then(|entry| entry.kind.clone()),
        granted_at: first.and_then(|entry| entry.term.valid_from.clone()),
        revoked_at: first.and_then(|entry| entry.term.valid_to.clone()),
        certificate_number: first.and_then(|entry| entry.certificate.clone()),
        status: first.and_then(|entry| entry.term.status_text.clone()),
        unread: found.unread,
    }
}
