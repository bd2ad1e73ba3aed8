//! Authentication: valid keys, and the errors for invalid ones.

use insta::assert_json_snapshot;
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::config::Plan;
use lustra_tests::{Answer, START, World};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::support::{reading, shown};

/// A company that is stored, so no register is asked.
fn path(world: &World) -> String {
    format!("/v1/company/ico/{}", world.icos[3])
}

async fn asked_with(world: &World, headers: &[(&str, &str)]) -> Answer {
    world.get_with(&path(world), headers).await
}

/// Creates a further key of the world's account. Returns its text and its id.
async fn new_key(world: &World, expires_at: Option<OffsetDateTime>) -> (String, i64) {
    let account = world
        .store
        .keys()
        .find_account("tests")
        .await
        .expect("the store is there");
    let key = NewKey::live();
    let created = world
        .store
        .keys()
        .create_key(
            account.expect("every world has it").id,
            "another",
            &key.prefix,
            &key.text.hash(),
            expires_at,
            START,
        )
        .await
        .expect("the store is there");
    (key.text.reveal().to_owned(), created.id)
}

#[test]
fn request_without_a_key_is_refused() {
    reading(async |world| {
        assert_json_snapshot!("without a key", shown(&asked_with(world, &[]).await));
    });
}

#[test]
fn rejected_keys_all_get_the_same_answer() {
    reading(async |world| {
        let without = asked_with(world, &[]).await;
        let key = world.key.as_str();
        let unknown = NewKey::live();
        let (revoked, id) = new_key(world, None).await;
        assert!(
            world
                .store
                .keys()
                .revoke_key(id, START)
                .await
                .expect("the store is there")
        );
        let (expired, _) = new_key(world, Some(START)).await;
        let (other, _) = new_key(world, None).await;
        let bearer = |key: &str| format!("Bearer {key}");
        let (rest, last) = key.split_at(key.len() - 1);
        let changed = format!("{rest}{}", if last == "0" { "1" } else { "0" });
        for (what, headers) in [
            ("empty", vec![("x-api-key", String::new())]),
            ("no key at all", vec![("x-api-key", "secret".to_owned())]),
            ("mistyped", vec![("x-api-key", changed)]),
            ("cut short", vec![("x-api-key", key[..20].to_owned())]),
            ("too long", vec![("x-api-key", format!("{key}{key}"))]),
            ("not ASCII", vec![("x-api-key", format!("{key}č"))]),
            (
                "well-formed and unknown",
                vec![("x-api-key", unknown.text.reveal().to_owned())],
            ),
            ("revoked", vec![("x-api-key", revoked.clone())]),
            (
                "revoked, as a bearer",
                vec![("authorization", bearer(&revoked))],
            ),
            ("expired", vec![("x-api-key", expired)]),
            (
                "another scheme",
                vec![("authorization", format!("Basic {key}"))],
            ),
            ("no scheme", vec![("authorization", key.to_owned())]),
            (
                "a scheme alone",
                vec![("authorization", "Bearer".to_owned())],
            ),
            (
                "two valid keys that differ",
                vec![("authorization", bearer(key)), ("x-api-key", other)],
            ),
            (
                "a valid and a wrong one",
                vec![
                    ("authorization", bearer("secret")),
                    ("x-api-key", key.to_owned()),
                ],
            ),
        ] {
            let headers: Vec<(&str, &str)> = headers
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let answer = asked_with(world, &headers).await;
            assert_eq!(
                (answer.status, &answer.body),
                (401, &without.body),
                "{what}"
            );
        }
    });
}

#[test]
fn key_is_accepted_in_either_header() {
    reading(async |world| {
        let key = world.key.as_str();
        for bearer in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            let value = format!("{bearer} {key}");
            assert_eq!(
                asked_with(world, &[("authorization", &value)]).await.status,
                200,
                "{bearer}"
            );
            let both = [("authorization", value.as_str()), ("x-api-key", key)];
            assert_eq!(
                asked_with(world, &both).await.status,
                200,
                "the same key in both"
            );
        }
        assert_eq!(asked_with(world, &[("x-api-key", key)]).await.status, 200);
        assert_eq!(asked_with(world, &[("X-API-Key", key)]).await.status, 200);
    });
}

#[test]
fn key_is_checked_before_anything_else() {
    reading(async |world| {
        for path in [
            "/v1/company/ico/1",
            "/v1/company/x",
            "/v1/company/id/x",
            "/v1/company/ico/12345678?scope=no",
        ] {
            assert_eq!(world.get_with(path, &[]).await.status, 401, "{path}");
        }
    });
}

#[tokio::test]
async fn scope_outside_plan_is_forbidden() {
    let world = World::new().plan("free").start().await;
    let path = format!("/v1/company/ico/{}", world.icos[0]);
    let one = world.get(&format!("{path}?scope=debtor_status")).await;
    assert_json_snapshot!("a scope outside the plan", shown(&one));
    let two = world
        .get(&format!("{path}?scope=tax,debtor_status,bank_accounts,all"))
        .await;
    assert_eq!(two.status, 403);
    let message = two.at("/message").as_str().expect("an error has a message");
    assert!(
        message.contains("debtor_status") && message.contains("bank_accounts"),
        "{message}"
    );
    let known = world.get(&format!("{path}?scope=tax")).await;
    assert_eq!(
        known.status, 200,
        "a scope of the plan is answered: {known:?}"
    );
    world.end().await;
}

#[tokio::test]
async fn plan_missing_from_the_settings_is_forbidden() {
    let world = World::new().plan("withdrawn").start().await;
    let answer = asked_with(&world, &[("x-api-key", &world.key)]).await;
    assert_eq!(
        (answer.status, answer.at("/error")),
        (403, &json!("forbidden"))
    );
    world.end().await;
}

#[tokio::test]
async fn plan_of_the_settings_limits_the_scopes() {
    let world = World::new().plan("own").settings(|config| {
        let plan = Plan {
            scopes: vec!["erased_vat".to_owned()],
            ..Plan::default()
        };
        config.plans.insert("own".to_owned(), plan);
    });
    let world = world.start().await;
    assert_eq!(
        world.company(&world.icos[3], "erased_vat").await.status,
        200
    );
    assert_eq!(world.company(&world.icos[3], "tax").await.status, 403);
    world.end().await;
}

#[tokio::test]
async fn expired_and_revoked_keys_stop_working() {
    let world = World::new().start().await;
    let tomorrow = START + Duration::days(1);
    let (ending, _) = new_key(&world, Some(tomorrow)).await;
    let (revoked, id) = new_key(&world, None).await;
    // Revoked tomorrow, so that the test need not wait until the cached key expires.
    assert!(
        world
            .store
            .keys()
            .revoke_key(id, tomorrow)
            .await
            .expect("the store is there")
    );
    for key in [&ending, &revoked] {
        assert_eq!(asked_with(&world, &[("x-api-key", key)]).await.status, 200);
    }
    world.advance(1);
    for key in [&ending, &revoked] {
        assert_eq!(asked_with(&world, &[("x-api-key", key)]).await.status, 401);
    }
    assert_eq!(
        asked_with(&world, &[("x-api-key", &world.key)])
            .await
            .status,
        200,
        "others go on"
    );
    world.end().await;
}
