//! An account's data is visible only to that account, and its secrets are not readable in the store.

use lustra_tests::lustra::config::Secret;
use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{DatabaseKind, Mailbox, Receiver, World};
use serde_json::{Value, json};

use crate::account_sign_in::{PUBLIC, link_in};
use crate::account_support::{Visitor, member};
use crate::notifications_subscriptions::bare;
use crate::notifications_support::{
    another_account, get_as, officer_replaced, post_as, subscription, text, watch_officers,
};

const PATH: &str = "/v1/notifications";

#[tokio::test]
async fn subscription_is_invisible_to_other_accounts() {
    let world = bare(DatabaseKind::Sqlite).start().await;
    let receiver = Receiver::start().await;
    let ico = &world.icos[0];
    let id = watch_officers(&world, ico, &receiver.url()).await;
    officer_replaced(&world, ico).await;
    assert_eq!(world.send_due().await, 1);
    let received = receiver.take();
    let delivery = received[0].delivery();
    let other = another_account(&world, "enterprise").await;
    for path in [PATH, "/v1/notifications/events"] {
        let answer = get_as(&world, &other, path).await;
        assert_eq!(
            (answer.status, answer.at("/data")),
            (200, &json!([])),
            "{path}"
        );
    }
    let path = format!("/v1/notifications/{id}/deliveries");
    assert_eq!(get_as(&world, &other, &path).await.status, 404);
    for path in [
        format!("/v1/notifications/{id}/secret"),
        format!("/v1/notifications/{id}/resend"),
        format!("/v1/notifications/deliveries/{delivery}/resend"),
    ] {
        let answer = post_as(&world, &other, &path, &json!({})).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    let path = format!("/v1/notifications/{ico}");
    let deleting = world
        .request(reqwest::Method::DELETE, &path, &[("x-api-key", &other)])
        .await;
    assert_eq!(deleting.status, 404);
    // Its own subscription to the same company is separate and does not affect this one.
    let body = json!({ "ico": ico, "notification_emails": ["b@firma.sk"] });
    let own = post_as(&world, &other, PATH, &body).await;
    assert_eq!(own.status, 201);
    let stays = subscription(&world, &id).await;
    assert_eq!(stays["notification_emails"], json!([]));
    assert_eq!(world.get(PATH).await.at("/meta/total"), 1);
    assert!(receiver.received().is_empty());
    world.end().await;
}

/// All bytes of a folder's files.
fn bytes_below(folder: &std::path::Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            bytes.extend(bytes_below(&path));
        } else {
            bytes.extend(std::fs::read(path).expect("it can be read"));
        }
    }
    bytes
}

#[tokio::test]
async fn secrets_are_not_readable_in_the_database() {
    let mailbox = Mailbox::start().await;
    let url = mailbox.url();
    let mailing = bare(DatabaseKind::Sqlite).settings(move |config| {
        config.mail.smtp = Some(Secret::new(url));
        config.notifications.public_url = Some(PUBLIC.to_owned());
    });
    let world = mailing.start().await;
    let account = world.account().await.id;
    member(&world, account, "eva@mlyn.example", MemberRole::Owner).await;
    let visitor = Visitor::of(&world);
    let email = [("email", "eva@mlyn.example")];
    let asked = visitor.post("/account/sign-in/email", &email).await;
    assert_eq!(asked.status, 200, "{asked:?}");
    let hook = "http://127.0.0.1:1/hooks-without-a-receiver";
    let body = json!({ "ico": world.icos[0], "webhook_url": hook });
    let created = world.post(PATH, &body).await;
    let (id, secret) = (text(&created, "/id"), text(&created, "/secret"));
    let path = format!("/v1/notifications/{id}/secret");
    let rotated = text(&world.post(&path, &json!({})).await, "/secret");
    let url = world.config().store_url();
    let file = url.strip_prefix("sqlite:").expect("it is SQLite");
    let file = std::path::Path::new(file);
    let stored = bytes_below(file.parent().expect("it stands in a folder"));
    let has = |text: &str| {
        let sought = text.as_bytes();
        stored.windows(sought.len()).any(|found| found == sought)
    };
    // The rows are stored; the secrets are not, with or without their prefix.
    assert!(has(hook) && has(&id));
    for secret in [&secret, &rotated] {
        let bare = secret.strip_prefix("whsec_").expect("the mark");
        assert!(!has(bare) && !has(secret.as_str()));
    }
    assert!(!has("whsec_"));
    // The e-mail with the link waits; the link that it will have is not there, before and after.
    assert!(has("eva@mlyn.example") && !has("/account/sign-in/link"));
    assert!(world.mail_step().await);
    let link = link_in(&mailbox);
    let token = link.split("token=").nth(1).expect("a token");
    assert!(!has(token));
    let signed = visitor
        .post("/account/sign-in/link", &[("token", token)])
        .await;
    assert_eq!(signed.status, 303, "{signed:?}");
    assert_eq!(watch_again(&world, hook).await.get("secret"), None);
    world.end().await;
}

async fn watch_again(world: &World, hook: &str) -> Value {
    let body = json!({ "ico": world.icos[0], "webhook_url": hook });
    let again = world.post(PATH, &body).await;
    assert_eq!(again.status, 200);
    again.body
}
