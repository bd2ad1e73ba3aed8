//! Accounts, API keys and leases.

use super::*;
use crate::{AccountError, AccountId, KeyOfAccount};

#[tokio::test]
async fn key_finds_its_account_until_revoked() {
    on_each_database(|store| async move {
        let keys = store.keys();
        let account = keys
            .create_account("Pekáreň", "starter", START)
            .await
            .unwrap();
        assert_eq!(
            keys.find_account("Pekáreň").await.unwrap().as_ref(),
            Some(&account)
        );
        assert_eq!(keys.find_account("Mlyn").await.unwrap(), None);

        let key = keys
            .create_key(account.id, "shop", "lk_12", b"hash", Some(after(99)), START)
            .await
            .unwrap();
        let found = KeyOfAccount {
            key_id: key.id,
            account_id: account.id,
            account: "Pekáreň".to_owned(),
            plan: "starter".to_owned(),
            plan_version: 1,
            overage: false,
            language: "sk".to_owned(),
            expires_at: Some(after(99)),
            revoked_at: None,
            manage: false,
            scopes: None,
            addresses: None,
            former_ends_at: None,
        };
        assert_eq!(keys.find_key(b"hash").await.unwrap(), Some(found.clone()));
        assert_eq!(keys.find_key(b"other").await.unwrap(), None);

        keys.touch_keys(&[(key.id, after(9))]).await.unwrap();
        keys.touch_keys(&[(key.id, after(8))]).await.unwrap();
        assert_eq!(
            keys.list_keys(account.id).await.unwrap()[0].last_used_at,
            Some(after(9))
        );

        assert!(keys.revoke_key(key.id, after(10)).await.unwrap());
        assert!(!keys.revoke_key(key.id, after(11)).await.unwrap());
        let revoked = KeyOfAccount {
            revoked_at: Some(after(10)),
            ..found
        };
        assert_eq!(keys.find_key(b"hash").await.unwrap(), Some(revoked));
    })
    .await;
}

#[tokio::test]
async fn account_names_and_key_hashes_are_unique() {
    on_each_database(|store| async move {
        let keys = store.keys();
        let account = keys
            .create_account("Pekáreň", "starter", START)
            .await
            .unwrap();
        let taken = keys
            .create_account("Pekáreň", "business", START)
            .await
            .unwrap_err();
        assert!(matches!(taken, AccountError::NameTaken), "{taken:?}");
        keys.create_key(account.id, "one", "lk_12", b"hash", None, START)
            .await
            .unwrap();
        assert!(
            keys.create_key(account.id, "two", "lk_12", b"hash", None, START)
                .await
                .is_err()
        );
        assert!(
            keys.create_key(
                AccountId::new(account.id.get() + 1),
                "three",
                "lk_12",
                b"other",
                None,
                START
            )
            .await
            .is_err()
        );
    })
    .await;
}

#[tokio::test]
async fn lease_has_one_owner_until_it_expires() {
    on_each_database(|store| async move {
        let leases = store.leases();
        assert!(leases.acquire("sweep", "one", LEASE, START).await.unwrap());
        assert!(
            !leases
                .acquire("sweep", "two", LEASE, after(59))
                .await
                .unwrap()
        );
        assert!(
            leases
                .acquire("sweep", "one", LEASE, after(30))
                .await
                .unwrap()
        );
        assert!(
            !leases
                .acquire("sweep", "two", LEASE, after(89))
                .await
                .unwrap()
        );
        assert_eq!(
            leases.holder("sweep", after(89)).await.unwrap().as_deref(),
            Some("one")
        );
        assert_eq!(leases.holder("sweep", after(90)).await.unwrap(), None);
        assert!(
            leases
                .acquire("sweep", "two", LEASE, after(90))
                .await
                .unwrap()
        );
        leases.release("sweep", "one").await.unwrap();
        assert_eq!(
            leases.holder("sweep", after(91)).await.unwrap().as_deref(),
            Some("two")
        );
        leases.release("sweep", "two").await.unwrap();
        assert!(
            leases
                .acquire("sweep", "one", LEASE, after(91))
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn concurrent_lease_requests_have_one_winner() {
    on_each_database(|store| async move {
        let attempts: Vec<_> = (0..16)
            .map(|number| {
                let store = store.clone();
                tokio::spawn(async move {
                    store
                        .leases()
                        .acquire("sweep", &number.to_string(), LEASE, START)
                        .await
                        .unwrap()
                })
            })
            .collect();
        let mut winners = 0;
        for attempt in attempts {
            winners += usize::from(attempt.await.unwrap());
        }
        assert_eq!(winners, 1);
    })
    .await;
}
