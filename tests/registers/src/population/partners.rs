//! Registrations of the company as a public sector partner.

use super::company::Company;
use super::happening::Happening;

/// Whether it is registered now.
pub(crate) fn is_partner(company: &Company) -> bool {
    let count = |kind| {
        company
            .happened
            .iter()
            .filter(|happened| happened.kind == kind)
            .count()
    };
    count(Happening::PartnerRegistered) > count(Happening::PartnerErased)
}
