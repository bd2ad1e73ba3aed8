//! Values of a history that the code lists do not have. They are counted, and their meaning is not guessed.

use std::num::NonZeroU32;

use super::codes::{self, Function, List, Rule};
use super::kept::{History, Person};
use super::offices::written_role;

/// Numbers of rows with unknown values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unknown {
    /// Rows of people with an unknown function, or an unknown function within a body.
    pub functions: Option<NonZeroU32>,
    /// Rules of acting of procurators without their heading.
    pub rules: Option<NonZeroU32>,
}

impl Unknown {
    #[must_use]
    pub fn of(history: &History) -> Self {
        let statutory = history.statutory.iter();
        let others = history.stakeholders.iter();
        let functions = statutory
            .filter(|row| !is_known(List::StatutoryBodies, row))
            .count()
            + others
                .filter(|row| !is_known(List::Stakeholders, row))
                .count();
        let rules = history.authorizations.iter();
        let rules = rules
            .filter(|rule| Rule::of_text(&rule.text) == Rule::Unknown)
            .count();
        Self {
            functions: number(functions),
            rules: number(rules),
        }
    }
}

fn is_known(list: List, row: &Person) -> bool {
    let within = row.member.as_deref().or_else(|| written_role(&row.name));
    codes::is_known(list, row.code.as_deref(), row.label.as_deref())
        && within.is_none_or(|label| Function::of_label(label).is_some())
}

fn number(count: usize) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(count).unwrap_or(u32::MAX))
}
