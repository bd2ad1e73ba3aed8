//! Telling clients what changed: watched companies are kept up to date, events are handed to their subscribers, and
//! each delivery is tried until it arrives.
//!
//! What changed and which events that raises is decided where a reading is stored. Every step here is claimed, so that
//! hosts on one store share the work, and one that dies leaves nothing undone. Invariants: an event is handed out once,
//! a delivery is created once for each target, and it is made at least once; a second time only where an attempt is
//! written down as `unknown`.

mod consent;
mod fan_out;
mod health;
mod known;
mod letter;
mod limits;
mod payload;
mod phrases;
mod schedule;
mod secrets;
mod send;
mod sign;
mod targets;
mod trial;
mod upkeep;
mod webhook;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::{Notify, Semaphore};

pub use self::consent::{Confirming, confirm_form};
pub use self::limits::{Resent, Target};
pub use self::secrets::{SecretError, new_secret};
pub use self::targets::{TargetError, WebhookUrl};
pub use self::trial::Trial;

use self::health::Health;
use self::secrets::Sealer;
use self::webhook::Webhooks;
use crate::companies::Companies;
use crate::config::{Notifications as Settings, Secret};
use crate::connectors::egress::{Lookup, Reach, system};
use crate::mail::Mailer;
use crate::store::{Kind, Store};
use crate::worker::Workers;

/// Why nobody can be told anything.
#[derive(Debug, thiserror::Error)]
pub enum NotifierError {
    /// The key of the secrets.
    #[error(transparent)]
    Secrets(#[from] SecretError),
    /// The HTTP client cannot be set up.
    #[error("the client for webhooks cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}

/// Notices changes of watched companies and tells of them. Clones share everything.
#[derive(Clone)]
pub struct Notifier(Arc<Inner>);

struct Inner {
    companies: Companies,
    mailer: Mailer,
    settings: Settings,
    sealer: Sealer,
    webhooks: Webhooks,
    lookup: Lookup,
    health: Health,
    /// Attempts ended, so that there is room.
    ended: Notify,
    /// Turns of watched companies that are refreshed.
    refreshing: Arc<Semaphore>,
}

/// An id that nobody guesses: `sub_…`, `dlv_…`.
fn new_id(what: &str) -> String {
    format!("{what}_{}", uuid::Uuid::new_v4().simple())
}

impl Notifier {
    /// A notifier for these companies; `directory` is where the key of the secrets is kept, where the settings have
    /// none.
    ///
    /// # Errors
    /// A [`NotifierError`].
    pub fn new(
        companies: Companies,
        mailer: Mailer,
        settings: Settings,
        directory: &Path,
    ) -> Result<Self, NotifierError> {
        Self::with_lookup(companies, mailer, settings, directory, system())
    }

    /// As [`Self::new`], with another way from names to addresses.
    ///
    /// # Errors
    /// As there.
    pub fn with_lookup(
        companies: Companies,
        mailer: Mailer,
        settings: Settings,
        directory: &Path,
        lookup: Lookup,
    ) -> Result<Self, NotifierError> {
        Ok(Self(Arc::new(Inner {
            sealer: Sealer::open(settings.sealing_key(), directory)?,
            webhooks: Webhooks::new(&settings, Arc::clone(&lookup))?,
            lookup,
            health: Health::new(settings.in_flight, settings.in_flight_per_host),
            ended: Notify::new(),
            refreshing: Arc::new(Semaphore::new(
                usize::try_from(settings.refresh_at_once).unwrap_or(1),
            )),
            companies,
            mailer,
            settings,
        })))
    }

    fn companies(&self) -> &Companies {
        &self.0.companies
    }

    fn store(&self) -> &Store {
        self.0.companies.store()
    }

    fn mailer(&self) -> &Mailer {
        &self.0.mailer
    }

    fn settings(&self) -> &Settings {
        &self.0.settings
    }

    fn sealer(&self) -> &Sealer {
        &self.0.sealer
    }

    fn webhooks(&self) -> &Webhooks {
        &self.0.webhooks
    }

    fn health(&self) -> &Health {
        &self.0.health
    }

    fn now(&self) -> OffsetDateTime {
        self.0.companies.now()
    }

    /// An id for a new subscription.
    #[must_use]
    pub fn new_subscription_id(&self) -> String {
        new_id("sub")
    }

    /// A secret as it is stored.
    #[must_use]
    pub fn seal(&self, secret: &Secret) -> String {
        self.sealer().seal(secret, send::SEALED_FOR)
    }

    /// A stored secret.
    ///
    /// # Errors
    /// [`SecretError::OtherKey`].
    pub fn open_sealed(&self, sealed: &str) -> Result<Secret, SecretError> {
        self.sealer().open_sealed(sealed, send::SEALED_FOR)
    }

    /// Checks where a webhook would go: its text, and what its name leads to now. A name that leads nowhere for the
    /// moment is taken.
    ///
    /// # Errors
    /// A [`TargetError`].
    pub async fn check_webhook(&self, text: &str) -> Result<WebhookUrl, TargetError> {
        let reach = self.webhooks().reach();
        let target = WebhookUrl::parse(text, reach)?;
        let Some(url::Host::Domain(name)) = target.url().host() else {
            return Ok(target);
        };
        let looking = (self.0.lookup)(name.to_owned());
        let found = tokio::time::timeout(Duration::from_secs(2), looking).await;
        let Ok(Ok(addresses)) = found else {
            return Ok(target);
        };
        let refused = addresses
            .iter()
            .find_map(|address| reach.refuses(address.ip()));
        match refused {
            Some(range) => Err(TargetError::Special(name.to_owned(), range)),
            None => Ok(target),
        }
    }

    /// Starts the workers: deliveries, fan-out of events, refreshes of watched companies, maintenance.
    pub fn start(&self, workers: &Workers) {
        if self.webhooks().reach() == Reach::Loopback {
            tracing::warn!(
                "notifications.allow_loopback is on: clients can have requests sent to this machine's own services"
            );
        }
        if self.store().kind() == Kind::Postgres && self.settings().secrets_key.is_none() {
            tracing::warn!(
                "without notifications.secrets_key, other hosts on this store cannot sign what is sent for subscriptions made here"
            );
        }
        if self.settings().public_url.is_none() {
            tracing::info!("without notifications.public_url, e-mail has no page to end it");
        }
        let this = self.clone();
        workers.spawn("webhook-delivery", move || this.clone().send());
        let this = self.clone();
        workers.spawn("event-fan-out", move || this.clone().publish());
        let this = self.clone();
        workers.spawn("watched-companies", move || this.clone().watch());
        let this = self.clone();
        workers.spawn("notification-maintenance", move || this.clone().keep_up());
    }

    /// Publishes events in an endless loop: at once where this host found them, those of other hosts at each poll.
    async fn publish(self) {
        let poll = Duration::from_millis(self.settings().poll_ms);
        loop {
            match self.fan_out().await {
                Ok(0) => {}
                Ok(_more) => continue,
                Err(error) => tracing::error!(%error, "events could not be published"),
            }
            tokio::select! {
                () = self.store().signals().events.notified() => {}
                () = tokio::time::sleep(poll) => {}
            }
        }
    }
}
