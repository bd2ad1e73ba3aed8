//! Alerts about credits: sent once, for the highest reached threshold.

use insta::assert_snapshot;
use lustra_tests::lustra::billing::account_ledger::NewGrant;
use lustra_tests::lustra::billing::operator;
use lustra_tests::lustra::config::{Config, Plan, Secret};
use lustra_tests::lustra::store::GrantKind;
use lustra_tests::{DatabaseKind, Mailbox, Mood, World};
use reqwest::Method;
use serde_json::json;

use crate::credits::on_plan;
use crate::notifications_support::{plain, subject};

const SEARCH: &str = "/v1/search/ico?q=1";

const PUBLIC: &str = "https://api.lustra.example";

/// A world on each kind of database whose account has ten credits a month, these thresholds and e-mails in English.
async fn with_thresholds(
    thresholds: &[u32],
    emails: &[&str],
    body: impl AsyncFn(&World, &Mailbox),
) {
    with_thresholds_in("en", thresholds, emails, body).await;
}

/// Like [`with_thresholds`], with e-mails in this language.
async fn with_thresholds_in(
    language: &str,
    thresholds: &[u32],
    emails: &[&str],
    body: impl AsyncFn(&World, &Mailbox),
) {
    with_settings(language, |_| (), thresholds, emails, body).await;
}

/// Like [`with_thresholds_in`], with changed settings.
async fn with_settings(
    language: &str,
    change: fn(&mut Config),
    thresholds: &[u32],
    emails: &[&str],
    body: impl AsyncFn(&World, &Mailbox),
) {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let mailbox = Mailbox::start().await;
        let url = mailbox.url();
        let plan = Plan {
            credits: Some(10),
            overage: true,
            ..Plan::default()
        };
        let world = on_plan(plan)
            .on(kind)
            .nothing_imported()
            .settings(move |config| {
                config.mail.smtp = Some(Secret::new(url));
                change(config);
            });
        let Some(world) = world.start_if_possible().await else {
            continue;
        };
        let account = world.account().await;
        let keys = world.store.keys();
        let stored = keys.set_language(account.id, language).await;
        stored.expect("the store is there");
        let set = json!({ "thresholds": thresholds, "emails": emails });
        assert_eq!(world.post("/v1/account/thresholds", &set).await.status, 200);
        Box::pin(body(&world, &mailbox)).await;
        world.verify_ledgers().await;
        world.end().await;
    }
}

async fn calls(world: &World, count: usize) {
    for _ in 0..count {
        world.get(SEARCH).await;
    }
}

/// Subjects and addresses of the messages sent by now.
async fn arrived(world: &World, mailbox: &Mailbox) -> Vec<String> {
    let before = mailbox.emails().len();
    while world.mail_step().await {}
    let messages = mailbox.emails();
    let mut arrived: Vec<String> = messages[before..]
        .iter()
        .map(|message| {
            format!(
                "{}: {}",
                message.header("to").unwrap_or_default(),
                message.header("subject").unwrap_or_default()
            )
        })
        .collect();
    arrived.sort();
    arrived
}

#[tokio::test]
async fn each_threshold_alerts_every_address_once_a_period() {
    with_thresholds(
        &[50, 80, 100],
        &["one@firma.sk", "two@firma.sk"],
        async |world, mailbox| {
            calls(world, 4).await;
            assert!(arrived(world, mailbox).await.is_empty());
            calls(world, 1).await;
            let half = arrived(world, mailbox).await;
            assert_eq!(
                half,
                [
                    "one@firma.sk: Lustra: 50 % of the credits of tests are used",
                    "two@firma.sk: Lustra: 50 % of the credits of tests are used"
                ]
            );
            calls(world, 2).await;
            assert!(arrived(world, mailbox).await.is_empty());
            // Both remaining thresholds are reached before the mailer runs, each by a separate call.
            calls(world, 5).await;
            assert_eq!(arrived(world, mailbox).await.len(), 4);
            calls(world, 3).await;
            assert!(arrived(world, mailbox).await.is_empty());
            world.advance(31);
            calls(world, 5).await;
            assert_eq!(arrived(world, mailbox).await.len(), 2, "a new period");
        },
    )
    .await;
}

#[tokio::test]
async fn message_states_the_used_credits_and_the_period() {
    with_thresholds(&[50], &["one@firma.sk"], async |world, mailbox| {
        calls(world, 5).await;
        arrived(world, mailbox).await;
        let messages = mailbox.emails();
        // As mail programs show it: without soft line breaks.
        let text = messages[0].body().replace('\r', "").replace("=\n", "");
        let began = text
            .split("since ")
            .nth(1)
            .and_then(|rest| rest.split(", and").next())
            .expect("it says since when");
        assert_snapshot!(
            "a message about credits",
            text.replace(began, "[when the account was opened]")
        );
    })
    .await;
}

#[tokio::test]
async fn threshold_mail_is_in_the_language_of_the_account() {
    with_thresholds_in("sk", &[50], &["one@firma.sk"], async |world, mailbox| {
        calls(world, 5).await;
        while world.mail_step().await {}
        let messages = mailbox.emails();
        assert_eq!(
            subject(&messages[0]),
            "Lustra: účet tests vyčerpal 50 % kreditov"
        );
    })
    .await;
}

#[tokio::test]
async fn highest_of_several_reached_thresholds_is_sent() {
    with_thresholds(&[50, 80], &["one@firma.sk"], async |world, mailbox| {
        let customer = world.customer().await;
        calls(world, 4).await;
        // Four credits were used. Five of the remaining six are removed, so 80 percent of five are used.
        let taken = operator::take(
            &world.store,
            &customer,
            5,
            "adjust:1",
            "a mistake",
            world.now(),
        )
        .await;
        assert!(taken.expect("there are as many"));
        calls(world, 1).await;
        assert_eq!(
            arrived(world, mailbox).await,
            ["one@firma.sk: Lustra: 80 % of the credits of tests are used"]
        );
        // More credits lower the share. Reaching the threshold again sends no second alert.
        let more = NewGrant {
            kind: GrantKind::Purchase,
            credits: 5,
            expires_at: None,
            source: "grant:1".to_owned(),
            about: String::new(),
        };
        operator::grant(&world.store, &customer, &more, world.now())
            .await
            .expect("the store is there");
        calls(world, 5).await;
        assert!(arrived(world, mailbox).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn deferred_message_is_sent_later_and_once() {
    with_thresholds(&[100], &["one@firma.sk"], async |world, mailbox| {
        mailbox.next(Mood::Answer(451));
        calls(world, 12).await;
        assert!(arrived(world, mailbox).await.is_empty());
        world.advance(1);
        assert_eq!(arrived(world, mailbox).await.len(), 1);
        world.advance(1);
        assert!(arrived(world, mailbox).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn removed_thresholds_send_no_alert() {
    with_thresholds(&[50], &["one@firma.sk"], async |world, mailbox| {
        world
            .post(
                "/v1/account/thresholds",
                &json!({ "thresholds": [], "emails": [] }),
            )
            .await;
        calls(world, 10).await;
        assert!(arrived(world, mailbox).await.is_empty());
    })
    .await;
}

fn public(config: &mut Config) {
    config.notifications.public_url = Some(PUBLIC.to_owned());
}

/// The path of the first link in the newest message.
fn path_in(mailbox: &Mailbox) -> String {
    let messages = mailbox.emails();
    let text = plain(messages.last().expect("a message"));
    let (_, path) = text.split_once(PUBLIC).expect("a link");
    let end = path.find(char::is_whitespace).unwrap_or(path.len());
    path[..end].to_owned()
}

#[tokio::test]
async fn unconfirmed_address_gets_no_alert() {
    let confirmed = |config: &mut Config| {
        public(config);
        config.notifications.confirm_emails = true;
    };
    let emails = ["one@firma.sk"];
    with_settings(
        "en",
        confirmed,
        &[50, 80],
        &emails,
        async |world, mailbox| {
            let asked = arrived(world, mailbox).await;
            assert_eq!(
                asked,
                ["one@firma.sk: Confirm that you want messages about companies"]
            );
            let page = path_in(mailbox);
            calls(world, 5).await;
            assert!(arrived(world, mailbox).await.is_empty());
            let confirmed = world.request(Method::POST, &page, &[]).await;
            assert_eq!(confirmed.status, 200, "{page}");
            calls(world, 3).await;
            assert_eq!(
                arrived(world, mailbox).await,
                ["one@firma.sk: Lustra: 80 % of the credits of tests are used"]
            );
        },
    )
    .await;
}

#[tokio::test]
async fn alert_has_a_link_that_ends_alerts() {
    let emails = ["one@firma.sk", "two@firma.sk"];
    with_settings("sk", public, &[50, 80], &emails, async |world, mailbox| {
        calls(world, 5).await;
        assert_eq!(arrived(world, mailbox).await.len(), 2);
        let page = path_in(mailbox);
        let message = mailbox.emails().pop().expect("a message");
        let header = message.header("List-Unsubscribe").expect("a link");
        assert_eq!(header.trim_matches(['<', '>']), format!("{PUBLIC}{page}"));
        let forged = page.replace("firma", "ina");
        assert_ne!(forged, page);
        assert_eq!(world.request(Method::POST, &forged, &[]).await.status, 404);
        assert_eq!(world.request(Method::GET, &page, &[]).await.status, 200);
        assert_eq!(world.request(Method::POST, &page, &[]).await.status, 200);
        let left = world.get("/v1/account/thresholds").await;
        let left = left.at("/emails").as_array().cloned().unwrap_or_default();
        assert_eq!(left.len(), 1);
        assert_ne!(message.to, [left[0].as_str().expect("an address")]);
        calls(world, 3).await;
        assert_eq!(arrived(world, mailbox).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn alert_beyond_the_limit_of_emails_waits() {
    let limited = |config: &mut Config| config.notifications.emails_per_address_day = 1;
    let emails = ["one@firma.sk"];
    with_settings("en", limited, &[50, 80], &emails, async |world, mailbox| {
        calls(world, 8).await;
        assert_eq!(arrived(world, mailbox).await.len(), 1);
        world.advance(1);
        assert_eq!(arrived(world, mailbox).await.len(), 1);
    })
    .await;
}
