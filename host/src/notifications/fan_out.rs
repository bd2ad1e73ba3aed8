//! Event fan-out: numbers pending events, stores them and creates a delivery for each target of each
//! subscriber.

use std::collections::HashMap;

use super::payload::{TAX, company_of, tax_info_of, webhook_event};
use super::targets::{MAIL, WebhookUrl};
use super::{Notifier, new_id};
use crate::config::Config;
use crate::store::{Channel, NewDelivery, PendingEvent, StoreError, Subscriber};

/// Pending events that one transaction handles at most.
const SLICE: u32 = 200;

impl Notifier {
    /// Fans out one batch of pending events and returns how many. 0 means that none is pending.
    ///
    /// # Errors
    /// The store failed; no event of the batch was fanned out.
    pub async fn fan_out(&self) -> Result<usize, StoreError> {
        let store = self.store();
        let now = self.now();
        let mut events = store.events().unpublished(SLICE).await?;
        if events.is_empty() {
            return Ok(0);
        }
        let icos: Vec<String> = events.iter().map(|event| event.ico.clone()).collect();
        let companies = store.companies().find_by_icos(&icos).await?;
        let companies: HashMap<&str, _> = companies
            .iter()
            .map(|company| (company.base.ico.as_str(), company))
            .collect();
        let taxes = store.sections().contents(&icos, TAX).await?;
        for event in &mut events {
            let ico = event.ico.as_str();
            let company = companies.get(ico).map(|company| company_of(&company.base));
            let tax_info = taxes.get(ico).map(|tax| tax_info_of(tax));
            let tax_info = tax_info.unwrap_or_default();
            let published = webhook_event(event, company.unwrap_or_default(), tax_info, now);
            event.payload = Some(published.to_json());
        }
        let config = self.context().config();
        let reach = self.webhooks().reach();
        let chosen = |reading: &[&PendingEvent], subscriber: &Subscriber| {
            let wanted = reading.iter().copied();
            let wanted: Vec<&PendingEvent> = wanted
                .filter(|event| concerns(event, subscriber, &config))
                .collect();
            let Some(first) = wanted.first() else {
                return Vec::new();
            };
            let webhook = subscriber.webhook.iter().flat_map(|(url, held)| {
                let endpoint = WebhookUrl::parse(url, reach).map(|url| url.endpoint());
                // A target that is no longer accepted still gets a delivery: its attempt fails and records the
                // reason.
                let endpoint = endpoint.unwrap_or_else(|_untaken| url.clone());
                wanted.iter().map(move |event| NewDelivery {
                    id: new_id("dlv"),
                    event: event.number,
                    subscription: subscriber.number,
                    channel: Channel::Webhook,
                    target: url.clone(),
                    endpoint: endpoint.clone(),
                    held: *held,
                    email_events: None,
                })
            });
            // One e-mail covers all changes of a reading.
            let emails = subscriber.emails.iter().map(|address| NewDelivery {
                id: new_id("dlv"),
                event: first.number,
                subscription: subscriber.number,
                channel: Channel::Email,
                target: address.clone(),
                endpoint: MAIL.to_owned(),
                held: false,
                email_events: Some(wanted.iter().map(|event| event.number).collect()),
            });
            webhook.chain(emails).collect()
        };
        store.events().publish(&events, &chosen, now).await?;
        Ok(events.len())
    }
}

/// Whether a subscriber receives an event: it was subscribed when the event was numbered, wants its kind, and
/// has the event's scope in its plan.
fn concerns(event: &PendingEvent, subscriber: &Subscriber, config: &Config) -> bool {
    let wanted = subscriber
        .kinds
        .as_deref()
        .is_none_or(|kinds| kinds.split(',').any(|kind| kind == event.kind));
    let allowed = event.scope.as_ref().is_none_or(|scope| {
        let plan = config.plans.get(&subscriber.plan);
        plan.is_some_and(|plan| plan.includes(scope.as_str()))
    });
    let subscribed = subscriber
        .since
        .is_none_or(|since| event.detected_at >= since);
    subscribed && wanted && allowed
}
