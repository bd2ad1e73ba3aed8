//! E-mails: one per reading, and their rate limits.

use std::time::Duration;

use futures_util::future::join_all;

use super::publishing::{HOOK, ICO, claim_due, event, find, finding, publish, watching};
use super::*;
use crate::Channel;
use crate::{ChangeSet, DeliveryFilter, ResendLimit, SendLimit};

const HOUR: Duration = Duration::from_secs(3_600);

fn limit(key: &str, most: u32) -> SendLimit {
    SendLimit {
        key: key.to_owned(),
        most,
        window: HOUR,
    }
}

#[tokio::test]
async fn events_of_one_reading_are_one_email() {
    on_each_database(|store| async move {
        watching(&store).await;
        let of_reading = |id: &str, reading: &str| {
            let mut event = event(id);
            reading.clone_into(&mut event.reading);
            event
        };
        let found = ChangeSet {
            events: vec![
                of_reading("1", "a"),
                of_reading("2", "a"),
                of_reading("3", "b"),
                of_reading("4", "a"),
            ],
            ..finding(&[])
        };
        find(&store, "tax", &found).await;
        // The limit of one event falls inside the reading, which is published as a whole.
        assert_eq!(publish(&store, 1).await, 3);
        assert_eq!(publish(&store, 1).await, 1);
        let claimed = claim_due(&store, 16, 1).await;
        let emails = claimed.iter().filter(|one| one.channel == Channel::Email);
        let emails: Vec<Vec<&str>> = emails
            .map(|email| {
                email
                    .email_events
                    .iter()
                    .map(|event| event.id.as_str())
                    .collect()
            })
            .collect();
        assert_eq!(emails, [vec!["evt_1", "evt_2", "evt_4"], vec!["evt_3"]]);
        let webhooks = claimed.iter().filter(|one| one.target == HOOK);
        let webhooks: Vec<&str> = webhooks.map(|one| one.event.id.as_str()).collect();
        assert_eq!(webhooks, ["evt_1", "evt_2", "evt_4", "evt_3"]);
    })
    .await;
}

#[tokio::test]
async fn postponed_delivery_is_due_later_without_an_attempt() {
    on_each_database(|store| async move {
        watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let claimed = claim_due(&store, 16, 1).await;
        assert_eq!(claimed.len(), 2);
        for delivery in &claimed {
            let deliveries = store.deliveries();
            deliveries.postpone(delivery, after(50)).await.unwrap();
        }
        assert!(claim_due(&store, 16, 49).await.is_empty());
        let again = claim_due(&store, 16, 50).await;
        assert_eq!(again.len(), 2);
        assert!(again.iter().all(|delivery| delivery.attempts == 0));
        // A claim that is not the newest cannot return the delivery.
        let deliveries = store.deliveries();
        deliveries.postpone(&claimed[0], after(51)).await.unwrap();
        assert!(claim_due(&store, 16, 52).await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sending_limit_holds_for_concurrent_takers() {
    on_each_database(|store| async move {
        let limits = [limit("e-mail to a", 7), limit("e-mail by 1", 100)];
        let takes = (0..40).map(|_| {
            let (store, limits) = (store.clone(), limits.clone());
            async move { store.send_limits().take(&limits, 1, START).await.unwrap() }
        });
        let granted = join_all(takes).await;
        let count: u32 = granted.iter().map(|granted| granted.count).sum();
        assert_eq!(count, 7);
        let refused = granted.iter().find(|granted| granted.count == 0).unwrap();
        assert_eq!(refused.until, Some(START + HOUR));
        // A message that one limit refuses is not counted by the other limit.
        let send_limits = store.send_limits();
        let left = send_limits.take(&limits[1..], 200, START).await.unwrap();
        assert_eq!((left.count, left.until), (93, Some(START + HOUR)));
        // The next window has begun.
        let next = send_limits.take(&limits, 2, START + HOUR).await.unwrap();
        assert_eq!((next.count, next.until), (2, None));
        send_limits.sweep(START + HOUR * 2, 100).await.unwrap();
        let swept = send_limits.take(&limits, 7, START + HOUR).await.unwrap();
        assert_eq!(swept.count, 7);
    })
    .await;
}

#[tokio::test]
async fn resend_limit_of_a_delivery_holds() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let of = store.deliveries_of(account);
        let number = store.subscriptions_of(account).find(ICO).await.unwrap();
        let number = number.unwrap().number;
        let shown = of
            .list(&DeliveryFilter::of(number), 10, 0)
            .await
            .unwrap()
            .0
            .remove(0);
        let once = ResendLimit {
            most: 3,
            window: HOUR,
        };
        let mut sent = 0;
        for _ in 0..301 {
            sent += i32::from(of.resend(shown.number, once, START).await.unwrap());
        }
        assert_eq!(sent, 3);
        let after_it = of.find(&shown.id).await.unwrap().unwrap();
        assert_eq!(after_it.resendable_at(once, START), Some(START + HOUR));
        assert_eq!(after_it.resendable_at(once, START + HOUR), None);
        assert!(of.resend(shown.number, once, START + HOUR).await.unwrap());
    })
    .await;
}
