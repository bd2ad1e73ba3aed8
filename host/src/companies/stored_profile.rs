//! The stored parts of one company, and a freshness decision for each.

mod lookup;
mod parts;

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

use self::lookup::PlanContext;
use self::parts::{KnownDetails, KnownSection};
use super::assemble::{Origin, PartState, Parts, Staleness, in_commercial_register};
use super::freshness::{self, Freshness};
use super::part::Part;
use super::{AllowedScopes, Companies};
use crate::config::FreshnessConfig;
use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::Target;
use crate::connectors::subject;
use crate::store::{ConnectorId, ImportTime, StoredCompany, StoredParts};

/// The stored parts of a company and what is due for each.
pub(super) struct StoredProfile {
    base_seen_at: OffsetDateTime,
    base_age: Duration,
    base_due: Freshness,
    base_register: String,
    details: Vec<KnownDetails>,
    sections: Vec<KnownSection>,
}

impl StoredProfile {
    /// Decides what is due for each part. The sections must be those of the scopes.
    pub(super) fn new(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        parts: StoredParts,
        asked_at: OffsetDateTime,
    ) -> Self {
        Self::new_with(companies, company, scopes, parts, asked_at, None)
    }

    /// Like [`Self::new`], with an upper limit for the age of live registers' data.
    pub(super) fn no_older(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        parts: StoredParts,
        asked_at: OffsetDateTime,
        oldest: Duration,
    ) -> Self {
        Self::new_with(companies, company, scopes, parts, asked_at, Some(oldest))
    }

    fn new_with(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        parts: StoredParts,
        asked_at: OffsetDateTime,
        oldest: Option<Duration>,
    ) -> Self {
        let now = companies.now();
        let settings = &companies.0.freshness;
        let catalogue = companies.0.connectors.catalogue();

        let register = &company.base.source_register;
        let imported = parts
            .imports
            .iter()
            .filter(|import| import.connector == *register && is_of_companies(&catalogue, import))
            .map(|import| import.at)
            .max();
        let base_seen_at = imported.map_or(company.fetched_at, |imported| {
            imported.max(company.fetched_at)
        });

        let base_age = freshness::register_age(
            catalogue
                .serving(register)
                .and_then(|loaded| loaded.manifest.company_source.as_ref()),
            settings,
        );
        let asked = PlanContext {
            companies,
            company,
            facts: subject::facts(company),
            asked_at,
            now,
            oldest,
        };
        let base_age = asked.no_older(base_age);
        let details = asked.details(&catalogue, parts.details);
        let sections = asked.sections(&catalogue, scopes, parts.sections, &parts.imports);
        Self {
            base_due: freshness::base(
                base_seen_at,
                base_age,
                companies.base_tried_at(&company.base.ico),
                settings,
                now,
            ),
            base_seen_at,
            base_age,
            base_register: register_title(&catalogue, register),
            details,
            sections,
        }
    }

    /// When the next part becomes due: because it is stale, or because a failed fetch may be retried.
    pub(super) fn due_again(
        &self,
        now: OffsetDateTime,
        settings: &FreshnessConfig,
    ) -> OffsetDateTime {
        let dues = std::iter::once(self.base_due)
            .chain(self.details.iter().map(|part| part.due))
            .chain(self.sections.iter().map(|part| part.due));
        let dues: Vec<Freshness> = dues.collect();
        if dues
            .iter()
            .any(|due| matches!(due, Freshness::Stale | Freshness::Missing))
        {
            return now;
        }
        let after = |seconds| freshness::later(now, Duration::from_secs(seconds));
        if dues.contains(&Freshness::RetryLater) {
            return after(settings.failed_retry_seconds);
        }
        let due = self.due_at(now, KnownSection::made_again_at);
        let is_unread = |part: &KnownSection| {
            let unread = part.stored.as_ref().is_some_and(|stored| stored.unread);
            part.applies && unread && part.due != Freshness::AwaitsImport
        };
        if self.sections.iter().any(is_unread) {
            return due.min(after(settings.unread_retry_seconds));
        }
        due
    }

    pub(super) fn due_parts(&self, due: Freshness) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.base_due == due {
            parts.push(Part::Base);
        }
        for details in &self.details {
            if details.due == due {
                parts.push(Part::Details(Arc::clone(&details.loaded)));
            }
        }
        for section in &self.sections {
            if section.due == due {
                parts.push(Part::Section {
                    loaded: Arc::clone(&section.loaded),
                    scope: section.scope.clone(),
                    previous: section
                        .stored
                        .as_ref()
                        .and_then(|stored| stored.content.clone()),
                });
            }
        }
        parts
    }

    pub(super) fn fresh_until(&self, now: OffsetDateTime) -> OffsetDateTime {
        self.due_at(now, KnownSection::fresh_until)
    }

    /// The earliest end of the base record, the details and the sections, whose end the caller chooses. `now` if a
    /// section is fetched for each request.
    fn due_at(
        &self,
        now: OffsetDateTime,
        end_of_section: impl Fn(&KnownSection) -> Option<OffsetDateTime>,
    ) -> OffsetDateTime {
        let base = freshness::later(self.base_seen_at, self.base_age);
        let details = self.details.iter().filter(|part| part.applies);
        let details = details.filter_map(|part| {
            let fetched_at = part.stored.as_ref()?.fetched_at?;
            Some(freshness::later(fetched_at, part.max_age))
        });
        let sections = || self.sections.iter().filter(|part| part.applies);
        if sections().any(|part| part.max_age.is_zero()) {
            return now;
        }
        let sections = sections().filter_map(end_of_section);
        details.chain(sections).fold(base, OffsetDateTime::min)
    }

    pub(super) fn parts<'a>(
        &'a self,
        companies: &Companies,
        company: &'a StoredCompany,
        live: bool,
        now: OffsetDateTime,
    ) -> Parts<'a> {
        let staleness = Staleness::of(
            self.base_due.is_stale() || self.details.iter().any(|part| part.due.is_stale()),
            self.sections.iter().any(|part| part.due.is_stale()),
            in_commercial_register(company)
                .unwrap_or_else(|| self.details.iter().any(KnownDetails::may_know)),
        );
        Parts {
            base: company,
            base_seen_at: self.base_seen_at,
            base_origin: Origin {
                register: self.base_register.clone(),
                connector: company.base.source_register.clone(),
                version: Some(company.base.connector_version.clone()),
                as_of: Some(crate::clock::rfc3339(self.base_seen_at)),
                state: if self.base_due.is_stale() {
                    PartState::Stale
                } else {
                    PartState::Fresh
                },
                reason: None,
                unread: None,
            },
            details: self.details.iter().map(KnownDetails::part).collect(),
            sections: self.sections.iter().map(KnownSection::part).collect(),
            staleness,
            retry_at: companies
                .context()
                .clock
                .elsewhere(now + Duration::from_secs(companies.0.freshness.retry_after_seconds)),
            live,
            built_at: now,
        }
    }
}

fn register_title(catalogue: &Catalogue, id: &ConnectorId) -> String {
    catalogue
        .serving(id)
        .map_or_else(|| id.to_string(), |loaded| loaded.manifest.register.clone())
}

fn is_of_companies(catalogue: &Catalogue, import: &ImportTime) -> bool {
    catalogue
        .serving(&import.connector)
        .and_then(|loaded| loaded.manifest.dataset(&import.dataset))
        .is_some_and(|manifest| manifest.target == Target::Companies)
}
