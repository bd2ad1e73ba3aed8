//! People, ledger and plan of an account through the API.

use lustra_tests::lustra::config::{Config, Plan};
use lustra_tests::{Builder, DatabaseKind, World};
use reqwest::Method;
use serde_json::{Value, json};

use crate::credits::on_plan;
use crate::faults_support::on_each_kind;
use crate::notifications_support::{another_account, get_as};
use crate::owner_keys::{managing_key, send};
use crate::support::keys;

const MEMBERS: &str = "/v1/account/members";
const LEDGER: &str = "/v1/account/ledger";

fn with_credits(kind: DatabaseKind) -> Builder {
    let plan = Plan {
        credits: Some(10),
        ..Plan::default()
    };
    on_plan(plan).on(kind)
}

#[tokio::test]
async fn members_are_invited_changed_and_removed() {
    on_each_kind(with_credits, async |world| {
        let (url, manager) = (world.url(), managing_key(world).await);
        let eva = json!({ "email": "Eva@shop.example", "name": "Eva Malá", "role": "owner" });
        let invited = send(&url, &manager, Method::POST, MEMBERS, &eva).await;
        assert_eq!(invited.status, 201, "{invited:?}");
        assert_eq!(invited.at("/email"), "eva@shop.example");
        assert_eq!(invited.at("/state"), "invited");
        let again = send(&url, &manager, Method::POST, MEMBERS, &eva).await;
        assert_eq!((again.status, &again.body), (200, &invited.body));
        let as_reader = json!({ "email": "eva@shop.example", "name": "Eva Malá", "role": "read" });
        let taken = send(&url, &manager, Method::POST, MEMBERS, &as_reader).await;
        assert_eq!(keys(taken.at("/errors")), ["email"]);
        let path = format!("{MEMBERS}/{}", invited.at("/id"));
        let demoted = send(
            &url,
            &manager,
            Method::PATCH,
            &path,
            &json!({ "role": "read" }),
        )
        .await;
        assert_eq!(
            keys(demoted.at("/errors")),
            ["role"],
            "the last owner: {demoted:?}"
        );
        let removed = send(&url, &manager, Method::DELETE, &path, &json!({})).await;
        assert_eq!(keys(removed.at("/errors")), ["member_id"]);
        let jan = json!({ "email": "jan@shop.example", "name": "Ján", "role": "owner" });
        send(&url, &manager, Method::POST, MEMBERS, &jan).await;
        let renamed = json!({ "name": "Eva", "role": "billing" });
        let changed = send(&url, &manager, Method::PATCH, &path, &renamed).await;
        assert_eq!(
            (changed.at("/name"), changed.at("/role")),
            (&json!("Eva"), &json!("billing"))
        );
        // Another account sees and changes nothing.
        let others = another_account(world, "own").await;
        assert_eq!(get_as(world, &others, MEMBERS).await.status, 403);
        let removed = send(&url, &manager, Method::DELETE, &path, &json!({})).await;
        assert_eq!(removed.status, 200, "{removed:?}");
        let listed = get_as(world, &manager, MEMBERS).await;
        assert_eq!(listed.at("/meta/total"), 1, "{listed:?}");
        let wrong = json!({ "email": "x", "role": "boss", "age": 1 });
        let refused = send(&url, &manager, Method::POST, MEMBERS, &wrong).await;
        assert_eq!(
            keys(refused.at("/errors")),
            ["age", "email", "name", "role"]
        );
    })
    .await;
}

#[tokio::test]
async fn ledger_pages_and_csv_have_every_entry() {
    on_each_kind(with_credits, async |world| {
        for text in ["1", "2", "9"] {
            let search = format!("/v1/search/ico?q={text}");
            assert_eq!(world.get(&search).await.status, 200);
        }
        let (mut seen, mut query) = (Vec::new(), "?limit=2".to_owned());
        loop {
            let page = world.get(&format!("{LEDGER}{query}")).await;
            assert_eq!(page.status, 200, "{page:?}");
            seen.extend(page.at("/data").as_array().expect("a list").clone());
            let Some(cursor) = page.at("/meta/next_cursor").as_str() else {
                break;
            };
            query = format!("?limit=2&cursor={cursor}");
        }
        let numbers: Vec<_> = seen
            .iter()
            .filter_map(|entry| entry["entry"].as_i64())
            .collect();
        assert_eq!(numbers, [4, 3, 2, 1], "newest first");
        assert_eq!(seen[0]["kind"], "charge");
        assert_eq!(
            (&seen[0]["amount"], &seen[0]["balance"]),
            (&json!(-1), &json!(7))
        );
        assert!(seen[0]["grant"]["expires_at"].is_string(), "{:?}", seen[0]);
        for (path, accept) in [
            (LEDGER, "text/csv"),
            ("/v1/account/ledger?format=csv", "*/*"),
        ] {
            let headers = [("x-api-key", world.key.as_str()), ("accept", accept)];
            let file = world.get_with(path, &headers).await;
            let kind = file.header("content-type").unwrap_or_default();
            assert!(kind.starts_with("text/csv"), "{file:?}");
            let table = file.body.as_str().expect("a text");
            let lines: Vec<&str> = table.split_terminator("\r\n").collect();
            assert_eq!(lines.len(), 5, "{table}");
            assert!(lines[0].starts_with("entry,booked_at,kind,amount,balance,grant"));
            assert!(lines[1].starts_with("1,") && lines[4].contains(",charge,-1,7,1,plan,10,"));
        }
        for wrong in ["?cursor=x", "?limit=0", "?limit=1001", "?format=xlsx"] {
            assert_eq!(
                world.get(&format!("{LEDGER}{wrong}")).await.status,
                422,
                "{wrong}"
            );
        }
        let others = another_account(world, "own").await;
        let foreign = get_as(world, &others, LEDGER).await;
        assert_eq!(foreign.at("/data"), &json!([]), "{foreign:?}");
    })
    .await;
}

fn with_quota(kind: DatabaseKind) -> Builder {
    let set = |config: &mut Config| {
        let quota = Plan {
            quota: Some(5),
            credits_plan: Some("new".to_owned()),
            ..Plan::default()
        };
        let credits = Plan {
            credits: Some(20),
            ..Plan::default()
        };
        config.plans.insert("old".to_owned(), quota);
        config.plans.insert("new".to_owned(), credits);
    };
    World::new().plan("old").settings(set).on(kind)
}

#[tokio::test]
async fn owner_moves_from_quota_to_credits_once() {
    on_each_kind(with_quota, async |world| {
        let (url, manager) = (world.url(), managing_key(world).await);
        assert_eq!(world.get("/v1/search/ico?q=1").await.status, 200);
        let plan = world.get("/v1/account/plan").await;
        assert_eq!(plan.at("/data/metering"), "quota", "{plan:?}");
        assert_eq!(
            (plan.at("/data/monthly"), plan.at("/credits_plan/monthly")),
            (&json!(5), &json!(20))
        );
        let path = "/v1/account/plan/credits";
        for other in ["enterprise", "nothing", "old"] {
            let refused = send(
                &url,
                &manager,
                Method::POST,
                path,
                &json!({ "plan": other }),
            )
            .await;
            assert_eq!(
                keys(refused.at("/errors")),
                ["plan"],
                "{other}: {refused:?}"
            );
        }
        // Two hosts move the account at once: it happens once.
        let neighbour = world.neighbour().await;
        let (other, wanted) = (neighbour.url(), json!({ "plan": "new" }));
        let (one, two) = tokio::join!(
            send(&url, &manager, Method::POST, path, &wanted),
            send(&other, &manager, Method::POST, path, &wanted),
        );
        let changed = [&one, &two].map(|answer| {
            assert_eq!(
                (answer.status, answer.at("/balance")),
                (200, &json!(20)),
                "{answer:?}"
            );
            answer.at("/changed") == true
        });
        assert_ne!(changed[0], changed[1]);
        let moved = get_as(world, &world.new_key().await, "/v1/account/plan").await;
        assert_eq!(moved.at("/data/metering"), "credits", "{moved:?}");
        assert_eq!(moved.at("/credits_plan"), &Value::Null);
        let again = send(&url, &manager, Method::POST, path, &wanted).await;
        assert_eq!(again.at("/changed"), false, "{again:?}");
        world.verify_ledgers().await;
    })
    .await;
}

#[tokio::test]
async fn owner_cannot_leave_a_plan_without_an_offer() {
    let world = with_credits(DatabaseKind::Sqlite).start().await;
    let (url, manager) = (world.url(), managing_key(&world).await);
    let body = json!({ "plan": "enterprise" });
    let refused = send(
        &url,
        &manager,
        Method::POST,
        "/v1/account/plan/credits",
        &body,
    )
    .await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(world.account().await.plan, "own");
    world.end().await;
}
