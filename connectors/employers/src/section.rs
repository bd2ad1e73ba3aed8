//! The scope `employer_headcount`: the registration of one company as an employer.

use std::cmp::Reverse;

use lustra_sdk::listed::OfCompany;
use lustra_sdk::unread::Unread;
use serde::Serialize;

use crate::employer::Employer;

/// The section of an employer, or of a company whose row could not be read.
#[derive(Debug, Serialize)]
pub struct EmployerHeadcount {
    name: Option<String>,
    bracket: Option<String>,
    registered_at: Option<String>,
    deregistered_at: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// The section on a day, `YYYY-MM-DD`; null for a company that is not on the list.
pub fn section(found: OfCompany<Employer>, today: &str) -> Option<EmployerHeadcount> {
    // A current registration comes first, then the newest.
    let newest = found.entries.into_iter().min_by_key(|employer| {
        let last_day = employer.deregistered_at.as_deref();
        let is_over = last_day.is_some_and(|day| day < today);
        (is_over, Reverse(employer.registered_at.clone()))
    });
    if newest.is_none() && found.unread.is_empty() {
        return None;
    }
    let newest = newest.unwrap_or(Employer {
        name: None,
        bracket: None,
        registered_at: None,
        deregistered_at: None,
    });
    Some(EmployerHeadcount {
        name: newest.name,
        bracket: newest.bracket,
        registered_at: newest.registered_at,
        deregistered_at: newest.deregistered_at,
        unread: found.unread,
    })
}
