//! Subscriptions: limits, webhooks and addresses.

use futures_util::future::join_all;

use super::publishing::{
    HOOK, ICO, account, arrived, claim_due, find, finding, publish, record_arrived, subscription,
    watching,
};
use super::*;
use crate::Channel;
use crate::{AccountId, DeliveryFilter, NewSubscription, State, SubscriptionPut};

const OTHER: &str = "https://two.example/hooks";

async fn states(store: &Store, account: AccountId) -> Vec<(String, State)> {
    let of = store.subscriptions_of(account);
    let (all, _) = of.list(None, None, 10, 0).await.unwrap();
    let mut states = Vec::new();
    for subscription in all {
        let of = store.deliveries_of(account);
        let (found, _) = of
            .list(&DeliveryFilter::of(subscription.number), 100, 0)
            .await
            .unwrap();
        states.extend(found.into_iter().map(|one| (one.target, one.state)));
    }
    states.sort_by(|one, other| one.0.cmp(&other.0));
    states
}

#[tokio::test]
async fn subscription_limit_holds_for_concurrent_requests() {
    on_each_database(|store| async move {
        let accounts = [account(&store, "one").await, account(&store, "two").await];
        for most in [1, 3, 7] {
            let asks = (0..12).map(|number| {
                let new = NewSubscription {
                    most: Some(most),
                    ..subscription(&format!("sub_{most}_{number}"), &format!("1000{number:04}"))
                };
                let of = store.subscriptions_of(accounts[0]);
                async move { of.put(&new, START).await.unwrap() }
            });
            join_all(asks).await;
            let count = store.subscriptions_of(accounts[0]).count().await.unwrap();
            assert_eq!(count, i64::try_from(most).unwrap());
        }
        // Other accounts do not count, and an existing subscription can be changed at the limit.
        let new = NewSubscription {
            most: Some(1),
            ..subscription("sub_other", ICO)
        };
        let other = store.subscriptions_of(accounts[1]);
        assert!(matches!(
            other.put(&new, START).await.unwrap(),
            SubscriptionPut::Created { .. }
        ));
        assert!(matches!(
            other.put(&new, START).await.unwrap(),
            SubscriptionPut::Updated { .. }
        ));
        let another = NewSubscription {
            ico: "10000099".to_owned(),
            id: "sub_x".to_owned(),
            ..new
        };
        assert_eq!(
            other.put(&another, START).await.unwrap(),
            SubscriptionPut::TooMany
        );
        // Ending a subscription frees a place.
        other.end(ICO, after(1)).await.unwrap().unwrap();
        assert!(matches!(
            other.put(&another, after(2)).await.unwrap(),
            SubscriptionPut::Created { .. }
        ));
    })
    .await;
}

#[tokio::test]
async fn concurrent_puts_create_one_active_subscription() {
    on_each_database(|store| async move {
        let account = account(&store, "one").await;
        let asks = (0..12).map(|number| {
            let new = subscription(&format!("sub_{number}"), ICO);
            let of = store.subscriptions_of(account);
            async move { of.put(&new, START).await.unwrap() }
        });
        let became = join_all(asks).await;
        let created = became
            .iter()
            .filter(|put| matches!(put, SubscriptionPut::Created { .. }));
        assert_eq!(created.count(), 1);
        let of = store.subscriptions_of(account);
        assert_eq!(of.list(None, None, 10, 0).await.unwrap().1, 1);
        let stored = of.find(ICO).await.unwrap().unwrap();
        assert_eq!(stored.emails.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn waiting_deliveries_follow_a_moved_webhook() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let of = store.subscriptions_of(account);
        let mut new = subscription("sub_1", ICO);
        new.webhook_url = Some(OTHER.to_owned());
        new.webhook_endpoint = Some("https://two.example".to_owned());
        of.put(&new, after(1)).await.unwrap();
        let claimed = claim_due(&store, 16, 2).await;
        let mut targets: Vec<&str> = claimed.iter().map(|one| one.target.as_str()).collect();
        targets.sort_unstable();
        assert_eq!(targets, [OTHER, "jana@firma.sk"]);
        record_arrived(&store, claimed, 3).await;

        find(&store, "tax", &finding(&["2"])).await;
        publish(&store, 10).await;
        (new.webhook_url, new.webhook_endpoint) = (None, None);
        of.put(&new, after(4)).await.unwrap();
        let claimed = claim_due(&store, 16, 5).await;
        assert_eq!(claimed.len(), 1, "mail alone");
        record_arrived(&store, claimed, 6).await;
        let mail = "jana@firma.sk".to_owned();
        assert_eq!(
            states(&store, account).await,
            [
                (OTHER.to_owned(), State::Cancelled),
                (OTHER.to_owned(), State::Delivered),
                (mail.clone(), State::Delivered),
                (mail, State::Delivered),
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn ended_subscription_cancels_only_undelivered_events() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let (to_hook, to_mail): (Vec<_>, Vec<_>) = claim_due(&store, 16, 1)
            .await
            .into_iter()
            .partition(|one| one.channel == Channel::Webhook);
        let of = store.subscriptions_of(account);
        of.end(ICO, after(2)).await.unwrap().unwrap();
        // Both are in progress: one arrives, the other fails.
        assert_eq!(record_arrived(&store, to_hook, 3).await, 1);
        let mut failed = arrived(to_mail.into_iter().next().unwrap());
        failed.outcome = crate::AttemptOutcome::Connect;
        (failed.state, failed.next_at) = (State::Waiting, Some(after(60)));
        let deliveries = store.deliveries();
        assert_eq!(
            deliveries.record(&[failed], &[], after(3)).await.unwrap(),
            1
        );
        assert_eq!(
            states(&store, account).await,
            [
                (HOOK.to_owned(), State::Delivered),
                ("jana@firma.sk".to_owned(), State::Cancelled),
            ]
        );
        assert!(claim_due(&store, 16, 100_000).await.is_empty());
        assert_eq!(store.watches().backlog(after(3)).await.unwrap(), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn put_keeps_unsubscribed_and_retries_refused_address() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        let of = store.subscriptions_of(account);
        let number = of.find(ICO).await.unwrap().unwrap().number;
        let all = store.subscriptions();
        let mail = "jana@firma.sk";
        for left in [1, 0] {
            if left == 1 {
                let why = "550 no such user";
                assert!(all.end_email(number, mail, why, after(1)).await.unwrap());
            } else {
                let recipients = store.recipients();
                let ended = recipients.unsubscribe(account, mail, after(1)).await;
                ended.unwrap();
            }
            assert_eq!(all.emails(number).await.unwrap().len(), 0);
            let again = subscription("sub_1", ICO);
            of.put(&again, after(2)).await.unwrap();
            assert_eq!(all.emails(number).await.unwrap().len(), left);
        }
        // Removing the address and adding it again does not reverse the unsubscription.
        let mut without = subscription("sub_1", ICO);
        without.emails.clear();
        of.put(&without, after(3)).await.unwrap();
        of.put(&subscription("sub_1", ICO), after(4)).await.unwrap();
        assert_eq!(all.emails(number).await.unwrap(), [""; 0]);
        assert!(
            !all.end_email(number, "unknown@firma.sk", "x", after(5))
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_delivery_waits_for_a_subscription_ended_in_fan_out() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        let of = store.subscriptions_of(account);
        for round in 0..60 {
            let ids: Vec<String> = (0..5).map(|event| format!("{round}_{event}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            find(&store, &format!("scope_{round}"), &finding(&ids)).await;
            // An address and the whole subscription end, each concurrently with a fan-out.
            let all = store.subscriptions();
            let number = of.find(ICO).await.unwrap().expect("it is active").number;
            let ending = async {
                let address = "jana@firma.sk";
                let ended = all.end_email(number, address, "refused", START).await;
                assert!(ended.unwrap());
                of.end(ICO, START).await.unwrap()
            };
            let (_, ended) = tokio::join!(publish(&store, 5), ending);
            assert!(ended.is_some());
            let on_their_way = states(&store, account).await;
            let waiting = on_their_way
                .iter()
                .filter(|(_, state)| *state == State::Waiting);
            assert_eq!(waiting.count(), 0, "round {round}: {on_their_way:?}");
            let resubscribed = subscription(&format!("sub_again_{round}"), ICO);
            let again = of.put(&resubscribed, START).await.unwrap();
            assert!(matches!(again, SubscriptionPut::Created { .. }));
        }
    })
    .await;
}
