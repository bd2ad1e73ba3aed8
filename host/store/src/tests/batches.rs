//! Batches: claims of parts, totals, and expiry.

use super::*;
use crate::{AccountId, Batch, BatchCounts, BatchKind, ClaimedPart, NewBatch};

const KEEP: Duration = Duration::from_secs(600);
const PACE: Duration = Duration::from_secs(10);

async fn account(store: &Store, name: &str) -> AccountId {
    let keys = store.keys();
    keys.create_account(name, "starter", START)
        .await
        .unwrap()
        .id
}

/// Creates a batch whose parts have these keys.
async fn make(store: &Store, account: AccountId, id: &str, parts: &[&[&str]], at: u64) -> Batch {
    let parts: Vec<Vec<String>> = parts
        .iter()
        .map(|part| part.iter().map(|key| (*key).to_owned()).collect())
        .collect();
    let parts: Vec<&[String]> = parts.iter().map(Vec::as_slice).collect();
    let batch = NewBatch {
        id,
        kind: BatchKind::Names,
        scopes: None,
        parts: &parts,
        pace: PACE,
        claimed: None,
    };
    let batches = store.batches();
    let made = batches.of(account).create(&batch, None, after(at)).await;
    made.unwrap().unwrap()
}

async fn claim_at(store: &Store, owner: &str, at: u64) -> Option<ClaimedPart> {
    let batches = store.batches();
    batches.claim(owner, LEASE, after(at)).await.unwrap()
}

/// Claims a part as a new worker and returns its batch and number.
async fn claimed_at(store: &Store, at: u64) -> Option<(String, i64)> {
    let worker = uuid::Uuid::new_v4().to_string();
    let part = claim_at(store, &worker, at).await?;
    Some((part.batch_id, part.part))
}

fn found(items: i64) -> BatchCounts {
    BatchCounts {
        found: items,
        ..BatchCounts::default()
    }
}

async fn finish(store: &Store, part: &ClaimedPart, at: u64) -> bool {
    let items = i64::try_from(part.keys.len()).unwrap();
    let batches = store.batches();
    batches
        .finish(part, "{}", found(items), KEEP, after(at))
        .await
        .unwrap()
}

#[tokio::test]
async fn batch_completes_with_its_last_part() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let odd = "\"Žltý\", s. r. o.\u{0}\n";
        let made = make(&store, account, "one", &[&["a", odd], &["c"]], 0).await;
        assert_eq!((made.total, made.parts, made.processed), (3, 2, 0));
        assert_eq!(
            (made.started_at, made.completed_at, made.expires_at),
            (None, None, None)
        );

        let first = claim_at(&store, "host", 5).await.unwrap();
        assert_eq!(
            (first.part, first.kind, first.attempt),
            (0, BatchKind::Names, 1)
        );
        assert_eq!(first.keys, ["a", odd]);
        let of = store.batches().of(account);
        let begun = of.find("one", after(6)).await.unwrap().unwrap();
        assert_eq!((begun.started_at, begun.processed), (Some(after(5)), 0));

        let lines = "{\"found\":true}\n{\"found\":false}";
        let counts = BatchCounts {
            found: 1,
            not_found: 1,
            failed: 0,
        };
        let batches = store.batches();
        assert!(
            batches
                .finish(&first, lines, counts, KEEP, after(7))
                .await
                .unwrap()
        );
        let half = of.find("one", after(8)).await.unwrap().unwrap();
        assert_eq!(
            (half.processed, half.completed_at, half.expires_at),
            (2, None, None)
        );
        let part = of.part(&half, 0).await.unwrap().unwrap();
        assert_eq!(
            (part.keys, part.results.as_deref()),
            (first.keys, Some(lines))
        );
        assert_eq!(of.part(&half, 1).await.unwrap().unwrap().results, None);
        assert_eq!(of.part(&half, 2).await.unwrap(), None);

        let last = claim_at(&store, "other", 20).await.unwrap();
        let counts = BatchCounts {
            failed: 1,
            ..BatchCounts::default()
        };
        assert!(
            batches
                .give_up(&last, "{}", counts, KEEP, after(30))
                .await
                .unwrap()
        );
        let whole = of.find("one", after(31)).await.unwrap().unwrap();
        assert_eq!(
            (whole.started_at, whole.completed_at),
            (Some(after(5)), Some(after(30)))
        );
        assert_eq!(
            (whole.processed, whole.found, whole.not_found, whole.failed),
            (3, 1, 1, 1)
        );
        assert_eq!(
            (whole.expires_at, whole.parts_given_up),
            (Some(after(630)), 1)
        );
        assert_eq!(claim_at(&store, "host", 1000).await, None);
    })
    .await;
}

#[tokio::test]
async fn batch_is_invisible_to_other_accounts() {
    on_each_database(|store| async move {
        let own = account(&store, "Pekáreň").await;
        let other = account(&store, "Mlyn").await;
        let batch = make(&store, own, "one", &[&["a"]], 0).await;
        let batches = store.batches();
        assert_eq!(
            batches.of(own).find("one", START).await.unwrap().as_ref(),
            Some(&batch)
        );
        assert_eq!(batches.of(other).find("one", START).await.unwrap(), None);
        assert_eq!(batches.of(other).part(&batch, 0).await.unwrap(), None);
        assert_eq!(batches.of(own).find("two", START).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn only_the_newest_claim_of_a_part_writes() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        make(&store, account, "one", &[&["a"]], 0).await;
        let slow = claim_at(&store, "slow", 0).await.unwrap();
        assert_eq!(claim_at(&store, "quick", 59).await, None);
        assert!(
            store
                .batches()
                .extend(&slow, LEASE, after(30))
                .await
                .unwrap()
        );
        assert_eq!(claim_at(&store, "quick", 60).await, None);
        let quick = claim_at(&store, "quick", 90).await.unwrap();
        assert_eq!(quick.attempt, 2);
        assert!(
            !store
                .batches()
                .extend(&slow, LEASE, after(91))
                .await
                .unwrap()
        );
        assert!(!finish(&store, &slow, 92).await);
        assert!(finish(&store, &quick, 93).await);
        assert!(!finish(&store, &quick, 94).await, "once is enough");
        assert!(
            !store
                .batches()
                .extend(&quick, LEASE, after(95))
                .await
                .unwrap()
        );
        let of = store.batches().of(account);
        let batch = of.find("one", after(96)).await.unwrap().unwrap();
        assert_eq!((batch.processed, batch.completed_at), (1, Some(after(93))));
    })
    .await;
}

#[tokio::test]
async fn lost_claim_is_repeated_by_its_worker() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        make(&store, account, "one", &[&["a"]], 0).await;
        let lost = claim_at(&store, "host/1", 0).await.unwrap();
        assert_eq!(claim_at(&store, "host/2", 1).await, None);
        let again = claim_at(&store, "host/1", 1).await.unwrap();
        assert_eq!((again.part, again.attempt), (lost.part, lost.attempt + 1));
        assert!(!finish(&store, &lost, 2).await);
        assert!(finish(&store, &again, 3).await);
        assert_eq!(claim_at(&store, "host/1", 4).await, None);
    })
    .await;
}

#[tokio::test]
async fn later_batch_runs_between_parts_of_a_long_one() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        make(
            &store,
            account,
            "long",
            &[&["a"], &["b"], &["c"], &["d"]],
            0,
        )
        .await;
        make(&store, account, "short", &[&["e"], &["f"]], 15).await;
        let mut order = Vec::new();
        while let Some((batch, part)) = claimed_at(&store, 20).await {
            order.push(format!("{batch} {part}"));
        }
        assert_eq!(
            order,
            ["long 0", "long 1", "short 0", "long 2", "short 1", "long 3"]
        );
    })
    .await;
}

#[tokio::test]
async fn released_parts_are_claimable_at_once() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        make(&store, account, "one", &[&["a"], &["b"], &["c"]], 0).await;
        let finished = claim_at(&store, "one/1", 0).await.unwrap();
        assert!(finish(&store, &finished, 0).await);
        claim_at(&store, "one/1", 0).await.unwrap();
        claim_at(&store, "one1/1", 0).await.unwrap();
        assert_eq!(store.batches().release("one").await.unwrap(), 1);
        assert_eq!(claimed_at(&store, 1).await, Some(("one".to_owned(), 1)));
        assert_eq!(claimed_at(&store, 1).await, None);
    })
    .await;
}

#[tokio::test]
async fn batch_can_be_created_with_claimed_parts() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let keys = ["a".to_owned(), "b".to_owned()];
        let batch = NewBatch {
            id: "one",
            kind: BatchKind::Ico,
            scopes: None,
            parts: &[&keys[..1], &keys[1..]],
            pace: PACE,
            claimed: Some(("host", LEASE)),
        };
        let batches = store.batches();
        let made = batches.of(account).create(&batch, None, START).await;
        let made = made.unwrap().unwrap();
        assert_eq!(made.started_at, Some(START));
        assert_eq!(claim_at(&store, "other", 59).await, None);
        let mine = ClaimedPart {
            batch_id: "one".to_owned(),
            part: 0,
            kind: BatchKind::Ico,
            scopes: None,
            keys: vec!["a".to_owned()],
            attempt: 1,
        };
        assert!(finish(&store, &mine, 1).await);
        let left = claim_at(&store, "other", 60).await.unwrap();
        assert_eq!((left.part, left.attempt), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn concurrent_workers_finish_each_part_once() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let parts: Vec<&[&str]> = vec![&["a", "b"]; 40];
        make(&store, account, "one", &parts, 0).await;
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let store = store.clone();
                tokio::spawn(async move {
                    let mut parts = Vec::new();
                    // A worker that finds all open parts locked tries again; another worker has claimed the last one.
                    let mut idle = 0;
                    while idle < 3 {
                        match claim_at(&store, &worker.to_string(), 1).await {
                            Some(part) => {
                                assert!(finish(&store, &part, 2).await);
                                parts.push(part.part);
                                idle = 0;
                            }
                            None => idle += 1,
                        }
                    }
                    parts
                })
            })
            .collect();
        let mut parts = Vec::new();
        for worker in workers {
            parts.extend(worker.await.unwrap());
        }
        parts.sort_unstable();
        assert_eq!(parts, (0..40).collect::<Vec<i64>>());
        let of = store.batches().of(account);
        let batch = of.find("one", after(3)).await.unwrap().unwrap();
        assert_eq!((batch.processed, batch.completed_at), (80, Some(after(2))));
    })
    .await;
}

#[tokio::test]
async fn expired_batches_are_hidden_and_swept_in_slices() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        make(&store, account, "old", &[&["a"], &["b"], &["c"]], 0).await;
        make(&store, account, "open", &[&["d"]], 100).await;
        for _ in 0..3 {
            let part = claim_at(&store, "host", 1).await.unwrap();
            assert!(finish(&store, &part, 1).await);
        }
        let batches = store.batches();
        let of = batches.of(account);
        assert!(of.find("old", after(600)).await.unwrap().is_some());
        assert_eq!(batches.sweep(2, after(600)).await.unwrap(), 0);
        assert!(of.find("old", after(601)).await.unwrap().is_none());
        let mut rows = Vec::new();
        loop {
            rows.push(batches.sweep(2, after(601)).await.unwrap());
            if rows.last() == Some(&0) {
                break;
            }
        }
        assert_eq!(rows, [2, 2, 0], "three parts and the batch");
        assert!(
            of.find("open", after(9999)).await.unwrap().is_some(),
            "it has not ended"
        );
    })
    .await;
}

#[tokio::test]
async fn backlog_counts_unfinished_parts() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let backlog = async |at: u64| {
            let backlog = store.batches().backlog(after(at)).await.unwrap();
            (backlog.unfinished, backlog.claimed)
        };
        assert_eq!(backlog(0).await, (0, 0));
        make(&store, account, "one", &[&["a"], &["b"], &["c"]], 0).await;
        assert_eq!(backlog(0).await, (3, 0));
        let part = claim_at(&store, "host", 1).await.unwrap();
        assert_eq!(backlog(1).await, (3, 1));
        assert_eq!(backlog(100).await, (3, 0), "the claim has ended");
        assert!(finish(&store, &part, 2).await);
        assert_eq!(backlog(2).await, (2, 0));
    })
    .await;
}
