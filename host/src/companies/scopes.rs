//! Which sections a caller may have.

use std::collections::BTreeSet;

use crate::config::Plan;
use crate::connectors::catalogue::Catalogue;

/// Scopes that a plan allows and a connector serves, sorted. Only what knows plans makes one, so a profile cannot
/// hold a section that the plan lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AllowedScopes(BTreeSet<String>);

/// Why scopes were not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// There are no such scopes.
    #[error("unknown scope {}; known are {}", .unknown.join(", "), .known.join(", "))]
    Unknown {
        /// The names that mean nothing.
        unknown: Vec<String>,
        /// All names that mean something.
        known: Vec<String>,
    },
    /// The plan lacks them.
    #[error("the plan does not include the scope {}", .0.join(", "))]
    NotInPlan(Vec<String>),
}

/// Every enrichment of the plan.
const ALL: &str = "all";

/// Later clients name the commercial-register details, which are part of every answer here.
const PART_OF_EVERY_ANSWER: &str = "orsr";

impl AllowedScopes {
    /// The scopes of a request: names separated by commas, `all` for every one that the plan has.
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

    /// Every scope that one of these plans has.
    #[must_use]
    pub fn of_plans(plans: &[&Plan], catalogue: &Catalogue) -> Self {
        let scopes = catalogue
            .scopes()
            .filter(|scope| plans.iter().any(|plan| plan.includes(scope)));
        Self(scopes.map(str::to_owned).collect())
    }

    /// The names, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One text for the whole set.
    #[must_use]
    pub fn key(&self) -> String {
        self.0
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(",")
    }
}
