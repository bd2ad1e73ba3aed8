//! Checks that a register's answer matches the request.
//!
//! Another company's record never counts as *nothing found*. *Nothing found* is also rejected if the base
//! record says that the register has the company. Both count as an answer that could not be read.

use std::collections::BTreeMap;

use crate::connectors::CallFailure;
use crate::connectors::bindings::types::{Company, Drift, Failure};
use crate::connectors::manifest::AppliesTo;

/// Checks the answer to a look-up by IČO.
///
/// # Errors
/// `malformed` for a record of another company.
pub(super) fn for_ico(answer: Option<Company>, ico: &str) -> Result<Option<Company>, CallFailure> {
    match answer {
        Some(company) if company.ico != ico => Err(malformed(
            "the company that the answer is about",
            ico,
            &company.ico,
        )),
        answer => Ok(answer),
    }
}

/// Checks the answer to a look-up by a register's own id. Digits alone also match every id that continues with
/// a slash.
///
/// # Errors
/// `malformed` for a different record.
pub(super) fn for_register_id(
    answer: Option<Company>,
    id: &str,
) -> Result<Option<Company>, CallFailure> {
    let Some(company) = answer else {
        return Ok(None);
    };
    let given = company.register_id.as_deref().unwrap_or_default();
    let rest = given.strip_prefix(id);
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Ok(Some(company));
    }
    Err(malformed("the record that the answer is about", id, given))
}

/// Checks the answer of a details register against the facts already known about the company.
///
/// # Errors
/// `malformed` for *nothing found* if `is_entered`; see [`shows_membership`].
pub(super) fn not_contradicted(
    answer: Option<Company>,
    is_entered: bool,
) -> Result<Option<Company>, CallFailure> {
    match answer {
        None if is_entered => Err(malformed(
            "the register's answer",
            "the company, which is in this register by its base record",
            "no such company",
        )),
        answer => Ok(answer),
    }
}

/// Whether the base record's facts show that a register applies to the company. Unknown facts show nothing.
pub(super) fn shows_membership(facts: &BTreeMap<String, String>, applies_to: &AppliesTo) -> bool {
    !applies_to.facts.is_empty()
        && applies_to
            .facts
            .iter()
            .all(|(name, values)| facts.get(name).is_some_and(|value| values.contains(value)))
}

fn malformed(what: &str, expected: &str, found: &str) -> CallFailure {
    CallFailure::Failed(Failure::Malformed(Drift {
        what: what.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
        evidence: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FailureKind;

    #[test]
    fn unknown_facts_state_no_membership() {
        let register = AppliesTo {
            nace_prefixes: None,
            facts: BTreeMap::from([("commercial_register".to_owned(), vec!["true".to_owned()])]),
        };
        let facts =
            |value: &str| BTreeMap::from([("commercial_register".to_owned(), value.to_owned())]);
        assert!(shows_membership(&facts("true"), &register));
        assert!(!shows_membership(&facts("false"), &register));
        assert!(!shows_membership(&BTreeMap::new(), &register));
        assert!(!shows_membership(&facts("true"), &AppliesTo::default()));
    }

    #[test]
    fn nothing_found_about_an_entered_company_is_a_failure() {
        let failed = not_contradicted(None, true).map(|_| ());
        assert!(failed.is_err_and(|why| why.kind() == FailureKind::Malformed));
        assert!(matches!(not_contradicted(None, false), Ok(None)));
    }
}
