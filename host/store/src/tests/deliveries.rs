//! Deliveries: claims, leases, queues and attempts.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::{join, join_all};

use super::publishing::{
    HOOK, ICO, account, arrived, claim_due, endpoint, find, finding, publish, record_arrived,
    subscription, watching,
};
use super::*;
use crate::Channel;
use crate::Kind;
use crate::db::on;
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

#[tokio::test]
async fn concurrent_hosts_claim_each_delivery_once() {
    const ROUNDS: usize = 60;
    on_each_database(|store| async move {
        let account = watching(&store).await;
        let mut all = HashSet::new();
        for round in 0..ROUNDS {
            let ids: Vec<String> = (0..3).map(|one| format!("{round}-{one}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            find(&store, "tax", &finding(&ids)).await;
            // Several hosts claim and record concurrently while new events are published.
            let host = async || {
                let claimed = claim_due(&store, 2, 1).await;
                let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
                tokio::task::yield_now().await;
                assert_eq!(record_arrived(&store, claimed, 1).await, numbers.len());
                numbers
            };
            let (_, held) = join(publish(&store, 10), join_all((0..3).map(|_| host()))).await;
            for number in held.into_iter().flatten() {
                assert!(all.insert(number), "{number} was held twice");
            }
        }
        loop {
            let claimed = claim_due(&store, 100, 1).await;
            if claimed.is_empty() {
                break;
            }
            record_arrived(&store, claimed, 1).await;
        }
        assert_eq!(store.deliveries().backlog(after(1)).await.unwrap(), (0, 0));
        let shown = shown(&store, account).await;
        assert_eq!(shown.len(), 6 * ROUNDS);
        for delivery in shown {
            assert_eq!((delivery.state, delivery.attempts), (State::Delivered, 1));
        }
    })
    .await;
}

/// Number of database connections that wait for a lock.
async fn waiting_for_locks(store: &Store) -> i64 {
    const WAITING: &str = "select count(*) from pg_stat_activity \
        where datname = current_database() and wait_event_type = 'Lock'";
    let waiting = on!(&store.reads, |pool| sqlx::query_scalar(WAITING)
        .fetch_one(pool)
        .await);
    waiting.unwrap()
}

#[tokio::test]
async fn delivery_added_during_record_keeps_its_queue_due() {
    const ADD: &str = "insert into delivery (id, event, subscription, channel, target, endpoint, state, due_at, created_at) \
        select 'dlv_2', event, subscription, channel, 'https://one.example/two', endpoint, 'waiting', 5, 5 from delivery";
    const WAKE: &str = "update endpoint set due_at = 5";
    on_each_database(|store| async move {
        // `SQLite` has one writer at a time: no other transaction can add a delivery meanwhile.
        if store.kind() != Kind::Postgres {
            return;
        }
        one_to_the_hook(&store).await;
        let claimed = claim_due(&store, 16, 1).await;
        let mut adding = store.writes.begin().await.unwrap();
        for sql in [ADD, WAKE] {
            on!(&mut adding, |tx| sqlx::query(sql)
                .execute(&mut **tx)
                .await
                .map(drop))
            .unwrap();
        }
        let writing = tokio::spawn({
            let store = store.clone();
            async move { record_arrived(&store, claimed, 2).await }
        });
        while waiting_for_locks(&store).await == 0 {
            tokio::task::yield_now().await;
        }
        adding.commit().await.unwrap();
        assert_eq!(writing.await.unwrap(), 1);
        assert_eq!(store.deliveries().next_due().await.unwrap(), Some(5));
        assert_eq!(claim_due(&store, 16, 3).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn concurrent_queue_writers_do_not_deadlock() {
    const ROUNDS: usize = 40;
    on_each_database(|store| async move {
        let account = watching(&store).await;
        let number = store
            .subscriptions_of(account)
            .find(ICO)
            .await
            .unwrap()
            .unwrap()
            .number;
        let ids: Vec<String> = (0..20).map(|id| id.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        find(&store, "tax", &finding(&ids)).await;
        publish(&store, 100).await;
        let sending = async |host: u64| {
            for round in 0..ROUNDS as u64 {
                let claimed = claim_due(&store, 7, round * 30 + host).await;
                let attempts: Vec<Attempt> = claimed
                    .into_iter()
                    .map(|one| failed(one, (round + 1) * 30))
                    .collect();
                let deliveries = store.deliveries();
                deliveries
                    .record(&attempts, &[], after(round * 30))
                    .await
                    .unwrap();
            }
        };
        let resending = async {
            let which = DeliveryFilter {
                from: Some(START),
                to: Some(after(1)),
                ..DeliveryFilter::of(number)
            };
            for round in 0..ROUNDS as u64 {
                let of = store.deliveries_of(account);
                resend_all(&of, &which, after(round * 30)).await;
            }
        };
        let changing = async {
            for round in 0..ROUNDS {
                let mut new = subscription("sub_1", ICO);
                let url = format!("https://{}.example/hooks", round % 3);
                new.webhook_endpoint = Some(endpoint(&url));
                new.webhook_url = Some(url);
                store
                    .subscriptions_of(account)
                    .put(&new, START)
                    .await
                    .unwrap();
            }
        };
        let pausing = async {
            let all = store.subscriptions();
            for _ in 0..ROUNDS {
                for webhook in all.failing_for(Duration::ZERO, 10).await.unwrap() {
                    all.pause(&webhook, "it fails", START).await.unwrap();
                }
                tokio::task::yield_now().await;
            }
        };
        let hosts = join(sending(0), sending(1));
        Box::pin(join(join(hosts, resending), join(changing, pausing))).await;
        // Every delivery can still be completed.
        let mut end = subscription("sub_1", ICO);
        end.webhook_endpoint = Some(endpoint(HOOK));
        store
            .subscriptions_of(account)
            .put(&end, START)
            .await
            .unwrap();
        let of = store.deliveries_of(account);
        let all = DeliveryFilter::of(number);
        let mut at = 100_000;
        loop {
            at += 100;
            resend_all(&of, &all, after(at)).await;
            let claimed = claim_due(&store, 100, at).await;
            let is_whole = claimed.len() == 40;
            record_arrived(&store, claimed, at).await;
            if is_whole {
                break;
            }
            assert!(at < 101_000, "some are lost");
        }
        assert_eq!(store.deliveries().backlog(after(at)).await.unwrap(), (0, 0));
        let states: HashSet<State> = shown(&store, account)
            .await
            .into_iter()
            .map(|one| one.state)
            .collect();
        assert_eq!(states, HashSet::from([State::Delivered]));
    })
    .await;
}
