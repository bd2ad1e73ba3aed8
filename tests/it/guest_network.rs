//! Connectors with forbidden requests or hostile registers: each affects only its own section.

use lustra_tests::lustra::config::{ConnectorConfig, LimitsConfig};
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Rogue, World};

use crate::faults_support::{RequestCounter, dataset};
use crate::guest_support::{assert_contained, assert_others_operational, world_where, world_with};

/// Points a misbehaving connector at a hostile register, with the given grants.
fn point(connector: &mut ConnectorConfig, address: String, grant: String) {
    connector
        .upstreams
        .entry("register".to_owned())
        .or_default()
        .address = Some(address);
    connector.grants = vec![grant];
}

/// A world whose connector sends all kinds of requests to a hostile register, under these limits.
async fn world_against(rogue: &Rogue, limits: LimitsConfig) -> World {
    let url = rogue.url();
    world_where("guest-network", move |connector| {
        point(connector, format!("{url}/base"), url);
        connector.limits = limits;
    })
    .await
}

#[tokio::test]
async fn ungranted_requests_are_refused() {
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
async fn describe_reaches_no_granted_register() {
    let rogue = Rogue::start().await;
    let world = world_against(&rogue, LimitsConfig::default()).await;
    let connectors = world.importer.companies().connectors().catalogue();
    let guest = &connectors.entries["guest-network"];
    assert!(guest.serving().is_some(), "{:?}", guest.rejected);
    assert_eq!(rogue.requests(), 0);
    world.end().await;
}

#[tokio::test]
async fn request_flood_is_cut_to_the_call_limit() {
    let world = world_with("guest-network").await;
    let asked = RequestCounter::from_now(&world);
    assert_contained(&world, "guest-network", "network_flood", "limit", "limit").await;
    assert_eq!(asked.of(Register::OperatorFiles), 20);
    world.end().await;
}

#[tokio::test]
async fn oversized_register_answer_affects_one_section() {
    let rogue = Rogue::start().await;
    let limits = LimitsConfig {
        body_mib: Some(3),
        bytes_mib: Some(5),
        piece_mib: Some(1),
        archive_entries: Some(299),
        redirects: Some(3),
        ..LimitsConfig::default()
    };
    let world = world_against(&rogue, limits).await;
    for (scope, why) in [
        ("network_body", "refused: body: limit 3145728"),
        ("network_bytes", "refused: bytes: limit 5242880"),
        ("network_piece", "refused: piece: limit 1048576"),
    ] {
        assert_contained(&world, "guest-network", scope, "limit", why).await;
    }
    // Five of these in a row would open the connector's circuit.
    assert_eq!(
        world
            .company(&world.icos[2], "network_not")
            .await
            .at("/data/network_not/fine"),
        true
    );
    let ratio = "refused: archive_ratio: unpacked to more than 200 times its size";
    for (scope, why) in [
        ("network_crowd", "refused: archive_entries: limit 299"),
        ("network_around", "refused: redirects: limit 3"),
        (
            "network_outside",
            "does not lie below the address of the upstream register",
        ),
    ] {
        assert_contained(&world, "guest-network", scope, "limit", why).await;
    }
    world.end().await;
    let limits = LimitsConfig {
        archive_ratio: Some(200),
        body_mib: Some(100),
        ..LimitsConfig::default()
    };
    let world = world_against(&rogue, limits).await;
    for scope in ["network_bomb", "network_archive"] {
        assert_contained(&world, "guest-network", scope, "limit", ratio).await;
    }
    world.end().await;
}

#[tokio::test]
async fn waiting_or_hoarding_call_affects_one_section() {
    let rogue = Rogue::start().await;
    let limits = LimitsConfig {
        wall_ms: Some(500),
        handles: Some(8),
        ..LimitsConfig::default()
    };
    let world = world_against(&rogue, limits).await;
    let waited = "limit wall: 0.5 s used";
    assert_contained(&world, "guest-network", "network_wait", "limit", waited).await;
    let held = "limit handles: more than 8";
    assert_contained(&world, "guest-network", "network_hold", "limit", held).await;
    world.end().await;
}

#[tokio::test]
async fn private_address_needs_its_own_exact_grant() {
    let rogue = Rogue::start().await;
    let port = rogue.port();
    let world = world_where("guest-network", move |connector| {
        let address = format!("http://register.inner.localhost:{port}");
        point(
            connector,
            address,
            format!("http://*.inner.localhost:{port}"),
        );
    })
    .await;
    let why = format!("only the explicit grant http://register.inner.localhost:{port} allows that");
    assert_contained(&world, "guest-network", "network_redirect", "limit", &why).await;
    assert_eq!(rogue.requests(), 0);
    world.end().await;
}

#[tokio::test]
async fn call_above_the_concurrency_limit_is_busy() {
    let rogue = Rogue::start().await;
    let url = rogue.url();
    let world = world_where("guest-network", move |connector| {
        point(connector, url.clone(), url);
        connector.limits.cpu_ms = None;
        connector.limits.wall_ms = Some(2_000);
        connector.concurrent_calls = Some(1);
    })
    .await;
    let asked_meanwhile = async {
        rogue.asked_for_ever().await;
        world
            .company(&world.icos[1], "network_not,erased_vat")
            .await
    };
    let (_waits, busy) = tokio::join!(
        world.company(&world.icos[0], "network_wait"),
        asked_meanwhile
    );
    assert_eq!(
        busy.at("/meta/scopes/network_not/reason"),
        "busy",
        "{busy:?}"
    );
    assert_eq!(busy.at("/meta/scopes/erased_vat/state"), "fresh");
    let free = world.company(&world.icos[2], "network_not").await;
    assert_eq!(free.at("/data/network_not/fine"), true, "{free:?}");
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn import_of_a_silent_register_times_out() {
    let rogue = Rogue::start().await;
    let url = rogue.url();
    let world = world_where("guest-import", move |connector| {
        point(connector, url.clone(), url);
        connector.import_limits.wall_ms = Some(300);
        connector.import_limits.open_ms = Some(400);
        for id in ["waiting", "waiting-to-open"] {
            connector.datasets.entry(id.to_owned()).or_default().on = Some(true);
        }
    })
    .await;
    for (id, limit) in [
        ("waiting", "limit wall: 0.3 s used"),
        ("waiting-to-open", "limit open: 0.4 s used"),
    ] {
        let list = dataset(&world, "guest-import", id).await;
        assert_eq!(
            (&list["state"], &list["reason"]),
            (&"failed".into(), &limit.into()),
            "{list}"
        );
    }
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn failing_register_opens_the_circuit_for_all_callers() {
    let rogue = Rogue::start().await;
    let world = world_against(&rogue, LimitsConfig::default()).await;
    let why = "unavailable: register /broken: circuit open until";
    assert_contained(
        &world,
        "guest-network",
        "network_broken",
        "unavailable",
        why,
    )
    .await;
    assert_eq!(rogue.requests(), 5, "the connector tried eight");
    let other = world.company(&world.icos[2], "network_not").await;
    assert_eq!(
        other.at("/meta/scopes/network_not/reason"),
        "unavailable",
        "the circuit is the register's and not the connector's: {other:?}"
    );
    assert_eq!(rogue.requests(), 5);
    rogue.mend();
    world.advance(1);
    let mended = world.company(&world.icos[3], "network_broken").await;
    assert_eq!(mended.at("/data/network_broken/fine"), true, "{mended:?}");
    world.end().await;
}
