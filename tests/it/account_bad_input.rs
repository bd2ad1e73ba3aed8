//! Long lists, forms that are sent again, second tabs and unusual names end in sensible pages.

use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Answer, Builder, DatabaseKind, World};

use crate::account_support::{Visitor, field, html, member};
use crate::notifications_support::small;

fn world() -> Builder {
    small(DatabaseKind::Sqlite)
}

async fn signed_in(world: &World) -> Visitor {
    let account = world.account().await.id;
    let visitor = Visitor::of(world).slovak();
    let id = member(world, account, "eva@mlyn.example", MemberRole::Owner).await;
    visitor.sign_in(world, id).await;
    visitor
}

/// Checks a page with a mistake: its status, what it says, and the request's id or the signed-in person.
fn says(answer: &Answer, status: u16, text: &str) {
    assert_eq!(answer.status, status, "{text}: {answer:?}");
    let page = html(answer);
    assert!(page.contains(text), "{text}: {page}");
    assert!(page.contains("lang=\"sk\""), "{text}: {page}");
    let id = answer.header("x-request-id").expect("an id");
    assert!(
        page.contains(id) || page.contains("eva@mlyn.example"),
        "{page}"
    );
}

#[tokio::test]
async fn list_of_50000_rows_has_a_line_for_each() {
    let world = world().start().await;
    let eva = signed_in(&world).await;
    let ico = world.icos[0].as_str();
    let mut list = "Poznámka;IČO\r\n".to_owned();
    // The header is a row too.
    for number in 1..49_999 {
        list.push_str(&format!("x;rubbish {number}\r\n"));
    }
    list.push_str(&format!("x;{ico}\r\n"));
    let fields = [("emails", "a@firma.example"), ("token", "t")];
    let sent = eva
        .upload("/account/watching", &fields, list.as_bytes())
        .await;
    let path = sent.header("location").expect("its report").to_owned();
    while world.watch_lists.step().await.expect("the store is there") {}
    let page = eva.page(&path).await;
    for text in ["49\u{a0}999", "49\u{a0}998", "celá je v súbore CSV"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let csv = eva.get(&format!("{path}/report.csv")).await;
    let csv = csv.body.as_str().expect("a text").to_owned();
    assert_eq!(csv.matches("\r\n").count(), 50_000);
    assert_eq!(csv.matches(",rejected,not_an_ico,").count(), 49_998);
    assert!(csv.contains(&format!("50000,{ico},{ico},false,created,")));
    // One row more is refused as a whole.
    list.push_str("x;y\r\n");
    let fields = [("emails", "a@firma.example"), ("token", "u")];
    let refused = eva
        .upload("/account/watching", &fields, list.as_bytes())
        .await;
    says(&refused, 422, "v rámci limitov servera a plánu");
    world.end().await;
}

#[tokio::test]
async fn form_from_the_history_does_not_mix_two_requests() {
    let world = world().start().await;
    let eva = signed_in(&world).await;
    let (one, two) = (world.icos[0].as_str(), world.icos[1].as_str());
    let page = eva.page("/account/watching").await;
    let token = field(&page, "token").to_owned();
    let form = |ico| {
        [
            ("token", token.as_str()),
            ("list", ico),
            ("emails", "a@firma.example"),
        ]
    };
    let path = "/account/watching";
    let first = eva.upload(path, &form(one), b"").await;
    let twice = eva.upload(path, &form(one), b"").await;
    assert_eq!(first.status, 303, "{first:?}");
    assert_eq!(twice.header("location"), first.header("location"));
    // Back to the form, and another list in it.
    let other = eva.upload(path, &form(two), b"").await;
    says(&other, 422, "už bol odoslaný s inými údajmi");
    assert!(html(&other).contains(two), "{other:?}");
    let again = field(html(&other), "token").to_owned();
    assert_ne!(again, token);
    let form = [
        ("token", again.as_str()),
        ("list", two),
        ("emails", "a@firma.example"),
    ];
    assert_eq!(eva.upload(path, &form, b"").await.status, 303);
    let imports = world.get("/v1/notifications/imports").await;
    assert_eq!(imports.at("/meta/total"), 2);
    world.end().await;
}

#[tokio::test]
async fn second_tab_gets_a_sensible_page() {
    let world = world().start().await;
    let eva = signed_in(&world).await;
    let account = world.account().await.id;
    let ico = world.icos[0].as_str();
    let form = [("name", "shop"), ("token", "k")];
    assert_eq!(eva.post("/account/keys", &form).await.status, 200);
    let keys = world.store.keys_of(account).list().await;
    let keys = keys.expect("the store is there");
    let key = keys
        .iter()
        .find(|key| key.name == "shop")
        .expect("it was made");
    let key = format!("/account/keys/{}", key.id);
    let form = [("list", ico), ("emails", "a@firma.example")];
    assert_eq!(
        eva.upload("/account/watching", &form, b"").await.status,
        303
    );
    // Both tabs have the forms open; the first one revokes the key and ends the subscription.
    let watched = format!("/account/watching/{ico}");
    for path in [format!("{key}/revoke"), format!("{watched}/end")] {
        assert_eq!(eva.post(&path, &[]).await.status, 303, "{path}");
    }
    for (path, form) in [
        (
            format!("{key}/rotate"),
            [("overlap_hours", "1"), ("token", "r")],
        ),
        (key.clone(), [("name", "other"), ("token", "c")]),
        (format!("{watched}/pause"), [("a", "b"), ("c", "d")]),
        (format!("{watched}/end"), [("a", "b"), ("c", "d")]),
    ] {
        let late = eva.post(&path, &form).await;
        says(&late, 404, "neexistuje");
    }
    assert_eq!(eva.get(&watched).await.status, 200, "its record stays");
    // The first tab signs out; the second one has to sign in again.
    assert_eq!(eva.post("/account/sign-out", &[]).await.status, 303);
    let late = eva
        .post("/account/keys", &[("name", "late"), ("token", "l")])
        .await;
    let place = late.header("location").unwrap_or_default();
    assert!(place.starts_with("/account/sign-in"), "{late:?}");
    world.end().await;
}

#[tokio::test]
async fn long_and_right_to_left_names_keep_their_place() {
    let world = world().start().await;
    let eva = signed_in(&world).await;
    let ico = world.icos[0].as_str();
    let right = "שלום עולם \u{202e}abc";
    let long = "ж".repeat(100);
    let too_long = "ж".repeat(101);
    for (name, token) in [(right, "r"), (&long, "l")] {
        let made = eva
            .post("/account/keys", &[("name", name), ("token", token)])
            .await;
        assert_eq!(made.status, 200, "{made:?}");
        let form = [
            ("email", &*format!("{token}@mlyn.example")),
            ("name", name),
            ("role", "read"),
        ];
        let invited = eva.post("/account/people", &form).await;
        assert_eq!(invited.status, 303, "{invited:?}");
    }
    for path in ["/account/keys", "/account/people"] {
        let page = eva.page(path).await;
        for name in [right, &long] {
            assert!(
                page.contains(&format!("<bdi>{name}</bdi>")),
                "{path}: {page}"
            );
        }
    }
    let refused = eva
        .post("/account/keys", &[("name", &*too_long), ("token", "x")])
        .await;
    says(&refused, 422, "1 až 100 znakov");
    assert!(
        html(&refused).contains(&too_long),
        "what was filled in stays"
    );
    // A company whose register writes it so.
    let companies = world.store.companies();
    let stored = companies
        .find_by_ico(ico)
        .await
        .expect("the store is there");
    let mut base = stored.expect("it was imported").base;
    base.name = format!("{right}{}", "W".repeat(400));
    base.content_hash = "other".to_owned();
    let written = companies.upsert(&[base.clone()], false, world.now()).await;
    written.expect("the store is there");
    let form = [("list", ico), ("emails", "a@firma.example")];
    assert_eq!(
        eva.upload("/account/watching", &form, b"").await.status,
        303
    );
    for path in [
        "/account/watching".to_owned(),
        format!("/account/watching/{ico}"),
    ] {
        let page = eva.page(&path).await;
        assert!(
            page.contains(&format!("<bdi>{}</bdi>", base.name)),
            "{path}: {page}"
        );
    }
    world.end().await;
}
