//! The stored parts of one company, and a freshness decision for each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

use super::assemble::{DetailsPart, Origin, Parts, SectionPart, Staleness, in_commercial_register};
use super::freshness::{self, Freshness};
use super::profile::Part;
use super::{AllowedScopes, Companies};
use crate::config::FreshnessConfig;
use crate::connectors::Loaded;
use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::Target;
use crate::connectors::subject;
use crate::store::{DatasetState, StoreError, StoredCompany, StoredDetails, StoredSection};

/// The stored parts of a company and what is due for each.
pub(super) struct StoredProfile {
    base_seen_at: OffsetDateTime,
    base_age: Duration,
    base_due: Freshness,
    base_register: String,
    details: Vec<KnownDetails>,
    sections: Vec<KnownSection>,
}

/// Context of one request while its parts are looked up.
struct PlanContext<'a> {
    companies: &'a Companies,
    company: &'a StoredCompany,
    facts: BTreeMap<String, String>,
    asked_at: OffsetDateTime,
    now: OffsetDateTime,
    /// Upper limit for the age of live registers' data, whatever the settings allow.
    oldest: Option<Duration>,
}

impl PlanContext<'_> {
    /// The effective maximum age of data from a live register. A maximum age of zero means *fetch per request*;
    /// background refreshes use the upper limit instead.
    fn no_older(&self, max_age: Duration) -> Duration {
        match self.oldest {
            Some(oldest) if max_age.is_zero() => oldest,
            Some(oldest) => max_age.min(oldest),
            None => max_age,
        }
    }

    async fn details(&self, catalogue: &Catalogue) -> Result<Vec<KnownDetails>, StoreError> {
        let settings = &self.companies.0.freshness;
        let nace = self.company.base.nace_code.as_deref();
        let mut stored_details = self
            .companies
            .0
            .store
            .details()
            .find(&self.company.base.ico)
            .await?;
        let mut details = Vec::new();
        for loaded in catalogue.details_registers() {
            let Some(source) = &loaded.manifest.company_source else {
                continue;
            };
            let place = stored_details
                .iter()
                .position(|stored| stored.connector == loaded.manifest.id);
            let stored = place.map(|place| stored_details.swap_remove(place));
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
        Ok(details)
    }

    async fn sections(
        &self,
        catalogue: &Catalogue,
        scopes: &AllowedScopes,
        datasets: &[DatasetState],
    ) -> Result<Vec<KnownSection>, StoreError> {
        let settings = &self.companies.0.freshness;
        let nace = self.company.base.nace_code.as_deref();
        let names: Vec<&str> = scopes.iter().collect();
        let mut stored_sections = if names.is_empty() {
            Vec::new()
        } else {
            self.companies
                .0
                .store
                .sections()
                .find(&self.company.base.ico, &names)
                .await?
        };
        let mut sections = Vec::new();
        for name in names {
            let Some((loaded, scope)) = catalogue.scope(name) else {
                continue;
            };
            let own: Vec<DatasetState> = datasets
                .iter()
                .filter(|dataset| {
                    dataset.connector == loaded.manifest.id
                        && scope.datasets.contains(&dataset.dataset)
                })
                .filter(|dataset| loaded.datasets_on.contains(&dataset.dataset))
                .cloned()
                .collect();
            let place = stored_sections
                .iter()
                .position(|stored| stored.scope == name);
            let mut stored = place.map(|place| stored_sections.swap_remove(place));
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
                    &own,
                    settings,
                    self.asked_at,
                    self.now,
                )
            } else {
                Freshness::Fresh
            };
            let as_of = stored
                .as_ref()
                .and_then(|stored| freshness::section_as_of(stored, scope, &own));
            sections.push(KnownSection {
                loaded: Arc::clone(loaded),
                scope: scope.scope.clone(),
                key: scope.key.clone(),
                max_age,
                stored,
                as_of,
                applies,
                due,
            });
        }
        Ok(sections)
    }
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

struct KnownDetails {
    loaded: Arc<Loaded>,
    max_age: Duration,
    stored: Option<StoredDetails>,
    applies: bool,
    due: Freshness,
}

struct KnownSection {
    loaded: Arc<Loaded>,
    scope: String,
    key: String,
    max_age: Duration,
    stored: Option<StoredSection>,
    as_of: Option<OffsetDateTime>,
    applies: bool,
    due: Freshness,
}

impl StoredProfile {
    pub(super) async fn read(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        datasets: &[DatasetState],
        asked_at: OffsetDateTime,
    ) -> Result<Self, StoreError> {
        Self::read_with(companies, company, scopes, datasets, asked_at, None).await
    }

    /// Like [`Self::read`], with an upper limit for the age of live registers' data.
    pub(super) async fn read_no_older(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        datasets: &[DatasetState],
        asked_at: OffsetDateTime,
        oldest: Duration,
    ) -> Result<Self, StoreError> {
        let oldest = Some(oldest);
        Self::read_with(companies, company, scopes, datasets, asked_at, oldest).await
    }

    async fn read_with(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        datasets: &[DatasetState],
        asked_at: OffsetDateTime,
        oldest: Option<Duration>,
    ) -> Result<Self, StoreError> {
        let now = companies.now();
        let settings = &companies.0.freshness;
        let catalogue = companies.0.connectors.catalogue();

        let register = &company.base.source_register;
        let imported = datasets
            .iter()
            .filter(|dataset| {
                dataset.connector == *register && imports_companies(&catalogue, dataset)
            })
            .filter_map(|dataset| dataset.imported_at)
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
        let details = asked.details(&catalogue).await?;
        let sections = asked.sections(&catalogue, scopes, datasets).await?;
        Ok(Self {
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
        })
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
        let is_unread = |part: &KnownSection| {
            part.applies && part.stored.as_ref().is_some_and(|stored| stored.unread)
        };
        if self.sections.iter().any(is_unread) {
            return self
                .fresh_until(now)
                .min(after(settings.unread_retry_seconds));
        }
        self.fresh_until(now)
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
                    previous: section.stored.clone().map(Box::new),
                });
            }
        }
        parts
    }

    pub(super) fn fresh_until(&self, now: OffsetDateTime) -> OffsetDateTime {
        let base = freshness::later(self.base_seen_at, self.base_age);
        let details = self.details.iter().filter_map(|part| {
            Some(freshness::later(
                part.stored.as_ref()?.fetched_at?,
                part.max_age,
            ))
        });
        let sections = self
            .sections
            .iter()
            .filter_map(|part| Some(freshness::later(part.as_of?, part.max_age)));
        let is_fetched_per_request = self.sections.iter().any(|part| part.max_age.is_zero());
        if is_fetched_per_request {
            return now;
        }
        details.chain(sections).fold(base, OffsetDateTime::min)
    }

    pub(super) fn parts<'a>(
        &self,
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
                    "stale"
                } else {
                    "fresh"
                },
                reason: None,
                unread: None,
            },
            details: self.details.iter().map(KnownDetails::part).collect(),
            sections: self.sections.iter().map(KnownSection::part).collect(),
            staleness,
            retry_at: companies
                .elsewhere(now + Duration::from_secs(companies.0.freshness.retry_after_seconds)),
            live,
            built_at: now,
        }
    }
}

fn register_title(catalogue: &Catalogue, id: &str) -> String {
    catalogue
        .serving(id)
        .map_or_else(|| id.to_owned(), |loaded| loaded.manifest.register.clone())
}

fn imports_companies(catalogue: &Catalogue, dataset: &DatasetState) -> bool {
    catalogue
        .serving(&dataset.connector)
        .and_then(|loaded| loaded.manifest.dataset(&dataset.dataset))
        .is_some_and(|manifest| manifest.target == Target::Companies)
}

impl KnownDetails {
    /// Whether the register knows the company or has not been read yet.
    fn may_know(&self) -> bool {
        let stored = self.stored.as_ref();
        let has_none =
            stored.is_some_and(|stored| stored.fetched_at.is_some() && stored.content.is_none());
        self.applies && !has_none
    }

    fn part(&self) -> DetailsPart {
        let stored = self.stored.as_ref();
        let fetched_at = stored.and_then(|stored| stored.fetched_at);
        let state = match (self.applies, fetched_at, self.due.is_stale()) {
            (false, None, _) => "not_applicable",
            (true, None, _) => "unread",
            (_, Some(_), true) => "stale",
            (_, Some(_), false) => "fresh",
        };
        DetailsPart {
            connector: self.loaded.manifest.id.clone(),
            content: stored.and_then(|stored| stored.content.clone()),
            fetched_at,
            origin: Origin {
                register: self.loaded.manifest.register.clone(),
                connector: self.loaded.manifest.id.clone(),
                version: stored.and_then(|stored| stored.connector_version.clone()),
                as_of: fetched_at.map(crate::clock::rfc3339),
                state,
                reason: (state == "unread")
                    .then(|| reason_code(stored.and_then(|stored| stored.failure.as_deref()))),
                unread: None,
            },
        }
    }
}

impl KnownSection {
    fn part(&self) -> SectionPart {
        let stored = self.stored.as_ref();
        let content = stored
            .and_then(|stored| stored.content.clone())
            .filter(|_| self.applies);
        let unread = stored
            .filter(|_| content.is_some())
            .and_then(|stored| stored.unread_sources.as_deref())
            .and_then(|named| serde_json::from_str(named).ok());
        let state = match (self.applies, content.is_some(), self.due.is_stale()) {
            (false, _, _) => "not_applicable",
            (true, false, _) => "unread",
            (true, true, true) => "stale",
            (true, true, false) => "fresh",
        };
        SectionPart {
            scope: self.scope.clone(),
            key: self.key.clone(),
            content,
            as_of: self.as_of,
            origin: Origin {
                register: self.loaded.manifest.register.clone(),
                connector: self.loaded.manifest.id.clone(),
                version: stored.and_then(|stored| stored.connector_version.clone()),
                as_of: self.as_of.map(crate::clock::rfc3339),
                state,
                reason: (state == "unread")
                    .then(|| reason_code(stored.and_then(|stored| stored.failure.as_deref()))),
                unread,
            },
        }
    }
}

/// The reason code of a stored failure, whose text begins with its kind.
fn reason_code(failure: Option<&str>) -> &'static str {
    let Some(failure) = failure else {
        return "not_in_time";
    };
    for (start, code) in [
        ("unavailable", "unavailable"),
        ("throttled", "throttled"),
        ("malformed", "malformed"),
        ("misconfigured", "misconfigured"),
        ("refused", "limit"),
        ("limit", "limit"),
        ("busy", "busy"),
        ("it failed too often", "resting"),
    ] {
        if failure.starts_with(start) {
            return code;
        }
    }
    "failed"
}
