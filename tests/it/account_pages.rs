//! The pages of an account: keys, people, ledger, plan and calls, in every role.

use lustra_tests::lustra::accounts::{Action, Actor, may};
use lustra_tests::lustra::config::{Config, Plan};
use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Builder, DatabaseKind, World};

use crate::account_support::{Visitor, field, html, member};
use crate::owner_keys::managing_key;

/// A field of a form with its value.
type Field<'a> = (&'a str, &'a str);

fn world(kind: DatabaseKind) -> Builder {
    let world = World::new().connectors(&[]).companies(12).on(kind);
    world.nothing_imported().without_index()
}

/// The secret on a page.
fn secret(page: &str) -> &str {
    let (_, rest) = page.split_once("<code id=\"secret\">").expect("a secret");
    rest.split('<').next().expect("its end")
}

async fn signed_in(world: &World, email: &str, role: MemberRole) -> Visitor {
    let account = world.account().await.id;
    let visitor = Visitor::of(world);
    visitor
        .sign_in(world, member(world, account, email, role).await)
        .await;
    visitor
}

#[tokio::test]
async fn secret_is_shown_in_one_answer_only() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let eva = signed_in(&world, "eva@mlyn.example", MemberRole::Owner).await;
    let page = eva.page("/account/keys").await;
    let token = field(&page, "token").to_owned();
    let form = [
        ("token", token.as_str()),
        ("name", "web \u{202e}shop"),
        ("addresses", "127.0.0.1, 192.0.2.0/24"),
        ("last_day", "2026-02-01"),
    ];
    let made = eva.post("/account/keys", &form).await;
    assert_eq!(made.status, 200, "{made:?}");
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let key = secret(html(&made)).to_owned();
    let used = world
        .get_with("/v1/account/quota", &[("x-api-key", &key)])
        .await;
    assert_eq!(used.status, 200, "{used:?}");
    // Sent twice, it is the same key.
    let twice = eva.post("/account/keys", &form).await;
    assert_eq!(secret(html(&twice)), key);
    let page = eva.page("/account/keys").await;
    assert_eq!(
        page.matches("<bdi>web \u{202e}shop</bdi>").count(),
        1,
        "{page}"
    );
    assert!(page.contains("192.0.2.0/24"), "{page}");
    // The same form with another name is another request.
    let other = [("token", token.as_str()), ("name", "other")];
    let other = eva.post("/account/keys", &other).await;
    assert_eq!(other.status, 422);
    assert!(html(&other).contains("sent before with other values"));
    let number = page
        .split("href=\"/account/keys/")
        .find_map(|rest| rest.split('"').next()?.parse::<i64>().ok())
        .expect("the newest key");
    let one = format!("/account/keys/{number}");
    for path in [
        "/account",
        "/account/keys",
        &one,
        "/account/people",
        "/account/ledger",
    ] {
        let page = eva.page(path).await;
        assert!(!page.contains(&key), "{path}");
        assert!(!page.contains(&key[13..]), "{path}");
    }
    let token = field(&eva.page(&one).await, "token").to_owned();
    let form = [("token", token.as_str()), ("overlap_hours", "0")];
    let rotated = eva.post(&format!("{one}/rotate"), &form).await;
    let next = secret(html(&rotated)).to_owned();
    assert_ne!(next, key);
    let wrong = eva
        .post(&format!("{one}/rotate"), &[("overlap_hours", "169")])
        .await;
    assert_eq!(wrong.status, 422);
    let change = [("name", "shop"), ("last_day", "2025-01-01")];
    let refused = eva.post(&one, &change).await;
    assert_eq!(refused.status, 422);
    assert!(
        html(&refused).contains("value=\"2025-01-01\""),
        "input stays"
    );
    assert_eq!(eva.post(&one, &[("name", "shop")]).await.status, 303);
    assert_eq!(eva.post(&format!("{one}/revoke"), &[]).await.status, 303);
    let gone = world
        .get_with("/v1/account/quota", &[("x-api-key", &next)])
        .await;
    assert_eq!(gone.status, 401);
    assert!(eva.page(&one).await.contains("You cannot change this key"));
    world.end().await;
}

#[tokio::test]
async fn pages_and_forms_follow_the_role() {
    let world = world(DatabaseKind::Sqlite).start().await;
    managing_key(&world).await;
    let account = world.account().await.id;
    let people = world.store.members_of(account);
    let keys = world.store.keys_of(account);
    let list = keys.list().await.expect("the store is there");
    let (plain, managing) = (list[0].id, list[1].id);
    let mut victims = 0;
    for role in MemberRole::ALL {
        let email = format!("{}@mlyn.example", role.word());
        let visitor = signed_in(&world, &email, *role).await;
        victims += 1;
        let victim = format!("victim{victims}@mlyn.example");
        let victim = member(&world, account, &victim, MemberRole::Read).await;
        let may = |action| may(Actor::Member(*role), action);
        for (path, action) in [
            ("/account", Action::ReadCredits),
            ("/account/keys", Action::ManageKeys),
            ("/account/people", Action::ReadMembers),
            ("/account/ledger", Action::ReadCredits),
            ("/account/ledger.csv", Action::ReadCredits),
            ("/account/plan", Action::ReadCredits),
            ("/account/try", Action::LookUp),
            ("/account/watching", Action::ReadWatches),
            ("/account/events", Action::ReadWatches),
            ("/account/files", Action::LookUp),
        ] {
            let status = visitor.get(path).await.status;
            assert_eq!(status == 200, may(action), "{role:?} {path}: {status}");
            assert!(status == 200 || status == 403, "{role:?} {path}: {status}");
        }
        let person = format!("/account/people/{victim}");
        let removed = format!("{person}/remove");
        let key = format!("/account/keys/{plain}");
        let (name, other) = ([("name", "x")], format!("/account/keys/{managing}"));
        let revoked = format!("{other}/revoke");
        let rotated = format!("{other}/rotate");
        let overlap = [("overlap_hours", "0"), ("token", "t1")];
        let both = [("name", "x"), ("manage", "1"), ("token", "t2")];
        let alerts = [("thresholds", "50"), ("emails", "a@mlyn.example")];
        let developer = [("role", "developer")];
        let target = [("target", "ftp://x")];
        let forms: [(&str, &[Field], Action); 9] = [
            ("/account/watching/test", &target, Action::ChangeWatches),
            (&key, &name, Action::ManageKeys),
            (&other, &name, Action::ManageManagingKeys),
            (&rotated, &overlap, Action::ManageManagingKeys),
            ("/account/keys", &both, Action::ManageManagingKeys),
            ("/account/alerts", &alerts, Action::ChangeAlerts),
            (
                "/account/language",
                &[("language", "en")],
                Action::ChangeAlerts,
            ),
            (&person, &developer, Action::ManageMembers),
            (&removed, &[], Action::ManageMembers),
        ];
        for (path, fields, action) in forms {
            let status = visitor.post(path, fields).await.status;
            let is_allowed = matches!(status, 200 | 303 | 422);
            assert_eq!(is_allowed, may(action), "{role:?} {path}: {status}");
            assert!(is_allowed || status == 403, "{role:?} {path}: {status}");
        }
        if *role == MemberRole::Developer {
            assert_eq!(visitor.post(&revoked, &[]).await.status, 403);
        }
        let page = visitor.page("/account/people").await;
        assert_eq!(page.contains("Invite a person"), may(Action::ManageMembers));
    }
    let members = people.list().await.expect("the store is there");
    assert_eq!(
        members.len(),
        MemberRole::ALL.len() * 2 - 1,
        "the owner removed one"
    );
    world.end().await;
}

#[tokio::test]
async fn objects_of_another_account_do_not_exist() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let manager = managing_key(&world).await;
    let keys = world.store.keys();
    let other = keys.create_account("Pila", "free", world.now()).await;
    let other = other.expect("a new name").id;
    let jan = member(&world, other, "jan@pila.example", MemberRole::Owner).await;
    let foreign = keys.create_key(
        other,
        "foreign key",
        "lst_live_abcd",
        &[9; 32],
        None,
        world.now(),
    );
    let foreign = foreign.await.expect("the store is there").id;
    let eva = Visitor::of(&world).slovak();
    eva.sign_in_by_key(&manager).await;
    assert_eq!(
        eva.get(&format!("/account/keys/{foreign}")).await.status,
        404
    );
    for (path, fields) in [
        (format!("/account/keys/{foreign}"), ("name", "x")),
        (
            format!("/account/keys/{foreign}/rotate"),
            ("overlap_hours", "0"),
        ),
        (format!("/account/keys/{foreign}/revoke"), ("", "")),
        (format!("/account/people/{jan}"), ("role", "read")),
        (format!("/account/people/{jan}/remove"), ("", "")),
        (format!("/account/people/{jan}/invitation"), ("", "")),
        ("/account/keys/x/revoke".to_owned(), ("", "")),
    ] {
        let answer = eva.post(&path, &[fields]).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert!(html(&answer).contains("Stránka neexistuje"), "{path}");
    }
    for path in [
        "/account",
        "/account/keys",
        "/account/people",
        "/account/ledger",
    ] {
        let page = eva.page(path).await;
        for text in ["foreign key", "jan@pila.example", "Pila"] {
            assert!(!page.contains(text), "{path}: {text}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn last_owner_stays_with_a_clear_message() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let eva = signed_in(&world, "eva@mlyn.example", MemberRole::Owner).await;
    let people = world.store.members_of(world.account().await.id);
    let id = people.list().await.expect("the store is there")[0].id;
    let path = format!("/account/people/{id}");
    for refused in [
        eva.post(&path, &[("role", "read")]).await,
        eva.post(&format!("{path}/remove"), &[]).await,
    ] {
        assert_eq!(refused.status, 422, "{refused:?}");
        assert!(html(&refused).contains("Nothing was saved"));
    }
    world.end().await;
}

fn with_quota() -> Builder {
    let set = |config: &mut Config| {
        let quota = Plan {
            quota: Some(5),
            credits_plan: Some("new".to_owned()),
            ..Plan::default()
        };
        let credits = Plan {
            credits: Some(2_000),
            ..Plan::default()
        };
        config.plans.insert("old".to_owned(), quota);
        config.plans.insert("new".to_owned(), credits);
    };
    world(DatabaseKind::Sqlite).plan("old").settings(set)
}

#[tokio::test]
async fn move_to_credits_is_compared_and_confirmed() {
    let world = with_quota().start().await;
    let eva = signed_in(&world, "eva@mlyn.example", MemberRole::Billing).await;
    let plan = eva.page("/account/plan").await;
    assert!(plan.contains("href=\"/account/plan/credits\""), "{plan}");
    let compared = eva.page("/account/plan/credits").await;
    assert!(compared.contains("2,000") && compared.contains("Calls that are lost: 5"));
    let moved = eva.post("/account/plan/credits", &[("plan", "new")]).await;
    assert_eq!(moved.status, 303, "{moved:?}");
    assert!(eva.page("/account/plan").await.contains("on the new plan"));
    // Sent again, from the page before.
    let again = eva.post("/account/plan/credits", &[("plan", "new")]).await;
    assert_eq!(again.status, 303);
    let overview = eva.page("/account").await;
    assert!(overview.contains("2,000"), "{overview}");
    let ledger = eva.page("/account/ledger").await;
    assert!(ledger.contains("<td>grant</td>"), "{ledger}");
    let csv = eva.get("/account/ledger.csv").await;
    assert!(
        csv.header("content-type")
            .is_some_and(|kind| kind.starts_with("text/csv"))
    );
    assert_eq!(eva.get("/account/ledger?cursor=%22x").await.status, 422);
    assert_eq!(eva.get("/account/plan/credits").await.status, 303);
    world.verify_ledgers().await;
    world.end().await;
}

#[tokio::test]
async fn alerts_and_language_are_set_by_forms() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let eva = signed_in(&world, "eva@mlyn.example", MemberRole::Owner).await;
    let wrong = [("thresholds", "50, 200"), ("emails", "x")];
    let refused = eva.post("/account/alerts", &wrong).await;
    assert_eq!(refused.status, 422);
    assert!(html(&refused).contains("value=\"50, 200\""), "input stays");
    let switch = "class=\"language\" href=\"/account?lang=sk\"";
    assert!(html(&refused).contains(switch), "{refused:?}");
    let right = [
        ("thresholds", "80 %, 50"),
        ("emails", "a@mlyn.example\r\nb@mlyn.example"),
    ];
    assert_eq!(eva.post("/account/alerts", &right).await.status, 303);
    let page = eva.page("/account").await;
    assert!(
        page.contains("value=\"50, 80\"") && page.contains("b@mlyn.example"),
        "{page}"
    );
    assert_eq!(
        eva.post("/account/language", &[("language", "en")])
            .await
            .status,
        303
    );
    let page = eva.page("/account").await;
    assert!(page.contains("value=\"en\" lang=\"en\" selected"), "{page}");
    assert_eq!(
        eva.post("/account/language", &[("language", "de")])
            .await
            .status,
        422
    );
    world.end().await;
}

#[tokio::test]
async fn key_page_keeps_every_limit_of_the_key() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let eva = signed_in(&world, "eva@mlyn.example", MemberRole::Developer).await;
    let form = [("name", "extract"), ("scopes", "orsr"), ("token", "t")];
    let made = eva.post("/account/keys", &form).await;
    assert_eq!(made.status, 200, "{made:?}");
    let keys = world.store.keys_of(world.account().await.id);
    let newest = async || {
        let keys = keys.list().await.expect("the store is there");
        keys.into_iter().next_back().expect("the new key")
    };
    let path = format!("/account/keys/{}", newest().await.id);
    let page = eva.page(&path).await;
    assert!(page.contains("value=\"orsr\" checked"), "{page}");
    let renamed = [("name", "extracts"), ("scopes", "orsr")];
    assert_eq!(eva.post(&path, &renamed).await.status, 303);
    let key = newest().await;
    assert_eq!(
        (key.name.as_str(), key.scopes.as_deref()),
        ("extracts", Some("orsr"))
    );
    let unknown = [("name", "extracts"), ("scopes", "nothing")];
    let refused = eva.post(&path, &unknown).await;
    assert_eq!(refused.status, 422);
    assert!(
        html(&refused).contains("value=\"nothing\" checked"),
        "{refused:?}"
    );
    world.end().await;
}
