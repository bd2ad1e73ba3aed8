//! Profile requests: cache, store, registers, response, and the refreshes that stale parts start.

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tracing::Instrument;

use super::assemble::{Profile, assemble};
use super::cache::{CacheSlot, CacheState};
use super::fetch::FetchError;
use super::freshness::Freshness;
use super::reasons::failure_code;
use super::refresh::FetchGuard;
use super::stored_profile::StoredProfile;
use super::{AllowedScopes, Companies, Ico};
use crate::connectors::CallFailure;
use crate::connectors::bindings::types::Failure;
use crate::store::{StoreError, StoredCompany, StoredParts};

/// How a request identifies a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompanyKey {
    /// Registration number (IČO), 8 digits.
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
    #[error("the company is not known here yet and the register could not be read: {}", failure_code(.0.kind()))]
    Unread(CallFailure),
    #[error("the store failed")]
    Store(#[from] StoreError),
}

/// A profile, and what is needed to cache it.
pub struct Answer {
    pub profile: Arc<Profile>,
    /// `None` if the profile is stale or came from the cache.
    keep: Option<Keep>,
}

struct Keep {
    slot: CacheSlot,
    scopes: String,
    profile: Arc<Profile>,
    fresh_until: OffsetDateTime,
}

impl Companies {
    /// A company's cached profile with the requested scopes. Always `None` for an id of the commercial register, which
    /// several companies may have.
    ///
    /// # Errors
    /// The store failed.
    pub async fn cached_answer(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<Option<Answer>, StoreError> {
        match key {
            CompanyKey::Ico(ico) => Ok(self.cached(ico.as_str(), scopes)),
            CompanyKey::Id(id) => {
                let found = self.0.context.store.companies().find_by_id(*id).await?;
                Ok(found.and_then(|found| self.cached(&found.base.ico, scopes)))
            }
            CompanyKey::OrsrId(_) => Ok(None),
        }
    }

    fn cached(&self, ico: &str, scopes: &AllowedScopes) -> Option<Answer> {
        let profile = self.0.cache.get(ico, &scopes.key(), self.now())?;
        Some(Answer {
            profile,
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
    ) -> Result<Arc<Profile>, ProfileError> {
        Ok(self.answer(key, scopes).await?.profile)
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
        if let Some(answer) = self.cached_answer(key, scopes).await? {
            return Ok(answer);
        }
        self.0.cache.count_miss();
        let span = tracing::debug_span!(target: "traces", "assemble company");
        self.assembled(key, scopes).instrument(span).await
    }

    async fn assembled(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<Answer, ProfileError> {
        // Take the time and the cache slot before reading: whatever others fetch from here on is newer than
        // this answer.
        let asked_at = self.now();
        let slot = match key {
            CompanyKey::Ico(ico) => Some(self.0.cache.slot(ico.as_str())),
            CompanyKey::Id(_) | CompanyKey::OrsrId(_) => None,
        };
        let (company, parts, mut live) = self.find_with_parts(key, scopes).await?;
        if let CompanyKey::OrsrId(_) = key
            && let Some(answer) = self.cached(&company.base.ico, scopes)
        {
            return Ok(answer);
        }
        let mut slot = slot.unwrap_or_else(|| self.0.cache.slot(&company.base.ico));
        let mut stored = StoredProfile::new(self, &company, scopes, parts, asked_at);
        let now_due = stored.due_parts(Freshness::Missing);
        if !now_due.is_empty() {
            live |= self.fetch_within_budget(&company, now_due).await;
            slot = self.0.cache.slot(&company.base.ico);
            let companies = self.0.context.store.companies();
            let parts = companies.parts(&company.base.ico, scopes.iter()).await?;
            stored = StoredProfile::new(self, &company, scopes, parts, asked_at);
        }
        let refreshes = stored.due_parts(Freshness::Stale);
        let retries = stored.due_parts(Freshness::Missing);
        for part in refreshes.into_iter().chain(retries) {
            self.start_refresh(&company, part, asked_at);
        }
        let now = self.now();
        let parts = stored.parts(self, &company, live, now);
        let profile = Arc::new(assemble(&parts));
        let keep = (!profile.stale).then(|| Keep {
            slot,
            scopes: scopes.key(),
            profile: Arc::clone(&profile),
            fresh_until: stored.fresh_until(now),
        });
        Ok(Answer { profile, keep })
    }

    /// Use and size of the cache of profiles.
    #[must_use]
    pub fn cache_state(&self) -> CacheState {
        self.0.cache.state()
    }

    /// Caches an answer, which makes repeats free. Call it only for answers that were paid for.
    pub fn keep(&self, answer: &Answer) {
        if let Some(keep) = &answer.keep {
            let (cache, now) = (&self.0.cache, self.now());
            let (profile, until) = (&keep.profile, keep.fresh_until);
            cache.put(&keep.slot, &keep.scopes, profile, until, now);
        }
    }

    /// The company of a key with its stored parts, and whether a register was asked for it.
    async fn find_with_parts(
        &self,
        key: &CompanyKey,
        scopes: &AllowedScopes,
    ) -> Result<(StoredCompany, StoredParts, bool), ProfileError> {
        let companies = self.0.context.store.companies();
        let (company, live) = match key {
            CompanyKey::Ico(ico) => {
                let found = companies
                    .find_with_parts(ico.as_str(), scopes.iter())
                    .await?;
                if let Some((company, parts)) = found {
                    return Ok((company, parts, false));
                }
                (self.find_live(ico.as_str()).await?, true)
            }
            CompanyKey::Id(id) => {
                let found = companies.find_by_id(*id).await?;
                (found.ok_or(ProfileError::NoSuchCompany)?, false)
            }
            CompanyKey::OrsrId(id) => self.find_by_orsr_id(id).await?,
        };
        let parts = companies.parts(&company.base.ico, scopes.iter()).await?;
        Ok((company, parts, live))
    }

    /// Whether every base register was read lately and none knew the company.
    fn is_unknown(&self, ico: &str) -> bool {
        let ttl = Duration::from_secs(self.0.freshness.not_found_seconds);
        let since = self.0.unknown.get(ico);
        since.is_some_and(|since| self.now() - since < ttl)
    }

    async fn find_live(&self, ico: &str) -> Result<StoredCompany, ProfileError> {
        if self.is_unknown(ico) {
            return Err(ProfileError::NoSuchCompany);
        }
        // Concurrent requests for one unknown company share one look-up in the registers.
        let name = format!("{ico}:base");
        let mut arrived = self.0.arrived.subscribe();
        while !self.begin(&name) {
            if arrived.changed().await.is_err() {
                break;
            }
            if let Some(company) = self.0.context.store.companies().find_by_ico(ico).await? {
                return Ok(company);
            }
            if self.is_unknown(ico) {
                return Err(ProfileError::NoSuchCompany);
            }
        }
        let (this, ico) = (self.clone(), ico.to_owned());
        // A separate task: the result is stored even if the client disconnects.
        let asking = async move {
            let _guard = FetchGuard {
                companies: this.clone(),
                name,
            };
            let fetched = this.fetch_base(&ico).await;
            if matches!(fetched, Ok(None)) {
                this.0.unknown.insert(ico, this.now());
            }
            fetched
        };
        let background = &self.connectors().services.background;
        let asked = background.spawn(asking.in_current_span());
        match asked.await {
            Ok(Ok(Some(found))) => Ok(found.company),
            Ok(Ok(None)) => Err(ProfileError::NoSuchCompany),
            Ok(Err(FetchError::Call(failure))) => Err(ProfileError::Unread(failure)),
            Ok(Err(FetchError::Store(error))) => Err(error.into()),
            Err(error) => Err(ProfileError::Unread(CallFailure::Trap(error.to_string()))),
        }
    }

    async fn find_by_orsr_id(&self, id: &str) -> Result<(StoredCompany, bool), ProfileError> {
        let companies = self.0.context.store.companies();
        let stored = self.stored_with_orsr_id(id).await?;
        // Every court assigns the same numbers, so one stored company does not make a bare number unambiguous.
        let known = stored
            .filter(|_| id.contains('/'))
            .or_else(|| self.0.unambiguous_ids.get(id));
        if let Some(ico) = known
            && let Some(company) = companies.find_by_ico(&ico).await?
        {
            return Ok((company, false));
        }
        let (this, wanted) = (self.clone(), id.to_owned());
        let fetch = async move { this.fetch_by_register_id(&wanted).await };
        let background = &self.connectors().services.background;
        let fetched = match background.spawn(fetch.in_current_span()).await {
            Ok(fetched) => fetched,
            Err(error) => Err(FetchError::Call(CallFailure::Trap(error.to_string()))),
        };
        match fetched {
            Ok(Some(company)) => {
                self.0
                    .unambiguous_ids
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
}
