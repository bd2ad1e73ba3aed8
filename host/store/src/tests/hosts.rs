//! Hosts on one store.

use std::time::Duration;

use super::*;

#[tokio::test]
async fn hosts_are_counted_until_they_leave_or_are_silent() {
    on_each_database(|store| async move {
        let hosts = store.hosts();
        let alive = Duration::from_secs(30);
        assert_eq!(hosts.beat("a", alive, START).await.unwrap(), 1);
        assert_eq!(hosts.beat("a", alive, after(1)).await.unwrap(), 1);
        assert_eq!(hosts.beat("b", alive, after(20)).await.unwrap(), 2);
        assert_eq!(
            hosts.beat("b", alive, after(40)).await.unwrap(),
            1,
            "a is silent"
        );
        assert_eq!(hosts.beat("a", alive, after(41)).await.unwrap(), 2);
        hosts.leave("b").await.unwrap();
        assert_eq!(hosts.beat("a", alive, after(42)).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_hold_reaches_every_host_and_ends_with_the_longest() {
    on_each_database(|store| async move {
        let hosts = store.hosts();
        hosts.hold("https://x", after(60)).await.unwrap();
        hosts.hold("https://x", after(30)).await.unwrap();
        hosts.hold("https://y", after(10)).await.unwrap();
        let both = vec![
            ("https://x".to_owned(), after(60)),
            ("https://y".to_owned(), after(10)),
        ];
        assert_eq!(hosts.holds(START).await.unwrap(), both);
        assert_eq!(hosts.holds(after(10)).await.unwrap(), both[..1]);
        assert!(hosts.holds(after(60)).await.unwrap().is_empty());
    })
    .await;
}
