//! Sections that a caller may receive.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::config::Plan;
use crate::connectors::catalogue::Catalogue;
use crate::store::ScopeName;

/// Sorted scopes that a plan allows and a connector serves. Only code that knows plans creates one, so a
/// profile cannot contain a section outside the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AllowedScopes {
    scopes: Arc<BTreeSet<ScopeName>>,
    /// Scopes requested by name whose members replace details.
    replacing: BTreeSet<ScopeName>,
}

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

/// Mark of a scope in a key whose members replace details.
const REPLACES: &str = "!";

/// Stands for every scope of the plan.
const ALL: &str = "all";

/// The scope name of the commercial-register details. Later clients send it; without a connector that extends the
/// details it adds nothing, since every response includes them.
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
        let mut allowed = Self::default();
        let includes = |scope: &str| plan.includes(scope) || catalogue.extends_details(scope);
        let (mut unknown, mut not_in_plan) = (Vec::new(), Vec::new());
        for name in requested
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            if name == ALL && plan.includes_all() {
                // The most frequent request shares the set with the catalogue. Names that were requested before are
                // in it too.
                allowed.scopes = Arc::clone(catalogue.scope_names());
            } else if name == ALL {
                let all = catalogue.scopes().filter(|scope| includes(scope.as_str()));
                Arc::make_mut(&mut allowed.scopes).extend(all.cloned());
            } else if let Some((_, served)) = catalogue.scope(name) {
                if !includes(name) {
                    not_in_plan.push(name.to_owned());
                    continue;
                }
                if !allowed.scopes.contains(&served.scope) {
                    Arc::make_mut(&mut allowed.scopes).insert(served.scope.clone());
                }
                if served.extends_details {
                    allowed.replacing.insert(served.scope.clone());
                }
            } else if name != PART_OF_EVERY_ANSWER {
                unknown.push(name.to_owned());
            }
        }
        if !unknown.is_empty() {
            let mut known: Vec<String> = catalogue.scopes().map(ToString::to_string).collect();
            if !known.iter().any(|name| name == PART_OF_EVERY_ANSWER) {
                known.push(PART_OF_EVERY_ANSWER.to_owned());
            }
            known.push(ALL.to_owned());
            return Err(ScopeError::Unknown { unknown, known });
        }
        if !not_in_plan.is_empty() {
            return Err(ScopeError::NotInPlan(not_in_plan));
        }
        Ok(allowed)
    }

    /// The scopes that are also among `names`.
    #[must_use]
    pub fn limited_to(mut self, names: &[String]) -> Self {
        let is_named = |scope: &ScopeName| names.iter().any(|name| name == scope.as_str());
        Arc::make_mut(&mut self.scopes).retain(is_named);
        self.replacing.retain(is_named);
        self
    }

    /// Every scope that a connector serves, for pages of the host itself.
    #[must_use]
    pub fn all_served(catalogue: &Catalogue) -> Self {
        Self {
            scopes: Arc::clone(catalogue.scope_names()),
            replacing: BTreeSet::new(),
        }
    }

    /// All scopes that at least one of these plans includes.
    #[must_use]
    pub fn of_plans(plans: &[&Plan], catalogue: &Catalogue) -> Self {
        let scopes = catalogue
            .scopes()
            .filter(|scope| plans.iter().any(|plan| plan.includes(scope.as_str())));
        Self {
            scopes: Arc::new(scopes.cloned().collect()),
            replacing: BTreeSet::new(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &ScopeName> {
        self.scopes.iter()
    }

    /// Whether the members of a scope's section replace details with the same name. `all` leaves details as they
    /// are, since clients of earlier versions request it.
    #[must_use]
    pub fn replaces_details(&self, scope: &ScopeName) -> bool {
        self.replacing.contains(scope)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    /// The set with this [`Self::key`]. It was allowed when the key was made, and names that are no scope are left out.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        let (mut scopes, mut replacing) = (BTreeSet::new(), BTreeSet::new());
        for name in key.split(',') {
            let (name, replaces) = match name.strip_suffix(REPLACES) {
                Some(name) => (name, true),
                None => (name, false),
            };
            let Ok(scope) = ScopeName::parse(name) else {
                continue;
            };
            if replaces {
                replacing.insert(scope.clone());
            }
            scopes.insert(scope);
        }
        Self {
            scopes: Arc::new(scopes),
            replacing,
        }
    }

    /// A text that identifies the whole set; empty for an empty one.
    #[must_use]
    pub fn key(&self) -> String {
        let mut key = String::with_capacity(self.scopes.iter().map(longest_in_key).sum());
        for scope in self.scopes.iter() {
            if !key.is_empty() {
                key.push(',');
            }
            key.push_str(scope.as_str());
            if self.replacing.contains(scope) {
                key.push_str(REPLACES);
            }
        }
        key
    }
}

/// How much of a key a scope takes at most, in bytes.
fn longest_in_key(scope: &ScopeName) -> usize {
    scope.as_str().len() + REPLACES.len() + 1
}
