//! Subscriptions: creating, changing, listing and ending them.

use insta::assert_json_snapshot;
use lustra_tests::lustra::config::Plan;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::{Behaviour, Builder, DatabaseKind, Receiver, World};
use serde_json::{Value, json};

use crate::credits::on_plan;
use crate::faults_support::on_each_kind;
use crate::notifications_support::{
    DAY, another_account, are, get_as, officer_replaced, post_as, retrying, shown, small, states,
    text, watch, watch_officers,
};

const PATH: &str = "/v1/notifications";

/// A world without lists: company data comes from live registers.
pub fn bare(kind: DatabaseKind) -> Builder {
    World::new()
        .on(kind)
        .companies(12)
        .nothing_imported()
        .without_index()
}

#[tokio::test]
async fn subscription_shows_its_secret_once() {
    on_each_kind(bare, async |world| {
        let receiver = Receiver::start().await;
        let full = json!({
            "ico": world.icos[0],
            "webhook_url": receiver.url(),
            "notification_emails": ["risk@firma.sk", "risk@firma.sk", " Jana@firma.sk "],
            "events": ["officers.changed", "debtor.added"],
        });
        let created = world.post(PATH, &full).await;
        let address = receiver.address().to_string();
        assert_json_snapshot!("created", shown(&created, &address));
        // The same request with the alternative field name: one subscription, and its secret is not shown again.
        let again = json!({ "ico": world.icos[0], "url": receiver.url() });
        let again = world.post(PATH, &again).await;
        assert_json_snapshot!("sent again", shown(&again, &address));
        assert_eq!(again.at("/id"), created.at("/id"));
        let both = json!({
            "ico": world.icos[0], "url": receiver.url(), "webhook_url": receiver.url(),
            "events": ["updated", "debtor.added"],
        });
        let both = world.post(PATH, &both).await;
        assert_eq!(
            (both.status, both.at("/events")),
            (200, &json!(["updated"]))
        );
        let listed = world.get(PATH).await;
        assert_json_snapshot!("listed", shown(&listed, &address));
    })
    .await;
}

#[tokio::test]
async fn wrong_subscription_fields_are_named() {
    let world = bare(DatabaseKind::Sqlite).start().await;
    let hook = "http://127.0.0.1:1/hooks";
    let ico = "99999994";
    let many: Vec<String> = (0..21).map(|n| format!("n{n}@firma.sk")).collect();
    let mut reported = Vec::new();
    for (what, body) in [
        (
            "two webhooks",
            json!({ "ico": ico, "webhook_url": hook, "url": "http://127.0.0.1:2/hooks" }),
        ),
        ("no target", json!({ "ico": ico })),
        (
            "empty targets",
            json!({ "ico": ico, "webhook_url": null, "notification_emails": [] }),
        ),
        (
            "an unknown field",
            json!({ "ico": ico, "url": hook, "secret": "mine", "email": "a@firma.sk" }),
        ),
        (
            "an unknown kind",
            json!({ "ico": ico, "url": hook, "events": ["updated", "name.changed"] }),
        ),
        ("no company", json!({ "url": hook })),
        ("no number", json!({ "ico": "999", "url": hook })),
        (
            "everything",
            json!({ "ico": 1, "webhook_url": 2, "notification_emails": "a@firma.sk", "events": {} }),
        ),
        (
            "no addresses",
            json!({ "ico": ico, "notification_emails": ["a@firma.sk", "no-domain", "A <a@firma.sk>", "a@b\r\nBcc: c@d.sk"] }),
        ),
        (
            "too many addresses",
            json!({ "ico": ico, "notification_emails": many }),
        ),
        ("no list", json!([])),
    ] {
        let answer = world.post(PATH, &body).await;
        assert_eq!(answer.status, 422, "{what}: {answer:?}");
        reported.push(json!({ what: answer.body["errors"] }));
    }
    assert_json_snapshot!("what is wrong with subscriptions", reported);
    assert_eq!(world.get(PATH).await.at("/meta/total"), 0);
    world.end().await;
}

#[tokio::test]
async fn unknown_company_cannot_be_watched() {
    let world = bare(DatabaseKind::Sqlite).start().await;
    let unknown = json!({ "ico": "12345678", "notification_emails": ["a@firma.sk"] });
    let answer = world.post(PATH, &unknown).await;
    assert_eq!(
        (answer.status, answer.at("/error")),
        (404, &json!("not_found"))
    );
    for path in ["/v1/notifications/12345678", "/v1/notifications/99999994"] {
        assert_eq!(world.delete(path).await.status, 404, "{path}");
    }
    assert_eq!(world.delete("/v1/notifications/1").await.status, 422);
    assert_eq!(world.get(PATH).await.at("/meta/total"), 0);
    world.end().await;
}

#[tokio::test]
async fn webhook_added_to_mail_shows_its_secret_once() {
    on_each_kind(bare, async |world| {
        let ico = &world.icos[0];
        let mail = json!({ "ico": ico, "notification_emails": ["a@firma.sk"] });
        let by_mail = world.post(PATH, &mail).await;
        assert_eq!((by_mail.status, by_mail.body.get("secret")), (201, None));
        assert_eq!(by_mail.at("/webhook"), &Value::Null);
        let id = text(&by_mail, "/id");
        // There is no secret to rotate yet.
        let path = format!("/v1/notifications/{id}/secret");
        assert_eq!(world.post(&path, &json!({})).await.status, 404);
        let hook = json!({ "ico": ico, "url": "http://127.0.0.1:1/hooks" });
        let with_hook = world.post(PATH, &hook).await;
        assert_eq!(with_hook.status, 200, "{with_hook:?}");
        assert_eq!(with_hook.at("/id"), id.as_str());
        assert_eq!(with_hook.at("/notification_emails"), &json!([]));
        let secret = text(&with_hook, "/secret");
        assert!(secret.starts_with("whsec_"));
        // Neither repeating a subscription nor adding a webhook again shows the secret twice.
        for body in [&hook, &mail, &hook] {
            let again = world.post(PATH, body).await;
            assert_eq!((again.status, again.body.get("secret")), (200, None));
        }
        let rotated = text(&world.post(&path, &json!({})).await, "/secret");
        assert_ne!(rotated, secret);
    })
    .await;
}

#[tokio::test]
async fn ids_with_nul_find_nothing() {
    on_each_kind(bare, async |world| {
        for path in [
            "/v1/notifications/%00/deliveries",
            "/v1/notifications/deliveries/a%00",
            "/v1/notifications/deliveries?subscription_id=%00",
        ] {
            assert_eq!(world.get(path).await.status, 404, "{path}");
        }
        for path in [
            "%00/pause",
            "%00/resume",
            "%00/secret",
            "deliveries/%00/resend",
        ] {
            let posted = world.post(&format!("{PATH}/{path}"), &json!({})).await;
            assert_eq!(posted.status, 404, "{path}: {posted:?}");
        }
        let body = json!({ "subscription_id": "\0" });
        let posted = world
            .post(&format!("{PATH}/deliveries/resend"), &body)
            .await;
        assert_eq!(posted.status, 404, "{posted:?}");
    })
    .await;
}

#[tokio::test]
async fn active_and_ended_subscriptions_are_listed_in_pages() {
    on_each_kind(bare, async |world| {
        for ico in &world.icos[..3] {
            let body = json!({ "ico": ico, "notification_emails": ["a@firma.sk"] });
            assert_eq!(world.post(PATH, &body).await.status, 201);
        }
        let ended = world
            .delete(&format!("/v1/notifications/{}", world.icos[1]))
            .await;
        assert_eq!(
            (ended.status, ended.at("/status")),
            (200, &json!("historical"))
        );
        assert!(ended.at("/ended_at").is_string(), "{ended:?}");
        let list = async |query: &str| {
            let answer = world.get(&format!("{PATH}{query}")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let all = answer.at("/data").as_array().cloned().expect("a list");
            let icos: Vec<usize> = all
                .iter()
                .filter_map(|one| world.icos.iter().position(|ico| one["ico"] == **ico))
                .collect();
            (icos, answer.at("/meta").clone())
        };
        let meta = |total, limit, offset, more| json!({ "total": total, "limit": limit, "offset": offset, "more": more });
        assert_eq!(list("").await, (vec![2, 1, 0], meta(3, 50, 0, false)));
        assert_eq!(list("?status=active").await, (vec![2, 0], meta(2, 50, 0, false)));
        assert_eq!(list("?status=historical").await, (vec![1], meta(1, 50, 0, false)));
        assert_eq!(list("?limit=2").await, (vec![2, 1], meta(3, 2, 0, true)));
        assert_eq!(list("?limit=2&offset=2").await, (vec![0], meta(3, 2, 2, false)));
        for query in ["?status=paused", "?limit=101", "?page=1"] {
            assert_eq!(world.get(&format!("{PATH}{query}")).await.status, 422, "{query}");
        }
        // Watching again creates another subscription, and the old one stays in the list.
        let body = json!({ "ico": world.icos[1], "notification_emails": ["a@firma.sk"] });
        let renewed = world.post(PATH, &body).await;
        assert_eq!(renewed.status, 201);
        assert_ne!(renewed.at("/id"), ended.at("/id"));
        assert_eq!(list("").await.0, [1, 2, 1, 0]);
    })
    .await;
}

#[tokio::test]
async fn ended_subscription_gets_no_more_deliveries() {
    on_each_kind(
        |kind| retrying(kind, &[DAY]),
        async |world| {
            let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
            let ico = &world.icos[0];
            let id = watch_officers(world, ico, &receiver.url()).await;
            officer_replaced(world, ico).await;
            assert_eq!(world.send_due().await, 1);
            officer_replaced(world, ico).await;
            assert_eq!(
                states(world, &id).await,
                are(&[("waiting", 1), ("waiting", 0)])
            );
            // An event that was found but not published yet.
            world.happens(ico, ChangeKind::OfficerReplaced);
            world.refresh_watched().await;
            let ended = world.delete(&format!("/v1/notifications/{ico}")).await;
            assert_eq!(ended.status, 200);
            let seen = receiver.take().len();
            assert_eq!(seen, 1);
            world.advance(2);
            assert_eq!(world.propagate_changes().await, 0);
            assert!(receiver.received().is_empty());
            assert_eq!(
                states(world, &id).await,
                are(&[("cancelled", 1), ("cancelled", 0)])
            );
            let resent = world
                .post(&format!("/v1/notifications/{id}/resend"), &json!({}))
                .await;
            assert_eq!(resent.at("/resent"), 0, "{resent:?}");
            assert_eq!(
                world
                    .delete(&format!("/v1/notifications/{ico}"))
                    .await
                    .status,
                404,
                "it has ended"
            );
        },
    )
    .await;
}

#[tokio::test]
async fn plan_limits_the_watched_companies() {
    let plan = Plan {
        watched_companies: 2,
        ..Plan::default()
    };
    let world = on_plan(plan)
        .companies(12)
        .nothing_imported()
        .without_index()
        .start()
        .await;
    let watching = async |place: usize| {
        let body = json!({ "ico": world.icos[place], "notification_emails": ["a@firma.sk"] });
        world.post(PATH, &body).await
    };
    // Concurrent requests: an account's companies are counted one after the other.
    let (one, two, three) = tokio::join!(watching(0), watching(1), watching(2));
    let mut statuses = [one.status, two.status, three.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 403]);
    let refused = [(0, one), (1, two), (2, three)]
        .into_iter()
        .find(|(_, answer)| answer.status == 403);
    let (place, refused) = refused.expect("one was");
    assert_json_snapshot!("more than the plan has", shown(&refused, ""));
    // Watched companies can be changed, and ending a subscription frees its place.
    let watched = (place + 1) % 3;
    assert_eq!(watching(watched).await.status, 200);
    let path = format!("/v1/notifications/{}", world.icos[watched]);
    assert_eq!(world.delete(&path).await.status, 200);
    assert_eq!(watching(place).await.status, 201);
    world.end().await;
}

#[tokio::test]
async fn unwanted_event_kinds_are_not_sent() {
    let world = small(DatabaseKind::Sqlite).start().await;
    let (all, one) = (Receiver::start().await, Receiver::start().await);
    let ico = &world.icos[0];
    watch(&world, &json!({ "ico": ico, "webhook_url": all.url() })).await;
    let other = another_account(&world, "enterprise").await;
    let body = json!({ "ico": ico, "webhook_url": one.url(), "events": ["address.changed", "officers.changed"] });
    assert_eq!(post_as(&world, &other, PATH, &body).await.status, 201);
    officer_replaced(&world, ico).await;
    world.send_due().await;
    let kinds = |receiver: &Receiver| -> Vec<String> {
        let received = receiver.take();
        let kinds = received
            .iter()
            .map(|one| one.headers["x-webhook-event"].clone());
        kinds.collect()
    };
    assert_eq!(kinds(&all), ["company.updated", "officers.changed"]);
    assert_eq!(kinds(&one), ["officers.changed"]);
    let log = get_as(&world, &other, "/v1/notifications/events").await;
    assert_eq!(log.at("/data/0/payload/event"), "officers.changed");
    assert_eq!(log.at("/data/1"), &Value::Null);
    world.end().await;
}
