//! Deliveries of the whole account: one list with filters, and resending, by the API and on its page.

use std::time::Duration;

use lustra_tests::lustra::clock::rfc3339;
use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Answer, Behaviour, Builder, DatabaseKind, Receiver};
use serde_json::{Value, json};

use crate::account_support::{Visitor, html, member};
use crate::faults_support::on_each_kind;
use crate::notifications_support::{
    another_account, get_as, officer_replaced, post_as, small, watch_officers,
};

const PATH: &str = "/v1/notifications/deliveries";

fn world(kind: DatabaseKind) -> Builder {
    small(kind).settings(|config| {
        // One attempt for each delivery.
        config.notifications.retry_seconds = vec![];
        config.web.idle_hours = 24 * 30;
    })
}

/// The states of a list, with the companies.
fn listed(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let data = answer.at("/data").as_array().cloned().unwrap_or_default();
    let text = |one: &Value, name: &str| one[name].as_str().expect("a text").to_owned();
    data.iter()
        .map(|one| (text(one, "ico"), text(one, "status")))
        .collect()
}

fn are(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(ico, state): &(&str, &str)| ((*ico).to_owned(), (*state).to_owned());
    expected.iter().map(owned).collect()
}

#[tokio::test]
async fn deliveries_of_all_subscriptions_are_one_list() {
    on_each_kind(world, async |world| {
        let (one, two) = (world.icos[0].as_str(), world.icos[8].as_str());
        let (good, bad) = (
            Receiver::behaving(|_| Behaviour::Status(200)).await,
            Receiver::behaving(|_| Behaviour::Status(500)).await,
        );
        let first = watch_officers(world, one, &good.url()).await;
        watch_officers(world, two, &bad.url()).await;
        officer_replaced(world, one).await;
        world.send_due().await;
        let between = world.now() + Duration::from_secs(1);
        officer_replaced(world, two).await;
        world.send_due().await;
        let all = world.get(PATH).await;
        assert_eq!(listed(&all), are(&[(two, "failed"), (one, "delivered")]));
        assert_eq!(all.at("/data/1/subscription_id"), first.as_str());
        let time = rfc3339(between);
        let cases = [
            ("status=missed", vec![(two, "failed")]),
            ("status=delivered", vec![(one, "delivered")]),
            ("status=held", vec![]),
            (&format!("ico={one}"), vec![(one, "delivered")]),
            (
                &format!("subscription_id={first}"),
                vec![(one, "delivered")],
            ),
            (&format!("subscription_id={first}&ico={two}"), vec![]),
            (
                "event=officers.changed&status=failed",
                vec![(two, "failed")],
            ),
            ("event=address.changed", vec![]),
            (&format!("from={time}"), vec![(two, "failed")]),
            (&format!("to={time}"), vec![(one, "delivered")]),
            ("limit=1", vec![(two, "failed")]),
            ("limit=1&offset=1", vec![(one, "delivered")]),
        ];
        for (query, expected) in cases {
            let answer = world.get(&format!("{PATH}?{query}")).await;
            assert_eq!(listed(&answer), are(&expected), "{query}");
        }
        assert_eq!(
            world.get(&format!("{PATH}?limit=1")).await.at("/meta/more"),
            true
        );
        for (query, status) in [
            ("ico=1", 422),
            ("event=x", 422),
            ("status=x", 422),
            ("from=yesterday", 422),
            ("to=2026-01-01", 422),
            ("state=failed", 422),
            ("subscription_id=sub_x", 404),
        ] {
            let answer = world.get(&format!("{PATH}?{query}")).await;
            assert_eq!(answer.status, status, "{query}: {answer:?}");
        }
        // Another account sees none of them, whatever it asks for.
        let other = another_account(world, "enterprise").await;
        for query in ["", &format!("?ico={one}")] {
            let answer = get_as(world, &other, &format!("{PATH}{query}")).await;
            assert_eq!(answer.at("/meta/total"), 0, "{query}");
        }
        let path = format!("{PATH}?subscription_id={first}");
        assert_eq!(get_as(world, &other, &path).await.status, 404);
        let resent = post_as(world, &other, &format!("{PATH}/resend"), &json!({})).await;
        assert_eq!(resent.at("/resent"), 0, "{resent:?}");
    })
    .await;
}

#[tokio::test]
async fn missed_deliveries_are_resent_within_the_limits() {
    let limited = |kind| {
        world(kind).settings(|config| {
            config.notifications.retry_seconds = vec![];
            config.notifications.resends_per_account_hour = 3;
        })
    };
    on_each_kind(limited, async |world| {
        let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
        let icos = [world.icos[0].as_str(), world.icos[8].as_str()];
        for ico in icos {
            watch_officers(world, ico, &receiver.url()).await;
        }
        for ico in icos {
            officer_replaced(world, ico).await;
            officer_replaced(world, ico).await;
        }
        world.send_due().await;
        let path = format!("{PATH}/resend");
        assert_eq!(
            world
                .get(&format!("{PATH}?status=missed"))
                .await
                .at("/meta/total"),
            4
        );
        for (body, status) in [
            (json!({"ico": "1"}), 422),
            (json!({"event": "x"}), 422),
            (json!({"from": "x"}), 422),
            (json!({"status": "failed"}), 422),
            (json!({"subscription_id": "sub_x"}), 404),
        ] {
            let answer = world.post(&path, &body).await;
            assert_eq!(answer.status, status, "{body}: {answer:?}");
        }
        let none = world
            .post(&path, &json!({"event": "address.changed"}))
            .await;
        assert_eq!(
            (none.at("/resent"), none.at("/left")),
            (&json!(0), &json!(0))
        );
        receiver.behave(|_| Behaviour::Status(200));
        let one = world.post(&path, &json!({"ico": icos[0]})).await;
        assert_eq!(
            (one.at("/resent"), one.at("/left")),
            (&json!(2), &json!(0)),
            "{one:?}"
        );
        assert_eq!(world.send_due().await, 2);
        // The account may resend three within an hour.
        let rest = world.post(&path, &json!({})).await;
        assert_eq!(
            (rest.at("/resent"), rest.at("/left")),
            (&json!(1), &json!(1)),
            "{rest:?}"
        );
        let limited = world.post(&path, &json!({})).await;
        assert_eq!(limited.status, 429, "{limited:?}");
        assert!(limited.header("retry-after").is_some());
        assert_eq!(world.send_due().await, 1);
        let missed = world.get(&format!("{PATH}?status=missed")).await;
        assert_eq!(listed(&missed), are(&[(icos[1], "failed")]));
    })
    .await;
}

#[tokio::test]
async fn page_of_deliveries_filters_and_resends() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let account = world.account().await.id;
    let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
    let (one, two) = (world.icos[0].as_str(), world.icos[8].as_str());
    for ico in [one, two] {
        watch_officers(&world, ico, &receiver.url()).await;
    }
    for ico in [one, two] {
        officer_replaced(&world, ico).await;
    }
    world.send_due().await;
    let eva = Visitor::of(&world);
    let id = member(&world, account, "eva@mlyn.example", MemberRole::Developer).await;
    eva.sign_in(&world, id).await;
    let page = eva.page("/account/deliveries").await;
    assert!(
        page.contains("Deliveries: 2") && page.contains("(2)"),
        "{page}"
    );
    assert!(page.contains("people in functions changed"), "{page}");
    // An IČO may be written with spaces, and the choice stays in the form.
    let spaced = format!("{}+{}", &one[..3], &one[3..]);
    let of_one = eva
        .page(&format!("/account/deliveries?ico={spaced}&status=missed"))
        .await;
    assert!(
        of_one.contains("Deliveries: 1") && of_one.contains("(1)"),
        "{of_one}"
    );
    assert!(of_one.contains("value=\"missed\" selected"), "{of_one}");
    assert!(
        !of_one.contains(&format!("/account/watching/{two}")),
        "{of_one}"
    );
    let day = &rfc3339(world.now())[..10];
    let today = eva
        .page(&format!("/account/deliveries?from={day}&to={day}"))
        .await;
    assert!(today.contains("Deliveries: 1"), "{today}");
    let none = eva.page("/account/deliveries?to=2001-01-01").await;
    assert!(
        none.contains("No delivery matches") && !none.contains("resend\">"),
        "{none}"
    );
    for (query, text) in [
        ("ico=12", "exactly 8 digits"),
        ("event=%3Cb%3E", "kind of event is not known"),
        ("from=%D7%A9", "A day, or nothing"),
    ] {
        let wrong = eva.get(&format!("/account/deliveries?{query}")).await;
        assert_eq!(wrong.status, 422, "{query}: {wrong:?}");
        assert!(html(&wrong).contains(text), "{query}: {wrong:?}");
    }
    receiver.behave(|_| Behaviour::Status(200));
    let form = [("ico", one), ("status", "missed")];
    let resent = eva.post("/account/deliveries/resend", &form).await;
    let back = resent.header("location").expect("a place").to_owned();
    assert_eq!(back, format!("/account/deliveries?status=missed&ico={one}"));
    assert!(eva.page(&back).await.contains("queued again"));
    assert_eq!(world.send_due().await, 1);
    let again = eva.post("/account/deliveries/resend", &form).await;
    assert_eq!(again.status, 303, "{again:?}");
    assert!(eva.page(&back).await.contains("nothing to resend"));
    let reader = Visitor::of(&world);
    let id = member(&world, account, "jan@mlyn.example", MemberRole::Read).await;
    reader.sign_in(&world, id).await;
    let page = reader.page("/account/deliveries").await;
    let button = "action=\"/account/deliveries/resend\"";
    assert!(
        page.contains("Deliveries: 2") && !page.contains(button),
        "{page}"
    );
    let refused = reader.post("/account/deliveries/resend", &[]).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    world.end().await;
}

#[tokio::test]
async fn pages_of_an_owner_open_on_each_database() {
    on_each_kind(world, async |world| {
        let account = world.account().await.id;
        let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
        let ico = world.icos[0].clone();
        watch_officers(world, &ico, &receiver.url()).await;
        officer_replaced(world, &ico).await;
        world.send_due().await;
        let eva = Visitor::of(world);
        let id = member(world, account, "eva@mlyn.example", MemberRole::Owner).await;
        eva.sign_in(world, id).await;
        let list = format!("{ico}\nrubbish");
        let fields = [("list", list.as_str()), ("emails", "a@mlyn.example")];
        let import = eva.upload("/account/watching", &fields, b"").await;
        let fields = [("list", list.as_str()), ("scopes", "tax"), ("token", "t")];
        let batch = eva.upload("/account/files", &fields, b"").await;
        let made = eva
            .post("/account/keys", &[("name", "shop"), ("token", "k")])
            .await;
        assert_eq!(made.status, 200, "{made:?}");
        let place = |answer: &Answer| answer.header("location").expect("a place").to_owned();
        let delivery = world.get(PATH).await;
        let delivery = delivery
            .at("/data/0/id")
            .as_str()
            .expect("an id")
            .to_owned();
        let keys = world.store.keys_of(account).list().await;
        let key = keys.expect("the store is there")[0].id;
        let (import, batch) = (place(&import), place(&batch));
        let pages = [
            "/account".to_owned(),
            "/account/watching".to_owned(),
            format!("/account/watching/{ico}"),
            import.clone(),
            "/account/deliveries".to_owned(),
            format!("/account/deliveries/{delivery}"),
            "/account/events".to_owned(),
            "/account/files".to_owned(),
            batch.clone(),
            "/account/keys".to_owned(),
            format!("/account/keys/{key}"),
            "/account/people".to_owned(),
            "/account/ledger".to_owned(),
            "/account/plan".to_owned(),
            "/account/try".to_owned(),
            "/account/choose".to_owned(),
        ];
        for path in &pages {
            let page = eva.page(path).await;
            assert!(page.contains("eva@mlyn.example"), "{path}: {page}");
        }
        for path in [
            "/account/ledger.csv".to_owned(),
            format!("{import}/report.csv"),
            format!("{batch}/results?format=xlsx"),
        ] {
            assert_eq!(eva.get(&path).await.status, 200, "{path}");
        }
        let resent = eva.post("/account/deliveries/resend", &[]).await;
        assert_eq!(resent.status, 303, "{resent:?}");
        let out = eva.post("/account/sign-out", &[]).await;
        assert_eq!(out.status, 303, "{out:?}");
        assert_eq!(eva.get("/account").await.status, 303);
    })
    .await;
}
