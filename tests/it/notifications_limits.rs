//! Rate limits of outgoing messages, and the consent of address owners.

use lustra_tests::lustra::config::Secret;
use lustra_tests::{Builder, DatabaseKind, Mailbox, World};
use reqwest::Method;
use serde_json::json;

use crate::notifications_support::{
    DAY, deliveries, officer_replaced, plain, retrying, subscription, watch,
};

const JANA: &str = "jana@firma.sk";
const PUBLIC: &str = "https://api.lustra.example";

fn sending(kind: DatabaseKind, url: String) -> Builder {
    retrying(kind, &[DAY; 3]).settings(move |config| {
        config.mail.smtp = Some(Secret::new(url));
        config.notifications.public_url = Some(PUBLIC.to_owned());
    })
}

/// A world on each kind of database, each with its own mail server.
async fn with_mailbox(change: impl Fn(Builder) -> Builder, body: impl AsyncFn(&World, &Mailbox)) {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let mailbox = Mailbox::start().await;
        let builder = change(sending(kind, mailbox.url()));
        if let Some(world) = builder.start_if_possible().await {
            Box::pin(body(&world, &mailbox)).await;
            world.end().await;
        }
    }
}

async fn mailed(world: &World) -> String {
    let body = json!({
        "ico": world.icos[0], "notification_emails": [JANA], "events": ["officers.changed"],
    });
    watch(world, &body).await
}

#[tokio::test]
async fn repeated_resends_are_limited_to_a_few_emails() {
    with_mailbox(
        |builder| builder,
        async |world, mailbox| {
            let id = mailed(world).await;
            officer_replaced(world, &world.icos[0]).await;
            assert_eq!(world.send_due().await, 1);
            let delivery = deliveries(world, &id).await.remove(0);
            let delivery = delivery["id"].as_str().expect("an id").to_owned();
            let path = format!("/v1/notifications/deliveries/{delivery}/resend");
            let mut refused = 0;
            for _ in 0..301 {
                let again = world.post(&path, &json!({})).await;
                if again.status == 429 {
                    assert_eq!(again.at("/error"), "rate_limit_exceeded");
                    let wait = again.header("retry-after").expect("when it may");
                    assert!(wait.parse::<u64>().expect("seconds") > 3_600, "{wait}");
                    refused += 1;
                }
                world.send_due().await;
            }
            assert_eq!((mailbox.emails().len(), refused), (6, 296));
            // The time range contains only this delivery.
            let path = format!("/v1/notifications/{id}/resend");
            let all = json!({ "from": "2020-01-01T00:00:00Z" });
            let again = world.post(&path, &all).await;
            assert_eq!((again.status, again.at("/resent")), (200, &json!(0)));
            // It may be resent on the next day.
            world.advance(2);
            let again = world.post(&path, &all).await;
            assert_eq!(again.at("/resent"), 1, "{again:?}");
            assert_eq!(world.send_due().await, 1);
        },
    )
    .await;
}

#[tokio::test]
async fn emails_above_the_limit_of_an_address_wait() {
    with_mailbox(
        |builder| builder.settings(|config| config.notifications.emails_per_address_day = 2),
        async |world, mailbox| {
            let id = mailed(world).await;
            for _ in 0..3 {
                // The readings of three days are sent on one day.
                officer_replaced(world, &world.icos[0]).await;
            }
            assert_eq!(world.send_due().await, 2);
            assert_eq!(mailbox.emails().len(), 2);
            let all = deliveries(world, &id).await;
            let mut waiting = all.iter().filter(|one| one["status"] == "waiting");
            let waiting = waiting.next().expect("the third waits");
            assert_eq!(waiting["attempts"], 0, "there was no attempt");
            world.advance(2);
            assert_eq!(world.send_due().await, 1);
            assert_eq!(mailbox.emails().len(), 3);
        },
    )
    .await;
}

#[tokio::test]
async fn tests_of_a_target_and_of_an_account_are_limited() {
    with_mailbox(
        |builder| {
            builder.settings(|config| {
                config.notifications.tests_per_address_hour = 2;
                config.notifications.tests_per_account_hour = 3;
            })
        },
        async |world, mailbox| {
            const PATH: &str = "/v1/notifications/test";
            let mut statuses = Vec::new();
            for email in [JANA, "JANA@firma.sk", JANA, "eva@firma.sk", "ema@firma.sk"] {
                let tried = world.post(PATH, &json!({ "email": email })).await;
                statuses.push(tried.status);
                let waits = tried.header("retry-after").is_some();
                assert_eq!(waits, tried.status == 429, "{tried:?}");
            }
            assert_eq!(statuses, [200, 200, 429, 200, 429]);
            assert_eq!(mailbox.emails().len(), 3);
            world.advance(1);
            let tried = world.post(PATH, &json!({ "email": JANA })).await;
            assert_eq!(tried.status, 200);
        },
    )
    .await;
}

#[tokio::test]
async fn new_address_must_confirm_before_it_gets_emails() {
    with_mailbox(
        |builder| builder.settings(|config| config.notifications.confirm_emails = true),
        async |world, mailbox| {
            const TEST: &str = "/v1/notifications/test";
            let id = mailed(world).await;
            let state = subscription(world, &id).await;
            assert_eq!(state["unconfirmed_emails"], json!([JANA]));
            assert_eq!(state["notification_emails"], json!([JANA]));
            officer_replaced(world, &world.icos[0]).await;
            assert_eq!(world.send_due().await, 0);
            let tried = world.post(TEST, &json!({ "email": JANA })).await;
            assert_eq!(tried.status, 422, "{tried:?}");
            // One e-mail asks for consent, however often the subscription is sent.
            let body = json!({
                "ico": world.icos[0], "notification_emails": [JANA], "events": ["officers.changed"],
            });
            assert_eq!(world.post("/v1/notifications", &body).await.status, 200);
            let spelled = json!({
                "ico": world.icos[1], "notification_emails": [JANA.to_uppercase(), JANA],
            });
            let other = world.post("/v1/notifications", &spelled).await;
            let emails = other.at("/notification_emails");
            assert_eq!(emails, &json!([JANA.to_uppercase()]), "{other:?}");
            let other = format!("/v1/notifications/{}", world.icos[1]);
            assert_eq!(world.delete(&other).await.status, 200);
            while world.mail_step().await {}
            let messages = mailbox.emails();
            let [message] = messages.as_slice() else {
                panic!("one message: {messages:?}");
            };
            assert_eq!(message.to, [JANA]);
            let text = plain(message);
            let page = text
                .lines()
                .find_map(|line| line.trim().strip_prefix(PUBLIC));
            let page = page.unwrap_or_else(|| panic!("no link: {text}")).to_owned();
            let forged = page.replace("jana", "eva");
            for method in [Method::GET, Method::POST] {
                let answer = world.request(method, &forged, &[]).await;
                assert_eq!(answer.status, 404, "{forged}");
            }
            // Link scanners only use `GET`, which confirms nothing.
            assert_eq!(world.get_with(&page, &[]).await.status, 200);
            let state = subscription(world, &id).await;
            assert_eq!(state["unconfirmed_emails"], json!([JANA]));
            assert_eq!(world.request(Method::POST, &page, &[]).await.status, 200);
            let state = subscription(world, &id).await;
            assert_eq!(state["unconfirmed_emails"], json!([]));
            officer_replaced(world, &world.icos[0]).await;
            assert_eq!(world.send_due().await, 1);
            let tried = world.post(TEST, &json!({ "email": JANA })).await;
            assert_eq!(tried.status, 200, "{tried:?}");
        },
    )
    .await;
}

#[tokio::test]
async fn unsubscribed_address_gets_nothing_until_it_agrees() {
    with_mailbox(
        |builder| builder,
        async |world, mailbox| {
            let id = mailed(world).await;
            officer_replaced(world, &world.icos[0]).await;
            assert_eq!(world.send_due().await, 1);
            let link = mailbox.emails()[0].header("List-Unsubscribe");
            let link = link.expect("a link");
            let page = link.trim_matches(['<', '>']).replace(PUBLIC, "");
            let ended = world.request(Method::POST, &page, &[]).await;
            assert_eq!(ended.status, 200);
            // Tests, thresholds and other companies are blocked too.
            for (path, body) in [
                (
                    "/v1/notifications/test",
                    json!({ "email": "Jana@firma.sk" }),
                ),
                (
                    "/v1/account/thresholds",
                    json!({ "thresholds": [50], "emails": [JANA] }),
                ),
            ] {
                let answer = world.post(path, &body).await;
                assert_eq!(answer.status, 422, "{path}: {answer:?}");
            }
            let other = json!({ "ico": world.icos[1], "notification_emails": [JANA] });
            let other = world.post("/v1/notifications", &other).await;
            assert_eq!(other.at("/notification_emails"), &json!([]), "{other:?}");
            // The page that stopped the e-mails can allow them again.
            let html = ended.body.as_str().expect("a page");
            let action = html
                .split("action=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let again = action.expect("a form").replace("&amp;", "&");
            assert_eq!(world.request(Method::POST, &again, &[]).await.status, 200);
            let state = subscription(world, &id).await;
            assert_eq!(state["notification_emails"], json!([JANA]));
            officer_replaced(world, &world.icos[0]).await;
            assert!(world.send_due().await >= 1);
        },
    )
    .await;
}
