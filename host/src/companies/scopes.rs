//! Sections that a caller may receive.

use std::collections::BTreeSet;

use crate::config::Plan;
use crate::connectors::catalogue::Catalogue;

/// Sorted scopes that a plan allows and a connector serves. Only code that knows plans creates one, so a
/// profile cannot contain a section outside the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AllowedScopes(BTreeSet<String>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    #[error("unknown scope {}; known are {}", .unknown.join(", "), .known.join(", "))]
    Unknown {
        /// Requested names that no connector serves.
        unknown: Vec<String>,
        /// All names that are served.
        known: Vec<String>,
    },
    /// Served scopes that the plan lacks.
    #[error("the plan does not include the scope {}", .0.join(", "))]
    NotInPlan(Vec<String>),
}

/// Stands for every scope of the plan.
const ALL: &str = "all";

/// The scope name of the commercial-register details. Later clients send it, although every response includes
/// the details.
const PART_OF_EVERY_ANSWER: &str = "orsr";

impl AllowedScopes {
    /// Parses a request's scopes: names separated by commas, or `all` for every scope of the plan.
    ///
    /// # Errors
    /// [`ScopeError::Unknown`] for names that no connector serves, [`ScopeError::NotInPlan`] for served ones that the
    /// plan lacks.
    pub fn of_request(
        requested: Option<&str>,
        plan: &Plan,
        catalogue: &Catalogue,
    ) -> Result<Self, ScopeError> {
        let mut allowed = BTreeSet::new();
        let (mut unknown, mut not_in_plan) = (Vec::new(), Vec::new());
        for name in requested
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            if name == ALL {
                allowed.extend(
                    catalogue
                        .scopes()
                        .filter(|scope| plan.includes(scope))
                        .map(str::to_owned),
                );
            } else if name == PART_OF_EVERY_ANSWER {
                continue;
            } else if catalogue.scope(name).is_none() {
                unknown.push(name.to_owned());
            } else if plan.includes(name) {
                allowed.insert(name.to_owned());
            } else {
                not_in_plan.push(name.to_owned());
            }
        }
        if !unknown.is_empty() {
            let mut known: Vec<String> = catalogue.scopes().map(str::to_owned).collect();
            known.push(PART_OF_EVERY_ANSWER.to_owned());
            known.push(ALL.to_owned());
            return Err(ScopeError::Unknown { unknown, known });
        }
        if !not_in_plan.is_empty() {
            return Err(ScopeError::NotInPlan(not_in_plan));
        }
        Ok(Self(allowed))
    }

    /// All scopes that at least one of these plans includes.
    #[must_use]
    pub fn of_plans(plans: &[&Plan], catalogue: &Catalogue) -> Self {
        let scopes = catalogue
            .scopes()
            .filter(|scope| plans.iter().any(|plan| plan.includes(scope)));
        Self(scopes.map(str::to_owned).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text that identifies the whole set.
    #[must_use]
    pub fn key(&self) -> String {
        self.0
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(",")
    }
}
