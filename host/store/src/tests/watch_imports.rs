//! Imports of watch lists: turns, claims, counts and expiry.

use super::*;
use crate::{
    AccountId, ClaimedWatchImport, NewWatchImport, WatchImportCounts, WatchImportCreation,
};

const KEEP: Duration = Duration::from_secs(600);

async fn make(store: &Store, account: AccountId, id: &str, parts: &[&str], at: u64) -> bool {
    let parts: Vec<String> = parts.iter().map(|part| format!("[{part}]")).collect();
    let new = NewWatchImport {
        id,
        dry_run: false,
        target: "{}",
        secret: "sealed",
        lines: parts.len(),
        parts: &parts,
    };
    let imports = store.watch_imports().of(account);
    let made = imports.create(&new, None, 2, after(at)).await.unwrap();
    matches!(made, WatchImportCreation::Created(_))
}

async fn claim(store: &Store, worker: &str, at: u64) -> Option<ClaimedWatchImport> {
    let imports = store.watch_imports();
    imports.claim(None, worker, LEASE, after(at)).await.unwrap()
}

async fn finish(store: &Store, claimed: &ClaimedWatchImport, at: u64) -> bool {
    let counts = WatchImportCounts {
        created: 1,
        ..WatchImportCounts::default()
    };
    let companies = [("00000124".to_owned(), claimed.part + 1)];
    let imports = store.watch_imports();
    imports
        .finish(claimed, "[{}]", counts, &companies, KEEP, after(at))
        .await
        .unwrap()
}

#[tokio::test]
async fn watch_imports_take_turns_part_by_part() {
    on_each_database(|store| async move {
        let store = &store;
        let keys = store.keys();
        let account = keys.create_account("one", "starter", START).await.unwrap();
        let other = keys.create_account("two", "starter", START).await.unwrap();
        assert!(make(store, account.id, "a", &["1", "2"], 0).await);
        assert!(make(store, other.id, "b", &["3"], 1).await);
        assert!(make(store, account.id, "c", &["4"], 2).await);
        assert!(!make(store, account.id, "d", &["5"], 3).await, "two wait");
        let first = claim(store, "w1", 10).await.unwrap();
        assert_eq!((first.id.as_str(), first.lines.as_str()), ("a", "[1]"));
        let second = claim(store, "w2", 10).await.unwrap();
        assert_eq!(second.id, "b");
        assert!(finish(store, &first, 11).await);
        assert!(!finish(store, &first, 11).await, "only once");
        assert_eq!(claim(store, "w1", 12).await.unwrap().id, "c");
        let third = claim(store, "w3", 12).await.unwrap();
        assert_eq!((third.id.as_str(), third.lines.as_str()), ("a", "[2]"));
        assert_eq!((third.part, third.created), (1, 1));
        assert_eq!(claim(store, "w4", 12).await, None);
        // The claims of a dead host end with their leases, and its late results are discarded.
        let lease = LEASE.as_secs();
        let again = claim(store, "w4", 13 + lease).await.unwrap();
        assert_eq!((again.id.as_str(), again.attempt), ("b", 2));
        assert!(!finish(store, &second, 14 + lease).await);
        assert!(finish(store, &again, 14 + lease).await);
        let imports = store.watch_imports();
        let by_id = imports.claim(Some("a"), "w5", LEASE, after(15 + lease));
        assert_eq!(by_id.await.unwrap().unwrap().attempt, 2);
        let of_other = imports.of(other.id);
        let ended = of_other
            .find("b", after(20 + lease))
            .await
            .unwrap()
            .unwrap();
        assert_eq!((ended.processed, ended.created), (1, 1));
        assert!(ended.completed_at.is_some());
        assert_eq!(
            imports.of(account.id).find("b", after(20)).await.unwrap(),
            None
        );
        let results = of_other.results("b", 0).await.unwrap();
        assert_eq!(results.as_deref(), Some("[{}]"));
        assert_eq!(imports.of(account.id).results("b", 0).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn expired_watch_import_is_deleted_in_slices() {
    on_each_database(|store| async move {
        let store = &store;
        let keys = store.keys();
        let account = keys.create_account("one", "starter", START).await.unwrap();
        assert!(make(store, account.id, "a", &["1", "2", "3"], 0).await);
        for at in 1..=3 {
            let claimed = claim(store, "w", at).await.unwrap();
            assert!(finish(store, &claimed, at).await);
        }
        let imports = store.watch_imports();
        let known = ["00000124".to_owned(), "99999901".to_owned()];
        let first = imports.first_lines("a", &known).await.unwrap();
        assert_eq!(first, [("00000124".to_owned(), 1)]);
        assert_eq!(imports.sweep(2, after(4)).await.unwrap(), 0);
        let end = 4 + KEEP.as_secs();
        assert_eq!(
            imports.of(account.id).newest(after(4)).await.unwrap().len(),
            1
        );
        assert!(
            imports
                .of(account.id)
                .newest(after(end))
                .await
                .unwrap()
                .is_empty()
        );
        let mut swept = Vec::new();
        while let 1.. = *swept.last().unwrap_or(&1) {
            swept.push(imports.sweep(2, after(end)).await.unwrap());
        }
        assert_eq!(swept, [3, 2, 0], "a company and two parts, then the rest");
    })
    .await;
}
