//! Consent of e-mail recipients.

use super::publishing::{ICO, account, find, finding, publish, states_of, subscription};
use super::*;
use crate::{AccountId, Consent, NewSubscription, State, SubscriptionPut};

const JANA: &str = "Jana@Firma.sk";

fn to_jana(id: &str, ico: &str, confirm: bool) -> NewSubscription {
    NewSubscription {
        emails: vec![JANA.to_owned()],
        webhook_url: None,
        webhook_endpoint: None,
        confirm,
        ..subscription(id, ico)
    }
}

#[tokio::test]
async fn unsubscribed_address_gets_nothing_until_it_confirms() {
    on_each_database(|store| async move {
        let one = account(&store, "one").await;
        let other = account(&store, "other").await;
        let of = store.subscriptions_of(one);
        of.put(&to_jana("sub_1", ICO, false), START).await.unwrap();
        of.put(&to_jana("sub_2", "10000002", false), START)
            .await
            .unwrap();
        let others = store.subscriptions_of(other);
        others
            .put(&to_jana("sub_3", ICO, false), START)
            .await
            .unwrap();
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let number = of.find(ICO).await.unwrap().unwrap().number;
        let recipients = store.recipients();
        // Addresses match in any letter case.
        assert_eq!(recipients.account_of(number).await.unwrap(), Some(one));
        let unsubscribed = recipients.unsubscribe(one, "jana@firma.sk", after(1));
        unsubscribed.await.unwrap();
        assert_eq!(states_of(&store, one).await, [State::Cancelled]);
        assert_eq!(states_of(&store, other).await, [State::Waiting]);
        let emails = |ico: &'static str| {
            let store = store.clone();
            async move {
                let found = store.subscriptions_of(one).find(ico).await.unwrap();
                store
                    .subscriptions()
                    .emails(found.unwrap().number)
                    .await
                    .unwrap()
            }
        };
        for ico in [ICO, "10000002"] {
            assert_eq!(emails(ico).await, [""; 0], "{ico}");
            of.put(&to_jana("sub_4", ico, false), after(2))
                .await
                .unwrap();
            assert_eq!(emails(ico).await, [""; 0], "{ico}");
        }
        // Companies watched from now on are blocked too.
        of.put(&to_jana("sub_5", "10000005", false), after(3))
            .await
            .unwrap();
        assert_eq!(emails("10000005").await, [""; 0]);
        let consents = recipients.consents(one, &[JANA.to_owned()]).await.unwrap();
        assert_eq!(consents, [Some(Consent::Unsubscribed)]);
        recipients
            .confirm(one, "JANA@firma.sk", after(4))
            .await
            .unwrap();
        for ico in [ICO, "10000002", "10000005"] {
            assert_eq!(emails(ico).await, [JANA], "{ico}");
        }
        assert_eq!(recipients.account_of(999).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn new_address_gets_nothing_until_it_confirms() {
    on_each_database(|store| async move {
        let one = account(&store, "one").await;
        let of = store.subscriptions_of(one);
        // This address was stored before confirmations were required.
        let mut earlier = to_jana("sub_0", "10000009", false);
        earlier.emails = vec!["risk@firma.sk".to_owned()];
        of.put(&earlier, START).await.unwrap();
        let mut new = to_jana("sub_1", ICO, true);
        new.emails.push("risk@firma.sk".to_owned());
        let put = of.put(&new, START).await.unwrap();
        let SubscriptionPut::Created { stored, asked } = put else {
            panic!("it is new: {put:?}");
        };
        assert_eq!(asked, [JANA]);
        let waiting = stored.emails.iter().filter(|email| email.waiting);
        assert_eq!(waiting.count(), 1);
        let subscriptions = store.subscriptions();
        let emails = subscriptions.emails(stored.number).await.unwrap();
        assert_eq!(emails, ["risk@firma.sk"]);
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        assert_eq!(states_of(&store, one).await.len(), 1);
        let recipients = store.recipients();
        assert!(!recipients.is_subscribed(one, JANA).await.unwrap());
        recipients.confirm(one, JANA, after(1)).await.unwrap();
        assert!(recipients.is_subscribed(one, JANA).await.unwrap());
        let put = of.put(&new, after(2)).await.unwrap();
        assert!(matches!(put, SubscriptionPut::Updated { asked, .. } if asked.is_empty()));
        let emails = subscriptions.emails(stored.number).await.unwrap();
        assert_eq!(emails.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn email_language_defaults_to_slovak() {
    on_each_database(|store| async move {
        let one = account(&store, "one").await;
        let keys = store.keys();
        assert_eq!(keys.language(one).await.unwrap().as_deref(), Some("sk"));
        keys.set_language(one, "en").await.unwrap();
        assert_eq!(keys.language(one).await.unwrap().as_deref(), Some("en"));
        assert_eq!(keys.language(AccountId::new(999)).await.unwrap(), None);
    })
    .await;
}
