//! Testing a target without a subscription.

use futures_util::future::join_all;
use insta::assert_json_snapshot;
use lustra_tests::lustra::config::Secret;
use lustra_tests::{Behaviour, Builder, DatabaseKind, Mailbox, Mood, Receiver, World};
use serde_json::json;

use crate::notifications_support::{another_account, decoded, post_as, shown, text};

const PATH: &str = "/v1/notifications/test";

fn bare() -> Builder {
    World::new()
        .on(DatabaseKind::Sqlite)
        .nothing_imported()
        .without_index()
}

#[tokio::test]
async fn webhook_test_shows_the_request_and_answer() {
    let world = bare().start().await;
    let receiver = Receiver::start().await;
    let address = receiver.address().to_string();
    let tried = world
        .post(PATH, &json!({ "webhook_url": receiver.url() }))
        .await;
    assert_json_snapshot!("a receiver is tried", shown(&tried, &address));
    let received = receiver.take();
    assert_eq!(received.len(), 1);
    assert_eq!(
        received[0].body,
        text(&tried, "/sent/body").as_bytes(),
        "the response shows the request that was sent"
    );
    let headers = tried.at("/sent/headers").as_object().expect("headers");
    for (name, value) in headers {
        assert_eq!(&received[0].headers[name.as_str()], value, "{name}");
    }
    assert_eq!(received[0].json()["test"], true);
    // The response shows the receiver's answer, whatever it is.
    let sent_away =
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 5\r\n\r\nthere";
    receiver.behave(move |_| Behaviour::Bytes(sent_away.to_vec()));
    let tried = world.post(PATH, &json!({ "url": receiver.url() })).await;
    assert_eq!((tried.status, tried.at("/delivered")), (200, &json!(false)));
    let received = tried.at("/received");
    assert_eq!(received["outcome"], "http_error");
    assert_eq!(
        (&received["status"], &received["answer"]),
        (&json!(302), &json!("there"))
    );
    receiver.behave(|_| Behaviour::Reset);
    let tried = world.post(PATH, &json!({ "url": receiver.url() })).await;
    assert_eq!(tried.at("/received/outcome"), "reset", "{tried:?}");
    world.end().await;
}

#[tokio::test]
async fn address_test_sends_a_message() {
    let mailbox = Mailbox::start().await;
    let url = mailbox.url();
    let world = bare()
        .settings(move |config| config.mail.smtp = Some(Secret::new(url)))
        .start()
        .await;
    let tried = world.post(PATH, &json!({ "email": "jana@firma.sk" })).await;
    assert_json_snapshot!("an address is tried", shown(&tried, ""));
    let messages = mailbox.emails();
    assert_eq!(messages[0].to, ["jana@firma.sk"]);
    let subject = messages[0].header("Subject").expect("a subject");
    let subject = decoded(&subject);
    assert!(
        subject.starts_with("Skúška: Zmena v spoločnosti"),
        "{subject}"
    );
    mailbox.next(Mood::Answer(550));
    let tried = world.post(PATH, &json!({ "email": "jana@firma.sk" })).await;
    assert_eq!(tried.at("/delivered"), false);
    assert_eq!(tried.at("/received/outcome"), "refused");
    let answer = text(&tried, "/received/answer");
    assert!(answer.contains("550"), "{answer}");
    world.end().await;
}

#[tokio::test]
async fn test_needs_exactly_one_allowed_target() {
    let world = bare()
        .settings(|config| config.notifications.allow_loopback = false)
        .start()
        .await;
    let mut reported = Vec::new();
    for (what, body) in [
        ("nothing", json!({})),
        (
            "two",
            json!({ "webhook_url": "https://firma.sk/", "email": "a@firma.sk" }),
        ),
        ("no address", json!({ "email": "no-domain" })),
        ("a local domain", json!({ "email": "a@b.local" })),
        ("an option", json!({ "email": "-oQ/x@b.sk" })),
        ("no address of the web", json!({ "url": "ftp://firma.sk/" })),
        ("a password", json!({ "url": "https://a:b@firma.sk/" })),
        ("this machine", json!({ "url": "http://127.0.0.1:1/" })),
        (
            "this machine in disguise",
            json!({ "url": "http://[::ffff:127.0.0.1]/" }),
        ),
        (
            "where clouds keep secrets",
            json!({ "url": "http://169.254.169.254/" }),
        ),
        ("a local name", json!({ "url": "http://localhost:1/" })),
        (
            "an unknown field",
            json!({ "email": "a@firma.sk", "ico": "99999994" }),
        ),
    ] {
        let answer = world.post(PATH, &body).await;
        assert_eq!(answer.status, 422, "{what}: {answer:?}");
        reported.push(json!({ what: answer.body["errors"] }));
    }
    assert_json_snapshot!("what is wrong with targets", reported);
    world.end().await;
}

#[tokio::test]
async fn tests_of_an_account_are_limited() {
    let world = bare()
        .settings(|config| config.notifications.tests_per_account_hour = 10)
        .start()
        .await;
    let receiver = Receiver::start().await;
    // Rejected requests are not counted.
    assert_eq!(world.post(PATH, &json!({})).await.status, 422);
    let body = json!({ "webhook_url": receiver.url() });
    let tries = join_all((0..12).map(|_| world.post(PATH, &body))).await;
    let refused: Vec<_> = tries.iter().filter(|answer| answer.status != 200).collect();
    assert_eq!((refused.len(), receiver.received().len()), (2, 10));
    for answer in refused {
        assert_eq!(answer.status, 429, "{answer:?}");
        assert_eq!(answer.at("/error"), "rate_limit_exceeded");
        let wait = answer.header("retry-after").expect("when it may again");
        assert!(
            wait.parse::<u64>().is_ok_and(|wait| wait <= 3_601),
            "{wait}"
        );
    }
    // Other accounts are not affected.
    let other = another_account(&world, "free").await;
    assert_eq!(post_as(&world, &other, PATH, &body).await.status, 200);
    world.end().await;
}
