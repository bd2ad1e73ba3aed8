//! A jump of the host's clock does not book monthly credits.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::Plan;
use lustra_tests::lustra::store::AccountId;
use lustra_tests::{Builder, DatabaseKind, Neighbour, World};
use reqwest::Method;
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::credits::on_plan;
use crate::faults_support::{on_each_kind, time_at};

const DAY: i64 = 86_400;

/// The machine's clock, set by the test.
#[derive(Clone, Default)]
struct Set(Arc<AtomicI64>);

impl Set {
    /// Sets the clock `days` ahead of the correct time.
    fn ahead(&self, days: i64) {
        self.0.store(days * DAY, Ordering::SeqCst);
    }

    fn clock(&self) -> Clock {
        let (seconds, began) = (Arc::clone(&self.0), Instant::now());
        let now =
            move || OffsetDateTime::now_utc() + Duration::seconds(seconds.load(Ordering::SeqCst));
        Clock::from_fn(now).measured_by(move || began.elapsed())
    }
}

fn credits(kind: DatabaseKind) -> Builder {
    let plan = Plan {
        credits: Some(100),
        rollover: 5,
        ..Plan::default()
    };
    on_plan(plan).on(kind)
}

async fn host(world: &World, clock: &Set) -> Neighbour {
    let host = world
        .neighbour_by(world.config().clone(), clock.clock())
        .await;
    host.indexed().await;
    host
}

/// The remaining credits after another call.
async fn charged(host: &Neighbour) -> String {
    let answer = host.get("/v1/search/ico?q=1").await;
    let left = answer.header("x-credits-remaining");
    left.unwrap_or_else(|| panic!("{answer:?}")).to_owned()
}

async fn is_trusted(host: &Neighbour) -> bool {
    let metrics = host.operator(Method::GET, "/metrics", &[]).await;
    let text = metrics.body.as_str().expect("metrics are text").to_owned();
    assert_eq!(
        text.contains("\nlustra_ledger_clock_trusted{} 1"),
        !text.contains("\nlustra_ledger_clock_trusted{} 0"),
        "{text}"
    );
    text.contains("\nlustra_ledger_clock_trusted{} 1")
}

#[tokio::test]
async fn brief_clock_jump_grants_no_credits() {
    on_each_kind(credits, async |world| {
        let clock = Set::default();
        let host = host(world, &clock).await;
        assert_eq!(
            (charged(&host).await.as_str(), is_trusted(&host).await),
            ("99", true)
        );
        clock.ahead(365);
        assert_eq!(charged(&host).await, "98");
        host.ledger
            .settle_clock()
            .await
            .expect("the store is there");
        assert_eq!(
            (charged(&host).await.as_str(), is_trusted(&host).await),
            ("97", false)
        );
        // Sweeping uses the same time.
        let none = async |_: AccountId| Ok(None);
        host.ledger.sweep(none).await.expect("the store is there");
        clock.ahead(-365);
        assert_eq!(
            (charged(&host).await.as_str(), is_trusted(&host).await),
            ("96", false)
        );
        clock.ahead(0);
        host.ledger
            .settle_clock()
            .await
            .expect("the store is there");
        assert_eq!(
            (charged(&host).await.as_str(), is_trusted(&host).await),
            ("95", true)
        );
        let quota = host.get("/v1/account/quota").await;
        assert_eq!(quota.at("/data/balance"), 95);
        let grants = quota.at("/data/grants").as_array().map(Vec::len);
        assert_eq!(grants, Some(1), "{quota:?}");
        let now = OffsetDateTime::now_utc();
        assert!(time_at(&quota, "/data/reset_monthly") < now + Duration::days(32));
        world.verify_ledgers().await;
    })
    .await;
}

#[tokio::test]
async fn clock_jump_before_first_booking_grants_no_credits() {
    let world = credits(DatabaseKind::Sqlite).start().await;
    let clock = Set::default();
    let host = host(&world, &clock).await;
    clock.ahead(365);
    assert_eq!(
        (charged(&host).await.as_str(), is_trusted(&host).await),
        ("99", false)
    );
    world.verify_ledgers().await;
}

#[tokio::test]
async fn clock_jump_needs_confirmation_without_database_clock() {
    let world = credits(DatabaseKind::Sqlite).start().await;
    let clock = Set::default();
    let host = host(&world, &clock).await;
    charged(&host).await;
    clock.ahead(40);
    assert_eq!(charged(&host).await, "98");
    let path = "/clock/confirm";
    let refused = host.operator(Method::POST, path, &[]).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(charged(&host).await, "97");
    let header = [("x-lustra-operator", "confirm-clock")];
    let confirmed = host.operator(Method::POST, path, &header).await;
    assert_eq!(
        (confirmed.status, confirmed.at("/trusted")),
        (200, &json!(true))
    );
    // The next month has begun, and five credits have rolled over.
    assert_eq!(
        (charged(&host).await.as_str(), is_trusted(&host).await),
        ("104", true)
    );
    world.verify_ledgers().await;
    world.end().await;
}

#[tokio::test]
async fn database_clock_decides_on_postgres() {
    let Some(world) = credits(DatabaseKind::Postgres).start_if_possible().await else {
        return;
    };
    let clock = Set::default();
    clock.ahead(365);
    let host = host(&world, &clock).await;
    assert_eq!(
        (charged(&host).await.as_str(), is_trusted(&host).await),
        ("99", false)
    );
    let quota = host.get("/v1/account/quota").await;
    let now = OffsetDateTime::now_utc();
    assert!(time_at(&quota, "/data/reset_monthly") < now + Duration::days(32));
    let header = [("x-lustra-operator", "confirm-clock")];
    let refused = host.operator(Method::POST, "/clock/confirm", &header).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    clock.ahead(0);
    let confirmed = host.operator(Method::POST, "/clock/confirm", &header).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    assert_eq!(
        (charged(&host).await.as_str(), is_trusted(&host).await),
        ("98", true)
    );
    world.verify_ledgers().await;
    world.end().await;
}

#[tokio::test]
async fn host_that_was_off_for_weeks_resumes() {
    let world = credits(DatabaseKind::Sqlite).start().await;
    let first = host(&world, &Set::default()).await;
    assert_eq!(charged(&first).await, "99");
    // Too long for downtime, so the clock was wrong at the start.
    let late = Set::default();
    late.ahead(400);
    let late = host(&world, &late).await;
    assert_eq!(
        (charged(&late).await.as_str(), is_trusted(&late).await),
        ("98", false)
    );
    let after_weeks = Set::default();
    after_weeks.ahead(35);
    let after_weeks = host(&world, &after_weeks).await;
    assert_eq!(
        (
            charged(&after_weeks).await.as_str(),
            is_trusted(&after_weeks).await
        ),
        ("104", true)
    );
    let confirmed = late.ledger.confirm_clock().await;
    assert!(confirmed.expect("the store is there"));
    // Twelve months with five unused credits each.
    assert_eq!(
        (charged(&late).await.as_str(), is_trusted(&late).await),
        ("114", true)
    );
    world.verify_ledgers().await;
    world.end().await;
}
