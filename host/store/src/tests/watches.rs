//! Watched companies: claims and wake-ups.

use super::publishing::{ICO, account, subscription, watching};
use super::*;
use crate::{ClaimedWatch, Either};

async fn claim_watch(store: &Store, at: u64) -> Vec<ClaimedWatch> {
    let watches = store.watches();
    watches.claim(10, LEASE, after(at)).await.unwrap()
}

/// Finishes a watch that was claimed at `claimed`; it is due again at `next`.
async fn finish(store: &Store, watch: &ClaimedWatch, claimed: u64, next: u64) {
    let watches = store.watches();
    let finished = watches.finish(watch, after(claimed) + LEASE, after(next));
    finished.await.unwrap();
}

#[tokio::test]
async fn watched_company_is_claimed_once_until_due() {
    on_each_database(|store| async move {
        watching(&store).await;
        let many = futures_util::future::join_all((0..6).map(|_| claim_watch(&store, 1))).await;
        let claimed: Vec<ClaimedWatch> = many.into_iter().flatten().collect();
        assert_eq!(claimed.len(), 1);
        finish(&store, &claimed[0], 1, 500).await;
        assert_eq!(claim_watch(&store, 499).await, []);
        assert_eq!(claim_watch(&store, 500).await[0].attempt, 2);
        // The host dies: its claim expires.
        assert_eq!(claim_watch(&store, 559).await, []);
        assert_eq!(claim_watch(&store, 560).await[0].attempt, 3);
        // The first host was alive after all; it does not overwrite the newer claim.
        finish(&store, &claimed[0], 500, 10_000).await;
        assert_eq!(claim_watch(&store, 620).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn change_during_refresh_is_not_lost() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        for (round, how) in ["list", "every list", "subscription"].iter().enumerate() {
            let at = 10_000 * (1 + round as u64);
            let claimed = claim_watch(&store, at).await;
            assert_eq!(claimed.len(), 1, "{how}");
            match *how {
                "list" => {
                    let woken = [ICO, "10000009"];
                    let woken = store.watches().wake(&woken, after(at + 1)).await;
                    assert_eq!(woken.unwrap(), 1);
                }
                "every list" => {
                    assert_eq!(store.watches().wake_all(after(at + 1)).await.unwrap(), 1);
                }
                _ => {
                    let of = store.subscriptions_of(account);
                    of.put(&subscription("sub_1", ICO), after(at + 1))
                        .await
                        .unwrap();
                }
            }
            finish(&store, &claimed[0], at, at + 5_000).await;
            let again = claim_watch(&store, at + 1).await;
            assert_eq!(again.len(), 1, "{how}");
            finish(&store, &again[0], at + 1, at + 5_000).await;
            assert_eq!(claim_watch(&store, at + 4_999).await, [], "{how}");
        }
    })
    .await;
}

/// The statistics of `PostgreSQL` are from when no company was due, so it plans for few.
#[tokio::test]
async fn claim_keeps_its_limit_when_many_become_due() {
    on_each_database(|store| async move {
        let account = account(&store, "one").await;
        let icos: Vec<String> = (0..200).map(|number| format!("{number:08}")).collect();
        let webhook = "http://127.0.0.1:9/";
        let subscribed = store.subscribe_in_bulk(account, &icos, webhook, after(1_000), START);
        subscribed.await.unwrap();
        if let Either::Postgres(pool) = &store.writes {
            sqlx::query("analyze watch").execute(pool).await.unwrap();
        }
        let icos: Vec<&str> = icos.iter().map(String::as_str).collect();
        assert_eq!(store.watches().wake(&icos, after(1)).await.unwrap(), 200);
        for _ in 0..20 {
            assert_eq!(claim_watch(&store, 1).await.len(), 10);
        }
        assert_eq!(claim_watch(&store, 1).await, []);
    })
    .await;
}

#[tokio::test]
async fn company_is_watched_while_any_account_watches() {
    on_each_database(|store| async move {
        let one = watching(&store).await;
        let two = account(&store, "Mlyn").await;
        let of = store.subscriptions_of(two);
        of.put(&subscription("sub_2", ICO), START).await.unwrap();
        assert_eq!(store.watches().plans(ICO).await.unwrap(), ["business"]);
        for (account, left) in [(one, 1), (two, 0)] {
            let of = store.subscriptions_of(account);
            of.end(ICO, after(1)).await.unwrap().unwrap();
            assert_eq!(store.watches().backlog(after(1)).await.unwrap().0, left);
        }
        assert_eq!(store.watches().plans(ICO).await.unwrap(), [""; 0]);
    })
    .await;
}
