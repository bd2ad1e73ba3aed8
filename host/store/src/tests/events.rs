//! Findings, event numbers, and readers of the log.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;

use super::publishing::{
    HOOK, ICO, account, arrived, claim_due, event, find, finding, publish, record_arrived, section,
    states_of, subscription, watching,
};
use super::*;
use crate::db::on;
use crate::testing::scope_name;
use crate::{
    AccountId, Attempt, AttemptOutcome, ChangeSet, Channel, DeliveryFilter, LogPosition,
    LoggedEvent, NewEvent, PendingEvent, State, Subscriber,
};

async fn logged(store: &Store, account: AccountId, after: i64) -> (Vec<LoggedEvent>, i64) {
    let events = store.events();
    events
        .logged_after(account, &[], after, 1_000)
        .await
        .unwrap()
}

#[tokio::test]
async fn finding_and_section_are_stored_atomically() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        let (changes, total) = store.events().history(ICO, &[], 10, 0).await.unwrap();
        assert_eq!((changes.len(), total), (1, 1));
        assert_eq!(changes[0].new.as_deref(), Some("\"č\\u0000\""));
        assert_eq!(store.events().oldest_waiting().await.unwrap(), Some(START));

        on!(&store.writes, |pool| sqlx::query(
            "alter table event rename to away"
        )
        .execute(pool)
        .await
        .map(drop))
        .unwrap();
        let sections = store.sections();
        let later = section("tax", "{\"later\":true}");
        let found = finding(&["2"]);
        let put = sections
            .put_compared(&later, &|_, _| found.clone(), after(5))
            .await;
        assert!(put.is_err());
        on!(&store.writes, |pool| sqlx::query(
            "alter table away rename to event"
        )
        .execute(pool)
        .await
        .map(drop))
        .unwrap();
        let stored = sections.find(ICO, &[scope_name("tax")]).await.unwrap();
        assert_eq!(stored[0].content.as_deref(), Some("{}"));
        assert_eq!(store.events().history(ICO, &[], 10, 0).await.unwrap().1, 1);
        assert_eq!(publish(&store, 10).await, 1);
        assert_eq!(logged(&store, account, 0).await.0.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn repeated_finding_is_published_once() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        find(&store, "tax", &finding(&["1", "1", "2"])).await;
        assert_eq!(publish(&store, 10).await, 2);
        find(&store, "tax", &finding(&["1", "2"])).await;
        assert_eq!(publish(&store, 10).await, 0);
        let (events, reached) = logged(&store, account, 0).await;
        let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
        assert_eq!((ids, reached), (vec!["evt_1", "evt_2"], 2));
    })
    .await;
}

#[tokio::test]
async fn account_reads_events_numbered_while_it_watched() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let of = store.subscriptions_of(account);
        let mut new = subscription("sub_1", ICO);
        new.kinds = Some(",company.updated,debtor.added,".to_owned());
        let found = |id: &str, kind: &str, scope: Option<&str>, at| NewEvent {
            kind: kind.to_owned(),
            scope: scope.map(scope_name),
            reading: id.to_owned(),
            detected_at: after(at),
            ..event(id)
        };
        let numbered = async |events| {
            let found = ChangeSet {
                events,
                ..ChangeSet::default()
            };
            find(&store, "tax", &found).await;
            publish(&store, 10).await
        };
        // The hosts' clocks differ in both directions, by much more than the steps of the test take.
        numbered(vec![found("before", "debtor.added", None, 5_000)]).await;
        of.put(&new, after(1_000)).await.unwrap();
        let watched = vec![
            found("first", "debtor.added", None, 0),
            found("other-kind", "debtor", None, 12),
            found("other-scope", "debtor.added", Some("tax"), 12),
            found("last", "company.updated", Some("debtor_status"), 5_000),
        ];
        assert_eq!(numbered(watched).await, 4);
        of.end(ICO, after(500)).await.unwrap();
        numbered(vec![found("end", "debtor.added", None, 100)]).await;
        let events = store.events();
        let scopes = [scope_name("debtor_status")];
        let read = events.logged_after(account, &scopes, 0, 10);
        let (read, reached) = read.await.unwrap();
        let ids: Vec<&str> = read.iter().map(|event| event.id.as_str()).collect();
        assert_eq!((ids, reached), (vec!["evt_first", "evt_last"], 6));
        assert_eq!(
            logged(&store, AccountId::new(account.get() + 1), 0).await.1,
            6
        );
    })
    .await;
}

#[tokio::test]
async fn subscription_gets_events_of_a_slower_clock() {
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let of = store.subscriptions_of(account);
        let put = of.put(&subscription("sub_1", ICO), after(600)).await;
        put.unwrap();
        find(&store, "tax", &finding(&["1"])).await;
        assert_eq!(publish(&store, 10).await, 1);
        assert_eq!(claim_due(&store, 16, 700).await.len(), 2);
        let (read, _) = logged(&store, account, 0).await;
        assert_eq!(read.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn subscription_without_position_filters_by_time() {
    // Simulates a version without log positions that creates and ends the subscription.
    const FORGET: &str = "update subscription set since_seq = null, until_seq = null";
    on_each_database(|store| async move {
        let account = account(&store, "Pekáreň").await;
        let of = store.subscriptions_of(account);
        let forget = async || {
            on!(&store.writes, |pool| sqlx::raw_sql(FORGET)
                .execute(pool)
                .await
                .map(drop))
            .unwrap();
        };
        let found = |id: &str, at| NewEvent {
            detected_at: after(at),
            ..event(id)
        };
        of.put(&subscription("sub_1", ICO), after(10))
            .await
            .unwrap();
        forget().await;
        let events = vec![found("9", 9), found("10", 10), found("20", 20)];
        let all = ChangeSet {
            events,
            ..ChangeSet::default()
        };
        find(&store, "tax", &all).await;
        let mut waiting = store.events().unpublished(10).await.unwrap();
        for event in &mut waiting {
            event.payload = Some("{}".to_owned());
        }
        let since = std::sync::Mutex::new(Vec::new());
        let noted = |_: &[&PendingEvent], subscriber: &Subscriber| {
            since.lock().unwrap().push(subscriber.since);
            Vec::new()
        };
        let published = store.events().publish(&waiting, &noted, START).await;
        published.unwrap();
        assert_eq!(since.into_inner().unwrap(), [Some(after(10)); 3]);
        of.end(ICO, after(20)).await.unwrap();
        forget().await;
        let (read, _) = logged(&store, account, 0).await;
        let ids: Vec<&str> = read.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids, ["evt_10"]);
    })
    .await;
}

#[tokio::test]
async fn concurrent_hosts_number_events_once_without_gaps() {
    const ROUNDS: usize = 40;
    on_each_database(|store| async move {
        let account = watching(&store).await;
        for round in 0..ROUNDS {
            let ids: Vec<String> = (0..5).map(|one| format!("{round}-{one}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            find(&store, "tax", &finding(&ids)).await;
            join_all((0..3).map(|_| publish(&store, 100))).await;
        }
        let (events, reached) = logged(&store, account, 0).await;
        let seqs: Vec<i64> = events.iter().map(|event| event.seq).collect();
        let count = i64::try_from(5 * ROUNDS).unwrap();
        assert_eq!((seqs, reached), ((1..=count).collect(), count));
        let number = store.subscriptions_of(account).find(ICO).await.unwrap();
        let of = store.deliveries_of(account);
        let (deliveries, total) = of
            .list(&DeliveryFilter::of(number.unwrap().number), 1_000, 0)
            .await
            .unwrap();
        let different: BTreeSet<(&str, &str)> = deliveries
            .iter()
            .map(|delivery| (delivery.event_id.as_str(), delivery.target.as_str()))
            .collect();
        assert_eq!((total, different.len()), (2 * count, 10 * ROUNDS));
    })
    .await;
}

#[tokio::test]
async fn log_reader_sees_every_event_once_during_writes() {
    const WRITERS: usize = 3;
    const EACH: usize = 60;
    on_each_database(|store| async move {
        let account = watching(&store).await;
        let read_count = Arc::new(AtomicUsize::new(0));
        let is_done = {
            let read_count = Arc::clone(&read_count);
            move || read_count.load(Ordering::SeqCst) >= WRITERS * EACH
        };
        let writers = (0..WRITERS).map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for one in 0..EACH {
                    let id = format!("{writer}-{one}");
                    find(&store, &format!("scope_{writer}"), &finding(&[&id])).await;
                }
            })
        });
        let writers: Vec<_> = writers.collect();
        let publishers = (1..4).map(|limit| {
            let (store, is_done) = (store.clone(), is_done.clone());
            tokio::spawn(async move {
                while !is_done() {
                    publish(&store, limit * 7).await;
                    tokio::task::yield_now().await;
                }
            })
        });
        let publishers: Vec<_> = publishers.collect();
        let mut cursor = 0;
        let mut seen: Vec<LoggedEvent> = Vec::new();
        while seen.len() < WRITERS * EACH {
            let events = store.events();
            let read = events.logged_after(account, &[], cursor, 11).await.unwrap();
            assert!(read.1 >= cursor);
            cursor = read.1;
            seen.extend(read.0);
            tokio::task::yield_now().await;
        }
        read_count.store(seen.len(), Ordering::SeqCst);
        for task in writers.into_iter().chain(publishers) {
            task.await.unwrap();
        }
        let seqs: Vec<i64> = seen.iter().map(|event| event.seq).collect();
        let count = i64::try_from(WRITERS * EACH).unwrap();
        assert_eq!(seqs, (1..=count).collect::<Vec<_>>());
        let ids: BTreeSet<&str> = seen.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids.len(), seen.len());
        assert_eq!(logged(&store, account, cursor).await, (vec![], count));
    })
    .await;
}

#[tokio::test]
async fn sweep_keeps_waiting_events_and_moves_position() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        for id in ["1", "2"] {
            find(&store, "tax", &finding(&[id])).await;
            publish(&store, 10).await;
        }
        let mut later = event("3");
        later.detected_at = after(1_000);
        let all = ChangeSet {
            events: vec![later],
            ..ChangeSet::default()
        };
        find(&store, "tax", &all).await;
        publish(&store, 10).await;
        let events = store.events();
        let sweep = async || events.sweep(after(500)).await.unwrap();
        // Both events have waiting deliveries.
        assert_eq!(sweep().await, 2, "the two changes of that age");
        assert_eq!(sweep().await, 0);
        assert_eq!(events.history(ICO, &[], 10, 0).await.unwrap().1, 0);
        let claimed = claim_due(&store, 16, 1).await;
        assert_eq!(claimed.len(), 6);
        let (second, others): (Vec<_>, Vec<_>) = claimed
            .into_iter()
            .partition(|delivery| delivery.event.id == "evt_2");
        record_arrived(&store, second, 2).await;
        assert_eq!(sweep().await, 1);
        let position = events.position().await.unwrap();
        assert_eq!(position, LogPosition { swept: 2, last: 3 });
        let (left, _) = logged(&store, account, 0).await;
        let ids: Vec<&str> = left.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids, ["evt_1", "evt_3"]);
        // After the remaining deliveries arrive, the next sweep deletes their events. The position never moves back.
        let attempts: Vec<_> = others.into_iter().map(arrived).collect();
        let deliveries = store.deliveries();
        let written = deliveries.record(&attempts, &[], after(3)).await.unwrap();
        assert_eq!(written, 4);
        assert_eq!(sweep().await, 1);
        assert_eq!(events.position().await.unwrap(), position);
        let of = store
            .subscriptions_of(account)
            .find(ICO)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(of.webhook_url.as_deref(), Some(HOOK));
        let left = store
            .deliveries_of(account)
            .list(&DeliveryFilter::of(of.number), 10, 0)
            .await;
        assert_eq!(left.unwrap().1, 2, "those of the third");
    })
    .await;
}

#[tokio::test]
async fn sweep_keeps_deliveries_of_a_paused_webhook() {
    on_each_database(|store| async move {
        let account = watching(&store).await;
        find(&store, "tax", &finding(&["1"])).await;
        publish(&store, 10).await;
        let attempts = claim_due(&store, 16, 1).await.into_iter().map(|delivery| {
            if delivery.channel == Channel::Email {
                return arrived(delivery);
            }
            Attempt {
                outcome: AttemptOutcome::Timeout,
                status: None,
                state: State::Waiting,
                next_at: Some(after(100)),
                ..arrived(delivery)
            }
        });
        let attempts: Vec<Attempt> = attempts.collect();
        let deliveries = store.deliveries();
        deliveries.record(&attempts, &[], after(2)).await.unwrap();
        let subscriptions = store.subscriptions();
        let failing = subscriptions.failing_for(Duration::ZERO, 10).await.unwrap();
        let paused = subscriptions.pause(&failing[0], "it fails", after(3)).await;
        assert!(paused.unwrap());
        let events = store.events();
        events.sweep(after(1_000_000)).await.unwrap();
        let mut states = states_of(&store, account).await;
        states.sort_by_key(|state| state.word());
        assert_eq!(states, [State::Delivered, State::Held]);
        assert_eq!(logged(&store, account, 0).await.0.len(), 1);
    })
    .await;
}
