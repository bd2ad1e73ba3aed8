//! One item of a batch: a company by number or by name.
//!
//! Every item ends within its time limit with an entry. *Not found* and *could not be read* are different entries. An
//! unread part of a profile is not a failed item; the entry's `meta` lists it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde::Serialize;
use tokio::time::Instant;

use super::Batches;
use super::matching::{Likely, Match, matching};
use crate::companies::{AllowedScopes, CompanyKey, Ico, Profile, ProfileError};
use crate::connectors::CallFailure;
use crate::names;
use crate::search::{Candidate, SearchError};
use crate::store::{BatchKind, InvalidIco};

/// Pause before a retry of a busy or temporarily unavailable source.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// Candidates per name that the index returns.
const MAX_CANDIDATES: usize = 25;

/// Result of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemOutcome {
    Found,
    NotFound,
    Failed,
}

/// An item's result: a JSON object in one line, without the requested key.
#[derive(Debug)]
pub(super) struct ItemEntry {
    pub(super) text: String,
    pub(super) outcome: ItemOutcome,
}

/// Why a look-up failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ItemError {
    #[error(transparent)]
    Profile(ProfileError),
    #[error("names cannot be searched at the moment")]
    Search(#[from] SearchError),
    #[error("the look-up took longer than {0} s")]
    TooLong(u64),
    #[error("an internal error occurred")]
    Panicked,
    #[error("several attempts were started and none finished")]
    GivenUp,
    #[error(transparent)]
    NotAnIco(#[from] InvalidIco),
    #[error("a name has a letter or a digit")]
    NotAName,
}

impl ItemError {
    /// The error code and message for clients.
    fn shown(&self) -> (&'static str, String) {
        const UNAVAILABLE: &str = "service_unavailable";
        const INTERNAL_ERROR: &str = "internal_error";
        match self {
            Self::Profile(ProfileError::Store(error)) if error.is_unavailable() => (
                UNAVAILABLE,
                "the service is temporarily unavailable".to_owned(),
            ),
            Self::Profile(ProfileError::Store(_)) => (INTERNAL_ERROR, Self::Panicked.to_string()),
            // A number is never ambiguous, and an unknown number is not an error.
            Self::Profile(
                ProfileError::Unread(_) | ProfileError::NoSuchCompany | ProfileError::Ambiguous(_),
            )
            | Self::Search(_)
            | Self::TooLong(_) => (UNAVAILABLE, self.to_string()),
            Self::Panicked | Self::GivenUp => (INTERNAL_ERROR, self.to_string()),
            Self::NotAnIco(_) | Self::NotAName => ("validation_error", self.to_string()),
        }
    }
}

/// An entry without a company.
#[derive(Serialize)]
struct EntryWithoutCompany {
    found: bool,
    data: Option<()>,
    /// Only for names; null if no name is similar.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Option<f64>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ambiguous: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<Likely>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl EntryWithoutCompany {
    fn of(kind: BatchKind) -> Self {
        Self {
            found: false,
            data: None,
            confidence: match kind {
                BatchKind::Ico => None,
                BatchKind::Names => Some(None),
            },
            ambiguous: false,
            candidates: None,
            error: None,
            message: None,
        }
    }

    fn entry(&self, outcome: ItemOutcome) -> ItemEntry {
        ItemEntry {
            text: serde_json::to_string(self).expect("texts and numbers always become JSON"),
            outcome,
        }
    }
}

fn failed(kind: BatchKind, error: &ItemError) -> ItemEntry {
    let (code, message) = error.shown();
    let entry = EntryWithoutCompany {
        error: Some(code),
        message: Some(message),
        ..EntryWithoutCompany::of(kind)
    };
    entry.entry(ItemOutcome::Failed)
}

/// The entry of an item in a part that was given up.
pub(super) fn given_up(kind: BatchKind) -> ItemEntry {
    failed(kind, &ItemError::GivenUp)
}

/// The entry of a found company: its profile with `found` inserted at the front, as text.
fn with_profile(profile: &Profile, confidence: Option<f64>) -> ItemEntry {
    let body = String::from_utf8_lossy(&profile.body);
    let inside = body.strip_prefix('{').unwrap_or(&body);
    let mut text = String::with_capacity(body.len() + 40);
    text.push_str("{\"found\":true,");
    if let Some(confidence) = confidence {
        text.push_str(&format!("\"confidence\":{confidence:?},"));
    }
    text.push_str(inside);
    // JSON escapes line breaks inside strings, so these are whitespace from a connector.
    if text.contains(['\n', '\r']) {
        text = text.replace(['\n', '\r'], " ");
    }
    ItemEntry {
        text,
        outcome: ItemOutcome::Found,
    }
}

impl Batches {
    /// Looks an item up once this host has capacity for it.
    pub(super) async fn item(
        &self,
        kind: BatchKind,
        key: &str,
        scopes: &AllowedScopes,
    ) -> ItemEntry {
        let looked_up = self.within_limits(|until| async move {
            match kind {
                BatchKind::Ico => self.by_ico(key, scopes, until).await,
                BatchKind::Names => self.by_name(key, scopes, until).await,
            }
        });
        looked_up.await.unwrap_or_else(|error| {
            tracing::debug!(%error, "look-up of a batch item failed");
            failed(kind, &error)
        })
    }

    /// Does one look-up once this host has capacity for it, and ends it at the time limit that the look-up gets.
    pub(super) async fn within_limits<T, F>(
        &self,
        look_up: impl FnOnce(Instant) -> F,
    ) -> Result<T, ItemError>
    where
        F: Future<Output = Result<T, ItemError>>,
    {
        let _turn = self.0.items.acquire().await;
        let seconds = self.0.settings.item_seconds;
        let until = Instant::now() + Duration::from_secs(seconds);
        let with_timeout = tokio::time::timeout_at(until, look_up(until));
        match AssertUnwindSafe(with_timeout).catch_unwind().await {
            Ok(Ok(looked_up)) => looked_up,
            Ok(Err(_elapsed)) => Err(ItemError::TooLong(seconds)),
            Err(_panic) => {
                tracing::error!("look-up of a batch item panicked");
                Err(ItemError::Panicked)
            }
        }
    }

    /// What a name means.
    pub(super) async fn matched(&self, name: &str, until: Instant) -> Result<Match, ItemError> {
        let candidates = self.candidates(name, until).await?;
        Ok(matching(name, &candidates, self.0.settings.confidence))
    }

    async fn by_ico(
        &self,
        ico: &str,
        scopes: &AllowedScopes,
        until: Instant,
    ) -> Result<ItemEntry, ItemError> {
        match self.profile(ico, scopes, until).await? {
            Some(profile) => Ok(with_profile(&profile, None)),
            None => Ok(EntryWithoutCompany::of(BatchKind::Ico).entry(ItemOutcome::NotFound)),
        }
    }

    async fn by_name(
        &self,
        name: &str,
        scopes: &AllowedScopes,
        until: Instant,
    ) -> Result<ItemEntry, ItemError> {
        if names::name_key(name).is_empty() {
            return Err(ItemError::NotAName);
        }
        let mut without = EntryWithoutCompany::of(BatchKind::Names);
        // A row of a list may have only a number.
        if Ico::parse(name).is_ok() {
            return Ok(match self.profile(name, scopes, until).await? {
                Some(profile) => with_profile(&profile, Some(1.0)),
                None => without.entry(ItemOutcome::NotFound),
            });
        }
        match self.matched(name, until).await? {
            Match::Found { ico, confidence } => {
                // Otherwise the index is ahead of the registers, which no longer know the company.
                if let Some(profile) = self.profile(&ico, scopes, until).await? {
                    return Ok(with_profile(&profile, Some(confidence)));
                }
            }
            Match::Ambiguous {
                confidence,
                candidates,
            } => {
                without.confidence = Some(Some(confidence));
                without.ambiguous = true;
                without.candidates = Some(candidates);
            }
            Match::NotFound {
                confidence,
                candidates,
            } => {
                without.confidence = Some(confidence);
                without.candidates = Some(candidates);
            }
        }
        Ok(without.entry(ItemOutcome::NotFound))
    }

    /// Candidates for a name. While the index is being built after a start, waits for it.
    async fn candidates(&self, name: &str, until: Instant) -> Result<Vec<Candidate>, ItemError> {
        loop {
            let error = match self.0.search.candidates(name, MAX_CANDIDATES).await {
                Ok(candidates) => return Ok(candidates),
                Err(error) => error,
            };
            let passes = match &error {
                SearchError::Building(_) => true,
                SearchError::Store(error) => error.is_unavailable(),
                SearchError::Index(_) | SearchError::Folder(_) | SearchError::Stopped(_) => false,
            };
            if !passes || !pause(until).await {
                return Err(error.into());
            }
        }
    }

    /// The company's profile with these scopes. `None`: no register knows the company. Retries while a source is busy
    /// or the store is unavailable.
    pub(super) async fn profile(
        &self,
        ico: &str,
        scopes: &AllowedScopes,
        until: Instant,
    ) -> Result<Option<Arc<Profile>>, ItemError> {
        let key = CompanyKey::Ico(Ico::parse(ico)?);
        loop {
            let error = match self.0.companies.profile(&key, scopes).await {
                Ok(found) => return Ok(Some(found)),
                Err(ProfileError::NoSuchCompany) => return Ok(None),
                Err(error) => error,
            };
            let passes = match &error {
                ProfileError::Unread(failure) => matches!(failure, CallFailure::Busy),
                ProfileError::Store(error) => error.is_unavailable(),
                ProfileError::NoSuchCompany | ProfileError::Ambiguous(_) => false,
            };
            if !passes || !pause(until).await {
                return Err(ItemError::Profile(error));
            }
        }
    }
}

/// Waits before a retry. `false`: no time is left for one, so the last error is reported instead of a timeout.
async fn pause(until: Instant) -> bool {
    let has_time = Instant::now() + 2 * RETRY_PAUSE < until;
    if has_time {
        tokio::time::sleep(RETRY_PAUSE).await;
    }
    has_time
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(entry: &ItemEntry) -> Value {
        assert!(!entry.text.contains('\n'), "{}", entry.text);
        serde_json::from_str(&entry.text).expect("an entry is JSON")
    }

    #[test]
    fn profile_becomes_an_entry_of_one_line() {
        let profile = Profile::with_data("{\"ico\":\"1\",\r\n\"name\":\"a\\nb\"}");
        assert_eq!(
            read(&with_profile(&profile, Some(0.97))),
            json!({
                "found": true,
                "confidence": 0.97,
                "data": {"ico": "1", "name": "a\nb"},
                "meta": {"source": "database", "cached": false},
            })
        );
        let entry = read(&with_profile(&profile.cached(), None));
        assert_eq!(entry["meta"], json!({"source": "cache", "cached": true}));
    }

    #[test]
    fn given_up_item_claims_nothing_about_the_company() {
        let message = "several attempts were started and none finished";
        let by_ico =
            json!({"found": false, "data": null, "error": "internal_error", "message": message});
        assert_eq!(read(&given_up(BatchKind::Ico)), by_ico);
        let mut by_name = by_ico;
        by_name["confidence"] = Value::Null;
        assert_eq!(read(&given_up(BatchKind::Names)), by_name);
    }
}
