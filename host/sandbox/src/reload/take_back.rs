//! Rollback of a version by an operator, and its release.
//!
//! The version in the components directory stays there. Its digest is recorded on disk before the version before
//! serves, so that neither a reload nor a start loads it until it is released. Another version in its place is loaded
//! as usual.

use std::sync::Arc;

use lustra_store::ConnectorId;

use crate::catalogue::CatalogueEntry;
use crate::component::Loaded;
use crate::last_known_good::HoldError;
use crate::refusal::Refusal;
use crate::running::Connectors;

/// Why an operator could not roll a version back or release it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TakeBackError {
    #[error("there is no such connector, or it does not serve")]
    NotServing,
    #[error("no earlier version is saved that could serve with the present settings")]
    NoEarlierVersion,
    #[error("another version has begun to serve meanwhile")]
    Changed,
    #[error("an operator rolled back no version of it")]
    NotHeld,
    #[error("too many versions of it are rolled back; release them first")]
    TooManyHeld,
    #[error(
        "it could not be saved that the version is rolled back, so it still serves; the log has the reason"
    )]
    NotSaved,
}

/// A version that an operator rolled back, and the one that serves instead.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TakenBack {
    pub id: String,
    pub version: String,
    pub digest: String,
    pub previous_version: String,
    pub previous_digest: String,
}

impl Connectors {
    /// Digest of the version that would serve after a rollback of the present one. `None`: there is none.
    #[must_use]
    pub fn earlier_version(&self, id: &ConnectorId) -> Option<String> {
        let catalogue = self.catalogue();
        let entry = catalogue.entries.get(id.as_str())?;
        let serving = entry.serving()?;
        let saved = self.last_known_good.record(id).unwrap_or_default().good;
        let saved = saved
            .into_iter()
            .find(|digest| *digest != serving.digest && self.last_known_good.has(id, digest));
        saved.or_else(|| on_probation(entry, serving).map(|previous| previous.digest.clone()))
    }

    /// Whether an operator rolled this version back and did not release it.
    #[must_use]
    pub fn is_held(&self, id: &ConnectorId, digest: &str) -> bool {
        self.last_known_good.is_held(id, digest)
    }

    /// Lets the version before serve again, until the present one is released or another one replaces it.
    ///
    /// # Errors
    /// There is no version before that can serve, or the rollback could not be saved. The present version serves on.
    pub async fn take_back(&self, id: &ConnectorId) -> Result<TakenBack, TakeBackError> {
        let _one_at_a_time = self.reloading.lock().await;
        let catalogue = self.catalogue();
        let entry = catalogue
            .entries
            .get(id.as_str())
            .ok_or(TakeBackError::NotServing)?;
        let loaded = Arc::clone(entry.serving().ok_or(TakeBackError::NotServing)?);
        let config = self.config();
        let own = config.connector.get(id).ok_or(TakeBackError::NotServing)?;
        let saved = self.load_kept(id, Some(&loaded.digest), own).await;
        let previous = saved.or_else(|| on_probation(entry, &loaded).cloned());
        let previous = previous.ok_or(TakeBackError::NoEarlierVersion)?;
        let reason = Refusal::RolledBack(
            "rolled back by an operator; the version before serves until it is released".to_owned(),
        );
        let taken = TakenBack {
            id: id.to_string(),
            version: loaded.manifest.version.clone(),
            digest: loaded.digest.clone(),
            previous_version: previous.manifest.version.clone(),
            previous_digest: previous.digest.clone(),
        };
        // Saved first: a rollback that ends with a restart must not look like one that lasts.
        let held = self
            .last_known_good
            .hold(id, &taken.digest, &reason.reason());
        held.map_err(|error| not_held(id, error))?;
        let mut is_done = false;
        self.change(|entries| {
            let serving = entries.get(id.as_str()).and_then(CatalogueEntry::serving);
            let is_same = serving.is_some_and(|serving| Arc::ptr_eq(serving, &loaded));
            let Some(entry) = entries.get_mut(id.as_str()).filter(|_| is_same) else {
                return;
            };
            let now = self.services.clock.now();
            *entry = entry.rolled_back(&loaded, previous, &reason, now);
            is_done = true;
        });
        if !is_done {
            self.last_known_good.release(id, Some(&taken.digest));
            return Err(TakeBackError::Changed);
        }
        self.note_success(id);
        tracing::warn!(connector.id = id.as_str(), digest = %taken.digest, "an operator rolled version {} of {id} back; version {} serves", taken.version, taken.previous_version);
        Ok(taken)
    }

    /// Lets the next reload load the version in the directory that an operator rolled back, or else every version of
    /// the connector that an operator rolled back.
    ///
    /// # Errors
    /// [`TakeBackError::NotHeld`].
    pub async fn release(&self, id: &ConnectorId) -> Result<(), TakeBackError> {
        let _one_at_a_time = self.reloading.lock().await;
        let catalogue = self.catalogue();
        let entry = catalogue.entries.get(id.as_str());
        let rejected = entry.and_then(|entry| entry.rejected.as_ref());
        let digest = rejected.and_then(|rejected| rejected.digest.as_deref());
        if !self.last_known_good.release(id, digest) {
            return Err(TakeBackError::NotHeld);
        }
        self.change(|entries| {
            if let Some(entry) = entries.get_mut(id.as_str()) {
                entry.rejected = None;
            }
        });
        tracing::info!(
            connector.id = id.as_str(),
            "an operator released the version of {id} that was rolled back"
        );
        Ok(())
    }
}

/// Logs why a rollback could not be saved.
fn not_held(id: &ConnectorId, error: HoldError) -> TakeBackError {
    match error {
        HoldError::TooMany => TakeBackError::TooManyHeld,
        HoldError::NotWritten(error) => {
            tracing::error!(connector.id = id.as_str(), %error, "the rollback of {id} by an operator could not be saved: {error}");
            TakeBackError::NotSaved
        }
    }
}

/// The version before, while the present one is on probation for its code and not for its settings.
fn on_probation<'a>(entry: &'a CatalogueEntry, serving: &Loaded) -> Option<&'a Arc<Loaded>> {
    let previous = &entry.probation.as_ref()?.previous;
    (previous.digest != serving.digest).then_some(previous)
}
