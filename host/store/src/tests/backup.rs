//! Copies of the files at one moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::backup::{SqliteFiles, check_integrity, schema_of};
use crate::testing::TestDatabase;
use crate::{NewMail, on};

/// Writes to the main file and to the file of credits in turn, until told to end.
async fn write_in_turn(store: Store, ended: Arc<AtomicBool>) -> u64 {
    let mut number = 0;
    while !ended.load(Ordering::SeqCst) {
        let name = format!("lease {number}");
        store
            .leases()
            .acquire(&name, "host", LEASE, START)
            .await
            .unwrap();
        let mail = NewMail {
            occasion: name,
            recipient: "jana@firma.sk".to_owned(),
            subject: String::new(),
            body: "x".repeat(2_000),
            created_at: START,
            sealed: false,
            account: None,
        };
        store.mail().add(&mail).await.unwrap();
        number += 1;
    }
    number
}

/// The numbers of leases and of e-mails in a store.
async fn written(store: &Store) -> (i64, i64) {
    let leases = "select count(*) from lease";
    let mails = "select count(*) from mail";
    let leases = on!(&store.reads, |pool| sqlx::query_scalar(leases)
        .fetch_one(pool)
        .await);
    let mails = on!(&store.billing_reads, |pool| sqlx::query_scalar(mails)
        .fetch_one(pool)
        .await);
    (leases.unwrap(), mails.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_of_a_busy_store_are_of_one_moment() {
    let database = TestDatabase::sqlite();
    let store = database.store().await;
    let files = SqliteFiles::of(database.url()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn(write_in_turn(store.clone(), Arc::clone(&ended)));
    let mut seen = 0;
    for number in 0..12 {
        // Both files have grown since the last copy.
        while written(&store).await.1 <= seen {
            tokio::task::yield_now().await;
        }
        let before = written(&store).await;
        let copy = SqliteFiles::at(&folder.path().join(number.to_string()).join("lustra.db"));
        std::fs::create_dir(copy.main.parent().unwrap()).unwrap();
        let (from, to) = (files.clone(), copy.clone());
        let pages = tokio::task::spawn_blocking(move || {
            let mut last = (0, 0);
            from.copy(&to, |done, all| last = (done, all)).unwrap();
            last
        });
        let (done, all) = pages.await.unwrap();
        assert!(done == all && all > 10, "{done} of {all} pages");
        for file in [&copy.main, &copy.billing] {
            assert_eq!(check_integrity(file).unwrap(), Vec::<String>::new());
        }
        let copied = Store::connect(&copy.url(), 1).await.unwrap();
        let (leases, mails) = written(&copied).await;
        copied.close().await;
        // The writer alternates: a copy of one moment has as many rows in both files, or one more in the first.
        assert!((0..=1).contains(&(leases - mails)), "{leases} and {mails}");
        assert!(
            leases >= before.0 && mails >= before.1,
            "what was written before is in the copy"
        );
        seen = mails;
    }
    ended.store(true, Ordering::SeqCst);
    let total = writer.await.unwrap();
    assert_eq!(written(&store).await.1, i64::try_from(total).unwrap());
    store.close().await;
}

#[tokio::test]
async fn copied_schema_is_the_one_of_the_store() {
    let database = TestDatabase::sqlite();
    let store = database.store().await;
    let files = SqliteFiles::of(database.url()).unwrap();
    let schema = schema_of(&files.main).unwrap();
    assert_eq!(schema.newest(), Store::schema_of_program());
    assert_eq!(schema.store_id, Some(store.identity().await.unwrap()));
    assert!(schema_of(&files.billing).unwrap().newest() >= 1);
    store.close().await;
    // A damaged page is found.
    crate::backup::move_wal(&files.billing).unwrap();
    let mut bytes = std::fs::read(&files.billing).unwrap();
    // The head of the second page.
    for byte in &mut bytes[4_096..4_200] {
        *byte = 0x5a;
    }
    std::fs::write(&files.billing, bytes).unwrap();
    let mistakes = check_integrity(&files.billing);
    assert!(mistakes.is_err() || mistakes.is_ok_and(|mistakes| !mistakes.is_empty()));
    let other = files.main.with_file_name("other.db");
    std::fs::write(&other, "").unwrap();
    assert!(schema_of(&other).is_err());
    assert_eq!(SqliteFiles::of("postgres://localhost/lustra"), None);
}
