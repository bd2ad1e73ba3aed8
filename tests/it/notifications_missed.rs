//! Missed events: paused webhooks and resent deliveries.

use lustra_tests::lustra::clock::rfc3339;
use lustra_tests::lustra::store::{Attempt, AttemptOutcome, State};
use lustra_tests::{Behaviour, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::notifications_support::{
    DAY, are, claim, deliveries, officer_replaced, outcomes, retrying, states, subscription,
    watch_officers,
};

async fn resent(world: &World, id: &str, body: &Value) -> Value {
    let path = format!("/v1/notifications/{id}/resend");
    let answer = world.post(&path, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/resent").clone()
}

/// The ids of the received deliveries, sorted.
fn came(receiver: &Receiver) -> Vec<String> {
    let received = receiver.take();
    let mut ids: Vec<String> = received
        .iter()
        .map(|one| one.delivery().to_owned())
        .collect();
    ids.sort();
    ids
}

/// The ids of these deliveries, sorted.
fn ids(deliveries: &[Value]) -> Vec<String> {
    let mut ids: Vec<String> = deliveries
        .iter()
        .map(|delivery| delivery["id"].as_str().expect("an id").to_owned())
        .collect();
    ids.sort();
    ids
}

/// The message files that the mailer writes, because there is no server.
async fn messages(world: &World) -> Vec<String> {
    while world.mail_step().await {}
    let Ok(entries) = std::fs::read_dir(world.config().data.join("mail")) else {
        return Vec::new();
    };
    entries
        .map(|entry| {
            let path = entry.expect("it can be listed").path();
            std::fs::read_to_string(path).expect("it is text")
        })
        .collect()
}

#[tokio::test]
async fn webhook_failing_for_five_days_is_paused_without_loss() {
    on_each_kind(
        |kind| retrying(kind, &[DAY; 20]),
        async |world| {
            let reported = json!({ "thresholds": [80], "emails": ["ops@firma.sk"] });
            let set = world.post("/v1/account/thresholds", &reported).await;
            assert_eq!(set.status, 200, "{set:?}");
            let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &receiver.url()).await;
            officer_replaced(world, &ico).await;
            let pause = async || {
                let paused = world.notifier.pause_failing().await;
                paused.expect("the store is there")
            };
            for _ in 0..2 {
                assert_eq!(world.send_due().await, 1);
                assert_eq!(pause().await, 0);
                world.advance(2);
            }
            assert_eq!(world.send_due().await, 1);
            assert_eq!(pause().await, 0, "four days are not five");
            world.advance(2);
            assert_eq!(
                pause().await,
                0,
                "five days without an attempt is not a failure"
            );
            assert_eq!(world.send_due().await, 1);
            assert_eq!(pause().await, 1);
            assert_eq!(pause().await, 0, "once");
            let state = subscription(world, &id).await;
            assert_eq!(
                (&state["status"], &state["webhook"]["state"]),
                (&json!("active"), &json!("paused"))
            );
            assert!(state["webhook"]["reason"].is_string());
            let messages = messages(world).await;
            let [message] = messages.as_slice() else {
                panic!("one message: {messages:?}");
            };
            let message = message.replace("=\r\n", "");
            for words in ["To: ops@firma.sk", "POST /v1/notifications/", &id] {
                assert!(message.contains(words), "{words}: {message}");
            }
            // Pending and new deliveries are held, and no attempt is made.
            receiver.behave(|_| Behaviour::Status(200));
            assert_eq!(came(&receiver).len(), 4);
            officer_replaced(world, &ico).await;
            world.advance(3);
            assert_eq!(world.send_due().await, 0);
            assert_eq!(states(world, &id).await, are(&[("held", 4), ("held", 0)]));
            let held = deliveries(world, &id).await;
            // Subscribing again resumes the webhook; held deliveries are sent on request.
            let body = json!({ "ico": ico, "url": receiver.url(), "events": ["officers.changed"] });
            let again = world.post("/v1/notifications", &body).await;
            assert_eq!(
                again.at("/webhook"),
                &json!({ "state": "active", "reason": null })
            );
            officer_replaced(world, &ico).await;
            assert_eq!(world.send_due().await, 1);
            let fresh = deliveries(world, &id).await.remove(2);
            assert_eq!(came(&receiver), ids(&[fresh]));
            assert_eq!(resent(world, &id, &json!({})).await, 2);
            assert_eq!(world.send_due().await, 2);
            assert_eq!(came(&receiver), ids(&held));
            assert_eq!(
                states(world, &id).await,
                are(&[("delivered", 5), ("delivered", 1), ("delivered", 1)])
            );
            world.advance(10);
            assert_eq!(pause().await, 0, "it has succeeded");
        },
    )
    .await;
}

#[tokio::test]
async fn held_deliveries_go_to_the_new_webhook_url() {
    on_each_kind(
        |kind| retrying(kind, &[DAY; 20]),
        async |world| {
            let broken = Receiver::behaving(|_| Behaviour::Reset).await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &broken.url()).await;
            officer_replaced(world, &ico).await;
            assert_eq!(world.send_due().await, 1);
            world.advance(6);
            assert_eq!(world.send_due().await, 1);
            let paused = world.notifier.pause_failing().await;
            assert_eq!(paused.expect("the store is there"), 1);
            let mended = Receiver::start().await;
            let body = json!({ "ico": ico, "url": mended.url(), "events": ["officers.changed"] });
            let moved = world.post("/v1/notifications", &body).await;
            assert_eq!(moved.at("/webhook/state"), "active");
            assert_eq!(resent(world, &id, &json!({})).await, 1);
            assert_eq!(world.send_due().await, 1);
            assert_eq!((came(&mended).len(), came(&broken).len()), (1, 2));
            assert_eq!(states(world, &id).await, are(&[("delivered", 3)]));
        },
    )
    .await;
}

#[tokio::test]
async fn failed_deliveries_go_to_the_new_webhook_url() {
    on_each_kind(
        |kind| retrying(kind, &[]),
        async |world| {
            let broken = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &broken.url()).await;
            officer_replaced(world, &ico).await;
            assert_eq!(world.send_due().await, 1);
            assert_eq!(states(world, &id).await, are(&[("failed", 1)]));
            let mended = Receiver::start().await;
            let body = json!({ "ico": ico, "url": mended.url(), "events": ["officers.changed"] });
            assert_eq!(world.post("/v1/notifications", &body).await.status, 200);
            assert_eq!(world.send_due().await, 0, "only when that is wanted");
            assert_eq!(resent(world, &id, &json!({})).await, 1);
            assert_eq!(world.send_due().await, 1);
            assert_eq!((came(&mended).len(), came(&broken).len()), (1, 1));
        },
    )
    .await;
}

#[tokio::test]
async fn running_attempt_of_a_paused_webhook_is_held() {
    on_each_kind(
        |kind| retrying(kind, &[DAY; 20]),
        async |world| {
            let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &receiver.url()).await;
            officer_replaced(world, &ico).await;
            assert_eq!(world.send_due().await, 1);
            world.advance(6);
            assert_eq!(world.send_due().await, 1);
            world.advance(2);
            let under_way = claim(world).await.remove(0);
            let paused = world.notifier.pause_failing().await;
            assert_eq!(paused.expect("the store is there"), 1);
            let attempt = Attempt {
                delivery: under_way,
                at: world.now(),
                duration_ms: 1,
                outcome: AttemptOutcome::Timeout,
                status: None,
                answer: None,
                state: State::Waiting,
                next_at: Some(world.now()),
            };
            let deliveries = world.store.deliveries();
            let written = deliveries.record(&[attempt], &[], world.now()).await;
            assert_eq!(written.expect("the store is there"), 1);
            assert_eq!(states(world, &id).await, are(&[("held", 3)]));
            world.advance(2);
            assert_eq!(world.send_due().await, 0);
            assert_eq!(came(&receiver).len(), 2);
            // A resent delivery that fails is held as well.
            assert_eq!(resent(world, &id, &json!({})).await, 1);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(states(world, &id).await, are(&[("held", 4)]));
        },
    )
    .await;
}

#[tokio::test]
async fn claimed_delivery_that_was_given_up_can_be_resent() {
    on_each_kind(
        |kind| retrying(kind, &[DAY]),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &receiver.url()).await;
            officer_replaced(world, &ico).await;
            let forgotten = claim(world).await.remove(0);
            // The webhook is removed and added again, and the claiming host never comes back.
            let hook = json!({ "ico": ico, "url": receiver.url(), "events": ["officers.changed"] });
            let mail = json!({ "ico": ico, "notification_emails": ["a@firma.sk"] });
            for body in [&mail, &hook] {
                assert_eq!(world.post("/v1/notifications", body).await.status, 200);
            }
            assert_eq!(states(world, &id).await, are(&[("cancelled", 0)]));
            world.advance(1);
            assert_eq!(world.send_due().await, 0);
            let span = json!({ "from": rfc3339(forgotten.created_at) });
            assert_eq!(resent(world, &id, &span).await, 1);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(came(&receiver), [forgotten.id]);
            let delivery = deliveries(world, &id).await.remove(0);
            assert_eq!(outcomes(&delivery), ["unknown", "success"]);
        },
    )
    .await;
}

#[tokio::test]
async fn success_restarts_the_count_of_failing_days() {
    on_each_kind(
        |kind| retrying(kind, &[DAY; 20]),
        async |world| {
            let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &receiver.url()).await;
            officer_replaced(world, &ico).await;
            world.send_due().await;
            world.advance(4);
            receiver.behave(|_| Behaviour::Status(200));
            world.send_due().await;
            receiver.behave(|_| Behaviour::Status(500));
            officer_replaced(world, &ico).await;
            world.send_due().await;
            world.advance(4);
            let paused = world.notifier.pause_failing().await;
            assert_eq!(paused.expect("the store is there"), 0);
            assert_eq!(subscription(world, &id).await["webhook"]["state"], "active");
        },
    )
    .await;
}

#[tokio::test]
async fn missed_or_all_events_of_a_time_range_are_resent() {
    on_each_kind(
        |kind| retrying(kind, &[]),
        async |world| {
            // Every other delivery fails permanently, because there is only one attempt.
            let receiver = Receiver::start().await;
            let ico = world.icos[0].clone();
            let id = watch_officers(world, &ico, &receiver.url()).await;
            for status in [200, 500, 200, 500] {
                receiver.behave(move |_| Behaviour::Status(status));
                officer_replaced(world, &ico).await;
                assert_eq!(world.send_due().await, 1);
            }
            receiver.behave(|_| Behaviour::Status(200));
            assert_eq!(came(&receiver).len(), 4);
            let all = deliveries(world, &id).await;
            let words: Vec<&Value> = all.iter().map(|delivery| &delivery["status"]).collect();
            assert_eq!(words, ["delivered", "failed", "delivered", "failed"]);
            // From the second to before the fourth, whether delivered or not.
            let (from, to) = (&all[1]["created_at"], &all[3]["created_at"]);
            let span = json!({ "from": from, "to": to });
            assert_eq!(resent(world, &id, &span).await, 2);
            assert_eq!(world.send_due().await, 2);
            assert_eq!(came(&receiver), ids(&all[1..3]));
            // One has arrived meanwhile; only the last is missed.
            assert_eq!(resent(world, &id, &json!({})).await, 1);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(came(&receiver), ids(&all[3..]));
            assert_eq!(resent(world, &id, &json!({})).await, 0);
            // The end defaults to now.
            let span = json!({ "from": all[2]["created_at"] });
            assert_eq!(resent(world, &id, &span).await, 2);
            assert_eq!(world.send_due().await, 2);
            assert_eq!(came(&receiver), ids(&all[2..]));
            let future = json!({ "from": rfc3339(world.now() + time::Duration::days(1)) });
            assert_eq!(resent(world, &id, &future).await, 0);
            let path = format!("/v1/notifications/{id}/resend");
            for wrong in [
                json!({ "to": all[2]["created_at"] }),
                json!({ "from": "yesterday" }),
                json!({ "status": "failed" }),
            ] {
                let answer = world.post(&path, &wrong).await;
                assert_eq!(answer.status, 422, "{wrong}: {answer:?}");
                assert!(answer.at("/errors").is_object(), "{answer:?}");
            }
            assert!(came(&receiver).is_empty());
        },
    )
    .await;
}
