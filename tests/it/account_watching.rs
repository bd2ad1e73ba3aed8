//! Pages for watched companies, deliveries, the event log, and files of companies.

use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Answer, Behaviour, Builder, DatabaseKind, Receiver, World};
use serde_json::{Value, json};

use crate::account_support::{Visitor, field, html, member};
use crate::notifications_support::{
    are, deliveries, officer_replaced, small, states, subscription, watch_officers,
};

pub fn world() -> Builder {
    small(DatabaseKind::Sqlite).settings(|config| {
        config.notifications.retry_seconds = vec![86_400; 3];
        // The tests let days pass.
        config.web.idle_hours = 24 * 30;
        config.web.session_days = 30;
    })
}

async fn signed_in(world: &World, role: MemberRole) -> Visitor {
    let account = world.account().await.id;
    let visitor = Visitor::of(world);
    let email = format!("{}@mlyn.example", role.word());
    visitor
        .sign_in(world, member(world, account, &email, role).await)
        .await;
    visitor
}

/// Fields of a form, its file, and what the page says.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [u8], &'a str);

pub fn location(answer: &Answer) -> String {
    let location = answer.header("location");
    location.unwrap_or_else(|| panic!("{answer:?}")).to_owned()
}

/// The text of the element with the id `secret`.
fn secret(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<code id=\"secret\">")?;
    rest.split('<').next()
}

#[tokio::test]
async fn list_is_watched_and_reported_line_by_line() {
    let world = world().start().await;
    let eva = signed_in(&world, MemberRole::Developer).await;
    let receiver = Receiver::behaving(|_| Behaviour::Status(200)).await;
    let (first, second, third) = (&world.icos[0], &world.icos[1], &world.icos[2]);
    let list = format!("{first}, {second}\r\nrubbish <b>\r\n{first}");
    let url = receiver.url();
    let mut fields = vec![
        ("list", list.as_str()),
        ("webhook_url", url.as_str()),
        ("events", "officers.changed"),
        ("events", "address.changed"),
        ("dry_run", "1"),
    ];
    let dry = eva.upload("/account/watching", &fields, b"").await;
    let report = eva.page(&location(&dry)).await;
    assert!(report.contains("Nothing was changed"), "{report}");
    assert!(
        eva.page("/account/watching")
            .await
            .contains("watches no company")
    );
    fields.pop();
    let done = eva.upload("/account/watching", &fields, b"").await;
    assert_eq!(done.status, 200, "{done:?}");
    let page = html(&done);
    let shown = secret(page).expect("the new secret");
    assert!(shown.starts_with("whsec_"), "{page}");
    assert!(page.contains("rubbish &#60;b&#62;"), "{page}");
    for text in ["no company has such a name", "repeats line 1"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Rejected lines come first.
    let place = |text: &str| page.find(text).expect("it is there");
    assert!(place("repeats line") < place(">watched<"));
    // The same again creates nothing, and its secret is not shown.
    let again = eva.upload("/account/watching", &fields, b"").await;
    assert_eq!(secret(html(&again)), None, "{again:?}");
    // A file with semicolons in the encoding of older spreadsheets.
    let mut file = b"N\xe1zov;I\xc8O\r\n\xc8u;".to_vec();
    file.extend_from_slice(third.as_bytes());
    let emails = [("emails", "a@firma.example; b@firma.example"), ("list", "")];
    let by_file = eva.upload("/account/watching", &emails, &file).await;
    let report = eva.page(&location(&by_file)).await;
    assert!(report.contains(third), "{report}");
    let csv = eva.get(&format!("{}/report.csv", location(&by_file))).await;
    assert!(
        csv.header("content-type")
            .is_some_and(|kind| kind.starts_with("text/csv"))
    );
    let listed = eva.page("/account/watching").await;
    for text in [
        first,
        second,
        third,
        "b@firma.example",
        "the registered seat changed, people in functions changed",
    ] {
        assert!(listed.contains(text), "{text}: {listed}");
    }
    assert!(!listed.contains("whsec_"), "{listed}");
    let filtered = eva.page(&format!("/account/watching?ico={second}")).await;
    assert!(
        filtered.contains(second) && !filtered.contains(third),
        "{filtered}"
    );
    world.end().await;
}

#[tokio::test]
async fn refused_lists_keep_what_was_filled_in() {
    let set = |config: &mut Config| config.files.most_mib = 1;
    let world = world().settings(set).start().await;
    let eva = signed_in(&world, MemberRole::Owner).await;
    let large = vec![b'1'; 3 << 20];
    let workbook = b"PK\x03\x04 no workbook";
    let email = ("emails", "a@firma.example");
    let cases: [Case<'_>; 5] = [
        (&[email, ("list", "")], b"", "Fill in the list"),
        (&[email], &large, "larger than the server allows"),
        (&[email], workbook, "damaged"),
        (
            &[("list", "12345678"), ("emails", "x@")],
            b"",
            "At most 20 valid",
        ),
        (
            &[("list", "12345678"), ("webhook_url", "ftp://firma.example")],
            b"",
            "An https:// address",
        ),
    ];
    for (fields, file, expected) in cases {
        let refused = eva.upload("/account/watching", fields, file).await;
        assert_eq!(refused.status, 422, "{expected}: {refused:?}");
        let page = html(&refused);
        assert!(page.contains(expected), "{expected}: {page}");
        for (_, value) in fields {
            assert!(page.contains(value), "{value}: {page}");
        }
    }
    // A form of another kind, and one that ends early.
    let other = eva.post("/account/watching", &[("list", "12345678")]).await;
    assert_eq!(other.status, 422, "{other:?}");
    assert!(
        eva.page("/account/watching")
            .await
            .contains("watches no company")
    );
    world.end().await;
}

#[tokio::test]
async fn webhook_is_paused_and_what_was_held_is_resent() {
    let world = world().start().await;
    let eva = signed_in(&world, MemberRole::Developer).await;
    let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
    let ico = world.icos[0].clone();
    let id = watch_officers(&world, &ico, &receiver.url()).await;
    officer_replaced(&world, &ico).await;
    assert_eq!(world.send_due().await, 1);
    let path = format!("/account/watching/{ico}");
    assert_eq!(eva.post(&format!("{path}/pause"), &[]).await.status, 303);
    let page = eva.page(&path).await;
    assert!(page.contains("The webhook is paused"), "{page}");
    assert!(page.contains("the account paused it"), "{page}");
    // Paused twice, it stays paused; nothing more is sent.
    assert_eq!(eva.post(&format!("{path}/pause"), &[]).await.status, 303);
    officer_replaced(&world, &ico).await;
    world.advance(3);
    assert_eq!(world.send_due().await, 0);
    assert_eq!(states(&world, &id).await, are(&[("held", 1), ("held", 0)]));
    receiver.behave(|_| Behaviour::Status(200));
    assert_eq!(eva.post(&format!("{path}/resume"), &[]).await.status, 303);
    assert_eq!(
        subscription(&world, &id).await["webhook"]["state"],
        "active"
    );
    assert_eq!(
        world.send_due().await,
        0,
        "held deliveries wait for a resend"
    );
    let resent = eva.post(&format!("{path}/resend"), &[]).await;
    assert_eq!(resent.status, 303, "{resent:?}");
    assert_eq!(world.send_due().await, 2);
    assert_eq!(
        states(&world, &id).await,
        are(&[("delivered", 2), ("delivered", 1)])
    );
    let none = eva.post(&format!("{path}/resend"), &[]).await;
    assert_eq!(none.status, 303, "{none:?}");
    assert!(eva.page(&path).await.contains("nothing to resend"));
    // One delivery, with what was sent and what came back.
    let delivery = deliveries(&world, &id).await.remove(0);
    let one = format!(
        "/account/deliveries/{}",
        delivery["id"].as_str().expect("an id")
    );
    let page = eva.page(&one).await;
    for text in [
        "http_error",
        "HTTP 500",
        "HTTP 200",
        "officers.changed",
        &ico,
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let resent = eva.post(&format!("{one}/resend"), &[]).await;
    assert_eq!(resent.status, 303, "{resent:?}");
    assert_eq!(world.send_due().await, 1);
    // A receiver that ended its webhook is not resumed.
    receiver.behave(|_| Behaviour::Status(410));
    officer_replaced(&world, &ico).await;
    assert_eq!(world.send_due().await, 1);
    let refused = eva.post(&format!("{path}/resume"), &[]).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(html(&refused).contains("The receiver has ended the webhook"));
    world.end().await;
}

#[tokio::test]
async fn subscription_is_changed_tested_and_ended() {
    let world = world().start().await;
    let eva = signed_in(&world, MemberRole::Owner).await;
    let receiver = Receiver::behaving(|_| Behaviour::Status(204)).await;
    let ico = world.icos[0].clone();
    let body = json!({ "ico": ico, "notification_emails": ["a@firma.example"] });
    assert_eq!(world.post("/v1/notifications", &body).await.status, 201);
    let path = format!("/account/watching/{ico}");
    let page = eva.page(&path).await;
    let token = field(&page, "token").to_owned();
    let url = receiver.url();
    let form = [
        ("token", token.as_str()),
        ("webhook_url", url.as_str()),
        ("emails", "a@firma.example\r\nb@firma.example"),
    ];
    // The first webhook of the subscription shows its secret, also when the form is sent twice.
    let changed = eva.post(&path, &form).await;
    let first = secret(html(&changed)).expect("a secret").to_owned();
    let twice = eva.post(&path, &form).await;
    assert_eq!(secret(html(&twice)), Some(first.as_str()), "{twice:?}");
    let refused = eva.post(&path, &[("token", "t"), ("emails", "x")]).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    let rotated = eva
        .post(&format!("{path}/secret"), &[("grace_hours", "1")])
        .await;
    let next = secret(html(&rotated)).expect("a secret").to_owned();
    assert_ne!(next, first);
    let wrong = eva
        .post(&format!("{path}/secret"), &[("grace_hours", "721")])
        .await;
    assert_eq!(wrong.status, 422, "{wrong:?}");
    let page = eva.page(&path).await;
    assert!(
        page.contains("b@firma.example") && !page.contains(&next),
        "{page}"
    );
    let tested = eva
        .post("/account/watching/test", &[("target", &url)])
        .await;
    let page = html(&tested);
    assert!(
        page.contains("accepted the example") && page.contains("HTTP 204"),
        "{page}"
    );
    assert!(page.contains("x-webhook-signature"), "{page}");
    let wrong = eva
        .post("/account/watching/test", &[("target", "nowhere")])
        .await;
    assert_eq!(wrong.status, 422, "{wrong:?}");
    assert!(html(&wrong).contains("value=\"nowhere\""), "{wrong:?}");
    assert_eq!(eva.post(&format!("{path}/end"), &[]).await.status, 303);
    let ended = eva.page(&path).await;
    assert!(
        ended.contains("ended") && !ended.contains("Stop watching"),
        "{ended}"
    );
    assert_eq!(eva.post(&format!("{path}/pause"), &[]).await.status, 404);
    world.end().await;
}

#[tokio::test]
async fn event_log_shows_the_newest_events_first() {
    let world = world().start().await;
    let eva = signed_in(&world, MemberRole::Read).await;
    let receiver = Receiver::behaving(|_| Behaviour::Status(200)).await;
    let ico = world.icos[0].clone();
    assert!(
        eva.page("/account/events")
            .await
            .contains("The log has no events")
    );
    let id = watch_officers(&world, &ico, &receiver.url()).await;
    for _ in 0..3 {
        officer_replaced(&world, &ico).await;
    }
    let all = world.get("/v1/notifications/events").await;
    let events = |answer: &Answer| -> Vec<Value> {
        let data = answer.at("/data").as_array().cloned().unwrap_or_default();
        data.iter()
            .map(|one| one["payload"]["id"].clone())
            .collect()
    };
    let mut expected = events(&all);
    expected.reverse();
    let path = "/v1/notifications/events?limit=2&before=";
    let newest = world.get(&format!("{path}latest")).await;
    assert_eq!(events(&newest), expected[..2]);
    assert_eq!(newest.at("/meta/more"), true);
    let cursor = newest
        .at("/meta/cursor")
        .as_str()
        .expect("a cursor")
        .to_owned();
    let oldest = world.get(&format!("{path}{cursor}")).await;
    assert_eq!(events(&oldest), expected[2..]);
    assert_eq!(oldest.at("/meta/more"), false);
    for wrong in ["99999999", "latest&after=99999999"] {
        let answer = world.get(&format!("{path}{wrong}")).await;
        assert_eq!(answer.status, 422, "{wrong}: {answer:?}");
    }
    let nothing = world.get(&format!("{path}latest&after=latest")).await;
    assert_eq!(nothing.at("/data"), &json!([]));
    let page = eva.page("/account/events").await;
    assert_eq!(page.matches("officers.changed").count(), 3, "{page}");
    // A reader sees the subscription but has no forms.
    let page = eva.page(&format!("/account/watching/{ico}")).await;
    assert!(
        page.contains("officers.changed") && !page.contains("/pause\""),
        "{page}"
    );
    let delivery = deliveries(&world, &id).await.remove(0);
    let one = format!(
        "/account/deliveries/{}",
        delivery["id"].as_str().expect("an id")
    );
    assert!(!eva.page(&one).await.contains("/resend\"><p>"));
    assert_eq!(eva.post(&format!("{one}/resend"), &[]).await.status, 403);
    world.end().await;
}

#[tokio::test]
async fn file_becomes_a_table_once() {
    let world = world().start().await;
    let eva = signed_in(&world, MemberRole::Owner).await;
    let page = eva.page("/account/files").await;
    let token = field(&page, "token").to_owned();
    let file = format!("IČO;Poznámka\n{};a\n00000001;b\nrubbish;c\n", world.icos[0]);
    let form = [("token", token.as_str()), ("kind", "ico"), ("list", "")];
    let sent = eva.upload("/account/files", &form, file.as_bytes()).await;
    let path = location(&sent);
    let twice = eva.upload("/account/files", &form, file.as_bytes()).await;
    assert_eq!(location(&twice), path, "one batch");
    let page = eva.page(&path).await;
    assert!(page.contains("finished"), "{page}");
    for (label, number) in [
        ("Companies", 3),
        ("Found", 1),
        ("Not found", 1),
        ("Not read", 1),
    ] {
        let shown = format!("<dt>{label}</dt><dd>{number}</dd>");
        assert!(page.contains(&shown), "{shown}: {page}");
    }
    let csv = eva
        .get(&format!("{path}/results?format=csv&header=titles"))
        .await;
    let kind = csv.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("text/csv"), "{csv:?}");
    let xlsx = eva
        .get(&format!("{path}/results?format=xlsx&columns=ico,name"))
        .await;
    let kind = xlsx.header("content-type").unwrap_or_default();
    assert!(kind.contains("spreadsheetml"), "{xlsx:?}");
    assert_eq!(
        eva.get(&format!("{path}/results?columns=nothing"))
            .await
            .status,
        422
    );
    let listed = eva.page("/account/files").await;
    assert_eq!(listed.matches(&path).count(), 1, "{listed}");
    let empty = eva.upload("/account/files", &[("list", " ")], b"").await;
    assert_eq!(empty.status, 422, "{empty:?}");
    assert_eq!(world.get("/v1/batch").await.at("/meta/total"), 1);
    world.end().await;
}
