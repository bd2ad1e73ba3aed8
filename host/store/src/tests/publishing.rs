//! Helpers shared by tests of events, subscriptions and deliveries.

use super::*;
use crate::Channel;
use crate::testing::scope_name;
use crate::{
    AccountId, Attempt, AttemptOutcome, ChangeSet, ClaimedDelivery, DeliveryFilter, FormerSection,
    NewChange, NewDelivery, NewEvent, NewSubscription, PendingEvent, Section, State, Subscriber,
};

pub(super) const ICO: &str = "10000001";
pub(super) const HOOK: &str = "https://one.example/hooks";

pub(super) async fn account(store: &Store, name: &str) -> AccountId {
    let created = store.keys().create_account(name, "business", START).await;
    created.unwrap().id
}

/// A subscription with a webhook and an e-mail address, in the queue `https://one.example`.
pub(super) fn subscription(id: &str, ico: &str) -> NewSubscription {
    NewSubscription {
        id: id.to_owned(),
        ico: ico.to_owned(),
        kinds: None,
        webhook_url: Some(HOOK.to_owned()),
        webhook_endpoint: Some(endpoint(HOOK)),
        emails: vec!["jana@firma.sk".to_owned()],
        secret: "sealed".to_owned(),
        most: None,
        confirm: false,
    }
}

/// Creates an account that watches [`ICO`].
pub(super) async fn watching(store: &Store) -> AccountId {
    let account = account(store, "Pekáreň").await;
    let of = store.subscriptions_of(account);
    of.put(&subscription("sub_1", ICO), START).await.unwrap();
    account
}

pub(super) fn endpoint(url: &str) -> String {
    url.trim_end_matches("/hooks").to_owned()
}

pub(super) fn event(id: &str) -> NewEvent {
    NewEvent {
        id: format!("evt_{id}"),
        ico: ICO.to_owned(),
        kind: "company.updated".to_owned(),
        scope: None,
        reading: format!("reading of {id}"),
        content: "{}".to_owned(),
        detected_at: START,
    }
}

/// A finding with these events and one change.
pub(super) fn finding(ids: &[&str]) -> ChangeSet {
    ChangeSet {
        changes: vec![NewChange {
            ico: ICO.to_owned(),
            connector: connector_id("tests"),
            scope: None,
            field: "a".to_owned(),
            path: "/a".to_owned(),
            op: "replace",
            old: Some("1".to_owned()),
            new: Some("\"č\\u0000\"".to_owned()),
            detected_at: START,
        }],
        events: ids.iter().map(|id| event(id)).collect(),
    }
}

pub(super) fn section(scope: &str, content: &str) -> Section {
    Section {
        ico: ICO.to_owned(),
        scope: scope_name(scope),
        content: Some(content.to_owned()),
        content_hash: content.to_owned(),
        unread: false,
        unread_sources: None,
        connector: connector_id("tests"),
        connector_version: "1.0.0".to_owned(),
        generation: 1,
        evidence: "[]".to_owned(),
    }
}

/// Stores a finding together with a new section.
pub(super) async fn find(store: &Store, scope: &str, found: &ChangeSet) {
    let (section, sections) = (section(scope, "{}"), store.sections());
    let compare = |_: Option<&FormerSection>, _: &Section| found.clone();
    let put = sections.put_compared(&section, &compare, START);
    put.await.unwrap();
}

/// One delivery per event to the webhook, and one delivery of all events to each address.
pub(super) fn all_targets(reading: &[&PendingEvent], subscriber: &Subscriber) -> Vec<NewDelivery> {
    let delivery =
        |event: i64, channel, target: &String, endpoint, held, email_events| NewDelivery {
            id: format!("dlv_{}", uuid::Uuid::new_v4().simple()),
            event,
            subscription: subscriber.number,
            channel,
            target: target.clone(),
            endpoint,
            held,
            email_events,
        };
    let numbers: Vec<i64> = reading.iter().map(|event| event.number).collect();
    let mut made = Vec::new();
    if let Some((url, held)) = &subscriber.webhook {
        for number in &numbers {
            made.push(delivery(
                *number,
                Channel::Webhook,
                url,
                endpoint(url),
                *held,
                None,
            ));
        }
    }
    for address in &subscriber.emails {
        let email_events = Some(numbers.clone());
        made.push(delivery(
            numbers[0],
            Channel::Email,
            address,
            "email".to_owned(),
            false,
            email_events,
        ));
    }
    made
}

/// Publishes at most `limit` waiting events and returns how many it looked at.
pub(super) async fn publish(store: &Store, limit: u32) -> usize {
    let mut events = store.events().unpublished(limit).await.unwrap();
    for event in &mut events {
        event.payload = Some(format!("{{\"id\":\"{}\"}}", event.id));
    }
    let published = store.events().publish(&events, &all_targets, START).await;
    published.unwrap();
    events.len()
}

/// Claims due deliveries, at most `room` of each queue.
pub(super) async fn claim_due(store: &Store, room: u32, at: u64) -> Vec<ClaimedDelivery> {
    let deliveries = store.deliveries();
    let claimed = deliveries.claim(&[], 64, &|_| room, LEASE, after(at)).await;
    claimed.unwrap()
}

/// A successful delivery attempt.
pub(super) fn arrived(delivery: ClaimedDelivery) -> Attempt {
    Attempt {
        delivery,
        at: START,
        duration_ms: 5,
        outcome: AttemptOutcome::Success,
        status: Some(200),
        answer: None,
        state: State::Delivered,
        next_at: None,
    }
}

/// Records successful attempts and returns how many were recorded.
pub(super) async fn record_arrived(store: &Store, claimed: Vec<ClaimedDelivery>, at: u64) -> usize {
    let attempts: Vec<Attempt> = claimed.into_iter().map(arrived).collect();
    let deliveries = store.deliveries();
    deliveries.record(&attempts, &[], after(at)).await.unwrap()
}

/// States of an account's deliveries for [`ICO`].
pub(super) async fn states_of(store: &Store, account: AccountId) -> Vec<State> {
    let of = store.subscriptions_of(account).find(ICO).await.unwrap();
    let deliveries = store.deliveries_of(account);
    let found = deliveries
        .list(&DeliveryFilter::of(of.unwrap().number), 100, 0)
        .await;
    found.unwrap().0.into_iter().map(|one| one.state).collect()
}
