//! E-mail notifications: content, failing servers, and unsubscribing.

use lustra_tests::lustra::config::Secret;
use lustra_tests::lustra::mail::UnsubscribeFrom;
use lustra_tests::{Builder, DatabaseKind, Mailbox, Mood, ReceivedEmail, World, answered, client};
use serde_json::json;

use crate::faults_support::on_each_kind;
use crate::notifications_support::{
    DAY, are, deliveries, officer_replaced, outcomes, plain, retrying, states, subscription, watch,
};

const RISK: &str = "risk@firma.sk";
const JANA: &str = "Jana.Novak@firma.sk";
const PUBLIC: &str = "https://api.lustra.example";

/// A host that sends to this server and has a public URL.
fn sending(kind: DatabaseKind, url: String) -> Builder {
    retrying(kind, &[DAY; 3]).settings(move |config| {
        config.mail.smtp = Some(Secret::new(url));
        config.mail.from = "Lustra <info@lustra.example>".to_owned();
        config.notifications.public_url = Some(PUBLIC.to_owned());
    })
}

/// A world on each kind of database, each with its own server.
async fn with_mailbox(body: impl AsyncFn(&World, &Mailbox)) {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let mailbox = Mailbox::start().await;
        if let Some(world) = sending(kind, mailbox.url()).start_if_possible().await {
            Box::pin(body(&world, &mailbox)).await;
            world.end().await;
        }
    }
}

/// Subscribes these addresses to officer changes of the first company. Returns the subscription.
async fn mailed(world: &World, emails: &[&str]) -> String {
    let body = json!({
        "ico": world.icos[0], "notification_emails": emails, "events": ["officers.changed"],
    });
    watch(world, &body).await
}

fn header(message: &ReceivedEmail, name: &str) -> String {
    message
        .header(name)
        .unwrap_or_else(|| panic!("no {name} in {}", message.text))
}

/// The path of the unsubscribe page.
fn page(message: &ReceivedEmail) -> String {
    let link = header(message, "List-Unsubscribe");
    let path = link
        .strip_prefix('<')
        .and_then(|link| link.strip_suffix('>'))
        .and_then(|link| link.strip_prefix(PUBLIC));
    path.unwrap_or_else(|| panic!("another address: {link}"))
        .to_owned()
}

#[tokio::test]
async fn email_has_text_html_and_one_click_unsubscribe() {
    with_mailbox(async |world, mailbox| {
        let id = mailed(world, &[JANA]).await;
        officer_replaced(world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 1);
        let messages = mailbox.emails();
        let [message] = messages.as_slice() else {
            panic!("one message: {messages:?}");
        };
        assert_eq!(message.to, [JANA]);
        let delivery = deliveries(world, &id).await.remove(0);
        let name = delivery["id"].as_str().expect("an id");
        for (field, value) in [
            ("To", JANA.to_owned()),
            ("Message-ID", format!("<{name}@lustra.example>")),
            (
                "List-Unsubscribe-Post",
                "List-Unsubscribe=One-Click".to_owned(),
            ),
            ("Auto-Submitted", "auto-generated".to_owned()),
        ] {
            assert_eq!(header(message, field), value, "{}", message.text);
        }
        assert!(header(message, "Content-Type").starts_with("multipart/alternative"));
        let text = plain(message);
        for words in [
            "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8",
            "Vzorostav Čučoriedka, s. r. o. (IČO 99999994)",
            "<h1>Vzorostav Čučoriedka, s. r. o. (IČO 99999994)</h1>",
            "Obchodný register",
            ": nový záznam – ",
            ": už neplatí – ",
            &format!("Údaje o spoločnosti: {PUBLIC}/v1/company/ico/99999994"),
            &format!("Už mi neposielať tieto správy: {PUBLIC}{}", page(message)),
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(
            (
                &delivery["channel"],
                &delivery["status"],
                &delivery["target"]
            ),
            (&json!("email"), &json!("delivered"), &json!(JANA))
        );
    })
    .await;
}

#[tokio::test]
async fn deferred_mail_is_retried_with_the_same_message() {
    with_mailbox(async |world, mailbox| {
        let id = mailed(world, &[JANA]).await;
        officer_replaced(world, &world.icos[0]).await;
        mailbox.next(Mood::Answer(451));
        assert_eq!(world.send_due().await, 1);
        assert_eq!(world.send_due().await, 0, "not yet");
        assert_eq!(states(world, &id).await, are(&[("waiting", 1)]));
        world.advance(2);
        // The server accepts the message but its reply is lost. A reader of both copies can recognise the duplicate.
        mailbox.next(Mood::TakeAndClose);
        assert_eq!(world.send_due().await, 1);
        world.advance(2);
        mailbox.next(Mood::Close);
        assert_eq!(world.send_due().await, 1);
        world.advance(2);
        assert_eq!(world.send_due().await, 1);
        assert_eq!(states(world, &id).await, are(&[("delivered", 4)]));
        let delivery = deliveries(world, &id).await.remove(0);
        let tried = outcomes(&delivery);
        assert_eq!(tried, ["http_error", "reset", "reset", "success"]);
        let why = delivery["attempt_log"][0]["answer"].as_str().expect("why");
        assert!(why.contains("451") && !why.contains(JANA), "{why}");
        let messages = mailbox.emails();
        let [one, two] = messages.as_slice() else {
            panic!("two messages: {messages:?}");
        };
        assert_eq!(header(one, "Message-ID"), header(two, "Message-ID"));
        assert_eq!(one.body(), two.body());
    })
    .await;
}

#[tokio::test]
async fn silent_mail_server_does_not_end_an_address() {
    let mailbox = Mailbox::start().await;
    let world = sending(DatabaseKind::Sqlite, mailbox.url())
        .settings(|config| {
            config.mail.seconds = 3;
            config.notifications.retry_seconds = vec![DAY];
        })
        .start()
        .await;
    let id = mailed(&world, &[JANA]).await;
    officer_replaced(&world, &world.icos[0]).await;
    for _ in 0..2 {
        mailbox.next(Mood::Silence);
        assert_eq!(world.send_due().await, 1);
        world.advance(2);
    }
    assert_eq!(states(&world, &id).await, are(&[("failed", 2)]));
    assert_eq!(outcomes(&deliveries(&world, &id).await[0]), ["timeout"; 2]);
    assert_eq!(subscription(&world, &id).await["ended_emails"], json!([]));
    // The next event's e-mail is attempted again.
    officer_replaced(&world, &world.icos[0]).await;
    assert_eq!(world.send_due().await, 1);
    assert_eq!(mailbox.emails().len(), 1);
    world.end().await;
}

#[tokio::test]
async fn permanent_rejection_ends_only_that_address() {
    with_mailbox(async |world, mailbox| {
        let id = mailed(world, &[RISK]).await;
        officer_replaced(world, &world.icos[0]).await;
        mailbox.next(Mood::Answer(550));
        assert_eq!(world.send_due().await, 1);
        assert_eq!(states(world, &id).await, are(&[("failed", 1)]));
        let ended = subscription(world, &id).await;
        assert_eq!(ended["status"], "active");
        assert_eq!(ended["notification_emails"], json!([]));
        assert_eq!(ended["ended_emails"][0]["address"], RISK);
        let reason = ended["ended_emails"][0]["reason"].as_str().expect("why");
        assert!(reason.contains("550") && !reason.contains(RISK), "{reason}");
        // Naming an address again is a new request for it. Of two addresses, one is refused.
        let body = json!({
            "ico": world.icos[0], "notification_emails": [RISK, JANA], "events": ["officers.changed"],
        });
        let again = world.post("/v1/notifications", &body).await;
        assert_eq!(again.at("/notification_emails"), &json!([RISK, JANA]));
        assert_eq!(again.at("/ended_emails"), &json!([]));
        officer_replaced(world, &world.icos[0]).await;
        mailbox.next(Mood::Answer(554));
        assert_eq!(world.send_due().await, 2);
        let state = subscription(world, &id).await;
        let left = state["notification_emails"][0].as_str().expect("one is left");
        let refused = state["ended_emails"][0]["address"].as_str().expect("one ended");
        let mut both = [left, refused];
        both.sort_unstable();
        assert_eq!(both, [JANA, RISK]);
        let to: Vec<String> = mailbox.emails().into_iter().flat_map(|message| message.to).collect();
        assert_eq!(to, [left]);
        // The remaining address gets e-mails; the other does not.
        officer_replaced(world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 1);
        assert_eq!(mailbox.emails()[1].to, [left]);
    })
    .await;
}

#[tokio::test]
async fn unsubscribe_button_stops_mail_to_its_address() {
    with_mailbox(async |world, mailbox| {
        let id = mailed(world, &[RISK, JANA]).await;
        officer_replaced(world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 2);
        let messages = mailbox.emails();
        let of_jana = messages.iter().find(|message| message.to == [JANA]);
        let of_risk = messages.iter().find(|message| message.to == [RISK]);
        let (page, other) = (
            page(of_jana.expect("a message")),
            page(of_risk.expect("a message")),
        );
        assert_ne!(page, other);
        // Link scanners only use `GET`, which changes nothing. No key is needed.
        let shown = world.get_with(&page, &[]).await;
        assert_eq!(shown.status, 200);
        assert!(
            shown
                .header("content-type")
                .is_some_and(|kind| kind.starts_with("text/html"))
        );
        let html = shown.body.as_str().expect("a page");
        assert!(html.contains("<form method=\"post\">"), "{html}");
        assert_eq!(subscription(world, &id).await["ended_emails"], json!([]));
        // Links that this service has not issued.
        let (before, token) = page.split_once("token=").expect("a token");
        let mut turned: Vec<char> = token.chars().collect();
        turned[0] = if turned[0] == 'A' { 'B' } else { 'A' };
        let turned: String = turned.into_iter().collect();
        for forged in [
            format!("{before}token={turned}"),
            format!("{before}token="),
            page.replace("Jana", "Jano"),
            page.replace("account=1", "account=2"),
            "/v1/notifications/unsubscribe".to_owned(),
        ] {
            assert_ne!(forged, page);
            assert_eq!(world.get_with(&forged, &[]).await.status, 404, "{forged}");
            let posted = world.request(reqwest::Method::POST, &forged, &[]).await;
            assert_eq!(posted.status, 404, "{forged}");
        }
        assert_eq!(subscription(world, &id).await["ended_emails"], json!([]));
        // A link of an earlier version, whose subscription has been deleted.
        let consents = world.mailer.consents();
        let deleted = UnsubscribeFrom::Subscription("77");
        let deleted = consents.unsubscribe_page(deleted, JANA).expect("a link");
        let deleted = deleted.strip_prefix(PUBLIC).expect("the usual address");
        let posted = world.request(reqwest::Method::POST, deleted, &[]).await;
        assert_eq!(posted.status, 410, "{posted:?}");
        // One-click unsubscription of mail programs (RFC 8058), twice.
        for _ in 0..2 {
            let form = client()
                .post(format!("{}{page}", world.url()))
                .header("content-type", "application/x-www-form-urlencoded")
                .body("List-Unsubscribe=One-Click");
            assert_eq!(answered(form).await.status, 200);
        }
        let state = subscription(world, &id).await;
        assert_eq!(state["notification_emails"], json!([RISK]));
        assert_eq!(state["ended_emails"][0]["address"], JANA);
        assert_eq!(state["ended_emails"][0]["reason"], "unsubscribed");
        officer_replaced(world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 1);
        assert_eq!(mailbox.emails()[2].to, [RISK]);
        // The account cannot subscribe an address that unsubscribed: neither by repeating the subscription nor by
        // removing and adding the address.
        for emails in [json!([RISK, JANA]), json!([RISK]), json!([RISK, JANA])] {
            let body = json!({
                "ico": world.icos[0], "notification_emails": emails, "events": ["officers.changed"],
            });
            let again = world.post("/v1/notifications", &body).await;
            assert_eq!(
                again.at("/notification_emails"),
                &json!([RISK]),
                "{again:?}"
            );
        }
        officer_replaced(world, &world.icos[0]).await;
        assert_eq!(world.send_due().await, 1);
        assert_eq!(mailbox.emails()[3].to, [RISK]);
        // Nor by a new subscription to the company.
        let watched = format!("/v1/notifications/{}", world.icos[0]);
        assert_eq!(world.delete(&watched).await.status, 200);
        let body = json!({ "ico": world.icos[0], "notification_emails": [RISK, JANA] });
        let renewed = world.post("/v1/notifications", &body).await;
        assert_eq!(renewed.status, 201);
        assert_eq!(renewed.at("/notification_emails"), &json!([RISK]));
        assert_eq!(renewed.at("/ended_emails/0/reason"), "unsubscribed");
    })
    .await;
}

#[tokio::test]
async fn mail_without_server_or_public_url_is_a_plain_file() {
    on_each_kind(
        |kind| retrying(kind, &[DAY]),
        async |world| {
            let id = mailed(world, &[JANA]).await;
            officer_replaced(world, &world.icos[0]).await;
            assert_eq!(world.send_due().await, 1);
            let delivery = deliveries(world, &id).await.remove(0);
            assert_eq!(delivery["status"], "delivered");
            let name = delivery["id"].as_str().expect("an id");
            let file = world.config().data.join(format!("mail/{name}.eml"));
            let text = std::fs::read_to_string(file).expect("it was written");
            assert!(
                text.contains(&format!("Message-ID: <{name}@localhost>")),
                "{text}"
            );
            assert!(text.contains(&format!("To: {JANA}")), "{text}");
            assert!(!text.contains("List-Unsubscribe"), "{text}");
        },
    )
    .await;
}
