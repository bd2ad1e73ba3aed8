//! Decides which company a line of a list means, as batches do for their items.

use super::Batches;
use super::item::ItemError;
use super::matching::{Likely, Match};
use crate::companies::AllowedScopes;

/// The company that a registration number or a name means.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    /// The registration number of a company that a register knows.
    Company(String),
    /// No register has the company, or no name is similar enough.
    Unknown(Vec<Likely>),
    /// Several companies have equally similar names.
    Ambiguous(Vec<Likely>),
    /// A register or the name index could not be read now.
    Unreadable,
}

impl Batches {
    /// Checks that a register knows a registration number.
    pub async fn resolve_ico(&self, ico: &str) -> Resolved {
        let base = AllowedScopes::default();
        let known = self.within_limits(|until| self.profile(ico, &base, until));
        match known.await {
            Ok(Some(_)) => Resolved::Company(ico.to_owned()),
            Ok(None) => Resolved::Unknown(Vec::new()),
            Err(error) => unreadable(&error),
        }
    }

    /// The company with a name. The registers are not asked about it.
    pub async fn resolve_name(&self, name: &str) -> Resolved {
        let matched = self.within_limits(|until| self.matched(name, until));
        match matched.await {
            Ok(Match::Found { ico, .. }) => Resolved::Company(ico),
            Ok(Match::Ambiguous { candidates, .. }) => Resolved::Ambiguous(candidates),
            Ok(Match::NotFound { candidates, .. }) => Resolved::Unknown(candidates),
            Err(error) => unreadable(&error),
        }
    }
}

fn unreadable(error: &ItemError) -> Resolved {
    tracing::debug!(%error, "a line of a list could not be resolved");
    Resolved::Unreadable
}
