//! Loads what sending needs to know about the subscriptions of claimed deliveries.

use std::collections::HashMap;

use super::Notifier;
use super::secrets::SEALED_FOR;
use crate::config::Secret;
use crate::store::{ClaimedDelivery, StoreError, SubscribingAccount};

/// Secrets and accounts of the subscriptions of claimed deliveries, by subscription number.
#[derive(Default)]
pub(super) struct SubscriptionData {
    /// `None` if the secret cannot be decrypted.
    pub secrets: HashMap<i64, Option<Vec<Secret>>>,
    pub accounts: HashMap<i64, SubscribingAccount>,
}

impl Notifier {
    pub(super) async fn subscription_data(
        &self,
        claimed: &[ClaimedDelivery],
    ) -> Result<SubscriptionData, StoreError> {
        let of = |channel: &str| {
            let of_channel = claimed
                .iter()
                .filter(|delivery| delivery.channel == channel);
            let mut numbers: Vec<i64> = of_channel.map(|delivery| delivery.subscription).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let subscriptions = self.store().subscriptions();
        let (webhooks, emails) = (of("webhook"), of("email"));
        let accounts = match emails.as_slice() {
            [] => Vec::new(),
            emails => subscriptions.accounts(emails).await?,
        };
        let stored = match webhooks.as_slice() {
            [] => Vec::new(),
            webhooks => subscriptions.secrets(webhooks).await?,
        };
        let now = self.now();
        let opened = stored.into_iter().map(|sealed| {
            let former = sealed
                .former_secret
                .filter(|_| sealed.former_secret_until.is_some_and(|until| until > now));
            let all = std::iter::once(sealed.secret).chain(former);
            let opened: Result<Vec<Secret>, _> = all
                .map(|text| self.sealer().open_sealed(&text, SEALED_FOR))
                .collect();
            let opened = opened.map_err(|error| tracing::error!(subscription = sealed.number, %error, "webhooks cannot be signed: the stored secret cannot be decrypted"));
            (sealed.number, opened.ok())
        });
        Ok(SubscriptionData {
            secrets: opened.collect(),
            accounts: accounts
                .into_iter()
                .map(|account| (account.number, account))
                .collect(),
        })
    }
}
