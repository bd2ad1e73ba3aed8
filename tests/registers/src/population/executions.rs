//! Authorizations to enforce claims against the company.

use super::company::Company;
use super::happening::Happening;

/// Whether an authorization is in force.
pub(crate) fn is_enforced(company: &Company) -> bool {
    let count = |kind| {
        company
            .happened
            .iter()
            .filter(|happened| happened.kind == kind)
            .count()
    };
    count(Happening::ExecutionAuthorized) > count(Happening::ExecutionEnded)
}
