//! Profile requests: cache, store, registers, response, and the refreshes that stale parts start.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use time::OffsetDateTime;
use tracing::Instrument;

use super::assemble::{Profile, Source, assemble};
use super::cache::{Place, ProfileCache};
use super::contradictions::Contradictions;
use super::fetch::FetchError;
use super::freshness::Freshness;
use super::refresh::Ended;
use super::stored_profile::StoredProfile;
use super::{AllowedScopes, Ico};
use crate::config::{Config, FreshnessConfig};
use crate::connectors::bindings::types::Failure;
use crate::connectors::{CallFailure, Connectors, Loaded};
use crate::store::{Store, StoreError, StoredCompany, StoredSection};

/// How long a bare id stays bound to one company. Limited because the register assigns new ids daily.
const LONE_ID: Duration = Duration::from_secs(86_400);

/// How a request identifies a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompanyKey {
    /// Registration number (IČO).
    Ico(Ico),
    /// Id in this database.
    Id(i64),
    /// The commercial register's id: digits, or digits, a slash and the court's number.
    OrsrId(String),
}

/// Errors of a profile request.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Every base register was read and none knows the company.
    #[error("no such company")]
    NoSuchCompany,
    /// The key matches more than one company.
    #[error("several companies have the id {0}; add the court, as in {0}/2")]
    Ambiguous(String),
    /// The company is not stored, and a register that may know it could not be read.
    #[error("the company is not known here yet and the register could not be read: {}", code(.0))]
    Unread(CallFailure),
    #[error("the store failed")]
    Store(#[from] StoreError),
}

/// A failure as a code for clients, without details of the connector.
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

/// A profile, its source, and what is needed to cache it.
pub struct Answer {
    pub profile: Arc<Profile>,
    /// Cache, store or registers.
    pub source: Source,
    /// `None` if the profile is stale or came from the cache.
    keep: Option<Keep>,
}

struct Keep {
    place: Place,
    scopes: String,
    profile: Arc<Profile>,
    fresh_until: OffsetDateTime,
}

/// The companies of one host. Clones share all state.
#[derive(Clone)]
pub struct Companies(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) store: Store,
    pub(super) connectors: Arc<Connectors>,
    config: ArcSwap<Config>,
    pub(super) freshness: FreshnessConfig,
    pub(super) cache: ProfileCache,
    pub(super) unknown: moka::sync::Cache<String, OffsetDateTime>,
    /// When the source register was last asked to confirm a base record.
    pub(super) base_tried: moka::sync::Cache<String, OffsetDateTime>,
    /// Bare commercial-register ids that matched a single company.
    pub(super) lone_ids: moka::sync::Cache<String, String>,
    /// Names of the parts that this host is fetching. Deduplicates concurrent fetches.
    pub(super) under_way: Mutex<BTreeSet<String>>,
    pub(super) arrived: tokio::sync::watch::Sender<u64>,
    pub(super) host: String,
    pub(super) contradictions: Contradictions,
}

/// A part of a company's profile that can be fetched separately.
#[derive(Clone)]
pub(super) enum Part {
    Base,
    Details(Arc<Loaded>),
    Section {
        loaded: Arc<Loaded>,
        scope: String,
        previous: Option<Box<StoredSection>>,
    },
}

impl Part {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Base => "base".to_owned(),
            Self::Details(loaded) => format!("details:{}", loaded.manifest.id),
            Self::Section { scope, .. } => format!("scope:{scope}"),
        }
    }
}

impl Companies {
    /// Creates the companies over a store and connectors. `host` names this process in leases.
    #[must_use]
    pub fn new(store: Store, connectors: Arc<Connectors>, config: &Config, host: String) -> Self {
        let freshness = config.freshness.clone();
        Self(Arc::new(Inner {
            cache: ProfileCache::new(&freshness),
            unknown: moka::sync::Cache::builder().max_capacity(100_000).build(),
            base_tried: moka::sync::Cache::builder().max_capacity(100_000).build(),
            lone_ids: moka::sync::Cache::builder()
                .max_capacity(100_000)
                .time_to_live(LONE_ID)
                .build(),
            store,
            connectors,
            config: ArcSwap::from_pointee(config.clone()),
            freshness,
            under_way: Mutex::default(),
            arrived: tokio::sync::watch::Sender::new(0),
            host,
            contradictions: Contradictions::default(),
        }))
    }

    /// Facts that registers state differently.
    #[must_use]
    pub fn contradictions(&self) -> &Contradictions {
        &self.0.contradictions
    }

    #[must_use]
    pub fn connectors(&self) -> &Arc<Connectors> {
        &self.0.connectors
    }

    /// The settings in force: those at the start, with the changes reloaded since.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.0.config.load_full()
    }

    /// Applies reloaded settings.
    pub fn set_config(&self, config: Config) {
        self.0.config.store(Arc::new(config));
    }

    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.0.connectors.services.clock.now()
    }

    /// Converts a time to the clock of clients and receivers.
    pub(crate) fn elsewhere(&self, at: OffsetDateTime) -> OffsetDateTime {
        self.0.connectors.services.clock.elsewhere(at)
    }

    /// Clears the cache, after an import.
    pub fn forget_all(&self) {
        self.0.cache.forget_all();
        self.0.unknown.invalidate_all();
    }

    /// A company's cached profile with the requested scopes.
    #[must_use]
    pub fn remembered(&self, key: &CompanyKey, scopes: &AllowedScopes) -> Option<Answer> {
        let CompanyKey::Ico(ico) = key else {
            return None;
        };
        let (cache, now) = (&self.0.cache, self.now());
        let profile = cache.get(ico.as_str(), &scopes.key(), now)?;
        Some(Answer {
            profile,
            source: Source::Cache,
            keep: None,
        })
    }

    /// A company's profile with the requested scopes. Does not cache it.
    ///
    /// # Errors
    /// A [`ProfileError`]. A part that could not be read is not an error; the profile marks it.
    pub async fn profile(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<(Arc<Profile>, Source), ProfileError> {
        let answer = self.answer(key, scopes).await?;
        Ok((answer.profile, answer.source))
    }

    /// Like [`Self::profile`], with what [`Self::keep`] needs to cache the answer.
    ///
    /// # Errors
    /// The same as of [`Self::profile`].
    pub async fn answer(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<Answer, ProfileError> {
        if let Some(answer) = self.remembered(key, scopes) {
            return Ok(answer);
        }
        // Take the time and the cache slot before reading: whatever others fetch from here on is newer than
        // this answer.
        let asked_at = self.now();
        let place = match key {
            CompanyKey::Ico(ico) => Some(self.0.cache.place(ico.as_str())),
            CompanyKey::Id(_) | CompanyKey::OrsrId(_) => None,
        };
        let (company, mut live) = self.find(key).await?;
        let mut place = place.unwrap_or_else(|| self.0.cache.place(&company.base.ico));
        let datasets = self.0.store.datasets().states().await?;
        let mut known = StoredProfile::read(self, &company, scopes, &datasets, asked_at).await?;
        let now_due = known.due_parts(Freshness::Missing);
        if !now_due.is_empty() {
            live |= self.fetch_within_budget(&company, now_due).await;
            place = self.0.cache.place(&company.base.ico);
            known = StoredProfile::read(self, &company, scopes, &datasets, asked_at).await?;
        }
        let refreshes = known.due_parts(Freshness::Stale);
        let retries = known.due_parts(Freshness::Missing);
        for part in refreshes.into_iter().chain(retries) {
            self.start_refresh(&company, part, asked_at);
        }
        let now = self.now();
        let parts = known.parts(self, &company, live, now);
        let profile = Arc::new(assemble(&parts));
        let keep = (!profile.stale).then(|| Keep {
            place,
            scopes: scopes.key(),
            profile: Arc::clone(&profile),
            fresh_until: known.fresh_until(now),
        });
        Ok(Answer {
            source: profile.source,
            profile,
            keep,
        })
    }

    /// Caches an answer, which makes repeats free. Call it only for answers that were paid for.
    pub fn keep(&self, answer: &Answer) {
        if let Some(keep) = &answer.keep {
            let profile = Arc::clone(&keep.profile);
            let (cache, now) = (&self.0.cache, self.now());
            cache.put(&keep.place, &keep.scopes, profile, keep.fresh_until, now);
        }
    }

    /// The base record for a key, and whether a register was asked for it.
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
        // Concurrent requests for one unknown company share one look-up in the registers.
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
        // A separate task: the result is stored even if the client disconnects.
        let asking = async move {
            let _ended = Ended {
                companies: this.clone(),
                name,
            };
            let fetched = this.fetch_base(&ico).await;
            if matches!(fetched, Ok(None)) {
                this.0.unknown.insert(ico, this.now());
            }
            fetched
        };
        let asked = tokio::spawn(asking.in_current_span());
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
        let stored = self.stored_with_orsr_id(id).await?;
        // Every court assigns the same numbers, so one stored company does not make a bare number unambiguous.
        let known = stored
            .filter(|_| id.contains('/'))
            .or_else(|| self.0.lone_ids.get(id));
        if let Some(ico) = known
            && let Some(company) = companies.find_by_ico(&ico).await?
        {
            return Ok((company, false));
        }
        match self.fetch_by_register_id(id).await {
            Ok(Some(company)) => {
                self.0
                    .lone_ids
                    .insert(id.to_owned(), company.base.ico.clone());
                Ok((company, true))
            }
            Ok(None) => Err(ProfileError::NoSuchCompany),
            Err(FetchError::Call(CallFailure::Failed(Failure::Other((code, _)))))
                if code == "ambiguous" =>
            {
                Err(ProfileError::Ambiguous(id.to_owned()))
            }
            Err(FetchError::Call(failure)) => Err(ProfileError::Unread(failure)),
            Err(FetchError::Store(error)) => Err(error.into()),
        }
    }

    pub(super) fn base_tried_at(&self, ico: &str) -> Option<OffsetDateTime> {
        self.0.base_tried.get(ico)
    }
}
