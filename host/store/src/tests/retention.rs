//! Deletion of old rows, and sizes.

use std::collections::BTreeMap;

use time::Duration;
use time::macros::date;

use super::publishing::{
    ICO, claim_due, find, finding, publish, record_arrived, subscription, watching,
};
use super::*;
use crate::{MailOutcome, NewMail, SizeKind, TABLES, UsageOfDay, on};

async fn count(store: &Store, table: &'static str) -> i64 {
    let sql = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
    let in_billing = TABLES
        .iter()
        .any(|rule| rule.table == table && rule.in_billing);
    let db = if in_billing {
        &store.billing_reads
    } else {
        &store.reads
    };
    on!(db, |pool| sqlx::query_scalar(sql).fetch_one(pool).await).unwrap()
}

#[tokio::test]
async fn old_leases_and_keys_are_deleted_in_slices() {
    on_each_database(|store| async move {
        for name in ["a", "b", "c"] {
            let taken = store.leases().acquire(name, "gone", LEASE, START).await;
            assert!(taken.unwrap());
        }
        let held = store
            .leases()
            .acquire("held", "host", LEASE, after(120))
            .await;
        assert!(held.unwrap());
        let rows = store.old_rows();
        assert_eq!(rows.sweep_leases(after(60), 2).await.unwrap(), 0);
        assert_eq!(rows.sweep_leases(after(61), 2).await.unwrap(), 2);
        assert_eq!(rows.sweep_leases(after(61), 2).await.unwrap(), 1);
        assert_eq!(count(&store, "lease").await, 1);

        let keys = store.keys();
        let account = keys.create_account("acme", "free", START).await.unwrap().id;
        let mut ids = Vec::new();
        for (number, expires) in [(0_u8, None), (1, Some(after(10))), (2, None)] {
            let key = keys
                .create_key(account, "k", "p", &[number; 32], expires, START)
                .await;
            ids.push(key.unwrap().id);
        }
        assert!(keys.revoke_key(ids[2], after(20)).await.unwrap());
        assert_eq!(rows.sweep_keys(after(10), 9).await.unwrap(), 0);
        assert_eq!(rows.sweep_keys(after(15), 9).await.unwrap(), 1);
        assert_eq!(rows.sweep_keys(after(21), 9).await.unwrap(), 1);
        let left = keys.list_keys(account).await.unwrap();
        assert_eq!(left.iter().map(|key| key.id).collect::<Vec<_>>(), [ids[0]]);
    })
    .await;
}

#[tokio::test]
async fn ended_subscription_goes_after_its_deliveries() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let rows = store.old_rows();
        // Deliveries are on their way: the queues stay.
        assert_eq!(rows.sweep_endpoints(after(20), 10).await.unwrap(), 0);
        let claimed = claim_due(&store, 16, 20).await;
        assert_eq!(record_arrived(&store, claimed, 20).await, 2);
        let queues = u64::try_from(count(&store, "endpoint").await).unwrap();
        assert_eq!(rows.sweep_endpoints(after(30), 10).await.unwrap(), queues);
        store
            .subscriptions_of(account)
            .end(ICO, after(40))
            .await
            .unwrap();
        assert_eq!(rows.sweep_subscriptions(after(50), 10).await.unwrap(), 0);
        store.events().sweep(after(50)).await.unwrap();
        assert_eq!(
            rows.sweep_subscriptions(after(40), 10).await.unwrap(),
            0,
            "it is kept"
        );
        assert_eq!(rows.sweep_subscriptions(after(50), 10).await.unwrap(), 1);
        assert_eq!(count(&store, "subscription_email").await, 0);
        // An active subscription is never deleted.
        let new = subscription("sub_2", ICO);
        store
            .subscriptions_of(account)
            .put(&new, START)
            .await
            .unwrap();
        let much_later = after(999_999_999);
        assert_eq!(rows.sweep_subscriptions(much_later, 10).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn old_mail_and_usage_are_deleted_in_slices() {
    on_each_database(|store| async move {
        for number in 0..3 {
            let mail = NewMail {
                occasion: format!("occasion {number}"),
                recipient: "jana@firma.sk".to_owned(),
                subject: String::new(),
                body: String::new(),
                created_at: after(number),
                sealed: false,
                account: None,
            };
            store.mail().add(&mail).await.unwrap();
        }
        let rows = store.old_rows();
        assert_eq!(
            rows.sweep_mail(after(99), 10).await.unwrap(),
            0,
            "they wait"
        );
        for _ in 0..2 {
            let claimed = store.mail().claim(LEASE, after(5)).await.unwrap().unwrap();
            let sent = MailOutcome::Sent;
            assert!(
                store
                    .mail()
                    .finish(&claimed, &sent, after(5))
                    .await
                    .unwrap()
            );
        }
        assert_eq!(rows.sweep_mail(after(1), 10).await.unwrap(), 1);
        assert_eq!(rows.sweep_mail(after(99), 10).await.unwrap(), 1);
        assert_eq!(count(&store, "mail").await, 1);

        let keys = store.keys();
        let mut accounts = Vec::new();
        for name in ["one", "two"] {
            accounts.push(keys.create_account(name, "free", START).await.unwrap().id);
        }
        let mut usage = Vec::new();
        for account_id in &accounts {
            for day in [
                date!(2026 - 01 - 01),
                date!(2026 - 01 - 02),
                date!(2026 - 06 - 01),
            ] {
                for endpoint in ["company", "search"] {
                    usage.push(UsageOfDay {
                        account_id: *account_id,
                        day,
                        endpoint: endpoint.to_owned(),
                        requests: 1,
                        cached: 0,
                        credits: 0,
                        overage: 0,
                    });
                }
            }
        }
        store.billing().add_usage(&usage).await.unwrap();
        let before = date!(2026 - 06 - 01);
        let (mut after, mut deleted) = (0, Vec::new());
        while let Some((account, rows)) = rows.sweep_usage(after, before, 2).await.unwrap() {
            deleted.push(rows);
            // A full slice: the account has more.
            if rows < 2 {
                after = account;
            }
        }
        assert_eq!(deleted, [2, 2, 0, 2, 2, 0]);
        assert_eq!(count(&store, "usage_day").await, 4);
    })
    .await;
}

#[tokio::test]
async fn sizes_are_measured_and_shared() {
    on_each_database(|store| async move {
        store
            .companies()
            .upsert(&[company("10000001", "Mlyn")], false, START)
            .await
            .unwrap();
        let rows = store.old_rows();
        assert_eq!(rows.sizes().await.unwrap(), []);
        for rule in TABLES {
            rows.measure(rule, START).await.unwrap();
        }
        rows.measure_bytes(START).await.unwrap();
        let sizes = rows.sizes().await.unwrap();
        let of = |kind: SizeKind| -> BTreeMap<String, i64> {
            let sizes = sizes.iter().filter(|size| size.kind == kind);
            sizes.map(|size| (size.name.clone(), size.amount)).collect()
        };
        let tables = of(SizeKind::Rows);
        assert_eq!(tables.len(), TABLES.len());
        assert_eq!((tables["company"], tables["ledger_entry"]), (1, 0));
        let bytes = of(SizeKind::Bytes);
        let expected: &[&str] = match store.kind() {
            crate::DatabaseKind::Sqlite => &["billing", "main"],
            crate::DatabaseKind::Postgres => &["database"],
        };
        assert_eq!(bytes.keys().collect::<Vec<_>>(), expected);
        assert!(bytes.values().all(|bytes| *bytes > 4_096), "{bytes:?}");
        // A table that is no longer measured disappears.
        let later = START + Duration::days(31);
        rows.measure(&TABLES[0], later).await.unwrap();
        rows.measure_bytes(later).await.unwrap();
        let left = rows.sizes().await.unwrap();
        assert_eq!(left.len(), 1 + expected.len());
    })
    .await;
}
