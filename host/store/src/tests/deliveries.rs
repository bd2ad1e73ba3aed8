//! Deliveries: claims, leases, queues and attempts.

mod concurrent;

use std::time::Duration;

use super::publishing::{
    HOOK, ICO, account, arrived, claim_due, endpoint, find, finding, publish, record_arrived,
    subscription, watching,
};
use super::*;
use crate::Channel;
use crate::{
    AccountId, Attempt, AttemptOutcome, ClaimedDelivery, DeliveriesOfAccount, DeliveryFilter,
    ResendLimit, ShownDelivery, State,
};

/// All deliveries of the account's only subscription.
async fn shown(store: &Store, account: AccountId) -> Vec<ShownDelivery> {
    let of = store.subscriptions_of(account).find(ICO).await.unwrap();
    let of = of.unwrap().number;
    let deliveries = store.deliveries_of(account);
    let of = DeliveryFilter::of(of);
    deliveries.list(&of, 10_000, 0).await.unwrap().0
}

/// Publishes an event to a webhook alone.
async fn one_to_the_hook(store: &Store) -> AccountId {
    let account = watching(store).await;
    let mut new = subscription("sub_1", ICO);
    new.emails.clear();
    store
        .subscriptions_of(account)
        .put(&new, START)
        .await
        .unwrap();
    find(store, "tax", &finding(&["1"])).await;
    publish(store, 10).await;
    account
}

/// Resends deliveries of a subscription without a limit.
async fn resend_all(of: &DeliveriesOfAccount<'_>, which: &DeliveryFilter<'_>, at: OffsetDateTime) {
    let limit = ResendLimit {
        most: i64::MAX,
        window: Duration::from_secs(1),
    };
    let missed = of.missed_by_target(which, limit, at).await;
    for missed in missed.unwrap() {
        let target = (missed.channel, missed.target.as_str());
        let count = missed.missed;
        let sent = of.resend_to(which, target, count, limit, at);
        sent.await.unwrap();
    }
}

fn failed(delivery: ClaimedDelivery, next: u64) -> Attempt {
    Attempt {
        outcome: AttemptOutcome::Timeout,
        status: None,
        answer: Some("no answer".to_owned()),
        state: State::Waiting,
        next_at: Some(after(next)),
        ..arrived(delivery)
    }
}

async fn record(store: &Store, attempt: Attempt, at: u64) -> usize {
    let deliveries = store.deliveries();
    deliveries.record(&[attempt], &[], after(at)).await.unwrap()
}

fn outcomes(delivery: &ShownDelivery) -> Vec<AttemptOutcome> {
    delivery.tries.iter().map(|one| one.outcome).collect()
}

#[tokio::test]
async fn due_delivery_is_retried_until_it_arrives() {
    on_each_database(|store| async move {
        let account = one_to_the_hook(&store).await;
        let claimed = claim_due(&store, 16, 1).await;
        assert_eq!(claimed.len(), 1);
        assert_eq!(claimed[0].event.payload, "{\"id\":\"evt_1\"}");
        assert!(claim_due(&store, 16, 2).await.is_empty(), "it is under way");
        record(&store, failed(claimed[0].clone(), 300), 2).await;
        assert_eq!(
            store.deliveries().next_due().await.unwrap(),
            Some(crate::db::millis(after(300)))
        );
        assert!(claim_due(&store, 16, 299).await.is_empty());
        let claimed = claim_due(&store, 16, 300).await;
        assert_eq!((claimed[0].attempts, claimed[0].tried), (1, 1));
        record_arrived(&store, claimed, 301).await;
        let shown = shown(&store, account).await;
        assert_eq!(shown[0].state, State::Delivered);
        assert_eq!(
            outcomes(&shown[0]),
            [AttemptOutcome::Timeout, AttemptOutcome::Success]
        );
        assert_eq!(
            (shown[0].due_at, shown[0].finished_at),
            (None, Some(after(301)))
        );
        assert_eq!(
            store.deliveries().backlog(after(9_999)).await.unwrap(),
            (0, 0)
        );
        assert_eq!(store.deliveries().next_due().await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn reclaimed_delivery_gets_an_unknown_attempt() {
    on_each_database(|store| async move {
        let account = one_to_the_hook(&store).await;
        let old = claim_due(&store, 16, 1).await;
        assert!(
            claim_due(&store, 16, 60).await.is_empty(),
            "the claim holds"
        );
        let new = claim_due(&store, 16, 61).await;
        assert_eq!((new[0].number, new[0].attempts), (old[0].number, 1));
        assert!(new[0].lease > old[0].lease);
        assert_eq!(record_arrived(&store, old.clone(), 62).await, 0);
        assert_eq!(
            outcomes(&shown(&store, account).await[0]),
            [AttemptOutcome::Unknown]
        );
        assert_eq!(record(&store, failed(new[0].clone(), 100), 63).await, 1);
        // The attempt is recorded neither twice nor by the old claim while no newer one exists.
        assert_eq!(record(&store, failed(new[0].clone(), 100), 64).await, 0);
        assert_eq!(record_arrived(&store, old, 65).await, 0);
        let last = claim_due(&store, 16, 100).await;
        assert_eq!(record_arrived(&store, last, 101).await, 1);
        let shown = shown(&store, account).await;
        assert_eq!(
            outcomes(&shown[0]),
            [
                AttemptOutcome::Unknown,
                AttemptOutcome::Timeout,
                AttemptOutcome::Success
            ]
        );
        assert_eq!(shown[0].attempts, 3);
    })
    .await;
}

#[tokio::test]
async fn expired_claim_still_writes_until_reclaimed() {
    on_each_database(|store| async move {
        let account = one_to_the_hook(&store).await;
        let late = claim_due(&store, 16, 1).await;
        assert_eq!(record_arrived(&store, late, 5_000).await, 1);
        assert_eq!(
            outcomes(&shown(&store, account).await[0]),
            [AttemptOutcome::Success]
        );
    })
    .await;
}

#[tokio::test]
async fn queues_share_a_claim_within_their_room() {
    on_each_database(|store| async move {
        watching(&store).await;
        // The queue of a second receiver, beside those of the first one and of e-mails.
        let mut second = subscription("sub_2", ICO);
        second.emails.clear();
        second.webhook_url = Some("https://two.example/hooks".to_owned());
        second.webhook_endpoint = Some("https://two.example".to_owned());
        let other = account(&store, "Mlyn").await;
        let subscriptions = store.subscriptions_of(other);
        subscriptions.put(&second, START).await.unwrap();
        find(&store, "tax", &finding(&["1", "2", "3"])).await;
        publish(&store, 10).await;
        let (deliveries, hook) = (store.deliveries(), endpoint(HOOK));
        let claimed = async |at| {
            let room = |key: &str| if key == hook { 2 } else { 1 };
            let claimed = deliveries.claim(&[], 64, &room, LEASE, after(at)).await;
            let claimed = claimed.unwrap().into_iter();
            let claimed = claimed.map(|one| (one.target == HOOK, one.number));
            let (hook, others): (Vec<_>, Vec<_>) = claimed.partition(|(is_hook, _)| *is_hook);
            let numbers = |of: Vec<(bool, i64)>| of.into_iter().map(|(_, number)| number);
            (
                numbers(hook).collect::<Vec<_>>(),
                numbers(others).collect::<Vec<_>>(),
            )
        };
        let (first, first_others) = claimed(1).await;
        let (then, then_others) = claimed(1).await;
        assert_eq!((first.len(), first_others.len()), (2, 2));
        assert_eq!((then.len(), then_others.len()), (1, 2), "the rest");
        assert!(first.iter().max() < then.iter().min());
        assert!(first_others < then_others);
        let (_, last_others) = claimed(1).await;
        assert_eq!(last_others.len(), 2);
        assert_eq!(claimed(1).await, (Vec::new(), Vec::new()));
    })
    .await;
}

#[tokio::test]
async fn full_or_cooling_queue_is_skipped() {
    on_each_database(|store| async move {
        watching(&store).await;
        let ids: Vec<String> = (0..6).map(|id| id.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        find(&store, "tax", &finding(&ids)).await;
        publish(&store, 10).await;
        let hook = endpoint(HOOK);
        let deliveries = store.deliveries();
        let full = deliveries
            .claim(&[&hook], 64, &|_| 2, LEASE, after(1))
            .await
            .unwrap();
        let channels: Vec<Channel> = full.iter().map(|one| one.channel).collect();
        assert_eq!(
            channels,
            [Channel::Email, Channel::Email],
            "as many as there is room for"
        );
        let none = deliveries
            .claim(&["email"], 64, &|_| 0, LEASE, after(1))
            .await
            .unwrap();
        assert_eq!(none, []);
        let some = deliveries
            .claim(&["email"], 64, &|_| 1, LEASE, after(1))
            .await
            .unwrap();
        let attempt = failed(some[0].clone(), 2);
        let cooldowns = [(hook.clone(), after(40))];
        deliveries
            .record(&[attempt], &cooldowns, after(1))
            .await
            .unwrap();
        let left = claim_due(&store, 16, 39).await;
        assert!(left.iter().all(|one| one.channel == Channel::Email));
        assert_eq!(left.len(), 4);
        let next = deliveries.next_due().await.unwrap();
        assert_eq!(
            next,
            Some(crate::db::millis(after(40))),
            "when it has rested"
        );
        let rested = claim_due(&store, 16, 40).await;
        assert_eq!(rested.len(), 6);
        assert!(rested.iter().all(|one| one.endpoint == hook));
    })
    .await;
}
