//! Results of the daily check of known companies.

use super::*;
use crate::SentinelReading;

#[tokio::test]
async fn newest_sentinel_reading_replaces_the_last() {
    on_each_database(|store| async move {
        let sentinels = store.sentinels();
        let reading = SentinelReading {
            connector: connector_id("orsr"),
            scope: String::new(),
            ico: "99999901".to_owned(),
            version: "1.0.0".to_owned(),
            members: "capital\nofficers".to_owned(),
            checked_at: START,
            problem: None,
            problem_since: None,
        };
        sentinels.put(&reading).await.unwrap();
        let worse = SentinelReading {
            checked_at: after(60),
            problem: Some("missing members: officers".to_owned()),
            problem_since: Some(after(60)),
            ..reading.clone()
        };
        let other = SentinelReading {
            scope: "tax".to_owned(),
            ..reading.clone()
        };
        sentinels.put(&worse).await.unwrap();
        sentinels.put(&other).await.unwrap();
        assert_eq!(
            sentinels.all().await.unwrap(),
            [worse.clone(), other.clone()]
        );
        sentinels.delete(&worse).await.unwrap();
        assert_eq!(sentinels.all().await.unwrap(), [other]);
    })
    .await;
}
