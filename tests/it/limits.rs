//! Rate limits of plans.

use insta::assert_json_snapshot;
use lustra_tests::lustra::config::Plan;
use lustra_tests::{Answer, World};
use reqwest::Method;
use serde_json::json;

use crate::credits::on_plan;
use crate::faults_support::on_each_kind;
use crate::support::shown;

fn limited(minute: Option<u32>, day: Option<u32>) -> lustra_tests::Builder {
    on_plan(Plan {
        requests_per_minute: minute,
        requests_per_day: day,
        ..Plan::default()
    })
}

fn reported(answer: &Answer) -> [Option<&str>; 4] {
    [
        "limit-minute",
        "remaining-minute",
        "limit-daily",
        "remaining-daily",
    ]
    .map(|name| answer.header(&format!("x-ratelimit-{name}")))
}

#[tokio::test]
async fn plan_without_limits_has_no_limit_headers() {
    let world = World::new().start().await;
    for path in [
        "/v1/account/quota",
        "/v1/search/ico?q=1",
        "/v1/company/ico/1",
    ] {
        assert_eq!(reported(&world.get(path).await), [None; 4], "{path}");
    }
    world.end().await;
}

#[tokio::test]
async fn lookups_above_the_daily_limit_are_refused() {
    on_each_kind(
        |kind| {
            limited(None, Some(4))
                .settings(|config| {
                    // Minutes pass uncontrolled during a test; the clock of the day is set by the test.
                    let plan = config.plans.get_mut("own").expect("it was put there");
                    plan.requests_per_minute = Some(1_000);
                })
                .on(kind)
        },
        async |world| {
            let neighbour = world.neighbour().await;
            neighbour.indexed().await;
            let first = world.get("/v1/search/ico?q=1").await;
            assert_eq!(reported(&first)[2..], [Some("4"), Some("3")]);
            assert!(
                reported(&first)[0] == Some("1000") && reported(&first)[1].is_some(),
                "{first:?}"
            );
            let quota = world.get("/v1/account/quota").await;
            assert_eq!(
                (quota.at("/data/remaining_daily"), reported(&quota)),
                (&json!(3), [None; 4])
            );
            assert_eq!(
                reported(&neighbour.get("/v1/company/ico/1").await)[3],
                Some("2"),
                "an error has them too"
            );
            let head = [("x-api-key", world.key.as_str())];
            let head = world
                .request(Method::HEAD, "/v1/search/ico?q=1", &head)
                .await;
            assert_eq!(reported(&head)[3], Some("1"));
            assert_eq!(
                reported(&neighbour.get("/v1/search/ico?q=1").await)[3],
                Some("0")
            );
            let refused = world.get("/v1/search/ico?q=1").await;
            assert_eq!((refused.status, reported(&refused)[3]), (429, Some("0")));
            assert!(
                refused
                    .header("retry-after")
                    .and_then(|seconds| seconds.parse::<u64>().ok())
                    .is_some_and(|seconds| (1..=86_400).contains(&seconds))
            );
            assert_eq!(neighbour.get("/v1/account/usage").await.status, 200);
            assert_eq!(world.get("/v1/status").await.status, 200, "public");
            world.advance(1);
            assert_eq!(
                reported(&world.get("/v1/search/ico?q=1").await)[3],
                Some("3")
            );
        },
    )
    .await;
}

#[tokio::test]
async fn other_calls_do_not_use_the_daily_limit() {
    on_each_kind(
        |kind| limited(None, Some(5)).on(kind),
        async |world| {
            let wrong = json!({ "icos": ["1"] });
            let batch = json!({ "icos": [world.icos[3]] });
            for _ in 0..10 {
                for path in [
                    "/v1/account/usage",
                    "/v1/account/quota",
                    "/v1/account/history",
                    "/v1/account/thresholds",
                    "/v1/notifications",
                    "/v1/notifications/sub_1/deliveries",
                    "/v1/batch/3fa85f64-5717-4562-b3fc-2c963f66afa6/status",
                ] {
                    let status = world.get(path).await.status;
                    assert!([200, 404].contains(&status), "{path}: {status}");
                }
            }
            // Five look-ups of each kind, including errors. Each counts once in the limits and in the usage.
            assert_eq!(world.company(&world.icos[3], "").await.status, 200);
            assert_eq!(world.get("/v1/company/ico/1").await.status, 422);
            assert_eq!(world.get("/v1/search/ico?q=x").await.status, 422);
            assert_eq!(world.post("/v1/batch/ico", &wrong).await.status, 422);
            assert_eq!(world.post("/v1/batch/ico", &batch).await.status, 200);
            assert_eq!(world.get("/v1/search/ico?q=1").await.status, 429);
            let usage = world.get("/v1/account/usage").await;
            assert_eq!(usage.at("/data/requests_today"), 5, "{usage:?}");
            let quota = world.get("/v1/account/quota").await;
            assert_eq!(quota.at("/data/remaining_daily"), 0);
        },
    )
    .await;
}

#[tokio::test]
async fn other_calls_have_their_own_limit() {
    let world = limited(None, Some(3))
        .settings(|config| config.requests.other_calls_per_minute = 5)
        .start()
        .await;
    // A minute may end between two requests, but not twice in a row.
    let mut refused = None;
    for _ in 0..12 {
        let answer = world.get("/v1/account/quota").await;
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("five in a minute");
    assert_eq!(refused.at("/error"), "rate_limit_exceeded");
    let wait = refused.header("retry-after").expect("it says when");
    let wait: u64 = wait.parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    for _ in 0..3 {
        assert_eq!(world.get("/v1/search/ico?q=1").await.status, 200);
    }
    world.end().await;
}

#[tokio::test]
async fn minute_limit_is_429_with_retry_after() {
    let world = limited(Some(1), None).start().await;
    // A minute may end between two requests, but not twice in a row.
    let mut refused = None;
    for _ in 0..3 {
        let answer = world.get("/v1/search/ico?q=1").await;
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("one a minute");
    assert_eq!(reported(&refused), [Some("1"), Some("0"), None, None]);
    let wait = refused
        .header("retry-after")
        .expect("it says when")
        .parse::<u64>()
        .expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    let mut shown = shown(&refused);
    shown["body"]["message"] = shown["body"]["message"]
        .as_str()
        .expect("a text")
        .replace(&wait.to_string(), "[seconds]")
        .into();
    shown["headers"]["retry-after"] = "[seconds]".into();
    assert_json_snapshot!("too many requests", shown);
    world.end().await;
}

#[tokio::test]
async fn rate_limit_holds_across_hosts() {
    on_each_kind(
        |kind| limited(None, Some(50)).on(kind),
        async |world| {
            let neighbour = world.neighbour().await;
            neighbour.indexed().await;
            let asking = (0..120).map(async |number: u32| {
                let path = "/v1/search/ico?q=1";
                let answer = if number.is_multiple_of(2) {
                    world.get(path).await
                } else {
                    neighbour.get(path).await
                };
                answer.status
            });
            let statuses = futures_util::future::join_all(asking).await;
            let count = |status: u16| statuses.iter().filter(|one| **one == status).count();
            assert_eq!((count(200), count(429)), (50, 70));
        },
    )
    .await;
}
