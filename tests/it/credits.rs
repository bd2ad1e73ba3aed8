//! Credits: the cost of calls, and calls without credits.

mod concurrent;

use insta::assert_json_snapshot;
use lustra_tests::lustra::billing::account_ledger::NewGrant;
use lustra_tests::lustra::billing::operator;
use lustra_tests::lustra::config::{Config, Plan};
use lustra_tests::lustra::store::GrantKind;
use lustra_tests::{Answer, Builder, World};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::support::shown;

/// A world whose account gets this many credits a month.
fn with_credits(credits: u32) -> Builder {
    on_plan(Plan {
        credits: Some(credits),
        rollover: 5,
        overage: true,
        ..Plan::default()
    })
}

pub fn on_plan(plan: Plan) -> Builder {
    let set = move |config: &mut Config| {
        config.plans.insert("own".to_owned(), plan);
    };
    World::new().plan("own").settings(set)
}

/// The cost and the remaining credits in a response.
fn cost(answer: &Answer) -> (u16, Option<&str>, Option<&str>) {
    let header = |name| answer.header(name);
    (
        answer.status,
        header("x-credits-charged"),
        header("x-credits-remaining"),
    )
}

async fn balance(world: &World) -> i64 {
    let quota = world.get("/v1/account/quota").await;
    quota
        .at("/data/balance")
        .as_i64()
        .expect("a plan with credits")
}

#[tokio::test]
async fn call_costs_one_credit_and_cached_answer_none() {
    on_each_kind(
        |kind| with_credits(100).on(kind),
        async |world| {
            let ico = world.icos[3].clone();
            assert_eq!(
                cost(&world.company(&ico, "").await),
                (200, Some("1"), Some("99"))
            );
            let again = world.company(&ico, "").await;
            assert_eq!(again.at("/meta/cached"), true);
            assert_eq!(cost(&again), (200, Some("0"), None));
            let id = again.at("/data/id").to_string();
            for (path, charged) in [
                ("/v1/search/autocomplete?q=vzor".to_owned(), "98"),
                ("/v1/search/name?q=vzorostav".to_owned(), "97"),
                ("/v1/search/ico?q=9999".to_owned(), "96"),
                ("/v1/search/advanced?city=senica".to_owned(), "95"),
            ] {
                assert_eq!(
                    cost(&world.get(&path).await),
                    (200, Some("1"), Some(charged)),
                    "{path}"
                );
            }
            let by_id = world.get(&format!("/v1/company/{id}")).await;
            assert_eq!(cost(&by_id), (200, Some("0"), None));
            let batch = world
                .post("/v1/batch/ico", &json!({ "icos": [ico, "00000002"] }))
                .await;
            assert_eq!(
                cost(&batch),
                (200, Some("1"), Some("94")),
                "a batch is one call"
            );
            let names = world
                .post("/v1/batch/names", &json!({ "names": ["Vzorostav"] }))
                .await;
            assert_eq!(cost(&names), (200, Some("1"), Some("93")));
            assert_eq!(balance(world).await, 93);
            world.verify_ledgers().await;
        },
    )
    .await;
}

#[tokio::test]
async fn failed_calls_cost_nothing() {
    let world = with_credits(100)
        .settings(|config| config.freshness.cache_seconds = 0)
        .start()
        .await;
    let ico = world.icos[3].clone();
    let first = world.company(&ico, "").await;
    let etag = first
        .header("etag")
        .expect("company answers have one")
        .to_owned();
    let batch = world.post("/v1/batch/ico", &json!({ "icos": [ico] })).await;
    let id = batch
        .at("/meta/batch_id")
        .as_str()
        .expect("a batch has one")
        .to_owned();
    assert_eq!(balance(&world).await, 98);
    let key = world.key.clone();
    let path = format!("/v1/company/ico/{ico}");
    let unchanged = world
        .get_with(&path, &[("x-api-key", &key), ("if-none-match", &etag)])
        .await;
    assert_eq!(cost(&unchanged), (304, Some("0"), None));
    for (path, status) in [
        ("/v1/company/ico/1", 422),
        ("/v1/company/ico/00000001", 404),
        ("/v1/company/999999", 404),
        ("/v1/search/name?q=a", 422),
        ("/v1/account/usage", 200),
        ("/v1/account/quota", 200),
        ("/v1/account/history", 200),
        ("/v1/account/thresholds", 200),
        ("/v1/status", 200),
        ("/v1/sandbox/companies", 200),
        (&format!("/v1/batch/{id}/status"), 200),
        (&format!("/v1/batch/{id}/results"), 200),
    ] {
        let answer = world.get(path).await;
        assert_eq!(
            (answer.status, answer.header("x-credits-charged")),
            (status, None),
            "{path}"
        );
    }
    let wrong = world.post("/v1/batch/ico", &json!({ "icos": ["1"] })).await;
    assert_eq!(cost(&wrong), (422, None, None));
    assert_eq!(balance(&world).await, 98);
    world.end().await;
}

#[tokio::test]
async fn charged_call_without_credits_is_refused() {
    on_each_kind(
        |kind| with_credits(2).on(kind),
        async |world| {
            let ico = world.icos[3].clone();
            world.company(&ico, "").await;
            assert_eq!(
                cost(&world.get("/v1/search/ico?q=1").await),
                (200, Some("1"), Some("0"))
            );
            let refused = world.get("/v1/search/ico?q=1").await;
            assert_eq!(cost(&refused), (402, Some("0"), Some("0")));
            assert_json_snapshot!("without credits", shown(&refused));
            assert_eq!(world.company(&world.icos[0], "").await.status, 402);
            let batch = world.post("/v1/batch/ico", &json!({ "icos": [ico] })).await;
            assert_eq!(batch.status, 402);
            let remembered = world.company(&ico, "").await;
            assert_eq!(
                cost(&remembered),
                (200, Some("0"), None),
                "a free call is answered"
            );
            assert_eq!(
                world.get("/v1/search/ico?q=x").await.status,
                422,
                "invalid parameters are reported first"
            );
            // What the client has already costs nothing, also when it left the cache.
            let tag = remembered.header("etag").expect("a tag").to_owned();
            world.advance(1);
            let path = format!("/v1/company/ico/{ico}");
            let key = world.key.clone();
            for (sent, expected) in [
                (tag.as_str(), (304, Some("0"), Some("0"))),
                ("W/\"other\"", (402, Some("0"), Some("0"))),
            ] {
                let headers = [("x-api-key", key.as_str()), ("if-none-match", sent)];
                let answer = world.get_with(&path, &headers).await;
                assert_eq!(cost(&answer), expected, "{answer:?}");
            }
            assert_eq!(world.get("/v1/account/quota").await.status, 200);
            world.verify_ledgers().await;
        },
    )
    .await;
}

#[tokio::test]
async fn added_credits_count_at_once_and_plan_renews_monthly() {
    on_each_kind(
        |kind| with_credits(1).on(kind),
        async |world| {
            let search = "/v1/search/ico?q=1";
            assert_eq!(world.get(search).await.status, 200);
            assert_eq!(world.get(search).await.status, 402);
            let new = NewGrant {
                kind: GrantKind::Purchase,
                credits: 1,
                expires_at: None,
                source: "grant:INV-1".to_owned(),
                about: "an invoice".to_owned(),
            };
            let customer = world.customer().await;
            let granted = operator::grant(&world.store, &customer, &new, world.now()).await;
            assert!(granted.expect("the store is there"));
            assert_eq!(cost(&world.get(search).await), (200, Some("1"), Some("0")));
            assert_eq!(world.get(search).await.status, 402);
            world.advance(31);
            assert_eq!(cost(&world.get(search).await), (200, Some("1"), Some("0")));
            assert_eq!(world.get(search).await.status, 402);
            world.verify_ledgers().await;
        },
    )
    .await;
}

#[tokio::test]
async fn overage_allows_calls_beyond_the_credits() {
    let world = with_credits(1).start().await;
    let search = "/v1/search/ico?q=1";
    world.get(search).await;
    assert_eq!(world.get(search).await.status, 402);
    let account = world.account().await.id;
    world
        .store
        .keys()
        .set_overage(account, true)
        .await
        .expect("the store is there");
    let key = world.new_key().await;
    for _ in 0..3 {
        let beyond = world.get_with(search, &[("x-api-key", &key)]).await;
        assert_eq!(cost(&beyond), (200, Some("0"), Some("0")));
        assert_eq!(beyond.header("x-credits-overage"), Some("1"));
    }
    let quota = world
        .get_with("/v1/account/quota", &[("x-api-key", &key)])
        .await;
    assert_eq!(
        quota.at("/data/overage"),
        &json!({ "allowed": true, "enabled": true, "used": 3 })
    );
    assert_eq!(quota.at("/data/balance"), 0);
    world.verify_ledgers().await;
    world.end().await;
}

#[tokio::test]
async fn quota_plan_reports_calls_instead_of_credits() {
    let world = on_plan(Plan {
        quota: Some(2),
        ..Plan::default()
    })
    .start()
    .await;
    let search = "/v1/search/ico?q=1";
    let first = world.get(search).await;
    assert_eq!(cost(&first), (200, None, None));
    assert!(
        first
            .headers
            .iter()
            .all(|(name, _)| !name.starts_with("x-ratelimit"))
    );
    world.get(search).await;
    assert_json_snapshot!("without quota", shown(&world.get(search).await));
    let quota = world.get("/v1/account/quota").await;
    assert_eq!(quota.at("/data/remaining_monthly"), 0);
    assert_eq!(
        (quota.at("/data/balance"), quota.at("/data/grants")),
        (&Value::Null, &json!([]))
    );
    let usage = world.get("/v1/account/usage").await;
    assert_eq!(
        (
            usage.at("/data/limit_monthly"),
            usage.at("/data/limit_daily")
        ),
        (&json!(2), &Value::Null)
    );
    world.advance(31);
    assert_eq!(world.get(search).await.status, 200);
    assert_eq!(
        world
            .get("/v1/account/quota")
            .await
            .at("/data/remaining_monthly"),
        1,
        "nothing rolls over"
    );
    world.end().await;
}

#[tokio::test]
async fn plan_without_credits_or_quota_is_not_metered() {
    let world = on_plan(Plan::default()).start().await;
    for _ in 0..3 {
        assert_eq!(
            cost(&world.get("/v1/search/ico?q=1").await),
            (200, None, None)
        );
    }
    let quota = world.get("/v1/account/quota").await;
    assert_eq!(
        (
            quota.at("/data/metering"),
            quota.at("/data/remaining_monthly")
        ),
        (&json!("unmetered"), &Value::Null)
    );
    let usage = world.get("/v1/account/usage").await;
    assert_eq!(
        (
            usage.at("/data/requests_month"),
            usage.at("/data/credits_used")
        ),
        (&json!(3), &json!(0))
    );
    world.end().await;
}

#[tokio::test]
async fn plan_change_starts_new_period_and_keeps_rollover() {
    let world = with_credits(10);
    let world = world.settings(|config| {
        let plan = Plan {
            credits: Some(20),
            ..Plan::default()
        };
        config.plans.insert("larger".to_owned(), plan);
    });
    let world = world.start().await;
    world.get("/v1/search/ico?q=1").await;
    let account = world.account().await.id;
    assert!(
        world
            .store
            .keys()
            .change_plan(account, "larger")
            .await
            .expect("the store is there")
    );
    let key = world.new_key().await;
    let answer = world
        .get_with("/v1/search/ico?q=1", &[("x-api-key", &key)])
        .await;
    // Five of nine credits roll over. The month's credits expire earlier and are used first.
    assert_eq!(cost(&answer), (200, Some("1"), Some("24")));
    // The key is still cached with the previous plan; this must not restore that plan.
    assert_eq!(
        cost(&world.get("/v1/search/ico?q=1").await),
        (200, Some("1"), Some("23"))
    );
    let quota = world
        .get_with("/v1/account/quota", &[("x-api-key", &key)])
        .await;
    assert_eq!(quota.at("/data/plan"), "larger");
    let kinds: Vec<&Value> = quota
        .at("/data/grants")
        .as_array()
        .expect("a list")
        .iter()
        .map(|grant| &grant["kind"])
        .collect();
    assert_eq!(kinds, ["plan", "rollover"]);
    world.verify_ledgers().await;
    world.end().await;
}
