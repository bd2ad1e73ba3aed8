//! Decides what is due for each of the stored details and sections of a company.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

use super::parts::{KnownDetails, KnownSection};
use crate::companies::assemble::Placement;
use crate::companies::freshness::{self, Freshness};
use crate::companies::{AllowedScopes, Companies};
use crate::connectors::Loaded;
use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::ScopeManifest;
use crate::store::{ImportTime, StoredCompany, StoredDetails, StoredSection};

/// Context of one request.
pub(super) struct PlanContext<'a> {
    pub(super) companies: &'a Companies,
    pub(super) company: &'a StoredCompany,
    pub(super) facts: BTreeMap<String, String>,
    pub(super) asked_at: OffsetDateTime,
    pub(super) now: OffsetDateTime,
    /// Upper limit for the age of live registers' data, whatever the settings allow.
    pub(super) oldest: Option<Duration>,
}

impl PlanContext<'_> {
    /// The effective maximum age of data from a live register. A maximum age of zero means *fetch per request*;
    /// background refreshes use the upper limit instead.
    pub(super) fn no_older(&self, max_age: Duration) -> Duration {
        match self.oldest {
            Some(oldest) if max_age.is_zero() => oldest,
            Some(oldest) => max_age.min(oldest),
            None => max_age,
        }
    }

    pub(super) fn details(
        &self,
        catalogue: &Catalogue,
        mut stored_details: Vec<StoredDetails>,
    ) -> Vec<KnownDetails> {
        let settings = &self.companies.0.freshness;
        let nace = self.company.base.nace_code.as_deref();
        let mut details = Vec::new();
        for loaded in catalogue.details_registers() {
            let Some(source) = &loaded.manifest.company_source else {
                continue;
            };
            let index = stored_details
                .iter()
                .position(|stored| stored.connector == loaded.manifest.id);
            let stored = index.map(|index| stored_details.swap_remove(index));
            let applies = source.applies_to.includes(nace, &self.facts);
            let max_age = self.no_older(freshness::register_age(Some(source), settings));
            let due = if applies {
                freshness::details(stored.as_ref(), max_age, settings, self.now)
            } else {
                Freshness::Fresh
            };
            details.push(KnownDetails {
                loaded: Arc::clone(loaded),
                max_age,
                stored,
                applies,
                due,
            });
        }
        details
    }

    pub(super) fn sections(
        &self,
        catalogue: &Catalogue,
        scopes: &AllowedScopes,
        mut stored_sections: Vec<StoredSection>,
        imports: &[ImportTime],
    ) -> Vec<KnownSection> {
        let settings = &self.companies.0.freshness;
        let nace = self.company.base.nace_code.as_deref();
        let mut sections = Vec::new();
        for name in scopes.iter() {
            let Some((loaded, scope)) = catalogue.scope(name.as_str()) else {
                continue;
            };
            let oldest_import = imports
                .iter()
                .filter(|import| {
                    import.connector == loaded.manifest.id
                        && scope.datasets.contains(&import.dataset)
                        && loaded.datasets_on.contains(&import.dataset)
                })
                .map(|import| import.at)
                .min();
            let index = stored_sections
                .iter()
                .position(|stored| stored.scope == *name);
            let mut stored = index.map(|index| stored_sections.swap_remove(index));
            if let Some(stored) = &mut stored {
                stored.dirty |= is_from_an_earlier_version(stored, loaded);
            }
            let applies = scope.applies_to.includes(nace, &self.facts);
            let max_age = freshness::days(loaded.max_age_days(scope));
            let max_age = if scope.live {
                self.no_older(max_age)
            } else {
                max_age
            };
            let due = if applies {
                freshness::section(
                    stored.as_ref(),
                    scope,
                    max_age,
                    oldest_import,
                    settings,
                    self.asked_at,
                    self.now,
                )
            } else {
                Freshness::Fresh
            };
            let as_of = stored
                .as_ref()
                .and_then(|stored| freshness::section_as_of(stored, scope, oldest_import));
            sections.push(KnownSection {
                loaded: Arc::clone(loaded),
                scope: scope.scope.clone(),
                placement: placement_of(scope, scopes, catalogue),
                max_age,
                stored,
                as_of,
                applies,
                due,
            });
        }
        sections
    }
}

fn placement_of(scope: &ScopeManifest, scopes: &AllowedScopes, catalogue: &Catalogue) -> Placement {
    if !scope.extends_details {
        return Placement::Member(scope.key.clone());
    }
    if scopes.replaces_details(&scope.scope) {
        return Placement::Replacing;
    }
    let registers = catalogue
        .base_registers()
        .chain(catalogue.details_registers());
    let names = registers.flat_map(|loaded| loaded.manifest.details_fields());
    Placement::Beside(names.cloned().collect())
}

/// Whether an earlier connector version built the section before this one was loaded. A later section is from
/// another host, whose version may be older or newer: two hosts must not keep rebuilding it for each other.
fn is_from_an_earlier_version(stored: &StoredSection, loaded: &Loaded) -> bool {
    stored
        .generation
        .is_some_and(|made| made != loaded.generation())
        && stored
            .fetched_at
            .is_some_and(|fetched_at| fetched_at < loaded.loaded_at)
}
