//! The event log: pages with a cursor, long polls, streams, and an account's events.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::DebtorList;
use lustra_tests::{Answer, Receiver, World, client};
use serde_json::{Value, json};

use crate::faults_support::{on_each_kind, time_of};
use crate::notifications_support::{
    another_account, get_as, officer_replaced, post_as, small, text, watch, watch_officers,
};

const PATH: &str = "/v1/notifications/events";

async fn read(world: &World, query: &str) -> Answer {
    let answer = world.get(&format!("{PATH}{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    answer
}

/// The ids of a page's events.
fn ids(page: &Answer) -> Vec<String> {
    let data = page.at("/data").as_array().expect("a page");
    let id = |event: &Value| event["payload"]["id"].as_str().expect("an id").to_owned();
    data.iter().map(id).collect()
}

fn cursor(page: &Answer) -> String {
    text(page, "/meta/cursor")
}

/// Watches a world's first company without a webhook.
async fn watched(world: &World) -> String {
    let body = json!({
        "ico": world.icos[0], "notification_emails": ["a@firma.sk"], "events": ["officers.changed"],
    });
    watch(world, &body).await
}

#[tokio::test]
async fn event_log_cursor_yields_each_event_once_in_order() {
    on_each_kind(small, async |world| {
        let ico = world.icos[0].clone();
        watched(world).await;
        let empty = read(world, "").await;
        assert_eq!(
            (empty.at("/data"), empty.at("/meta/more")),
            (&json!([]), &json!(false))
        );
        for _ in 0..3 {
            officer_replaced(world, &ico).await;
        }
        // Another account's company has events that this account must not see.
        let other = another_account(world, "enterprise").await;
        let body = json!({ "ico": world.icos[1], "notification_emails": ["b@firma.sk"] });
        let watching = post_as(world, &other, "/v1/notifications", &body).await;
        assert_eq!(watching.status, 201);
        officer_replaced(world, &world.icos[1]).await;
        officer_replaced(world, &ico).await;
        let all = ids(&read(world, "").await);
        assert_eq!(all.len(), 4);
        let (mut found, mut after) = (Vec::new(), cursor(&empty));
        for (few, more) in [(2, true), (2, false), (0, false)] {
            let page = read(world, &format!("?limit=2&after={after}")).await;
            assert_eq!(ids(&page).len(), few, "{page:?}");
            assert_eq!(page.at("/meta/more"), more);
            after = cursor(&page);
            found.extend(ids(&page));
        }
        assert_eq!(found, all);
        // From the middle: each event contains the cursor after it.
        let page = read(world, "?limit=3").await;
        let middle = text(&page, "/data/1/cursor");
        assert_eq!(
            ids(&read(world, &format!("?after={middle}")).await),
            all[2..]
        );
        // From now on: nothing at first, then the new events.
        let latest = read(world, "?after=latest").await;
        assert_eq!(ids(&latest), Vec::<String>::new());
        officer_replaced(world, &ico).await;
        let page = read(world, &format!("?after={}", cursor(&latest))).await;
        let [newest] = page.at("/data").as_array().expect("a page").as_slice() else {
            panic!("one event: {page:?}");
        };
        assert_eq!(newest["payload"]["event"], "officers.changed");
        assert_eq!(newest["payload"]["data"]["ico"], ico.as_str());
        // The other account reads its own events.
        let others = get_as(world, &other, PATH).await;
        let icos: Vec<&Value> = others
            .at("/data")
            .as_array()
            .expect("a page")
            .iter()
            .map(|event| &event["payload"]["data"]["ico"])
            .collect();
        assert!(!icos.is_empty());
        assert!(icos.iter().all(|ico| **ico == *world.icos[1]), "{icos:?}");
    })
    .await;
}

#[tokio::test]
async fn invalid_log_cursor_is_refused() {
    on_each_kind(small, async |world| {
        watched(world).await;
        officer_replaced(world, &world.icos[0]).await;
        for query in [
            "?after=9999",
            "?after=-1",
            "?after=%2B1",
            "?after=1.0",
            "?after=evt_1",
            "?after=99999999999999999999",
            "?limit=0",
            "?limit=1001",
            "?wait=26",
            "?behind=1",
        ] {
            let answer = world.get(&format!("{PATH}{query}")).await;
            assert_eq!(answer.status, 422, "{query}: {answer:?}");
            assert!(answer.at("/errors").is_object(), "{query}: {answer:?}");
        }
        let key = [("x-api-key", world.key.as_str()), ("last-event-id", "9999")];
        let stream = world.get_with("/v1/notifications/stream", &key).await;
        assert_eq!(stream.status, 422, "{stream:?}");
        assert!(stream.at("/errors/Last-Event-ID").is_array(), "{stream:?}");
    })
    .await;
}

#[tokio::test]
async fn cursor_older_than_the_retention_has_expired() {
    on_each_kind(
        |kind| small(kind).settings(|config| config.notifications.keep_days = 30),
        async |world| {
            let ico = world.icos[0].clone();
            // All kinds, so that each event has a pending delivery.
            let body = json!({ "ico": ico, "notification_emails": ["a@firma.sk"] });
            watch(world, &body).await;
            let oldest = cursor(&read(world, "").await);
            officer_replaced(world, &ico).await;
            let between = cursor(&read(world, "").await);
            officer_replaced(world, &ico).await;
            let old = ids(&read(world, "").await);
            let sweep = async || world.notifier.sweep().await.expect("the store is there");
            // Events with pending deliveries are never deleted.
            world.advance(40);
            sweep().await;
            assert_eq!(ids(&read(world, &format!("?after={oldest}")).await), old);
            assert_eq!(world.send_due().await, 2, "an e-mail for each reading");
            officer_replaced(world, &ico).await;
            let young = ids(&read(world, "").await).split_off(old.len());
            assert!(!young.is_empty());
            sweep().await;
            for expired in [&oldest, &between] {
                let answer = world.get(&format!("{PATH}?after={expired}")).await;
                assert_eq!(
                    (answer.status, answer.at("/error")),
                    (410, &json!("cursor_expired"))
                );
                let key = [
                    ("x-api-key", world.key.as_str()),
                    ("last-event-id", expired.as_str()),
                ];
                let stream = world.get_with("/v1/notifications/stream", &key).await;
                assert_eq!(stream.status, 410, "{stream:?}");
            }
            // Without a cursor the log begins at its oldest stored event.
            assert_eq!(ids(&read(world, "").await), young);
            // Changes have the same retention: only today's remain.
            let history = world.get(&format!("/v1/notifications/history/{ico}")).await;
            let changes = history.at("/data").as_array().expect("changes");
            assert!(!changes.is_empty());
            let yesterday = world.now() - time::Duration::days(1);
            let times = changes.iter().map(|change| time_of(&change["detected_at"]));
            assert!(times.min() > Some(yesterday), "{history:?}");
        },
    )
    .await;
}

#[tokio::test]
async fn long_poll_returns_when_an_event_arrives() {
    on_each_kind(small, async |world| {
        let ico = world.icos[0].clone();
        watched(world).await;
        let begin = cursor(&read(world, "?after=latest").await);
        let query = format!("?after={begin}&wait=25");
        // The long poll starts first; its event arrives later.
        let (page, ()) = tokio::join!(polled(async || read(world, &query).await), async {
            officer_replaced(world, &ico).await;
        });
        assert_eq!(ids(&page).len(), 1, "{page:?}");
        assert_ne!(cursor(&page), begin);
        // An existing event is returned immediately.
        let again = read(world, &query).await;
        assert_eq!(ids(&again), ids(&page));
    })
    .await;
}

/// Repeats a long poll while its response is empty, as clients do; the machine may be slow.
async fn polled(ask: impl AsyncFn() -> Answer) -> Answer {
    loop {
        let page = ask().await;
        if !ids(&page).is_empty() {
            return page;
        }
    }
}

#[tokio::test]
async fn long_poll_returns_events_of_another_host() {
    on_each_kind(small, async |world| {
        let ico = world.icos[0].clone();
        watched(world).await;
        let begin = cursor(&read(world, "?after=latest").await);
        let neighbour = world.neighbour().await;
        let path = format!("{PATH}?after={begin}&wait=25");
        let (page, ()) = tokio::join!(polled(async || neighbour.get(&path).await), async {
            officer_replaced(world, &ico).await;
        });
        assert_eq!(ids(&page).len(), 1, "{page:?}");
    })
    .await;
}

/// An open stream and its data so far.
struct Stream {
    response: reqwest::Response,
    read: String,
}

impl Stream {
    async fn open(world: &World, headers: &[(&str, &str)]) -> Self {
        let mut request = client()
            .get(format!("{}/v1/notifications/stream", world.url()))
            .header("x-api-key", &world.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("the host answers");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            read: String::new(),
        }
    }

    /// The next event: its fields by name. Skips heartbeats.
    async fn next(&mut self) -> Value {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let lines = event.lines().filter_map(|line| line.split_once(": "));
                let fields: serde_json::Map<String, Value> = lines
                    .filter(|(name, _)| !name.is_empty())
                    .map(|(name, value)| (name.to_owned(), json!(value)))
                    .collect();
                self.read = rest.to_owned();
                if !fields.is_empty() {
                    return fields.into();
                }
                continue;
            }
            let chunk = self.response.chunk().await.expect("it goes on");
            let chunk = chunk.expect("it does not end");
            self.read += std::str::from_utf8(&chunk).expect("events are text");
        }
    }
}

#[tokio::test]
async fn stream_resumes_after_the_last_read_event() {
    on_each_kind(small, async |world| {
        let ico = world.icos[0].clone();
        let receiver = Receiver::start().await;
        watch_officers(world, &ico, &receiver.url()).await;
        officer_replaced(world, &ico).await;
        // Without a cursor the stream begins with new events.
        let mut stream = Stream::open(world, &[]).await;
        officer_replaced(world, &ico).await;
        let first = stream.next().await;
        assert_eq!(first["event"], "officers.changed");
        drop(stream);
        // Two events occur while the stream is closed.
        officer_replaced(world, &ico).await;
        officer_replaced(world, &ico).await;
        assert_eq!(world.send_due().await, 4);
        let last = first["id"].as_str().expect("an id");
        // The header takes precedence over the query parameter.
        let mut stream = Stream::open(world, &[("last-event-id", last)]).await;
        let mut reported = vec![first.clone(), stream.next().await, stream.next().await];
        officer_replaced(world, &ico).await;
        assert_eq!(world.send_due().await, 1);
        reported.push(stream.next().await);
        // The same texts as the webhooks.
        let received = receiver.take();
        let bodies: Vec<&[u8]> = received.iter().map(|one| one.body.as_slice()).collect();
        let data: Vec<&[u8]> = reported
            .iter()
            .map(|event| event["data"].as_str().expect("a text").as_bytes())
            .collect();
        assert_eq!(data, bodies[1..]);
        // Their ids are cursors of the log.
        let page = read(world, &format!("?after={last}")).await;
        assert_eq!(page.at("/data/0/cursor"), &reported[1]["id"]);
    })
    .await;
}

#[tokio::test]
async fn events_outside_the_plan_are_never_sent() {
    on_each_kind(
        |kind| small(kind).plan("starter"),
        async |world| {
            let ico = world.icos[0].clone();
            let (with, without) = (Receiver::start().await, Receiver::start().await);
            let id = watch(world, &json!({ "ico": ico, "url": with.url() })).await;
            let poor = another_account(world, "free").await;
            let body = json!({ "ico": ico, "url": without.url() });
            let watching = post_as(world, &poor, "/v1/notifications", &body).await;
            assert_eq!(watching.status, 201);
            let poor_id = text(&watching, "/id");
            world.happens(&ico, ChangeKind::DebtorAppeared(DebtorList::Socpoist));
            // The list is published on Mondays.
            world.advance(7);
            world.propagate_changes().await;
            let kinds = |receiver: &Receiver| -> Vec<Value> {
                let received = receiver.take();
                received
                    .iter()
                    .map(|one| one.json()["data"]["scope"].clone())
                    .collect()
            };
            let reported = kinds(&with);
            assert!(reported.contains(&json!("debtor_status")), "{reported:?}");
            let history = format!("/v1/notifications/history/{ico}");
            let scopes = |answer: &Answer, pointer: &str| -> Vec<Value> {
                let data = answer.at("/data").as_array().cloned().expect("a list");
                let scope = |one: Value| one.pointer(pointer).cloned().expect("it is there");
                data.into_iter().map(scope).collect()
            };
            let debts = |scopes: Vec<Value>| {
                scopes
                    .iter()
                    .filter(|scope| **scope == "debtor_status")
                    .count()
            };
            assert!(debts(scopes(&world.get(&history).await, "/scope")) > 0);
            assert!(debts(scopes(&world.get(PATH).await, "/payload/data/scope")) > 0);
            // The same company at the same time, with another plan.
            assert_eq!(debts(kinds(&without)), 0);
            assert_eq!(
                debts(scopes(&get_as(world, &poor, &history).await, "/scope")),
                0
            );
            let log = get_as(world, &poor, PATH).await;
            assert_eq!(debts(scopes(&log, "/payload/data/scope")), 0);
            let path = format!("/v1/notifications/{poor_id}/deliveries");
            let sent = get_as(world, &poor, &path).await;
            let listed = scopes(&sent, "/event");
            assert!(!listed.contains(&json!("debtor.added")), "{listed:?}");
            let path = format!("/v1/notifications/{id}/deliveries");
            let listed = scopes(&world.get(&path).await, "/event");
            assert!(listed.contains(&json!("debtor.added")), "{listed:?}");
            // Scopes of both plans raise events for both.
            officer_replaced(world, &ico).await;
            world.send_due().await;
            assert!(!with.take().is_empty() && !without.take().is_empty());
        },
    )
    .await;
}

#[tokio::test]
async fn revoked_key_ends_its_stream() {
    on_each_kind(small, async |world| {
        let mut stream = Stream::open(world, &[]).await;
        let keys = world.store.keys();
        let account = keys.find_account("tests").await.expect("the store works");
        let account = account.expect("the world's account").id;
        for key in keys.list_keys(account).await.expect("the store works") {
            let now = world.now();
            keys.revoke_key(key.id, now).await.expect("it is there");
        }
        let rest = async {
            // Heartbeats may arrive before the end.
            while let Ok(Some(_)) = stream.response.chunk().await {}
        };
        let ended = tokio::time::timeout(std::time::Duration::from_secs(20), rest).await;
        ended.expect("the stream ends soon after its key");
    })
    .await;
}
