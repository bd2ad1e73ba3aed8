//! Connectors whose requests must not be, or whose registers are hostile: each costs its own section and no more.

use lustra_tests::register_simulator::{Fault, Register};

use crate::faults_support::Asked;
use crate::guest_support::{assert_contained, world_with};

#[tokio::test]
async fn requests_that_were_not_granted_are_refused() {
    let world = world_with("guest-network").await;
    world.fault(Register::OperatorFiles, Fault::RedirectAway);
    let elsewhere = "redirect to http://127.0.0.1:9 not granted";
    assert_contained(
        &world,
        "guest-network",
        "network_redirect",
        "limit",
        elsewhere,
    )
    .await;
    let unnamed = "the manifest names no upstream another-register";
    assert_contained(&world, "guest-network", "network_unnamed", "limit", unnamed).await;
    world.end().await;
}

#[tokio::test]
async fn of_a_hundred_thousand_requests_the_register_sees_as_many_as_are_allowed() {
    let world = world_with("guest-network").await;
    let asked = Asked::from_now(&world);
    assert_contained(&world, "guest-network", "network_flood", "limit", "limit").await;
    assert_eq!(asked.of(Register::OperatorFiles), 20);
    world.end().await;
}
