//! Whether a register's answer is one to the question that was asked.
//!
//! A record of another company is never taken for *nothing found*, and neither is *nothing found* where the base
//! record says that the company is in that register: both mean that the answer could not be read.

use std::collections::BTreeMap;

use crate::connectors::CallFailure;
use crate::connectors::bindings::types::{Company, Drift, Failure};
use crate::connectors::manifest::AppliesTo;

/// The answer to a question by IČO.
///
/// # Errors
/// `malformed` for another company's record.
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

/// The answer to a question by a register's own id. Digits alone also mean every id that goes on with a slash.
///
/// # Errors
/// `malformed` for another record.
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

/// The answer of a register of details, against what is known of the company already.
///
/// # Errors
/// `malformed` for *nothing found* where `is_entered`, see [`states`].
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

/// Whether the facts of a base record state all that makes a company one of a register's. Facts that are not known
/// state nothing.
pub(super) fn states(facts: &BTreeMap<String, String>, applies_to: &AppliesTo) -> bool {
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

    #[test]
    fn facts_state_membership_only_where_they_are_known() {
        let register = AppliesTo {
            nace_prefixes: None,
            facts: BTreeMap::from([("commercial_register".to_owned(), vec!["true".to_owned()])]),
        };
        let facts =
            |value: &str| BTreeMap::from([("commercial_register".to_owned(), value.to_owned())]);
        assert!(states(&facts("true"), &register));
        assert!(!states(&facts("false"), &register));
        assert!(!states(&BTreeMap::new(), &register));
        assert!(!states(&facts("true"), &AppliesTo::default()));
    }

    #[test]
    fn nothing_found_about_an_entered_company_is_a_failure() {
        let failed = not_contradicted(None, true)
            .map(|_| ())
            .map_err(|why| why.to_string());
        assert!(failed.is_err_and(|why| why.starts_with("malformed: ")));
        assert!(matches!(not_contradicted(None, false), Ok(None)));
    }
}
