//! Keys that the owner of an account manages through the API.

use std::time::{Duration, Instant};

use lustra_tests::lustra::accounts::{Action, Actor, may};
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::store::{KeyLimits, NewKeyOfAccount};
use lustra_tests::{Answer, Builder, DatabaseKind, World, answered, client};
use reqwest::Method;
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::support::keys;

const KEYS: &str = "/v1/account/keys";

fn world(kind: DatabaseKind) -> Builder {
    World::new().nothing_imported().on(kind)
}

/// A key of the world's account with the permission `manage`, as the operator creates it.
pub async fn managing_key(world: &World) -> String {
    let key = NewKey::live();
    let new = NewKeyOfAccount {
        name: "managing".to_owned(),
        prefix: key.prefix.clone(),
        hash: key.text.hash(),
        manage: true,
        limits: KeyLimits::default(),
    };
    let of_account = world.store.keys_of(world.account().await.id);
    let created = of_account.create(&new, u32::MAX, None, world.now()).await;
    created.expect("the store is there");
    key.text.reveal().to_owned()
}

/// A request with a JSON body, by a key.
pub async fn send(url: &str, key: &str, method: Method, path: &str, body: &Value) -> Answer {
    let request = client().request(method, format!("{url}{path}"));
    answered(request.header("x-api-key", key).json(body)).await
}

async fn get(url: &str, key: &str, path: &str) -> Answer {
    answered(
        client()
            .get(format!("{url}{path}"))
            .header("x-api-key", key),
    )
    .await
}

fn text(answer: &Answer, pointer: &str) -> String {
    let text = answer.at(pointer).as_str();
    text.unwrap_or_else(|| panic!("{pointer} in {answer:?}"))
        .to_owned()
}

#[tokio::test]
async fn key_is_shown_once_and_listed_without_its_secret() {
    on_each_kind(world, async |world| {
        let (url, manager) = (world.url(), managing_key(world).await);
        let body = json!({
            "name": " shop ", "scopes": ["tax", "tax"], "addresses": ["127.0.0.1", "::1/128"],
            "last_day": "2026-01-16",
        });
        let created = send(&url, &manager, Method::POST, KEYS, &body).await;
        assert_eq!(created.status, 201, "{created:?}");
        let secret = text(&created, "/key");
        assert!(secret.starts_with(&text(&created, "/data/prefix")));
        let limits = json!({
            "scopes": ["tax"], "addresses": ["127.0.0.1/32", "::1/128"], "last_day": "2026-01-16",
        });
        assert_eq!(created.at("/data/limits"), &limits);
        assert_eq!(created.at("/data/name"), "shop");
        assert_eq!(created.at("/warnings"), &json!([]));
        let used = get(&url, &secret, "/v1/account/usage").await;
        assert_eq!(used.status, 200, "{used:?}");
        let listed = get(&url, &manager, KEYS).await;
        assert_eq!(listed.at("/meta/total"), 3, "{listed:?}");
        assert_eq!(listed.at("/data/1/current"), true);
        assert_eq!(listed.at("/data/2/id"), created.at("/data/id"));
        assert_eq!(listed.at("/data/2/limits"), &limits);
        assert!(!listed.body.to_string().contains(&secret[13..]));
        // The last day ends at midnight.
        world.advance(1);
        assert_eq!(get(&url, &secret, "/v1/account/usage").await.status, 200);
        world.advance(1);
        assert_eq!(get(&url, &secret, "/v1/account/usage").await.status, 401);
        let listed = get(&url, &manager, KEYS).await;
        assert_eq!(listed.at("/data/2/state"), "expired");
    })
    .await;
}

#[tokio::test]
async fn key_without_manage_cannot_reach_the_account() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let url = world.url();
    assert!(!may(Actor::Key { manage: false }, Action::ManageKeys));
    for (method, path) in [
        (Method::GET, "/v1/account/keys"),
        (Method::POST, "/v1/account/keys"),
        (Method::POST, "/v1/account/keys/1/rotate"),
        (Method::PATCH, "/v1/account/keys/1"),
        (Method::DELETE, "/v1/account/keys/1"),
        (Method::GET, "/v1/account/members"),
        (Method::POST, "/v1/account/members"),
        (Method::PATCH, "/v1/account/members/1"),
        (Method::DELETE, "/v1/account/members/1"),
        (Method::POST, "/v1/account/plan/credits"),
    ] {
        let refused = send(&url, &world.key, method.clone(), path, &json!({})).await;
        assert_eq!(
            (refused.status, refused.at("/error")),
            (403, &json!("forbidden")),
            "{path}"
        );
        assert!(text(&refused, "/message").contains("manage"), "{refused:?}");
    }
    world.end().await;
}

#[tokio::test]
async fn limited_key_is_refused_beyond_its_limits() {
    let world = World::new().start().await;
    let (url, manager) = (world.url(), managing_key(&world).await);
    let body = json!({ "name": "tax only", "scopes": ["tax", "erased_vat"] });
    let created = send(&url, &manager, Method::POST, KEYS, &body).await;
    let secret = text(&created, "/key");
    let company = format!("/v1/company/ico/{}", world.icos[0]);
    let refused = get(&url, &secret, &format!("{company}?scope=tax,debtor_status")).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(text(&refused, "/message").contains("limited to the scopes erased_vat, tax"));
    let all = get(&url, &secret, &format!("{company}?scope=all")).await;
    assert_eq!(keys(all.at("/meta/scopes")), ["erased_vat", "tax"]);
    let unknown = get(&url, &secret, &format!("{company}?scope=nothing")).await;
    assert_eq!(unknown.status, 422, "{unknown:?}");
    let events = get(&url, &secret, "/v1/notifications/events").await;
    assert_eq!(events.status, 403, "events say what other scopes contain");
    // Another network, then one of a trusted proxy.
    let path = format!("{KEYS}/{}", created.at("/data/id"));
    let elsewhere = json!({ "scopes": null, "last_day": null, "addresses": ["192.0.2.0/24"] });
    let changed = send(&url, &manager, Method::PATCH, &path, &elsewhere).await;
    assert_eq!(
        changed.at("/data/limits/scopes"),
        &Value::Null,
        "{changed:?}"
    );
    let refused = get(&url, &secret, &company).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(
        text(&refused, "/message").contains("127.0.0.1"),
        "{refused:?}"
    );
    let forged = [
        ("x-api-key", secret.as_str()),
        ("x-forwarded-for", "192.0.2.9"),
    ];
    assert_eq!(world.get_with(&company, &forged).await.status, 403);
    world.end().await;
}

#[tokio::test]
async fn all_scopes_of_a_limited_key_keep_the_usual_form() {
    // The plan does not name `orsr`, which belongs to every plan.
    let world = World::new().plan("starter").start().await;
    let (url, manager) = (world.url(), managing_key(&world).await);
    let company = format!("/v1/company/ico/{}?scope=all", world.icos[0]);
    let usual = get(&url, &manager, &company).await;
    let body = json!({ "name": "limited", "scopes": ["orsr", "tax"] });
    let created = send(&url, &manager, Method::POST, KEYS, &body).await;
    let limited = get(&url, &text(&created, "/key"), &company).await;
    assert_eq!(keys(limited.at("/meta/scopes")), ["orsr", "tax"]);
    for member in ["business_activities", "statutory_body", "shareholders"] {
        let member = format!("/data/{member}");
        assert_eq!(limited.at(&member), usual.at(&member), "{member}");
    }
    world.end().await;
}

#[tokio::test]
async fn trusted_proxy_names_the_client() {
    let world = world(DatabaseKind::Sqlite).settings(|config| {
        config.connections.proxies = vec!["127.0.0.0/8".to_owned(), "10.0.0.0/8".to_owned()];
    });
    let world = world.start().await;
    let (url, manager) = (world.url(), managing_key(&world).await);
    let body = json!({ "name": "office", "addresses": ["192.0.2.0/24"] });
    let created = send(&url, &manager, Method::POST, KEYS, &body).await;
    let secret = text(&created, "/key");
    for (forwarded, status) in [
        ("192.0.2.9", 200),
        ("192.0.2.9, 10.0.0.7", 200),
        ("192.0.2.9, 203.0.113.5", 403),
        ("nonsense", 403),
    ] {
        let headers = [
            ("x-api-key", secret.as_str()),
            ("x-forwarded-for", forwarded),
        ];
        let answer = world.get_with("/v1/account/usage", &headers).await;
        assert_eq!(answer.status, status, "{forwarded}: {answer:?}");
    }
    world.end().await;
}

#[tokio::test]
async fn rotation_replaces_the_secret_of_the_same_key() {
    on_each_kind(world, async |world| {
        let (url, manager) = (world.url(), managing_key(world).await);
        let named = json!({ "name": "shop" });
        let created = send(&url, &manager, Method::POST, KEYS, &named).await;
        let (first, id) = (text(&created, "/key"), created.at("/data/id").clone());
        let path = format!("{KEYS}/{id}/rotate");
        let overlap = json!({ "overlap_hours": 24 });
        let rotated = send(&url, &manager, Method::POST, &path, &overlap).await;
        assert_eq!(
            (rotated.status, rotated.at("/data/id")),
            (200, &id),
            "{rotated:?}"
        );
        let second = text(&rotated, "/key");
        for secret in [&first, &second] {
            assert_eq!(get(&url, secret, "/v1/account/usage").await.status, 200);
        }
        world.advance(1);
        assert_eq!(get(&url, &first, "/v1/account/usage").await.status, 401);
        assert_eq!(get(&url, &second, "/v1/account/usage").await.status, 200);
        // Two hosts rotate at once: one secret of the two is valid.
        let neighbour = world.neighbour().await;
        let other = neighbour.url();
        let none = json!({});
        let (one, two) = tokio::join!(
            send(&url, &manager, Method::POST, &path, &none),
            send(&other, &manager, Method::POST, &path, &none),
        );
        let mut valid = 0;
        for answer in [one, two] {
            let secret = text(&answer, "/key");
            valid += u32::from(get(&url, &secret, "/v1/account/usage").await.status == 200);
        }
        assert_eq!(valid, 1);
        assert_eq!(get(&url, &second, "/v1/account/usage").await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn revoked_key_is_refused_by_all_hosts_in_a_second() {
    on_each_kind(world, async |world| {
        let neighbour = world.neighbour().await;
        let (url, other) = (world.url(), neighbour.url());
        let manager = managing_key(world).await;
        let named = json!({ "name": "shop" });
        let created = send(&url, &manager, Method::POST, KEYS, &named).await;
        let (secret, path) = (
            text(&created, "/key"),
            format!("{KEYS}/{}", created.at("/data/id")),
        );
        // Both hosts have the key in memory.
        for host in [&url, &other] {
            assert_eq!(get(host, &secret, "/v1/account/usage").await.status, 200);
        }
        let revoked = send(&url, &manager, Method::DELETE, &path, &json!({})).await;
        assert_eq!(revoked.at("/data/state"), "revoked", "{revoked:?}");
        let since = Instant::now();
        assert_eq!(get(&url, &secret, "/v1/account/usage").await.status, 401);
        loop {
            let is_late = since.elapsed() >= Duration::from_secs(1);
            let status = get(&other, &secret, "/v1/account/usage").await.status;
            if status == 401 {
                break;
            }
            assert!(!is_late, "the other host still accepts it");
        }
        let again = send(&url, &manager, Method::DELETE, &path, &json!({})).await;
        let ended = "/data/revoked_at";
        assert!(revoked.at(ended).is_string(), "{revoked:?}");
        assert_eq!(again.at(ended), revoked.at(ended), "it stays in the list");
    })
    .await;
}

#[tokio::test]
async fn change_of_the_own_key_says_what_it_means() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let (url, manager) = (world.url(), managing_key(&world).await);
    let listed = get(&url, &manager, KEYS).await;
    let path = format!("{KEYS}/{}", listed.at("/data/1/id"));
    let today = json!({ "last_day": "2026-01-15", "name": "mine" });
    let same = send(&url, &manager, Method::PATCH, &path, &today).await;
    assert_eq!(
        (same.status, same.at("/warnings")),
        (200, &json!([])),
        "{same:?}"
    );
    let spare = managing_key(&world).await;
    let elsewhere = json!({ "addresses": ["192.0.2.7"] });
    let excluded = send(&url, &manager, Method::PATCH, &path, &elsewhere).await;
    assert!(
        text(&excluded, "/warnings/0").contains("this address"),
        "{excluded:?}"
    );
    assert_eq!(get(&url, &manager, KEYS).await.status, 403);
    let listed = get(&url, &spare, KEYS).await;
    send(&url, &spare, Method::DELETE, &path, &json!({})).await;
    let own = format!("{KEYS}/{}", listed.at("/data/2/id"));
    let last = send(&url, &spare, Method::DELETE, &own, &json!({})).await;
    let warnings = last.at("/warnings").as_array().expect("a list");
    assert_eq!(warnings.len(), 2, "{last:?}");
    assert_eq!(get(&url, &spare, KEYS).await.status, 401);
    world.end().await;
}

#[tokio::test]
async fn repeated_request_gets_the_same_secret() {
    on_each_kind(world, async |world| {
        let (url, manager) = (world.url(), managing_key(world).await);
        let create = async |idempotency_key: &str, name: &str| {
            let request = client().post(format!("{url}{KEYS}"));
            let request = request.header("x-api-key", &manager);
            let request = request.header("idempotency-key", idempotency_key);
            answered(request.json(&json!({ "name": name }))).await
        };
        let first = create("one", "shop").await;
        let again = create("one", "shop").await;
        assert_eq!(
            again.header("idempotency-replayed"),
            Some("true"),
            "{again:?}"
        );
        assert_eq!((again.status, &again.body), (201, &first.body));
        assert_eq!(create("one", "other").await.status, 422);
        let secret = text(&first, "/key");
        let account = world.account().await.id;
        let known = world
            .store
            .idempotency_keys()
            .find(account, "one", world.now())
            .await;
        let sealed = known
            .expect("the store is there")
            .and_then(|known| known.sealed);
        let sealed = sealed.expect("the answer had a secret");
        assert!(!sealed.contains(&secret[9..]), "it is encrypted");
        let path = format!("{KEYS}/{}/rotate", first.at("/data/id"));
        let rotate = async || {
            let request = client().post(format!("{url}{path}"));
            let request = request.header("x-api-key", &manager);
            answered(request.header("idempotency-key", "two")).await
        };
        let (rotated, repeated) = (rotate().await, rotate().await);
        assert_eq!((rotated.status, &rotated.body), (200, &repeated.body));
        let listed = get(&url, &manager, KEYS).await;
        assert_eq!(listed.at("/meta/total"), 3, "{listed:?}");
    })
    .await;
}

#[tokio::test]
async fn wrong_bodies_are_refused_by_field() {
    let world = world(DatabaseKind::Sqlite).start().await;
    let (url, manager) = (world.url(), managing_key(&world).await);
    for (body, wrong) in [
        (json!({}), "name"),
        (json!({ "name": " " }), "name"),
        (json!({ "name": "a".repeat(101) }), "name"),
        (json!({ "name": "a", "manage": "yes" }), "manage"),
        (json!({ "name": "a", "scopes": [] }), "scopes"),
        (json!({ "name": "a", "scopes": ["nothing"] }), "scopes"),
        (
            json!({ "name": "a", "addresses": ["10.0.0.0/33"] }),
            "addresses",
        ),
        (
            json!({ "name": "a", "addresses": "10.0.0.0/8" }),
            "addresses",
        ),
        (json!({ "name": "a", "last_day": "2026-01-14" }), "last_day"),
        (json!({ "name": "a", "last_day": "15.1.2026" }), "last_day"),
        (json!({ "name": "a", "limits": {} }), "limits"),
    ] {
        let refused = send(&url, &manager, Method::POST, KEYS, &body).await;
        assert_eq!(refused.status, 422, "{body}");
        assert_eq!(keys(refused.at("/errors")), [wrong], "{body}: {refused:?}");
    }
    for id in ["99", "x", "-1", "99999999999999999999"] {
        let path = format!("{KEYS}/{id}");
        let none = send(&url, &manager, Method::DELETE, &path, &json!({})).await;
        assert_eq!(none.status, 404, "{id}");
    }
    assert_eq!(get(&url, &manager, KEYS).await.at("/meta/total"), 2);
    world.end().await;
}
