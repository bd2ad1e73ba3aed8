//! Subscriptions end to end: a watched company changes, and the event is sent, signed and listed.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::{Answer, DatabaseKind, Receiver, World};
use serde_json::{Value, json};

/// A world that watches its first company through a receiver. Returns the subscription.
async fn watching(world: &World, receiver: &Receiver) -> Answer {
    let body = json!({ "ico": world.icos[0], "webhook_url": receiver.url() });
    let created = world.post("/v1/notifications", &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    // The baseline raises no events.
    assert_eq!(world.propagate_changes().await, 0);
    created
}

#[tokio::test]
async fn officer_change_is_sent_signed_and_listed() {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let Some(world) = World::new().on(kind).start_if_possible().await else {
            continue;
        };
        let receiver = Receiver::start().await;
        let created = watching(&world, &receiver).await;
        let ico = world.icos[0].clone();
        world.happens(&ico, ChangeKind::OfficerReplaced);
        let attempts = world.propagate_changes().await;
        assert!(attempts >= 2, "{attempts}");
        let received = receiver.take();
        let kinds: Vec<Value> = received
            .iter()
            .map(|one| one.json()["event"].clone())
            .collect();
        assert_eq!(kinds, ["company.updated", "officers.changed"]);
        assert_ne!(received[0].delivery(), received[1].delivery());
        let id = created.at("/id").as_str().expect("an id");
        let path = format!("/v1/notifications/{id}/deliveries");
        let deliveries = world.get(&path).await;
        assert_eq!(deliveries.at("/meta/total"), 2);
        assert_eq!(deliveries.at("/data/0/channel"), "webhook");
        assert_eq!(deliveries.at("/data/0/status"), "delivered");
        assert_eq!(deliveries.at("/data/0/attempts"), 1);
        let history = world.get(&format!("/v1/notifications/history/{ico}")).await;
        assert_eq!(history.at("/data/0/field"), "statutory_body");
        assert_eq!(history.at("/meta/total"), 2);
        let log = world.get("/v1/notifications/events").await;
        assert_eq!(log.at("/data/0/payload"), &received[0].json());
        assert_eq!(log.at("/data/1/payload"), &received[1].json());
        world.end().await;
    }
}
