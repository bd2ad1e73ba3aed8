//! The way of a question: cache, store, registers, answer; and the refresh that an old part starts.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use time::OffsetDateTime;
use tokio::task::JoinSet;

use super::assemble::{
    DetailsPart, Origin, Parts, Profile, SectionPart, Source, Staleness, assemble,
};
use super::cache::ProfileCache;
use super::fetch::{self, FetchError};
use super::freshness::{self, Due};
use super::{AllowedScopes, Ico};
use crate::config::{Config, Freshness};
use crate::connectors::bindings::types::Failure;
use crate::connectors::manifest::ScopeManifest;
use crate::connectors::{CallFailure, Connectors, Loaded};
use crate::store::{DatasetState, Store, StoreError, StoredCompany, StoredDetails, StoredSection};

/// How long a host may work on a refresh before another one may take it over.
const REFRESH_LEASE: Duration = Duration::from_secs(120);

/// How long a bare id is taken to mean one company: the register gives new ids every day.
const LONE_ID: Duration = Duration::from_secs(86_400);

/// How a company is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompanyKey {
    /// By registration number.
    Ico(Ico),
    /// By the id in this database.
    Id(i64),
    /// By the commercial register's id: digits, or digits with a slash and the court's.
    OrsrId(String),
}

/// Why a profile could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Every base register was read and none knows the company.
    #[error("no such company")]
    NoSuchCompany,
    /// The key means more than one company.
    #[error("several companies have the id {0}; add the court, as in {0}/2")]
    Ambiguous(String),
    /// It is not known here, and a register that would know could not be read.
    #[error("the company is not known here yet and the register could not be read: {}", code(.0))]
    Unread(CallFailure),
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
}

/// A failure as a code that clients may see: nothing of a connector's inside.
#[must_use]
pub fn code(failure: &CallFailure) -> &'static str {
    match failure {
        CallFailure::Failed(Failure::Unavailable(_)) => "unavailable",
        CallFailure::Failed(Failure::Throttled(_)) => "throttled",
        CallFailure::Failed(Failure::Malformed(_)) => "malformed",
        CallFailure::Failed(Failure::Misconfigured(_)) => "misconfigured",
        CallFailure::Failed(Failure::Refused(_)) | CallFailure::Limit(_) => "limit",
        CallFailure::Busy => "busy",
        CallFailure::Resting(_) => "resting",
        CallFailure::Failed(Failure::Other(_))
        | CallFailure::Trap(_)
        | CallFailure::Schema { .. }
        | CallFailure::NotOffered(_) => "failed",
    }
}

/// Companies of one host. Clones share everything.
#[derive(Clone)]
pub struct Companies(Arc<Inner>);

struct Inner {
    store: Store,
    connectors: Arc<Connectors>,
    freshness: Freshness,
    max_ages: HashMap<String, f64>,
    cache: ProfileCache,
    unknown: moka::sync::Cache<String, OffsetDateTime>,
    /// Bare commercial-register ids that were found to mean one company only.
    lone_ids: moka::sync::Cache<String, String>,
    /// Parts that this host is fetching, so that however many ask, one fetch runs.
    under_way: Mutex<BTreeSet<String>>,
    arrived: tokio::sync::watch::Sender<u64>,
    host: String,
}

/// A part of a company's profile that can be fetched by itself.
#[derive(Clone)]
enum Part {
    Base,
    Details(Arc<Loaded>),
    Section {
        loaded: Arc<Loaded>,
        scope: String,
        previous: Option<Box<StoredSection>>,
    },
}

impl Part {
    fn name(&self) -> String {
        match self {
            Self::Base => "base".to_owned(),
            Self::Details(loaded) => format!("details:{}", loaded.manifest.id),
            Self::Section { scope, .. } => format!("scope:{scope}"),
        }
    }
}

impl Companies {
    /// Companies over a store and connectors. `host` names this process in leases.
    #[must_use]
    pub fn new(store: Store, connectors: Arc<Connectors>, config: &Config, host: String) -> Self {
        let scopes = config
            .connector
            .values()
            .flat_map(|connector| connector.scopes.iter());
        let max_ages = scopes
            .filter_map(|(scope, config)| Some((scope.clone(), config.max_age_days?)))
            .collect();
        let freshness = config.freshness.clone();
        Self(Arc::new(Inner {
            cache: ProfileCache::new(&freshness),
            unknown: moka::sync::Cache::builder().max_capacity(100_000).build(),
            lone_ids: moka::sync::Cache::builder().max_capacity(100_000).time_to_live(LONE_ID).build(),
            store,
            connectors,
            freshness,
            max_ages,
            under_way: Mutex::default(),
            arrived: tokio::sync::watch::Sender::new(0),
            host,
        }))
    }

    /// The connectors.
    #[must_use]
    pub fn connectors(&self) -> &Arc<Connectors> {
        &self.0.connectors
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.0.connectors.services.clock.now()
    }

    /// Drops what is kept in memory, after an import.
    pub fn forget_all(&self) {
        self.0.cache.forget_all();
        self.0.unknown.invalidate_all();
    }

    /// One company's profile with the scopes asked for.
    ///
    /// # Errors
    /// A [`ProfileError`]; a part that could not be read is no error but marked in the answer.
    pub async fn profile(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<(Arc<Profile>, Source), ProfileError> {
        let scopes_key = scopes.key();
        if let CompanyKey::Ico(ico) = key
            && let Some(profile) = self.0.cache.get(ico.as_str(), &scopes_key, self.now())
        {
            return Ok((profile, Source::Cache));
        }
        let (company, mut live) = self.find(key).await?;
        let ico = company.base.ico.clone();
        let asked_at = self.now();
        let datasets = self.0.store.datasets().states().await?;
        let mut known = Known::read(self, &company, scopes, &datasets, asked_at).await?;
        let now_due = known.due_parts(Due::Now);
        if !now_due.is_empty() {
            live |= self.fetch_within_budget(&company, now_due).await;
            known = Known::read(self, &company, scopes, &datasets, asked_at).await?;
        }
        let refreshes = known.due_parts(Due::Refresh);
        let retries = known.due_parts(Due::Now);
        for part in refreshes.into_iter().chain(retries) {
            self.start_refresh(&company, part);
        }
        let now = self.now();
        let parts = known.parts(self, &company, live, now);
        let profile = Arc::new(assemble(&parts));
        if !profile.stale {
            let fresh_until = known.fresh_until(self, now);
            self.0
                .cache
                .put(&ico, &scopes_key, Arc::clone(&profile), fresh_until, now);
        }
        let source = profile.source;
        Ok((profile, source))
    }

    /// The base record behind a key, and whether a register was asked for it.
    async fn find(&self, key: &CompanyKey) -> Result<(StoredCompany, bool), ProfileError> {
        let companies = self.0.store.companies();
        match key {
            CompanyKey::Ico(ico) => {
                if let Some(company) = companies.find_by_ico(ico.as_str()).await? {
                    return Ok((company, false));
                }
                self.find_live(ico.as_str())
                    .await
                    .map(|company| (company, true))
            }
            CompanyKey::Id(id) => companies
                .find_by_id(*id)
                .await?
                .map(|company| (company, false))
                .ok_or(ProfileError::NoSuchCompany),
            CompanyKey::OrsrId(id) => self.find_by_orsr_id(id).await,
        }
    }

    async fn find_live(&self, ico: &str) -> Result<StoredCompany, ProfileError> {
        let remembered = Duration::from_secs(self.0.freshness.not_found_seconds);
        if self
            .0
            .unknown
            .get(ico)
            .is_some_and(|since| self.now() - since < remembered)
        {
            return Err(ProfileError::NoSuchCompany);
        }
        // Several callers of one unknown company share one question to the registers.
        let name = format!("{ico}:base");
        let mut arrived = self.0.arrived.subscribe();
        while !self.begin(&name) {
            if arrived.changed().await.is_err() {
                break;
            }
            if let Some(company) = self.0.store.companies().find_by_ico(ico).await? {
                return Ok(company);
            }
            if self.0.unknown.get(ico).is_some() {
                return Err(ProfileError::NoSuchCompany);
            }
        }
        let (this, ico) = (self.clone(), ico.to_owned());
        // A task of its own: the answer is kept even when the client has left.
        let asked = tokio::spawn(async move {
            let _ended = Ended {
                companies: this.clone(),
                name,
            };
            let fetched = this.fetch_base(&ico).await;
            if matches!(fetched, Ok(None)) {
                this.0.unknown.insert(ico, this.now());
            }
            fetched
        });
        match asked.await {
            Ok(Ok(Some(found))) => Ok(found.company),
            Ok(Ok(None)) => Err(ProfileError::NoSuchCompany),
            Ok(Err(FetchError::Call(failure))) => Err(ProfileError::Unread(failure)),
            Ok(Err(FetchError::Store(error))) => Err(error.into()),
            Err(error) => Err(ProfileError::Unread(CallFailure::Trap(error.to_string()))),
        }
    }

    async fn find_by_orsr_id(&self, id: &str) -> Result<(StoredCompany, bool), ProfileError> {
        let companies = self.0.store.companies();
        let catalogue = self.0.connectors.catalogue();
        let mut stored: Vec<String> = Vec::new();
        for loaded in catalogue.details_registers() {
            let found = self.0.store.details().find_by_register_id(&loaded.manifest.id, id).await?;
            stored.extend(found.into_iter().map(|details| details.ico));
        }
        if stored.len() > 1 {
            return Err(ProfileError::Ambiguous(id.to_owned()));
        }
        // The same number is given by every court, so that one of its companies is stored does not make it the only one.
        let known = stored.pop().filter(|_| id.contains('/')).or_else(|| self.0.lone_ids.get(id));
        if let Some(ico) = known
            && let Some(company) = companies.find_by_ico(&ico).await?
        {
            return Ok((company, false));
        }
        match self.fetch_by_register_id(id).await {
            Ok(Some(company)) => {
                self.0.lone_ids.insert(id.to_owned(), company.base.ico.clone());
                Ok((company, true))
            }
            Ok(None) => Err(ProfileError::NoSuchCompany),
            Err(FetchError::Call(CallFailure::Failed(Failure::Other((code, _))))) if code == "ambiguous" => {
                Err(ProfileError::Ambiguous(id.to_owned()))
            }
            Err(FetchError::Call(failure)) => Err(ProfileError::Unread(failure)),
            Err(FetchError::Store(error)) => Err(error.into()),
        }
    }

    /// Fetches parts at once and waits for them no longer than the budget; those that take longer go on by
    /// themselves. True when a register was asked.
    async fn fetch_within_budget(&self, company: &StoredCompany, parts: Vec<Part>) -> bool {
        let mut fetches = JoinSet::new();
        for part in parts {
            let name = format!("{}:{}", company.base.ico, part.name());
            let (this, company) = (self.clone(), company.clone());
            if self.begin(&name) {
                let fetching = tokio::spawn(async move {
                    let _ended = Ended {
                        companies: this.clone(),
                        name,
                    };
                    this.fetch(&company, part).await.unwrap_or_default()
                });
                fetches.spawn(async move { fetching.await.unwrap_or_default() });
            } else {
                // Somebody else's question is under way: its answer serves this one too.
                fetches.spawn(async move {
                    let mut arrived = this.0.arrived.subscribe();
                    while this.is_under_way(&name) {
                        if arrived.changed().await.is_err() {
                            break;
                        }
                    }
                    1
                });
            }
        }
        let mut requests = 0;
        let all = async {
            while let Some(made) = fetches.join_next().await {
                requests += made.unwrap_or_default();
            }
        };
        let budget = Duration::from_millis(self.0.freshness.live_budget_ms);
        let in_time = tokio::time::timeout(budget, all).await.is_ok();
        // Dropping the set would end only the waiting, not the fetches, which are tasks of their own.
        fetches.detach_all();
        requests > 0 || !in_time
    }

    /// Starts the refresh of a part in the background, unless this or another host is at it.
    fn start_refresh(&self, company: &StoredCompany, part: Part) {
        let name = format!("{}:{}", company.base.ico, part.name());
        if !self.begin(&name) {
            return;
        }
        let (this, company) = (self.clone(), company.clone());
        tokio::spawn(async move {
            let _ended = Ended {
                companies: this.clone(),
                name: name.clone(),
            };
            let lease = format!("refresh:{name}");
            let leases = this.0.store.leases();
            match leases
                .acquire(&lease, &this.0.host, REFRESH_LEASE, this.now())
                .await
            {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "a refresh could not be leased");
                    return;
                }
            }
            if let Err(error) = this.fetch(&company, part).await {
                tracing::info!(company.ico = %company.base.ico, part = %name, %error, "a refresh gave nothing");
            }
            if let Err(error) = leases.release(&lease, &this.0.host).await {
                tracing::warn!(%error, "a refresh's lease could not be given back; it ends by itself");
            }
        });
    }

    /// Fetches one part and stores it; the number of requests to registers.
    async fn fetch(&self, company: &StoredCompany, part: Part) -> Result<u64, FetchError> {
        let fetched = match &part {
            Part::Base => self.refresh_base(company).await.map(|()| 1),
            Part::Details(loaded) => self.fetch_details(loaded, &company.base.ico).await,
            Part::Section {
                loaded,
                scope,
                previous,
            } => {
                self.fetch_section(loaded, company, scope, previous.as_deref())
                    .await
            }
        };
        self.0.cache.forget(&company.base.ico);
        fetched
    }

    fn begin(&self, name: &str) -> bool {
        self.under_way().insert(name.to_owned())
    }

    fn is_under_way(&self, name: &str) -> bool {
        self.under_way().contains(name)
    }

    fn under_way(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.0
            .under_way
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits until nothing is being fetched, for tests and an orderly end.
    pub async fn settled(&self) {
        let mut arrived = self.0.arrived.subscribe();
        while !self.under_way().is_empty() {
            if arrived.changed().await.is_err() {
                return;
            }
        }
    }

    fn max_age(&self, scope: &ScopeManifest) -> Duration {
        freshness::days(
            self.0
                .max_ages
                .get(&scope.scope)
                .copied()
                .unwrap_or(scope.max_age_days),
        )
    }
}

/// Says that a fetch ended, however it ended.
struct Ended {
    companies: Companies,
    name: String,
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.companies.under_way().remove(&self.name);
        self.companies.0.arrived.send_modify(|count| *count += 1);
    }
}

/// What the store knows of a company, and what is due.
struct Known {
    base_seen_at: OffsetDateTime,
    base_due: Due,
    base_register: String,
    details: Vec<KnownDetails>,
    sections: Vec<KnownSection>,
}

struct KnownDetails {
    loaded: Arc<Loaded>,
    stored: Option<StoredDetails>,
    applies: bool,
    due: Due,
}

struct KnownSection {
    loaded: Arc<Loaded>,
    scope: ScopeManifest,
    stored: Option<StoredSection>,
    as_of: Option<OffsetDateTime>,
    applies: bool,
    due: Due,
}

impl Known {
    async fn read(
        companies: &Companies,
        company: &StoredCompany,
        scopes: &AllowedScopes,
        datasets: &[DatasetState],
        asked_at: OffsetDateTime,
    ) -> Result<Self, StoreError> {
        let now = companies.now();
        let settings = &companies.0.freshness;
        let catalogue = companies.0.connectors.catalogue();
        let facts = fetch::facts(company);
        let nace = company.base.nace_code.as_deref();

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

        let mut stored_details = companies.0.store.details().find(&company.base.ico).await?;
        let mut details = Vec::new();
        for loaded in catalogue.details_registers() {
            let Some(source) = &loaded.manifest.company_source else {
                continue;
            };
            let place = stored_details
                .iter()
                .position(|stored| stored.connector == loaded.manifest.id);
            let stored = place.map(|place| stored_details.swap_remove(place));
            let applies = source.applies_to.includes(nace, &facts);
            let due = if applies {
                freshness::details(stored.as_ref(), settings, now)
            } else {
                Due::No
            };
            details.push(KnownDetails {
                loaded: Arc::clone(loaded),
                stored,
                applies,
                due,
            });
        }

        let names: Vec<&str> = scopes.iter().collect();
        let mut stored_sections = if names.is_empty() {
            Vec::new()
        } else {
            companies
                .0
                .store
                .sections()
                .find(&company.base.ico, &names)
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
            let stored = place.map(|place| stored_sections.swap_remove(place));
            let applies = scope.applies_to.includes(nace, &facts);
            let due = if applies {
                freshness::section(
                    stored.as_ref(),
                    scope,
                    companies.max_age(scope),
                    &own,
                    settings,
                    asked_at,
                    now,
                )
            } else {
                Due::No
            };
            let as_of = stored
                .as_ref()
                .and_then(|stored| freshness::section_as_of(stored, scope, &own));
            sections.push(KnownSection {
                loaded: Arc::clone(loaded),
                scope: scope.clone(),
                stored,
                as_of,
                applies,
                due,
            });
        }
        Ok(Self {
            base_due: freshness::base(base_seen_at, settings, now),
            base_seen_at,
            base_register: register_title(&catalogue, register),
            details,
            sections,
        })
    }

    fn due_parts(&self, due: Due) -> Vec<Part> {
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
                    scope: section.scope.scope.clone(),
                    previous: section.stored.clone().map(Box::new),
                });
            }
        }
        parts
    }

    fn fresh_until(&self, companies: &Companies, now: OffsetDateTime) -> OffsetDateTime {
        let details_age = freshness::days(companies.0.freshness.details_days);
        let base = self.base_seen_at + details_age;
        let details = self
            .details
            .iter()
            .filter_map(|part| Some(part.stored.as_ref()?.fetched_at? + details_age));
        let sections = self
            .sections
            .iter()
            .filter_map(|part| Some(part.as_of? + companies.max_age(&part.scope)));
        let asked_anew = self
            .sections
            .iter()
            .any(|part| companies.max_age(&part.scope).is_zero());
        if asked_anew {
            return now;
        }
        details.chain(sections).fold(base, OffsetDateTime::min)
    }

    fn parts<'a>(
        &self,
        companies: &Companies,
        company: &'a StoredCompany,
        live: bool,
        now: OffsetDateTime,
    ) -> Parts<'a> {
        let staleness = Staleness {
            details: self.base_due.is_stale()
                || self.details.iter().any(|part| part.due.is_stale()),
            sections: self.sections.iter().any(|part| part.due.is_stale()),
        };
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
            },
            details: self.details.iter().map(KnownDetails::part).collect(),
            sections: self.sections.iter().map(KnownSection::part).collect(),
            staleness,
            retry_at: now + Duration::from_secs(companies.0.freshness.retry_after_seconds),
            live,
            built_at: now,
        }
    }
}

fn register_title(catalogue: &crate::connectors::catalogue::Catalogue, id: &str) -> String {
    catalogue
        .serving(id)
        .map_or_else(|| id.to_owned(), |loaded| loaded.manifest.register.clone())
}

fn imports_companies(
    catalogue: &crate::connectors::catalogue::Catalogue,
    dataset: &DatasetState,
) -> bool {
    use crate::connectors::manifest::Target;
    catalogue
        .serving(&dataset.connector)
        .and_then(|loaded| loaded.manifest.dataset(&dataset.dataset))
        .is_some_and(|manifest| manifest.target == Target::Companies)
}

impl KnownDetails {
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
        let state = match (self.applies, content.is_some(), self.due.is_stale()) {
            (false, _, _) => "not_applicable",
            (true, false, _) => "unread",
            (true, true, true) => "stale",
            (true, true, false) => "fresh",
        };
        SectionPart {
            scope: self.scope.scope.clone(),
            key: self.scope.key.clone(),
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
            },
        }
    }
}

/// The code of a stored failure, whose text begins with its kind.
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
