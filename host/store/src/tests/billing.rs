//! Bookings: how accounts are opened for them.

use super::*;
use crate::{AccountBalance, AccountId, Bookings, StoreError, on};

fn balance(account_id: AccountId) -> AccountBalance {
    AccountBalance {
        account_id,
        plan: "starter".to_owned(),
        plan_version: 1,
        monthly: 100,
        rollover: 0,
        anchor: START.date(),
        period: 0,
        period_start: START,
        period_end: after(3_600),
        last_entry: 0,
        last_grant: 0,
        balance: 100,
        used: 0,
        overage: 0,
        noticed: 0,
        booked_at: START,
    }
}

async fn set_anchor(store: &Store, anchor: &str) {
    let sql = "update billing_account set anchor = $1";
    on!(&store.billing, |pool| sqlx::query(sql)
        .bind(anchor)
        .execute(pool)
        .await
        .map(drop))
    .unwrap();
}

#[tokio::test]
async fn account_can_be_opened_after_an_unreadable_row() {
    on_each_database(|store| async move {
        let account = AccountId::new(1);
        let balance = balance(account);
        let bookings = Bookings {
            opened: vec![balance.clone()],
            ..Bookings::default()
        };
        let opened = store.billing().open(&[account], true).await.unwrap();
        opened.commit(&bookings).await.unwrap();
        set_anchor(&store, "no day").await;
        let unreadable = store.billing().open(&[account], true).await.map(drop);
        assert!(matches!(
            unreadable,
            Err(StoreError::Unreadable { why, .. }) if why.contains("anchor")
        ));
        // The failed attempt began a transaction. It was rolled back, so that the next one finds the account unlocked.
        set_anchor(&store, &balance.anchor.to_string()).await;
        let opened = store.billing().open(&[account], true).await.unwrap();
        assert_eq!(opened.accounts[&account].account.as_ref(), Some(&balance));
    })
    .await;
}
