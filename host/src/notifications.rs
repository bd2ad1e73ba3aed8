//! Notifications: refreshes watched companies, publishes events to their subscribers and delivers them with
//! retries.
//!
//! The transaction that stores a reading decides what changed and which events that raises. Every worker step
//! here claims its work with a lease, so hosts that share a store share the work, and another host continues
//! after a crash. Invariants: an event is fanned out once; each target gets one delivery per event; a delivery
//! is attempted at least once. A repeated attempt can only follow one recorded as `unknown`.

mod attempt;
mod consent;
mod email;
mod fan_out;
mod limits;
mod maintenance;
mod payload;
mod phrases;
mod receiver_circuits;
mod schedule;
mod secrets;
mod send;
mod sign;
mod subscription_data;
mod target_test;
mod targets;
mod webhook;

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::{Notify, Semaphore, watch};

pub use self::consent::{Confirming, confirm_form};
pub use self::limits::{Resent, Target};
pub use self::secrets::new_secret;
pub use self::target_test::TargetTest;
pub use self::targets::{TargetError, WebhookUrl};

use self::receiver_circuits::ReceiverCircuits;
use self::webhook::Webhooks;
use crate::companies::Companies;
use crate::config::{Notifications as Settings, Secret};
use crate::connectors::egress::{Lookup, Reach, system};
use crate::context::Context;
use crate::mail::Mailer;
use crate::sealing::{Sealer, SecretError};
use crate::store::{DatabaseKind, Store};
use crate::worker::Workers;

/// Errors when the notifier starts.
#[derive(Debug, thiserror::Error)]
pub enum NotifierError {
    #[error("the client for webhooks cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}

/// Detects changes of watched companies and notifies their subscribers. Clones share all state.
#[derive(Clone)]
pub struct Notifier(Arc<Inner>);

struct Inner {
    context: Context,
    companies: Companies,
    mailer: Mailer,
    settings: Settings,
    sealer: Arc<Sealer>,
    webhooks: Webhooks,
    lookup: Lookup,
    receivers: ReceiverCircuits,
    /// Signalled when an attempt ends, because that frees capacity.
    ended: Notify,
    /// Limits how many watched companies are refreshed at the same time.
    refreshing: Arc<Semaphore>,
    stopping: watch::Sender<Stopping>,
    /// Each task that records attempts has a receiver until it has ended.
    recording: watch::Sender<()>,
}

/// What a host that stops has given up, in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stopping {
    #[default]
    Nothing,
    /// New claims of deliveries.
    Claims,
    /// Attempts in flight.
    Attempts,
}

/// A random id that cannot be guessed: `sub_…`, `dlv_…`.
fn new_id(what: &str) -> String {
    format!("{what}_{}", uuid::Uuid::new_v4().simple())
}

impl Notifier {
    /// Creates a notifier.
    ///
    /// # Errors
    /// The HTTP client cannot be set up.
    pub fn new(
        context: Context,
        companies: Companies,
        mailer: Mailer,
        settings: Settings,
        sealer: Arc<Sealer>,
    ) -> Result<Self, NotifierError> {
        Self::with_lookup(context, companies, mailer, settings, sealer, system())
    }

    /// Like [`Self::new`], with a custom name resolver.
    ///
    /// # Errors
    /// The same as of [`Self::new`].
    pub fn with_lookup(
        context: Context,
        companies: Companies,
        mailer: Mailer,
        settings: Settings,
        sealer: Arc<Sealer>,
        lookup: Lookup,
    ) -> Result<Self, NotifierError> {
        Ok(Self(Arc::new(Inner {
            sealer,
            webhooks: Webhooks::new(&settings, Arc::clone(&lookup))?,
            lookup,
            receivers: ReceiverCircuits::new(settings.in_flight, settings.in_flight_per_host),
            ended: Notify::new(),
            refreshing: Arc::new(Semaphore::new(
                usize::try_from(settings.refresh_at_once).unwrap_or(1),
            )),
            stopping: watch::Sender::default(),
            recording: watch::Sender::default(),
            context,
            companies,
            mailer,
            settings,
        })))
    }

    fn context(&self) -> &Context {
        &self.0.context
    }

    fn companies(&self) -> &Companies {
        &self.0.companies
    }

    fn store(&self) -> &Store {
        &self.0.context.store
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

    fn receivers(&self) -> &ReceiverCircuits {
        &self.0.receivers
    }

    fn now(&self) -> OffsetDateTime {
        self.0.context.now()
    }

    /// An id for a new subscription.
    #[must_use]
    pub fn new_subscription_id(&self) -> String {
        new_id("sub")
    }

    /// Encrypts a signing secret for storage.
    #[must_use]
    pub fn seal(&self, secret: &Secret) -> String {
        self.sealer().seal(secret, secrets::SEALED_FOR)
    }

    /// Decrypts a stored signing secret.
    ///
    /// # Errors
    /// [`SecretError::OtherKey`] if another key encrypted it.
    pub fn open_sealed(&self, sealed: &str) -> Result<Secret, SecretError> {
        self.sealer().open_sealed(sealed, secrets::SEALED_FOR)
    }

    /// Encrypts a secret that is not a signing secret. Only [`Self::open_for`] with the same purpose decrypts it.
    #[must_use]
    pub fn seal_for(&self, secret: &Secret, purpose: &str) -> String {
        self.sealer().seal(secret, purpose)
    }

    /// Decrypts a stored secret of this purpose.
    ///
    /// # Errors
    /// [`SecretError::OtherKey`] if another key encrypted it, or for another purpose.
    pub fn open_for(&self, sealed: &str, purpose: &str) -> Result<Secret, SecretError> {
        self.sealer().open_sealed(sealed, purpose)
    }

    /// Checks a webhook URL: its text, and the addresses that its name resolves to now. A name that does not
    /// resolve at the moment is accepted.
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
        if self.store().kind() == DatabaseKind::Postgres && self.settings().secrets_key.is_none() {
            tracing::warn!(
                "notifications.secrets_key is not set: other hosts on this store cannot sign webhooks of subscriptions made here"
            );
        }
        if self.settings().public_url.is_none() {
            tracing::info!("notifications.public_url is not set: e-mails have no unsubscribe link");
        }
        let this = self.clone();
        workers.spawn("webhook-delivery", move || this.clone().send());
        let this = self.clone();
        workers.spawn("event-fan-out", move || this.clone().publish());
        let this = self.clone();
        workers.spawn("watched-companies", move || this.clone().watch());
        let this = self.clone();
        workers.spawn("notification-maintenance", move || this.clone().maintain());
    }

    /// Worker loop of the fan-out: runs when this host stores events, and polls for events of other hosts.
    async fn publish(self) {
        let poll = Duration::from_millis(self.settings().poll_ms);
        loop {
            match self.fan_out().await {
                Ok(0) => {}
                Ok(_more) => continue,
                Err(error) => tracing::error!(%error, "event fan-out failed; retrying"),
            }
            tokio::select! {
                () = self.store().signals().events.notified() => {}
                () = tokio::time::sleep(poll) => {}
            }
        }
    }
}
