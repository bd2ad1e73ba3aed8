//! Insolvency proceedings over the company.

use super::company::Company;
use super::happening::Happening;

/// Whether a proceeding is under way.
pub(crate) fn is_insolvent(company: &Company) -> bool {
    let count = |kind| {
        company
            .happened
            .iter()
            .filter(|happened| happened.kind == kind)
            .count()
    };
    count(Happening::InsolvencyOpened) > count(Happening::InsolvencyEnded)
}
