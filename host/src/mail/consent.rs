//! What accounts may send to addresses of their choice: the consent of the owners, rate limits, and the link that ends
//! the e-mails.

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use url::Url;

use crate::clock::Clock;
use crate::config::Notifications as Settings;
use crate::sealing::Sealer;
use crate::store::{AccountId, Consent, SendLimit, Store, StoreError};

const DAY: Duration = Duration::from_secs(24 * 3_600);

/// Whether an e-mail of an account may be sent to an address now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// It may. It was counted.
    Granted,
    /// The owner has unsubscribed, or has not confirmed although the settings require that.
    Refused,
    /// The rate limits allow it from this time on.
    From(OffsetDateTime),
}

/// Whose e-mails an unsubscribe link ends. Holds the number, as it stands in the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsubscribeFrom<'a> {
    /// The account of a subscription.
    Subscription(&'a str),
    Account(&'a str),
}

/// Consent of recipients, and rate limits of e-mails. The counters are in the store, so the limits hold across hosts.
pub struct Consents {
    store: Store,
    clock: Clock,
    sealer: Arc<Sealer>,
    settings: Settings,
}

impl Consents {
    #[must_use]
    pub fn new(store: Store, clock: Clock, sealer: Arc<Sealer>, settings: Settings) -> Self {
        Self {
            store,
            clock,
            sealer,
            settings,
        }
    }

    /// Decides about an e-mail, and counts it if it may be sent.
    ///
    /// # Errors
    /// The store failed.
    pub async fn permission(
        &self,
        account: AccountId,
        address: &str,
    ) -> Result<Permission, StoreError> {
        if !self.may_write_to(account, address).await? {
            return Ok(Permission::Refused);
        }
        let until = self.count_email(account, address).await?;
        Ok(until.map_or(Permission::Granted, Permission::From))
    }

    /// Whether an account may write to an address: not if its owner has unsubscribed, nor, if the settings require
    /// confirmation, before it has confirmed.
    ///
    /// # Errors
    /// The store failed.
    pub async fn may_write_to(
        &self,
        account: AccountId,
        address: &str,
    ) -> Result<bool, StoreError> {
        let recipients = self.store.recipients();
        let consent = recipients.consents(account, &[address.to_owned()]).await?;
        Ok(match consent.first().copied().flatten() {
            Some(Consent::Confirmed) => true,
            Some(Consent::Asked | Consent::Unsubscribed) => false,
            None if self.settings.confirm_emails => {
                recipients.is_subscribed(account, address).await?
            }
            None => true,
        })
    }

    /// Counts an e-mail. Returns when it may be sent, or `None` if it may be sent now.
    ///
    /// # Errors
    /// The store failed.
    pub async fn count_email(
        &self,
        account: AccountId,
        address: &str,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        let limit = |key, most| SendLimit {
            key,
            most,
            window: DAY,
        };
        let (settings, address) = (&self.settings, address.to_lowercase());
        let limits = [
            limit(
                format!("e-mail by {account}"),
                settings.emails_per_account_day,
            ),
            limit(
                format!("e-mail to {address}"),
                settings.emails_per_address_day,
            ),
        ];
        let send_limits = self.store.send_limits();
        let counted = send_limits.take(&limits, 1, self.clock.now()).await?;
        Ok(counted.until)
    }

    /// The page that ends an account's e-mails to an address. `None` if the settings have no public URL.
    #[must_use]
    pub fn unsubscribe_page(&self, from: UnsubscribeFrom<'_>, address: &str) -> Option<String> {
        let mut url: Url = self.settings.public_url.as_deref()?.parse().ok()?;
        let path = ["v1", "notifications", "unsubscribe"];
        url.path_segments_mut().ok()?.pop_if_empty().extend(path);
        let number = match from {
            UnsubscribeFrom::Subscription(number) => ("subscription", number),
            UnsubscribeFrom::Account(number) => ("account", number),
        };
        let token = self.unsubscribe_token(from, address);
        let query = [number, ("address", address), ("token", &token)];
        url.query_pairs_mut().extend_pairs(query);
        Some(url.into())
    }

    /// The token of an unsubscribe link.
    #[must_use]
    pub fn unsubscribe_token(&self, from: UnsubscribeFrom<'_>, address: &str) -> String {
        let parts = match from {
            UnsubscribeFrom::Subscription(number) => ["unsubscribe", number, address],
            UnsubscribeFrom::Account(number) => ["unsubscribe from account", number, address],
        };
        self.sealer.token(&parts)
    }
}
