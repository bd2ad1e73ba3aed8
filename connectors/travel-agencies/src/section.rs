//! The scope `soi_travel_agency`: the registration and protection of one company.

use lustra_sdk::amount;
use lustra_sdk::listed::{OfCompany, State};
use lustra_sdk::serde_json::Number;
use lustra_sdk::unread::Unread;
use serde::Serialize;

use crate::agency::Agency;

/// The section: the contract in force, else the newest.
#[derive(Debug, Serialize)]
pub struct TravelAgency {
    /// Null if the list was not read.
    is_registered: Option<bool>,
    name: Option<String>,
    address: Option<String>,
    insolvency_provider: Option<String>,
    insolvency_amount: Option<Number>,
    insolvency_contract_number: Option<String>,
    insolvency_valid_from: Option<String>,
    insolvency_valid_to: Option<String>,
    /// Whether a contract covers today. Null if the list was not read or has no such agency.
    is_protected: Option<bool>,
    has_ban: Option<bool>,
    /// The status in the list's words.
    status: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// The section on a day given as `YYYY-MM-DD`.
pub fn section(mut found: OfCompany<Agency>, today: &str) -> TravelAgency {
    found
        .entries
        .sort_by_key(|entry| entry.term.shown(today).order());
    let first = found.entries.first();
    let state = first.map(|entry| entry.term.state(today));
    let bans = found.entries.iter().map(|entry| entry.has_ban);
    TravelAgency {
        is_registered: found.verdict(state.is_some_and(|state| state != State::Ended)),
        name: first.and_then(|entry| entry.name.clone()),
        address: first.and_then(|entry| entry.address.clone()),
        insolvency_provider: first.and_then(|entry| entry.provider.clone()),
        insolvency_amount: first
            .and_then(|entry| entry.amount.as_deref())
            .and_then(amount::to_number),
        insolvency_contract_number: first.and_then(|entry| entry.contract.clone()),
        insolvency_valid_from: first.and_then(|entry| entry.term.valid_from.clone()),
        insolvency_valid_to: first.and_then(|entry| entry.term.valid_to.clone()),
        is_protected: state.and_then(|state| found.verdict(state == State::Valid)),
        has_ban: bans
            .max()
            .flatten()
            .and_then(|is_banned| found.verdict(is_banned)),
        status: first.and_then(|entry| entry.term.status_text.clone()),
        unread: found.unread,
    }
}
