//! Licences that the national bank gave to the company.

use super::company::Company;
use super::happening::Happening;

/// Whether a licence is in force.
pub(crate) fn is_supervised(company: &Company) -> bool {
    let count = |kind| {
        company
            .happened
            .iter()
            .filter(|happened| happened.kind == kind)
            .count()
    };
    count(Happening::SupervisionGranted) > count(Happening::SupervisionEnded)
}
