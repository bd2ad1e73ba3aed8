//! The account endpoints: usage, remaining credits and alert thresholds.

use insta::assert_json_snapshot;
use lustra_tests::lustra::config::Plan;
use lustra_tests::{Builder, World, answered};
use serde_json::{Value, json};

use crate::credits::on_plan;
use crate::faults_support::on_each_kind;

fn world() -> Builder {
    on_plan(Plan {
        credits: Some(10),
        rollover: 4,
        requests_per_day: Some(1_000),
        ..Plan::default()
    })
}

#[tokio::test]
async fn usage_quota_and_history_match_the_calls() {
    on_each_kind(
        |kind| world().on(kind),
        async |world| {
            world.company(&world.icos[3], "").await;
            world.company(&world.icos[3], "").await;
            world.get("/v1/company/ico/00000001").await;
            world.get("/v1/search/ico?q=1").await;
            // The next day, through another host.
            world.advance(1);
            let neighbour = world.neighbour().await;
            neighbour.indexed().await;
            neighbour.get("/v1/search/name?q=vzorostav").await;
            let usage = world.get("/v1/account/usage").await.body;
            assert_json_snapshot!("usage", usage, { ".data.period.start" => "[when the account was opened]" });
            let quota = world.get("/v1/account/quota").await.body;
            let opened = "[when the account was opened]";
            assert_json_snapshot!("quota", quota, { ".data.grants[].effective_at" => opened });
            assert_json_snapshot!("history", world.get("/v1/account/history?days=3").await.body);
            // A month later, the unused credits have rolled over as far as the plan allows.
            world.advance(30);
            world.get("/v1/search/ico?q=1").await;
            assert_json_snapshot!("quota a month later", world.get("/v1/account/quota").await.body);
            let usage = world.get("/v1/account/usage").await;
            assert_eq!((usage.at("/data/requests_month"), usage.at("/data/credits_used")), (&json!(1), &json!(1)));
            world.verify_ledgers().await;
        },
    )
    .await;
}

#[tokio::test]
async fn history_has_a_row_per_day_within_its_bounds() {
    let world = World::new().nothing_imported().start().await;
    let days = async |query: &str| {
        let answer = world.get(&format!("/v1/account/history{query}")).await;
        (answer.status, answer.at("/data").as_array().map(Vec::len))
    };
    assert_eq!(days("").await, (200, Some(30)));
    assert_eq!(days("?days=365").await, (200, Some(365)));
    for wrong in ["?days=0", "?days=366", "?days=x", "?days=", "?day=1"] {
        assert_eq!(days(wrong).await, (422, None), "{wrong}");
    }
    world.end().await;
}

#[tokio::test]
async fn thresholds_are_set_and_read_back() {
    on_each_kind(
        |kind| World::new().nothing_imported().on(kind),
        async |world| {
            let path = "/v1/account/thresholds";
            assert_eq!(world.get(path).await.body, json!({ "thresholds": [], "emails": [] }));
            let sent = json!({ "thresholds": [100, 50, 50], "emails": ["billing@example.com", "billing@example.com"] });
            let kept = json!({ "thresholds": [50, 100], "emails": ["billing@example.com"] });
            let set = world.post(path, &sent).await;
            assert_eq!((set.status, &set.body), (200, &kept));
            assert_eq!(world.get(path).await.body, kept);
            let off = world.post(path, &json!({ "thresholds": [], "emails": [] })).await;
            assert_eq!(off.status, 200);
            assert_eq!(world.get(path).await.at("/thresholds"), &json!([]));
        },
    )
    .await;
}

#[tokio::test]
async fn wrong_thresholds_are_all_named_and_not_stored() {
    let world = World::new().nothing_imported().start().await;
    let path = "/v1/account/thresholds";
    let kept = json!({ "thresholds": [80], "emails": ["billing@example.com"] });
    world.post(path, &kept).await;
    let mut reported = serde_json::Map::new();
    for wrong in [
        json!({}),
        json!({ "thresholds": [80] }),
        json!({ "thresholds": [80], "emails": [] }),
        json!({ "thresholds": 80, "emails": "billing@example.com" }),
        json!({ "thresholds": [0, 101, 50.5, "80", null], "emails": ["no-domain", "a@b\r\nBcc: c@d.example", 7] }),
        json!({ "thresholds": [80], "emails": ["billing@example.com"], "treshold": 1 }),
        json!({ "thresholds": (1..=11).collect::<Vec<_>>(), "emails": ["billing@example.com"] }),
    ] {
        let answer = world.post(path, &wrong).await;
        assert_eq!(answer.status, 422, "{wrong}");
        reported.insert(wrong.to_string(), answer.at("/errors").clone());
    }
    assert_json_snapshot!("wrong thresholds", Value::Object(reported));
    assert_eq!(world.get(path).await.body, kept);
    let undeclared = answered(world.posting(path).body("{}")).await;
    assert_eq!(undeclared.status, 415);
    world.end().await;
}
