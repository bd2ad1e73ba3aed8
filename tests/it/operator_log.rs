//! The operator's audit log, the check of the ledger and the plots of queues.

use lustra_tests::lustra::context::Context;
use lustra_tests::lustra::operator::QueueRecorder;
use lustra_tests::lustra::store::{ActionResult, NewOperatorAction, OperatorAction};
use lustra_tests::{Builder, DatabaseKind, World};
use reqwest::Method;

use crate::account_support::Visitor;
use crate::faults_support::on_each_kind;
use crate::workers::until;

const HEADER: (&str, &str) = ("x-lustra-operator", "test");

fn small(kind: DatabaseKind) -> Builder {
    let world = World::new().on(kind).companies(12).nothing_imported();
    world.connectors(&["orsr"]).without_index()
}

fn visitor(world: &World) -> Visitor {
    Visitor::at(world.operator_url())
}

#[tokio::test]
async fn actions_of_pages_and_calls_are_in_the_log() {
    let world = small(DatabaseKind::Sqlite).start().await;
    let visitor = visitor(&world);
    for (path, expected) in [
        ("/actions/workers/disk", 303),
        ("/actions/workers/nothing", 404),
        ("/actions/reload", 200),
    ] {
        let answer = visitor.post(path, &[]).await;
        assert_eq!(answer.status, expected, "{path}: {answer:?}");
    }
    let unknown = "/connectors/nothing/take-back";
    world.operator(Method::POST, unknown, &[HEADER]).await;
    let log = visitor.page("/audit").await;
    for text in [
        "127.0.0.1",
        "restart of a worker",
        "disk",
        "reload",
        "version taken back",
        "refused",
    ] {
        assert!(log.contains(text), "{text}: {log}");
    }
    let csv = visitor.get("/audit.csv").await;
    let lines: Vec<&str> = csv.body.as_str().expect("a text").lines().collect();
    assert_eq!(lines[0], "time,actor,action,object,result,details");
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(
        lines[1].contains("version.take_back,nothing,refused"),
        "{lines:?}"
    );
    assert!(lines[4].contains("worker.restart,disk,done"), "{lines:?}");
    world.end().await;
}

#[tokio::test]
async fn log_is_shown_page_by_page() {
    on_each_kind(small, async |world| {
        for number in 0..60 {
            let action = NewOperatorAction {
                actor: "cli",
                action: OperatorAction::CreateAccount,
                object: &format!("=account-{number}-"),
                result: ActionResult::Done,
                about: "<b>free</b>",
            };
            let actions = world.store.operator_actions();
            let recorded = actions.record(action, world.now()).await;
            recorded.expect("the store is there");
        }
        let visitor = visitor(world);
        let first = visitor.page("/audit").await;
        assert!(first.contains("=account-59-") && first.contains("=account-10-"));
        assert!(!first.contains("=account-9-") && !first.contains("<b>free"));
        let next = first.split("/audit?before=").nth(1).expect("another page");
        let next = next.split('"').next().unwrap_or_default();
        let second = visitor.page(&format!("/audit?before={next}")).await;
        assert!(second.contains("=account-9-") && second.contains("=account-0-"));
        assert!(!second.contains("/audit?before="), "it is the last page");
        let csv = visitor.get("/audit.csv").await;
        let csv = csv.body.as_str().expect("a text");
        assert_eq!(csv.lines().count(), 61);
        assert!(csv.contains("'=account-0-"), "cells are not calculated");
    })
    .await;
}

#[tokio::test]
async fn ledger_is_verified_from_the_page() {
    on_each_kind(small, async |world| {
        let visitor = visitor(world);
        assert!(
            visitor
                .page("/ledger")
                .await
                .contains("not checked from here yet")
        );
        world
            .get(&format!("/v1/company/ico/{}", world.icos[0]))
            .await;
        let started = visitor.post("/actions/ledger", &[]).await;
        assert_eq!(started.status, 303, "{started:?}");
        let shown = until(
            || visitor.page("/ledger"),
            |page| !page.contains("data-live"),
        )
        .await;
        assert!(shown.contains("All balances are right"), "{shown}");
        let check = world.store.ledger_checks().newest().await;
        let check = check.expect("the store is there").expect("a check");
        assert_eq!((check.checked, check.planned), (1, 1), "{check:?}");
        assert!(
            check.entries > 0 && check.finished_at.is_some(),
            "{check:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn queues_are_sampled_once_by_all_hosts() {
    on_each_kind(small, async |world| {
        let visitor = visitor(world);
        assert!(visitor.page("/").await.contains("not counted so far"));
        let context = Context::new(world.store.clone(), world.clock(), world.config());
        let [one, other] =
            ["one", "other"].map(|host| QueueRecorder::new(context.clone(), host.to_owned()));
        assert!(one.step().await.expect("the store is there"));
        assert!(!one.step().await.expect("the store is there"));
        assert!(!other.step().await.expect("the store is there"));
        let overview = visitor.page("/").await;
        assert_eq!(overview.matches("<polyline").count(), 4, "{overview}");
        world.advance(2);
        assert!(visitor.page("/").await.contains("not counted so far"));
        assert!(other.step().await.expect("the store is there"));
        let samples = world.store.queue_samples();
        let kept = samples
            .since(world.now() - std::time::Duration::from_hours(72))
            .await;
        assert_eq!(
            kept.expect("the store is there").len(),
            1,
            "old ones are gone"
        );
    })
    .await;
}
