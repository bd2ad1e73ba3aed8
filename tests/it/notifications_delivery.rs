//! Delivery attempts: schedule, content and outcomes.

use std::time::Duration;

use lustra_tests::lustra::store::{Attempt, AttemptOutcome, State};
use lustra_tests::{Behaviour, DatabaseKind, Receiver, World};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::sync::Notify;

use crate::faults_support::{on_each_kind, time_of};
use crate::notifications_support::{
    DAY, are, claim, deliveries, officer_replaced, outcomes, retrying, small, states, subscription,
    watch_officers,
};

/// A world whose first company has an officer replaced and whose receiver behaves as given. Returns the subscription
/// whose delivery is pending.
async fn waiting(world: &World, receiver: &Receiver) -> String {
    let id = watch_officers(world, &world.icos[0], &receiver.url()).await;
    officer_replaced(world, &world.icos[0]).await;
    id
}

/// Asserts the next attempt of a subscription's only delivery. The delay started between the beginning of the last
/// attempt and now.
async fn assert_next(world: &World, id: &str, waits: std::ops::RangeInclusive<u64>) {
    let delivery = deliveries(world, id).await.remove(0);
    let next = time_of(&delivery["next_attempt_at"]);
    let log = delivery["attempt_log"].as_array().expect("attempts");
    let began = time_of(&log.last().expect("an attempt")["at"]);
    let (least, most) = (
        Duration::from_secs(*waits.start()),
        Duration::from_secs(*waits.end()),
    );
    assert!(next >= began + least, "{next} is early: {began}");
    assert!(next <= world.now() + most, "{next} is late: {began}");
}

#[tokio::test]
async fn attempts_follow_the_schedule_and_send_the_same_bytes() {
    on_each_kind(
        |kind| retrying(kind, &[DAY, 2 * DAY, 3 * DAY]),
        async |world| {
            let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let id = waiting(world, &receiver).await;
            // Days after which the delay is over, including a jitter of at most a fifth.
            for (days, wait) in [(2, DAY), (3, 2 * DAY), (4, 3 * DAY)] {
                assert_eq!(world.send_due().await, 1);
                assert_eq!(world.send_due().await, 0, "not yet");
                assert_next(world, &id, wait * 4 / 5..=wait * 6 / 5).await;
                world.advance(days);
            }
            assert_eq!(states(world, &id).await, are(&[("waiting", 3)]));
            assert_eq!(world.send_due().await, 1);
            assert_eq!(states(world, &id).await, are(&[("failed", 4)]));
            world.advance(30);
            assert_eq!(world.send_due().await, 0, "that was the last one");
            let failed = deliveries(world, &id).await.remove(0);
            assert_eq!(outcomes(&failed), ["http_error"; 4]);
            assert_eq!(failed["attempt_log"][0]["status"], 500);
            assert_eq!(failed["next_attempt_at"], Value::Null);
            assert!(failed["finished_at"].is_string());
            // The account can resend it, for another round of attempts.
            let path = format!(
                "/v1/notifications/deliveries/{}/resend",
                failed["id"].as_str().expect("an id")
            );
            let again = world.post(&path, &json!({})).await;
            assert_eq!(
                (again.status, again.at("/status")),
                (200, &json!("waiting"))
            );
            assert_eq!(world.send_due().await, 1);
            assert_next(world, &id, DAY * 4 / 5..=DAY * 6 / 5).await;
            receiver.behave(|_| Behaviour::Status(204));
            world.advance(2);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(states(world, &id).await, are(&[("delivered", 6)]));
            // Every attempt has the same bytes and id, and a signature with its own time.
            let received = receiver.take();
            assert_eq!(received.len(), 6);
            let mut times: Vec<&String> = Vec::new();
            for one in &received {
                assert_eq!(one.body, received[0].body);
                assert_eq!(one.delivery(), failed["id"]);
                times.push(&one.headers["webhook-timestamp"]);
            }
            assert!(times.is_sorted_by(|one, next| one < next), "{times:?}");
            // A delivered one can be resent.
            assert_eq!(world.post(&path, &json!({})).await.status, 200);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(receiver.take()[0].body, received[0].body);
        },
    )
    .await;
}

#[tokio::test]
async fn retry_after_lengthens_but_never_shortens_the_wait() {
    let world = retrying(DatabaseKind::Sqlite, &[10, 10, 10 * DAY])
        .start()
        .await;
    let asking = |seconds: &str| {
        let text =
            format!("HTTP/1.1 503 Busy\r\nretry-after: {seconds}\r\ncontent-length: 0\r\n\r\n");
        move |_| Behaviour::Bytes(text.clone().into_bytes())
    };
    let receiver = Receiver::behaving(asking("3600")).await;
    let id = waiting(&world, &receiver).await;
    assert_eq!(world.send_due().await, 1);
    assert_next(&world, &id, 3_600..=3_600).await;
    // Limited to a day.
    receiver.behave(asking("9999999999"));
    world.advance(1);
    assert_eq!(world.send_due().await, 1);
    assert_next(&world, &id, DAY..=DAY).await;
    receiver.behave(asking("1"));
    world.advance(2);
    assert_eq!(world.send_due().await, 1);
    assert_next(&world, &id, 8 * DAY..=12 * DAY).await;
    world.end().await;
}

#[tokio::test]
async fn redirect_fails_and_is_not_followed() {
    let world = retrying(DatabaseKind::Sqlite, &[DAY; 6]).start().await;
    let other = Receiver::start().await;
    let receiver = Receiver::start().await;
    let id = waiting(&world, &receiver).await;
    for status in [301, 302, 303, 307, 308] {
        let text = format!(
            "HTTP/1.1 {status} Moved\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
            other.url()
        );
        receiver.behave(move |_| Behaviour::Bytes(text.clone().into_bytes()));
        assert_eq!(world.send_due().await, 1, "{status}");
        let delivery = deliveries(&world, &id).await.remove(0);
        let log = delivery["attempt_log"].as_array().expect("attempts");
        let last = log.last().expect("an attempt");
        assert_eq!(
            (&last["outcome"], &last["status"]),
            (&json!("http_error"), &json!(status))
        );
        world.advance(2);
    }
    assert_eq!(states(&world, &id).await, are(&[("waiting", 5)]));
    assert!(
        other.received().is_empty(),
        "the target of the redirect gets nothing"
    );
    world.end().await;
}

#[tokio::test]
async fn each_kind_of_failure_has_its_own_outcome() {
    let world = retrying(DatabaseKind::Sqlite, &[DAY; 9])
        // Long enough for a fast receiver on a busy machine.
        .settings(|config| config.notifications.attempt_seconds = 4)
        .start()
        .await;
    let receiver = Receiver::start().await;
    let id = waiting(&world, &receiver).await;
    for (behaviour, outcome) in [
        (Behaviour::Status(404), "http_error"),
        (Behaviour::Reset, "reset"),
        (Behaviour::Bytes(b"what?\r\n\r\n".to_vec()), "reset"),
        (Behaviour::Hang, "timeout"),
        // The status line decides, however long the body takes.
        (Behaviour::Dribble, "success"),
    ] {
        receiver.behave(move |_| behaviour.clone());
        assert_eq!(world.send_due().await, 1, "{outcome}");
        let delivery = deliveries(&world, &id).await.remove(0);
        assert_eq!(outcomes(&delivery).last(), Some(&outcome), "{delivery}");
        world.advance(2);
    }
    assert_eq!(states(&world, &id).await, are(&[("delivered", 5)]));
    world.end().await;
}

#[tokio::test]
async fn gone_receiver_gets_no_more_deliveries() {
    on_each_kind(
        |kind| retrying(kind, &[9 * DAY]),
        async |world| {
            let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let ico = world.icos[0].clone();
            let id = waiting(world, &receiver).await;
            assert_eq!(world.send_due().await, 1);
            // The first delivery waits for its second attempt when the response to another ends the webhook.
            receiver.behave(|_| Behaviour::Status(410));
            officer_replaced(world, &ico).await;
            assert_eq!(world.send_due().await, 1);
            let state = subscription(world, &id).await;
            assert_eq!(state["status"], "active");
            assert_eq!(state["webhook"]["state"], "ended");
            let reason = state["webhook"]["reason"].as_str().expect("a reason");
            assert!(reason.contains("410"), "{reason}");
            let reported = are(&[("cancelled", 1), ("failed", 1)]);
            assert_eq!(states(world, &id).await, reported);
            assert_eq!(receiver.take().len(), 2);
            world.advance(20);
            assert_eq!(world.send_due().await, 0);
            // Later events create no delivery for it, and resending changes nothing.
            officer_replaced(world, &ico).await;
            assert_eq!(states(world, &id).await, reported);
            let path = format!("/v1/notifications/{id}/resend");
            assert_eq!(world.post(&path, &json!({})).await.at("/resent"), 0);
            assert!(receiver.received().is_empty());
            // Subscribing again restores the webhook.
            receiver.behave(|_| Behaviour::Status(200));
            let body = json!({ "ico": ico, "url": receiver.url(), "events": ["officers.changed"] });
            let again = world.post("/v1/notifications", &body).await;
            assert_eq!(
                (again.status, again.at("/webhook/state")),
                (200, &json!("active"))
            );
            officer_replaced(world, &ico).await;
            assert_eq!(world.send_due().await, 1);
        },
    )
    .await;
}

#[tokio::test]
async fn hanging_receiver_does_not_delay_others() {
    let world = small(DatabaseKind::Sqlite)
        .settings(|config| {
            // The attempt would hang until long after the test.
            config.notifications.attempt_seconds = 300;
            config.notifications.in_flight = 2;
        })
        .start()
        .await;
    let asked = std::sync::Arc::new(Notify::new());
    let reported = std::sync::Arc::clone(&asked);
    let hanging = Receiver::behaving(move |_| {
        reported.notify_one();
        Behaviour::Hang
    })
    .await;
    let well = Receiver::start().await;
    // Neither is on a sanctions list, which the first reading would report.
    let (first, second) = (world.icos[0].clone(), world.icos[8].clone());
    watch_officers(&world, &first, &hanging.url()).await;
    watch_officers(&world, &second, &well.url()).await;
    officer_replaced(&world, &first).await;
    officer_replaced(&world, &first).await;
    let notifier = world.notifier.clone();
    let hangs = tokio::spawn(async move { notifier.send_due().await });
    asked.notified().await;
    // While one receiver hangs, another gets its events one by one, more than the concurrency limit in total.
    for _ in 0..3 {
        officer_replaced(&world, &second).await;
        assert_eq!(world.send_due().await, 1);
        assert_eq!(well.take().len(), 1);
    }
    assert!(!hangs.is_finished());
    assert_eq!(hanging.received().len(), 1, "the other attempt is free");
    hangs.abort();
    world.end().await;
}

#[tokio::test]
async fn unfinished_claim_is_recorded_as_unknown_attempt() {
    on_each_kind(
        |kind| retrying(kind, &[DAY, DAY]),
        async |world| {
            let receiver = Receiver::start().await;
            let id = waiting(world, &receiver).await;
            // Simulates a crashed host: claims the delivery and never finishes it.
            let claimed = claim(world).await;
            let [forgotten] = claimed.as_slice() else {
                panic!("one delivery: {claimed:?}");
            };
            assert_eq!(claim(world).await, [], "it is claimed");
            assert_eq!(world.send_due().await, 0);
            let shown = deliveries(world, &id).await.remove(0);
            assert_eq!(
                (
                    &shown["status"],
                    &shown["next_attempt_at"],
                    &shown["attempts"]
                ),
                (&json!("waiting"), &Value::Null, &json!(0))
            );
            let path = format!("/v1/notifications/deliveries/{}/resend", forgotten.id);
            assert_eq!(
                world.post(&path, &json!({})).await.status,
                422,
                "it is being tried"
            );
            world.advance(1);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(receiver.take()[0].delivery(), forgotten.id);
            let shown = deliveries(world, &id).await.remove(0);
            assert_eq!(outcomes(&shown), ["unknown", "success"]);
            assert_eq!(
                (&shown["status"], &shown["attempts"]),
                (&json!("delivered"), &json!(2))
            );
            // The host only seemed dead; its late result is discarded.
            let late = Attempt {
                delivery: forgotten.clone(),
                at: world.now(),
                duration_ms: 1,
                outcome: AttemptOutcome::Timeout,
                status: None,
                answer: None,
                state: State::Waiting,
                next_at: Some(OffsetDateTime::UNIX_EPOCH),
            };
            let deliveries_of_all = world.store.deliveries();
            let written = deliveries_of_all.record(&[late], &[], world.now()).await;
            assert_eq!(written.expect("the store is there"), 0);
            assert_eq!(states(world, &id).await, are(&[("delivered", 2)]));
            assert_eq!(world.send_due().await, 0);
        },
    )
    .await;
}
