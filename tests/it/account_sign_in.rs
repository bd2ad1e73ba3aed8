//! Signing in to the account's pages, sessions and their ends, and forms of other sites.

use lustra_tests::lustra::config::{Lookup, Secret};
use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Builder, DatabaseKind, Mailbox, World};
use reqwest::Method;

use crate::account_support::{Visitor, html, member, new_link};
use crate::faults_support::on_each_kind;
use crate::owner_keys::{managing_key, send};

pub const PUBLIC: &str = "http://lustra.example";

fn world(kind: DatabaseKind) -> Builder {
    let world = World::new().connectors(&[]).companies(12).on(kind);
    world.nothing_imported().without_index()
}

/// A world with a mail server.
pub async fn mailing() -> (World, Mailbox) {
    let mailbox = Mailbox::start().await;
    let url = mailbox.url();
    let world = world(DatabaseKind::Sqlite).settings(move |config| {
        config.mail.smtp = Some(Secret::new(url));
        config.notifications.public_url = Some(PUBLIC.to_owned());
        config.web.sign_in_emails = 2;
        config.web.sign_ins_per_minute = 0;
    });
    (world.start().await, mailbox)
}

/// The path of the link in the newest e-mail.
pub fn link_in(mailbox: &Mailbox) -> String {
    let emails = mailbox.emails();
    let body = emails
        .last()
        .expect("an e-mail")
        .body()
        .replace("=\r\n", "");
    let body = body.replace("=3D", "=");
    let (_, rest) = body.split_once(PUBLIC).expect("a link");
    rest.split_whitespace().next().expect("its end").to_owned()
}

#[tokio::test]
async fn link_in_an_email_signs_in_once() {
    let (world, mailbox) = mailing().await;
    let account = world.account().await.id;
    member(&world, account, "eva@mlyn.example", MemberRole::Owner).await;
    let visitor = Visitor::of(&world).slovak();
    let form = [("email", " Eva@Mlyn.example ")];
    let known = visitor.post("/account/sign-in/email", &form).await;
    assert!(world.mail_step().await);
    let email = mailbox.emails().remove(0);
    assert_eq!(email.to, ["eva@mlyn.example"]);
    let link = link_in(&mailbox);
    // A mail scanner opens the link, and nothing happens.
    for _ in 0..2 {
        let page = visitor.page(&link).await;
        assert!(page.contains("eva@mlyn.example") && page.contains("<button>"));
    }
    assert!(visitor.cookie("lustra_session").is_none());
    let token = link.split("token=").nth(1).expect("a token");
    let signed = visitor
        .post("/account/sign-in/link", &[("token", token)])
        .await;
    assert_eq!(
        (signed.status, signed.header("location")),
        (303, Some("/account"))
    );
    let cookie = signed
        .headers
        .iter()
        .find(|(_, value)| value.starts_with("lustra_session="));
    let (_, cookie) = cookie.expect("a session");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    assert!(
        visitor
            .page("/account")
            .await
            .contains("Prihlásenie sa podarilo.")
    );
    assert!(
        !visitor
            .page("/account")
            .await
            .contains("Prihlásenie sa podarilo.")
    );
    for used in [
        visitor
            .post("/account/sign-in/link", &[("token", token)])
            .await,
        visitor.get(&link).await,
        visitor.get("/account/sign-in/link?token=x").await,
        visitor.get("/account/sign-in/link").await,
    ] {
        assert_eq!(used.status, 410, "{used:?}");
        assert!(html(&used).contains("Odkaz už neplatí"));
        let id = used.header("x-request-id").expect("an id");
        assert!(html(&used).contains(id));
    }
    // An unknown address gets the same answer and no e-mail.
    let unknown = [("email", "jan@mlyn.example")];
    let unknown = visitor.post("/account/sign-in/email", &unknown).await;
    assert_eq!((unknown.status, html(&unknown)), (200, html(&known)));
    assert!(!world.mail_step().await);
    // So does an address that had too many e-mails.
    for (sent, emails) in [(true, 2), (false, 2)] {
        let again = visitor.post("/account/sign-in/email", &form).await;
        assert_eq!(html(&again), html(&known));
        assert_eq!(world.mail_step().await, sent);
        assert_eq!(mailbox.emails().len(), emails);
    }
    let wrong = visitor
        .post("/account/sign-in/email", &[("email", "<b>x")])
        .await;
    assert_eq!(wrong.status, 422);
    assert!(html(&wrong).contains("value=\"&#60;b&#62;x\""), "{wrong:?}");
    world.end().await;
}

#[tokio::test]
async fn expired_link_is_a_page_that_says_so() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let account = world.account().await.id;
    let eva = member(&world, account, "eva@mlyn.example", MemberRole::Owner).await;
    let token = new_link(&world, eva).await;
    world.advance(1);
    let visitor = Visitor::of(&world);
    let link = format!("/account/sign-in/link?token={token}");
    assert_eq!(visitor.get(&link).await.status, 410);
    let late = visitor
        .post("/account/sign-in/link", &[("token", &token)])
        .await;
    assert_eq!(late.status, 410);
    assert!(html(&late).contains("The link is not valid any more"));
    world.end().await;
}

#[tokio::test]
async fn sign_in_page_without_mail_server_says_so() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let visitor = Visitor::of(&world);
    let page = visitor.page("/account/sign-in").await;
    assert!(
        page.contains("no mail server") && !page.contains("type=\"email\""),
        "{page}"
    );
    let sent = visitor
        .post("/account/sign-in/email", &[("email", "eva@mlyn.example")])
        .await;
    assert_eq!(sent.status, 503);
    world.end().await;
}

#[tokio::test]
async fn visitor_returns_to_the_asked_page() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let key = managing_key(&world).await;
    let visitor = Visitor::of(&world);
    let asked = visitor.get("/account/ledger?cursor=7").await;
    let location = asked.header("location").expect("a redirect").to_owned();
    assert_eq!(asked.status, 303);
    assert_eq!(
        location,
        "/account/sign-in?next=%2Faccount%2Fledger%3Fcursor%3D7"
    );
    let page = visitor.page(&location).await;
    let next = crate::account_support::field(&page, "next").to_owned();
    let form = [("key", key.as_str()), ("next", next.as_str())];
    let signed = visitor.post("/account/sign-in/key", &form).await;
    assert_eq!(signed.header("location"), Some("/account/ledger?cursor=7"));
    let foreign = [("key", key.as_str()), ("next", "https://evil.example/")];
    let signed = visitor.post("/account/sign-in/key", &foreign).await;
    assert_eq!(signed.header("location"), Some("/account"));
    let wrong = visitor
        .post("/account/sign-in/key", &[("key", "lst_live_x")])
        .await;
    assert_eq!(wrong.status, 422);
    assert!(!html(&wrong).contains("lst_live_x"), "{wrong:?}");
    let posted = Visitor::of(&world)
        .post("/account/keys/1/revoke", &[])
        .await;
    let location = posted.header("location");
    assert_eq!(location, Some("/account/sign-in?next=%2Faccount"));
    world.end().await;
}

#[tokio::test]
async fn session_ends_on_every_host_at_once() {
    on_each_kind(world, async |world| {
        let account = world.account().await.id;
        let eva = member(world, account, "eva@mlyn.example", MemberRole::Read).await;
        let (one, other) = (Visitor::of(world), Visitor::of(world));
        one.sign_in(world, eva).await;
        let former = one.elsewhere(world.url());
        one.sign_in(world, eva).await;
        assert_eq!(former.get("/account").await.status, 303, "it was replaced");
        other.sign_in(world, eva).await;
        let neighbour = world.neighbour().await;
        let beside = one.elsewhere(neighbour.url());
        assert_eq!(beside.get("/account").await.status, 200);
        let copy = one.elsewhere(world.url());
        assert_eq!(one.post("/account/sign-out", &[]).await.status, 303);
        assert!(one.cookie("lustra_session").is_none());
        assert_eq!(beside.get("/account").await.status, 303);
        assert_eq!(copy.get("/account").await.status, 303);
        assert_eq!(other.get("/account").await.status, 200);
        one.sign_in(world, eva).await;
        one.post("/account/sign-out/everywhere", &[]).await;
        assert_eq!(other.get("/account").await.status, 303);
        // Unused for longer than allowed.
        one.sign_in(world, eva).await;
        world.advance(2);
        assert_eq!(one.get("/account").await.status, 200);
        world.advance(2);
        assert_eq!(
            one.get("/account").await.status,
            200,
            "it was used meanwhile"
        );
        world.advance(4);
        assert_eq!(one.get("/account").await.status, 303);
    })
    .await;
}

#[tokio::test]
async fn replaced_secret_begins_no_session() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let former = managing_key(&world).await;
    let keys = world
        .get_with("/v1/account/keys", &[("x-api-key", &former)])
        .await;
    let keys = keys.at("/data").as_array().cloned().unwrap_or_default();
    let key = keys.iter().find(|key| key["name"] == "managing");
    let path = format!("/v1/account/keys/{}/rotate", key.expect("the key")["id"]);
    let overlap = serde_json::json!({ "overlap_hours": 1 });
    let rotated = send(&world.url(), &former, Method::POST, &path, &overlap).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    let current = rotated.at("/key").as_str().expect("a secret").to_owned();
    let quota = [("x-api-key", former.as_str())];
    let quota = world.get_with("/v1/account/quota", &quota).await;
    assert_eq!(quota.status, 200, "the overlap");
    let visitor = Visitor::of(&world);
    let form = [("key", former.as_str())];
    let refused = visitor.post("/account/sign-in/key", &form).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(visitor.cookie("lustra_session").is_none());
    visitor.sign_in_by_key(&current).await;
    assert_eq!(visitor.get("/account").await.status, 200);
    world.end().await;
}

#[tokio::test]
async fn forms_of_other_sites_change_nothing() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let key = managing_key(&world).await;
    let visitor = Visitor::of(&world).slovak();
    visitor.sign_in_by_key(&key).await;
    let own = world.url();
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "http://evil.example"),
        ("x-none", "none"),
    ] {
        let request = visitor.request(Method::POST, "/account/sign-out");
        let refused = visitor.send(request.header(name, value)).await;
        assert_eq!(refused.status, 403, "{name}: {value}");
        assert!(html(&refused).contains("neprišla z tejto stránky"));
    }
    assert_eq!(visitor.get("/account").await.status, 200);
    let request = visitor.request(Method::POST, "/account/sign-out");
    let accepted = visitor.send(request.header("origin", own)).await;
    assert_eq!(accepted.status, 303);
    world.end().await;
}

#[tokio::test]
async fn attempts_to_sign_in_are_limited_by_address() {
    let world = world(DatabaseKind::Sqlite).settings(|config| config.web.sign_ins_per_minute = 2);
    let world = world.start().await;
    let visitor = Visitor::of(&world);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let form = [("key", "lst_live_x")];
        let answer = visitor.post("/account/sign-in/key", &form).await;
        statuses.push(answer.status);
    }
    assert_eq!(statuses, [422, 422, 429]);
    world.end().await;
}

#[tokio::test]
async fn person_of_two_accounts_chooses() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let keys = world.store.keys();
    let other = keys.create_account("Píla", "free", world.now()).await;
    let other = other.expect("a new name").id;
    let email = "eva@mlyn.example";
    let first = member(&world, world.account().await.id, email, MemberRole::Read).await;
    let second = member(&world, other, email, MemberRole::Owner).await;
    let stranger = member(&world, other, "jan@pila.example", MemberRole::Owner).await;
    let visitor = Visitor::of(&world);
    let token = new_link(&world, first).await;
    let signed = visitor
        .post("/account/sign-in/link", &[("token", &token)])
        .await;
    assert_eq!(signed.header("location"), Some("/account/choose"));
    let page = visitor.page("/account/choose").await;
    assert!(page.contains("Píla"), "{page}");
    let stranger = stranger.to_string();
    let refused = visitor
        .post("/account/choose", &[("member", &stranger)])
        .await;
    assert_eq!(refused.status, 404);
    let before = visitor.cookie("lustra_session");
    let second = second.to_string();
    let chosen = visitor
        .post("/account/choose", &[("member", &second)])
        .await;
    assert_eq!(chosen.status, 303);
    assert_ne!(visitor.cookie("lustra_session"), before, "a new token");
    let page = visitor.page("/account/people").await;
    assert!(page.contains("<bdi>Píla</bdi>") && page.contains("jan@pila.example"));
    world.end().await;
}

#[tokio::test]
async fn secure_sessions_have_a_host_cookie() {
    let world = world(DatabaseKind::Sqlite).settings(|config| {
        config.notifications.public_url = Some("https://lustra.example".to_owned());
    });
    let world = world.start().await;
    let key = managing_key(&world).await;
    let visitor = Visitor::of(&world);
    let signed = visitor.post("/account/sign-in/key", &[("key", &key)]).await;
    let cookies = signed
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let mut cookies = cookies.map(|(_, value)| value);
    let cookie = cookies.find(|value| value.starts_with("__Host-lustra_session="));
    let cookie = cookie.expect("a session");
    assert!(
        cookie.contains("; Secure") && cookie.contains("Path=/;"),
        "{cookie}"
    );
    assert!(!cookie.contains("Domain"), "{cookie}");
    assert_eq!(visitor.get("/account").await.status, 200);
    world.end().await;
}

#[tokio::test]
async fn lookup_can_need_a_session() {
    let world = world(DatabaseKind::Sqlite).settings(|config| config.web.lookup = Lookup::SignedIn);
    let world = world.start().await;
    let visitor = Visitor::of(&world);
    assert_eq!(visitor.get("/").await.status, 200);
    for path in ["/company/99999901", "/?q=vzor", "/suggest?q=vzor"] {
        let answer = visitor.get(path).await;
        assert_eq!(answer.status, 303, "{path}");
        let location = answer.header("location").expect("a redirect");
        assert!(location.starts_with("/account/sign-in?next="), "{location}");
    }
    visitor.sign_in_by_key(&world.key).await;
    for path in ["/company/99999901", "/?q=vzor", "/suggest?q=vzor"] {
        assert_ne!(visitor.get(path).await.status, 303, "{path}");
    }
    world.end().await;
}
