//! Hosts on one store share upstream rate limits; shutdown of a host.

use std::time::Duration;

use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::server::Host;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Behaviour, Receiver, World, answered, client};
use serde_json::json;

use crate::faults_support::{RequestCounter, on_each_kind, time_of};
use crate::notifications_support::{DAY, are, deliveries, outcomes, retrying, states, watch};
use crate::notified::found_in_the_store;
use crate::rolling::Running;
use crate::workers::until;

#[tokio::test]
async fn rate_limited_upstream_is_paused_on_all_hosts() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let neighbour = world.neighbour().await;
            neighbour.heartbeat().await;
            assert_eq!(world.heartbeat().await, 2);
            world.fault(Register::Vies, Fault::Throttled);
            let answer = world.company(&world.icos[0], "tax").await;
            let unread = answer.at("/data/tax/unread/0/source");
            assert_eq!(unread, "vies", "{answer:?}");
            world.fault(Register::Vies, Fault::Off);
            world.heartbeat().await;
            neighbour.heartbeat().await;
            let asked = RequestCounter::from_now(world);
            let answer = neighbour.company(&world.icos[1], "tax").await;
            assert_eq!(answer.at("/data/tax/unread/0/source"), "vies", "{answer:?}");
            assert_eq!(asked.of(Register::Vies), 0, "half a minute is not over");
        },
    )
    .await;
}

#[tokio::test]
async fn fast_clock_subscription_gets_events_of_a_slow_host() {
    on_each_kind(
        |kind| World::new().on(kind).companies(12).without_index(),
        async |world| {
            let slow = world.simulator.clock().clone();
            let fast = Clock::from_fn(move || slow.now() + time::Duration::minutes(10));
            let neighbour = world.neighbour_by(world.config().clone(), fast).await;
            let ico = world.icos[0].clone();
            let receiver = Receiver::start().await;
            let body = json!({ "ico": ico, "url": receiver.url() });
            let subscribing = client().post(format!("{}/v1/notifications", neighbour.url()));
            let subscribed =
                answered(subscribing.header("x-api-key", &world.key).json(&body)).await;
            assert_eq!(subscribed.status, 201, "{subscribed:?}");
            found_in_the_store(world, &ico, &["evt_1".to_owned()]).await;
            assert_eq!(world.fan_out().await, 1);
            let log = neighbour.get("/v1/notifications/events").await;
            assert_eq!(log.at("/data").as_array().map(Vec::len), Some(1), "{log:?}");
            let sent = neighbour.notifier.send_due().await;
            assert_eq!(sent.expect("the store is there"), 1);
            assert_eq!(receiver.take().len(), 1);
        },
    )
    .await;
}

#[tokio::test]
async fn advanced_calendar_does_not_shift_client_times() {
    let world = World::new().companies(12).without_index().start().await;
    // As in the demo: the calendar is a month ahead, the clients' clocks are not.
    let turned = world.simulator.clock().clone();
    let before = world.now();
    let clock = Clock::from_fn(move || turned.now()).beside(move || before);
    let host = world.neighbour_by(world.config().clone(), clock).await;
    let receiver = Receiver::start().await;
    let ico = world.icos[0].clone();
    let body = json!({ "ico": ico, "url": receiver.url(), "events": ["officers.changed"] });
    watch(&world, &body).await;
    world.advance(30);
    world.happens(&ico, ChangeKind::OfficerReplaced);
    let stale = host.company(&ico, "").await;
    assert_eq!(stale.at("/meta/stale"), true, "{stale:?}");
    let sleeps = time_of(stale.at("/meta/retry_at")) - before;
    assert!(
        (1..=12).contains(&sleeps.whole_seconds()),
        "the client sleeps for {sleeps}"
    );
    host.wait_idle().await;
    world.refresh_watched().await;
    assert!(world.fan_out().await > 0, "the change is noticed");
    assert_eq!(host.notifier.send_due().await.expect("a store"), 1);
    let trial = client().post(format!("{}/v1/notifications/test", host.url()));
    let trial = trial.header("x-api-key", &world.key);
    let tried = answered(trial.json(&json!({ "webhook_url": receiver.url() }))).await;
    assert_eq!(tried.status, 200, "{tried:?}");
    let received = receiver.take();
    assert_eq!(received.len(), 2);
    for received in received {
        let signed = received.headers["webhook-timestamp"].parse::<i64>();
        let signed = signed.expect("seconds");
        let apart = signed - before.unix_timestamp();
        assert!(apart.abs() <= 10, "signed {apart} s from now");
    }
    world.end().await;
}

#[tokio::test]
async fn shutdown_waits_for_answers_within_its_limit() {
    let world = World::new().nothing_imported().start().await;
    let mut config = world.config().clone();
    config.requests.drain_seconds = 0;
    let host = Host::prepare(config, Clock::system()).await;
    let host = host.expect("the host starts");
    let listener = host.listen().await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(host.serve(listener, None, async {
        ended.await.expect("the test ends it");
    }));
    // No worker processes the batch, so its lines would never arrive.
    let numbers: Vec<String> = (5_000..5_200)
        .map(|number| format!("{number:08}"))
        .collect();
    let lines = client()
        .post(format!("http://{address}/v1/batch/ico"))
        .header("x-api-key", &world.key)
        .header("accept", "application/x-ndjson")
        .json(&json!({ "icos": numbers }))
        .send()
        .await
        .expect("the host answers");
    assert_eq!(lines.status(), 200);
    end.send(()).expect("the host waits for it");
    let served = serving.await.expect("the host ends");
    assert!(served.is_ok(), "{served:?}");
    let rest = tokio::time::timeout(Duration::from_secs(20), lines.bytes()).await;
    let rest = rest.expect("the connection is closed");
    assert!(rest.is_err(), "the answer is complete: {rest:?}");
    world.end().await;
}

#[tokio::test]
async fn shutdown_makes_deliveries_in_flight_due_again() {
    on_each_kind(
        |kind| retrying(kind, &[DAY, DAY]),
        async |world| {
            let receiver = Receiver::behaving(|_| Behaviour::Hang).await;
            let ico = &world.icos[0];
            let body = json!({ "ico": ico, "webhook_url": receiver.url() });
            let subscription = watch(world, &body).await;
            found_in_the_store(world, ico, &["evt_one".to_owned()]).await;
            let mut config = world.config().clone();
            config.notifications.on = true;
            config.notifications.poll_ms = 20;
            let days = world.simulator.clock().clone();
            let host = Running::start(config, Clock::from_fn(move || days.now())).await;
            until(async || receiver.received().len(), |count| *count == 1).await;
            assert_eq!(states(world, &subscription).await, are(&[("waiting", 0)]));
            host.stop().await;
            assert_eq!(states(world, &subscription).await, are(&[("waiting", 1)]));
            receiver.behave(|_| Behaviour::Status(200));
            assert_eq!(world.send_due().await, 1, "it waits for no claim");
            let shown = deliveries(world, &subscription).await.remove(0);
            assert_eq!(outcomes(&shown), ["unknown", "success"]);
        },
    )
    .await;
}
