//! Rate limits for outgoing messages, per recipient, host, delivery and account. The counters are in the store,
//! so the limits hold across hosts.

use std::time::Duration;

use time::OffsetDateTime;
use url::Url;

use super::Notifier;
use crate::store::{
    AccountId, Channel, DeliveryFilter, Granted, ResendLimit, SendLimit, StoreError,
};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The webhook's host, as in its URL.
    Webhook(&'a str),
    Email(&'a str),
}

impl<'a> Target<'a> {
    fn of(channel: Channel, target: &'a str) -> Self {
        match channel {
            Channel::Email => Self::Email(target),
            Channel::Webhook => Self::Webhook(target),
        }
    }

    /// The name of its counters: the host of a webhook, or the e-mail address in lower case.
    fn name(self) -> String {
        match self {
            Self::Webhook(url) => {
                let host = Url::parse(url).ok();
                let host = host.and_then(|url| url.host_str().map(str::to_owned));
                host.unwrap_or_else(|| url.to_owned())
            }
            Self::Email(address) => address.to_lowercase(),
        }
    }
}

/// Result of resending deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resent {
    pub count: usize,
    /// Deliveries that the limits excluded.
    pub left: usize,
    /// When more may be sent, if the limits excluded some.
    pub until: Option<OffsetDateTime>,
}

impl Notifier {
    /// Counts a test of a target. Returns when the next test is allowed, or `None` if this one is.
    ///
    /// # Errors
    /// The store failed.
    pub async fn count_test(
        &self,
        account: AccountId,
        target: Target<'_>,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        let settings = self.settings();
        let most = match target {
            Target::Webhook(_) => settings.tests_per_host_hour,
            Target::Email(_) => settings.tests_per_address_hour,
        };
        let limits = [
            limit(
                format!("test by {account}"),
                settings.tests_per_account_hour,
                HOUR,
            ),
            limit(format!("test to {}", target.name()), most, HOUR),
        ];
        Ok(self.take(&limits, 1).await?.until)
    }

    /// Counts resent deliveries to a target.
    ///
    /// # Errors
    /// The store failed.
    pub async fn count_resends(
        &self,
        account: AccountId,
        (channel, target): (Channel, &str),
        wanted: u32,
    ) -> Result<Granted, StoreError> {
        let settings = self.settings();
        let target = Target::of(channel, target);
        let most = match target {
            Target::Webhook(_) => settings.resends_per_host_hour,
            Target::Email(_) => settings.resends_per_address_hour,
        };
        let limits = [
            limit(
                format!("resend by {account}"),
                settings.resends_per_account_hour,
                HOUR,
            ),
            limit(format!("resend to {}", target.name()), most, HOUR),
        ];
        self.take(&limits, wanted).await
    }

    /// Resends the deliveries of an account that fit a filter, oldest first, as many as the limits allow.
    ///
    /// # Errors
    /// The store failed.
    pub async fn resend(
        &self,
        account: AccountId,
        filter: &DeliveryFilter<'_>,
    ) -> Result<Resent, StoreError> {
        let now = self.now();
        let of_account = self.store().deliveries_of(account);
        let once = self.resend_limit();
        let missed = of_account.missed_by_target(filter, once, now).await?;
        let mut resent = Resent {
            count: 0,
            left: 0,
            until: None,
        };
        for missed in missed {
            let target = (missed.channel, missed.target.as_str());
            let wanted = u32::try_from(missed.missed).unwrap_or(u32::MAX);
            let granted = self.count_resends(account, target, wanted).await?;
            resent.left += usize::try_from(wanted - granted.count).unwrap_or_default();
            resent.until = resent.until.max(granted.until);
            if granted.count > 0 {
                let most = granted.count.into();
                resent.count += of_account
                    .resend_to(filter, target, most, once, now)
                    .await?;
            }
        }
        Ok(resent)
    }

    /// How often one delivery may be resent.
    #[must_use]
    pub fn resend_limit(&self) -> ResendLimit {
        ResendLimit {
            most: self.settings().resends_per_delivery_day.into(),
            window: DAY,
        }
    }

    async fn take(&self, limits: &[SendLimit], wanted: u32) -> Result<Granted, StoreError> {
        self.store()
            .send_limits()
            .take(limits, wanted, self.now())
            .await
    }
}

fn limit(key: String, most: u32, window: Duration) -> SendLimit {
    SendLimit { key, most, window }
}
