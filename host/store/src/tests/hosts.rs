//! Heartbeats of hosts and cooldowns of upstreams.

use std::time::Duration;

use super::*;

#[tokio::test]
async fn host_counts_until_it_leaves_or_falls_silent() {
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
async fn cooldown_reaches_every_host_and_the_longest_wins() {
    on_each_database(|store| async move {
        let hosts = store.hosts();
        hosts.start_cooldown("https://x", after(60)).await.unwrap();
        hosts.start_cooldown("https://x", after(30)).await.unwrap();
        hosts.start_cooldown("https://y", after(10)).await.unwrap();
        let both = vec![
            ("https://x".to_owned(), after(60)),
            ("https://y".to_owned(), after(10)),
        ];
        assert_eq!(hosts.cooldowns(START).await.unwrap(), both);
        assert_eq!(hosts.cooldowns(after(10)).await.unwrap(), both[..1]);
        assert!(hosts.cooldowns(after(60)).await.unwrap().is_empty());
    })
    .await;
}
