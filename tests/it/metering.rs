//! Free requests must not reveal paid data: conditional requests, `HEAD`, and cached responses.

use lustra_tests::lustra::config::Plan;
use lustra_tests::{Answer, Builder, DatabaseKind, World};
use reqwest::Method;
use serde_json::json;

use crate::credits::on_plan;
use crate::faults_support::{RequestCounter, on_each_kind};
use crate::notifications_support::another_account;

const CREDITS: u32 = 1_000;
const SCOPE: &str = "tax,erased_vat";

fn metered(kind: DatabaseKind) -> Builder {
    let plan = Plan {
        credits: Some(CREDITS),
        watched_companies: 1_000,
        ..Plan::default()
    };
    on_plan(plan).on(kind).settings(|config| {
        // A generous budget keeps responses complete on a busy machine.
        config.freshness.live_budget_ms = 120_000;
        config.requests.timeout_seconds = 180;
    })
}

async fn balance(world: &World, key: &str) -> i64 {
    let quota = world
        .get_with("/v1/account/quota", &[("x-api-key", key)])
        .await;
    quota.at("/data/balance").as_i64().expect("it has credits")
}

/// Requests a company from the host at `url`.
async fn ask(url: &str, method: Method, key: &str, ico: &str, tag: Option<&str>) -> Answer {
    let path = format!("{url}/v1/company/ico/{ico}?scope={SCOPE}");
    let mut request = lustra_tests::client().request(method, path);
    request = request.header("x-api-key", key);
    if let Some(tag) = tag {
        request = request.header("if-none-match", tag);
    }
    lustra_tests::answered(request).await
}

fn tag_of(answer: &Answer) -> &str {
    answer.header("etag").expect("company answers have one")
}

#[tokio::test]
async fn free_requests_give_no_profile() {
    on_each_kind(metered, async |world| {
        let population = world.simulator.population();
        let icos: Vec<String> = (0..50).map(|index| population.ico(index)).collect();
        // Another account paid for them through another host, so they are stored and their ETags are known.
        let payer = another_account(world, "own").await;
        let neighbour = world.neighbour().await;
        let mut tags = Vec::new();
        for ico in &icos {
            let paid = ask(&neighbour.url(), Method::GET, &payer, ico, None).await;
            assert_eq!(paid.header("x-credits-charged"), Some("1"), "{paid:?}");
            tags.push(tag_of(&paid).to_owned());
        }
        let (url, key) = (world.url(), world.key.as_str());
        let mut profiles = 0;
        for (ico, tag) in icos.iter().zip(&tags) {
            let head = ask(&url, Method::HEAD, key, ico, None).await;
            assert_eq!((head.status, &head.body), (200, &json!("")));
            for tag in [tag.as_str(), tag_of(&head)] {
                for method in [Method::GET, Method::HEAD] {
                    let unchanged = ask(&url, method, key, ico, Some(tag)).await;
                    assert_eq!((unchanged.status, &unchanged.body), (304, &json!("")));
                }
            }
            let watched = json!({ "ico": ico, "notification_emails": ["risk@shop.example"] });
            assert_eq!(world.post("/v1/notifications", &watched).await.status, 201);
            let head = ask(&url, Method::HEAD, key, ico, Some("*")).await;
            assert_eq!(head.status, 200, "a star matches nothing");
        }
        let balance_before = balance(world, key).await;
        assert_eq!(
            balance_before,
            i64::from(CREDITS),
            "the call is not charged"
        );
        for ico in &icos {
            let answer = ask(&url, Method::GET, key, ico, Some("*")).await;
            assert_eq!(answer.at("/data/ico"), ico.as_str(), "{answer:?}");
            assert_eq!(answer.header("x-credits-charged"), Some("1"), "{ico}");
            profiles += 1;
        }
        assert_eq!(balance_before - balance(world, key).await, profiles);
        world.verify_ledgers().await;
    })
    .await;
}

#[tokio::test]
async fn batches_and_refused_calls_are_not_cached() {
    let world = metered(DatabaseKind::Sqlite).start().await;
    let ico = world.icos[3].clone();
    let batch = world.post("/v1/batch/ico", &json!({ "icos": [ico] })).await;
    assert_eq!(batch.header("x-credits-charged"), Some("1"));
    let plain = world.company(&ico, "").await;
    assert_eq!(plain.header("x-credits-charged"), Some("1"), "{plain:?}");
    // It is now cached, whichever key is requested.
    for key in [format!("ico/{ico}"), plain.at("/data/id").to_string()] {
        let answer = world.get(&format!("/v1/company/{key}")).await;
        let charged = answer.header("x-credits-charged");
        let expected = (Some("0"), &json!(true));
        assert_eq!((charged, answer.at("/meta/cached")), expected, "{key}");
    }
    world.end().await;
}

#[tokio::test]
async fn own_paid_etag_keeps_the_answer_cached() {
    let world = metered(DatabaseKind::Sqlite)
        .settings(|config| config.freshness.cache_seconds = 3_600)
        .start()
        .await;
    let path = format!("/v1/company/ico/{}", world.icos[3]);
    let paid = world.get(&path).await;
    // A day later the cache entry has expired.
    world.advance(1);
    let headers = [
        ("x-api-key", world.key.as_str()),
        ("if-none-match", tag_of(&paid)),
    ];
    let unchanged = world.get_with(&path, &headers).await;
    let charged = unchanged.header("x-credits-charged");
    assert_eq!((unchanged.status, charged), (304, Some("0")));
    let again = world.get(&path).await;
    assert_eq!(again.at("/meta/cached"), true, "{again:?}");
    assert_eq!(again.header("x-credits-charged"), Some("0"));
    world.end().await;
}

#[tokio::test]
async fn head_asks_no_register_and_costs_nothing() {
    on_each_kind(
        |kind| metered(kind).nothing_imported(),
        async |world| {
            let (url, key, ico) = (world.url(), world.key.as_str(), world.icos[3].as_str());
            let asked = RequestCounter::from_now(world);
            let unknown = ask(&url, Method::HEAD, key, ico, None).await;
            assert_eq!(unknown.status, 404, "it is not stored yet");
            assert_eq!(asked.of_all(), 0);
            let paid = world.company(ico, "").await;
            let orsr_id = paid.at("/data/orsr_id").as_str().map(str::to_owned);
            world.advance(40);
            let before = balance(world, key).await;
            let asked = RequestCounter::from_now(world);
            // All parts are stale, and the section was never fetched.
            let known = ask(&url, Method::HEAD, key, ico, None).await;
            assert_eq!((known.status, &known.body), (200, &json!("")));
            assert_eq!(known.header("content-type"), Some("application/json"));
            assert_eq!(known.header("content-length"), None);
            assert_eq!(known.header("x-credits-charged"), Some("0"));
            let id = paid.at("/data/id").to_string();
            let mut paths = vec![
                format!("/v1/company/{id}"),
                "/v1/search/name?q=vzorostav".to_owned(),
                "/v1/search/ico?q=9999".to_owned(),
                "/v1/search/advanced?city=senica".to_owned(),
                "/v1/search/autocomplete?q=vzor".to_owned(),
            ];
            paths.extend(orsr_id.map(|id| format!("/v1/company/id/{id}")));
            let headers = [("x-api-key", key)];
            for path in &paths {
                let answer = world.request(Method::HEAD, path, &headers).await;
                assert_eq!((answer.status, &answer.body), (200, &json!("")), "{path}");
                assert_eq!(answer.header("content-length"), None, "{path}");
            }
            let wrong = "/v1/search/name?q=v&x=1";
            let wrong = world.request(Method::HEAD, wrong, &headers).await;
            assert_eq!(wrong.status, 422);
            world.wait_idle().await;
            assert_eq!(asked.of_all(), 0);
            assert_eq!(balance(world, key).await, before);
        },
    )
    .await;
}
