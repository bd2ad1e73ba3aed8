//! Deliveries while several hosts, accounts and events write at once.

use std::collections::HashSet;

use futures_util::future::{join, join_all};

use super::*;
use crate::DatabaseKind;
use crate::db::{millis, on};

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

#[tokio::test]
async fn delivery_added_during_record_keeps_its_queue_due() {
    const ADD: &str = "insert into delivery (id, event, subscription, channel, target, endpoint, state, due_at, created_at) \
        select 'dlv_2', event, subscription, channel, 'https://one.example/two', endpoint, 'waiting', 5, 5 from delivery";
    const WAKE: &str = "update endpoint set due_at = 5";
    on_each_database(|store| async move {
        // `SQLite` has one writer at a time: no other transaction can add a delivery meanwhile.
        if store.kind() != DatabaseKind::Postgres {
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
            // A delivery that is due again needs the lock of its queue.
            async move { record(&store, failed(claimed[0].clone(), 100), 2).await }
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

/// Begins a transaction that locks rows, as another host does.
async fn locking(store: &Store, sql: &'static str) -> crate::db::Tx {
    let mut tx = store.writes.begin().await.unwrap();
    on!(&mut tx, |tx| sqlx::query(sql)
        .execute(&mut **tx)
        .await
        .map(drop))
    .unwrap();
    tx
}

#[tokio::test]
async fn arrived_delivery_is_recorded_while_its_queue_is_locked() {
    on_each_database(|store| async move {
        // `SQLite` has one writer at a time.
        if store.kind() != DatabaseKind::Postgres {
            return;
        }
        let account = one_to_the_hook(&store).await;
        let claimed = claim_due(&store, 16, 1).await;
        let claiming = locking(&store, "select key from endpoint for update").await;
        assert_eq!(record_arrived(&store, claimed, 2).await, 1);
        claiming.commit().await.unwrap();
        assert_eq!(shown(&store, account).await[0].state, State::Delivered);
        // The queue still has the time when the claim expires. A claim at that time finds nothing and corrects it.
        let expiry = Some(millis(after(1) + LEASE));
        assert_eq!(store.deliveries().next_due().await.unwrap(), expiry);
        assert!(claim_due(&store, 16, 61).await.is_empty());
        assert_eq!(store.deliveries().next_due().await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn delivery_that_is_being_recorded_is_not_claimed() {
    on_each_database(|store| async move {
        if store.kind() != DatabaseKind::Postgres {
            return;
        }
        let account = one_to_the_hook(&store).await;
        let claimed = claim_due(&store, 16, 1).await;
        // The claim has expired, and its host is recording the attempt.
        let recording = locking(&store, "select number from delivery for update").await;
        assert!(claim_due(&store, 16, 61).await.is_empty());
        recording.commit().await.unwrap();
        assert_eq!(record_arrived(&store, claimed, 62).await, 1);
        let shown = shown(&store, account).await;
        assert_eq!((shown[0].state, shown[0].attempts), (State::Delivered, 1));
    })
    .await;
}

#[tokio::test]
async fn attempt_recorded_during_a_sweep_is_deleted_too() {
    const AGAIN: &str = "with again as (update delivery set attempts = 2 returning number) \
        insert into attempt (delivery, attempt, at, duration_ms, outcome) select number, 2, 5, 5, 'success' from again";
    const LEFT: &str = "select (select count(*) from delivery) + (select count(*) from attempt)";
    on_each_database(|store| async move {
        if store.kind() != DatabaseKind::Postgres {
            return;
        }
        one_to_the_hook(&store).await;
        let claimed = claim_due(&store, 16, 1).await;
        assert_eq!(record_arrived(&store, claimed, 2).await, 1);
        let recording = locking(&store, AGAIN).await;
        let sweeping = tokio::spawn({
            let store = store.clone();
            async move { store.events().sweep(after(1_000_000)).await.unwrap() }
        });
        while waiting_for_locks(&store).await == 0 {
            tokio::task::yield_now().await;
        }
        recording.commit().await.unwrap();
        assert_eq!(sweeping.await.unwrap(), 2, "the change and its event");
        let left: i64 = on!(&store.reads, |pool| sqlx::query_scalar(LEFT)
            .fetch_one(pool)
            .await)
        .unwrap();
        assert_eq!(left, 0);
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
                    .map(|one| {
                        // Groups without a failure take other locks.
                        if (round + host).is_multiple_of(2) {
                            arrived(one)
                        } else {
                            failed(one, (round + 1) * 30)
                        }
                    })
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
            record_arrived(&store, claimed, at).await;
            let states = shown(&store, account).await.into_iter();
            let states: Vec<State> = states.map(|one| one.state).collect();
            if states.iter().all(|state| *state == State::Delivered) {
                assert_eq!(states.len(), 40);
                break;
            }
            assert!(at < 101_000, "some are lost");
        }
        assert_eq!(store.deliveries().backlog(after(at)).await.unwrap(), (0, 0));
    })
    .await;
}
