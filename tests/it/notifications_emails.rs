//! E-mails: one per changed reading, in readable words and the account's language.

#![expect(
    clippy::print_stdout,
    reason = "the figures of the demo's script are read by people"
)]

use std::collections::BTreeSet;

use lustra_tests::lustra::config::Secret;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::{Behaviour, Builder, DatabaseKind, Mailbox, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::notifications_support::{
    DAY, deliveries, officer_replaced, plain, retrying, subject, watch,
};

const JANA: &str = "jana@firma.sk";

fn sending(builder: Builder, url: String) -> Builder {
    builder.settings(move |config| {
        config.mail.smtp = Some(Secret::new(url));
        config.notifications.company_url = Some("https://firmy.example/{ico}".to_owned());
    })
}

/// The readable texts of a payload.
fn sides(notice: &Value) -> (&str, &str) {
    let side = |name: &str| {
        let value = notice["data"][name].as_str();
        value.unwrap_or_else(|| panic!("{name} is not a text: {notice}"))
    };
    (side("old_value"), side("new_value"))
}

#[tokio::test]
async fn demo_script_sends_one_email_per_reading() {
    let mailbox = Mailbox::start().await;
    let world = sending(World::new().companies(40), mailbox.url())
        .start()
        .await;
    let receiver = Receiver::start().await;
    for index in [0, 2, 8] {
        let body = json!({
            "ico": world.icos[index], "webhook_url": receiver.url(), "notification_emails": [JANA],
        });
        assert_eq!(world.post("/v1/notifications", &body).await.status, 201);
    }
    world.propagate_changes().await;
    let mut notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
    for _ in 0..22 {
        world.advance(1);
        world.propagate_changes().await;
        notices.extend(receiver.take().iter().map(Received::json));
    }
    // A reading is one source's answer about one part of a company at one time.
    let reading = |notice: &Value| {
        let of = ["ico", "source", "scope", "detected_at"];
        of.map(|name| notice["data"][name].to_string())
    };
    let readings: BTreeSet<[String; 4]> = notices.iter().map(reading).collect();
    let messages = mailbox.emails();
    println!(
        "{} events and {} messages of {} readings",
        notices.len(),
        messages.len(),
        readings.len()
    );
    for message in &messages {
        println!("{}", subject(message));
    }
    assert!(readings.len() > 20, "{}", readings.len());
    assert_eq!(messages.len(), readings.len());
    assert!(notices.len() * 2 <= readings.len() * 3, "{}", notices.len());
    for notice in &notices {
        let (before, after) = sides(notice);
        assert_ne!(before, after, "{notice}");
        println!(
            "{} {}: {before} -> {after}",
            notice["event"], notice["data"]["field"]
        );
    }
    for message in &messages {
        let text = plain(message);
        for raw in ["What:", "Before:", "null", "_", "insolvency.", "gleif."] {
            let body = text.split("text/html").next().unwrap_or_default();
            let body = body.split("\r\n\r\n").skip(1).collect::<String>();
            let body = body.replace("text/plain; charset=utf-8", "");
            let is_link = |line: &&str| !line.contains("http") && !line.contains("--part");
            let lines = body.lines().filter(is_link).collect::<Vec<_>>().join("\n");
            assert!(!lines.contains(raw), "{raw} in {lines}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn email_is_in_the_language_of_the_account() {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let mailbox = Mailbox::start().await;
        let world = sending(retrying(kind, &[DAY; 3]), mailbox.url());
        let Some(world) = world.start_if_possible().await else {
            continue;
        };
        const PATH: &str = "/v1/account/language";
        assert_eq!(world.get(PATH).await.at("/language"), "sk");
        let body = json!({ "ico": world.icos[0], "notification_emails": [JANA] });
        let id = watch(&world, &body).await;
        officer_replaced(&world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 1, "two events are one message");
        for body in [
            json!({}),
            json!({ "language": "de" }),
            json!({ "language": 1 }),
        ] {
            assert_eq!(world.post(PATH, &body).await.status, 422, "{body}");
        }
        let set = world.post(PATH, &json!({ "language": "en" })).await;
        assert_eq!((set.status, set.at("/language")), (200, &json!("en")));
        assert_eq!(world.get(PATH).await.at("/language"), "en");
        officer_replaced(&world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 1);
        let messages = mailbox.emails();
        let name = "Vzorostav Čučoriedka, s. r. o.";
        for (message, begin, words, lang) in [
            (
                &messages[0],
                "Zmena v spoločnosti",
                ": nový záznam – ",
                "lang=\"sk\"",
            ),
            (&messages[1], "Change at", ": new – ", "lang=\"en\""),
        ] {
            let subject = subject(message);
            assert!(
                subject.starts_with(&format!("{begin} {name}: ")),
                "{subject}"
            );
            let text = plain(message);
            assert!(text.contains(words), "{text}");
            assert!(text.contains(lang), "{text}");
            assert!(text.contains("https://firmy.example/99999994"), "{text}");
        }
        assert!(
            subject(&messages[0]).contains(": nový "),
            "{}",
            subject(&messages[0])
        );
        assert_eq!(deliveries(&world, &id).await.len(), 2);
        world.end().await;
    }
}

#[tokio::test]
async fn webhook_values_are_always_texts() {
    on_each_kind(
        |kind| retrying(kind, &[DAY; 3]),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[0].clone();
            let body = json!({ "ico": ico, "webhook_url": receiver.url() });
            watch(world, &body).await;
            world.happens(&ico, ChangeKind::ActivityAdded);
            world.propagate_changes().await;
            let notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
            for notice in &notices {
                let (before, after) = sides(notice);
                assert_ne!(before, after, "{notice}");
                // The members used only for e-mails are not sent to webhooks.
                for name in ["lines", "part"] {
                    assert_eq!(notice["data"].get(name), None, "{notice}");
                }
            }
            let field = "business_activities";
            let mut of_field = notices
                .iter()
                .filter(|notice| notice["data"]["field"] == field);
            let added = of_field.next().expect("it is announced");
            let change = &added["data"]["changes"][0];
            assert_eq!(change["old"], Value::Null, "{added}");
            assert_eq!(sides(added), ("", change["new"].as_str().expect("a text")));
        },
    )
    .await;
}

#[tokio::test]
async fn paused_webhook_is_reported_in_the_language_of_its_account() {
    for (language, about, since) in [
        (None, "Webhook pre spoločnosť", "zlyhal každý pokus"),
        (
            Some("en"),
            "The webhook for company",
            "every attempt has failed",
        ),
    ] {
        let mailbox = Mailbox::start().await;
        let world = sending(retrying(DatabaseKind::Sqlite, &[DAY; 20]), mailbox.url());
        let world = world.start().await;
        if let Some(language) = language {
            let body = json!({ "language": language });
            assert_eq!(world.post("/v1/account/language", &body).await.status, 200);
        }
        let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
        let ico = world.icos[0].clone();
        let body = json!({
            "ico": ico, "webhook_url": receiver.url(), "notification_emails": [JANA],
            "events": ["officers.changed"],
        });
        let id = watch(&world, &body).await;
        officer_replaced(&world, &ico).await;
        assert_eq!(world.send_due().await, 2);
        world.advance(6);
        assert_eq!(world.send_due().await, 1);
        let paused = world.notifier.pause_failing().await;
        assert_eq!(paused.expect("the store is there"), 1);
        while world.mail_step().await {}
        let messages = mailbox.emails();
        let message = messages.last().expect("the notice");
        assert_eq!(subject(message).split(" 9").next(), Some(about));
        let text = plain(message);
        for words in [since, &receiver.url(), &id, "/resend"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        // The day of the first attempt, one day after the world's start, in the account's language.
        let day = if language.is_some() {
            "16 January 2026"
        } else {
            "16. 1. 2026"
        };
        assert!(text.contains(day), "{day}: {text}");
        world.end().await;
    }
}
