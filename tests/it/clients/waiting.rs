//! Retry times, as clients that wait for fresh data read them.

use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{START, World};
use serde_json::json;
use time::Duration;

use super::{asked, time_of};

#[tokio::test]
async fn fresh_data_is_ready_within_a_minute() {
    let world = World::new().start().await;
    let path = "/v1/company/ico/99999994?scope=tax,erased_vat";
    assert_eq!(
        asked(&world, &world.key, path).await.at("/meta/stale"),
        false
    );
    world.advance(40);
    let stale = asked(&world, &world.key, path).await;
    assert_eq!(
        (stale.status, stale.at("/meta/stale")),
        (200, &json!(true)),
        "{stale:?}"
    );
    let wait = time_of(&stale, "/meta/retry_at") - time_of(&stale, "/meta/profile_built_at");
    assert!(
        wait >= Duration::seconds(1) && wait <= Duration::seconds(60),
        "{wait}"
    );
    assert!(time_of(&stale, "/meta/profile_built_at") >= START + Duration::days(40));
    world.wait_idle().await;
    let fresh = asked(&world, &world.key, path).await;
    assert!(
        fresh.at("/meta/orsr_synced_at") != stale.at("/meta/orsr_synced_at"),
        "the refresh has run"
    );
    world.end().await;
}

#[tokio::test]
async fn fresh_answer_has_no_retry_time() {
    let world = World::new().start().await;
    let answer = asked(&world, &world.key, "/v1/company/ico/99999994?scope=all").await;
    assert_eq!(answer.at("/meta/stale"), false);
    assert!(
        answer.at("/meta").get("retry_at").is_none()
            && answer.at("/meta").get("stale_reason").is_none()
    );
    world.end().await;
}

#[tokio::test]
async fn register_that_is_down_is_503_with_retry_after() {
    let world = World::new().nothing_imported().start().await;
    world.fault(Register::Rpo, Fault::Down);
    world.fault(Register::Orsr, Fault::Down);
    let answer = asked(&world, &world.key, "/v1/company/ico/99999994").await;
    assert_eq!(
        (answer.status, answer.at("/error")),
        (503, &json!("service_unavailable"))
    );
    let seconds: u32 = answer
        .header("retry-after")
        .and_then(|text| text.parse().ok())
        .expect("whole seconds");
    assert!((1..=60).contains(&seconds), "{seconds}");
    world.end().await;
}
