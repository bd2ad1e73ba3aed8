//! Shared helpers for tests of misbehaving connectors: a world with one of them, and checks that others are
//! unaffected.

use std::io;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use lustra_tests::World;
use lustra_tests::lustra::config::{Config, ConnectorConfig, LimitsConfig, UpstreamConfig};
use lustra_tests::lustra::store::testing::connector_id;
use tracing::Dispatch;
use tracing_subscriber::util::SubscriberInitExt;

use crate::faults_support::source;

/// Low limits, so that endless calls end soon.
pub fn small() -> LimitsConfig {
    LimitsConfig {
        cpu_ms: Some(200),
        log_lines: Some(50),
        ..LimitsConfig::default()
    }
}

pub fn limited() -> ConnectorConfig {
    ConnectorConfig {
        limits: small(),
        import_limits: small(),
        ..ConnectorConfig::default()
    }
}

/// A world with one of the misbehaving connectors.
pub async fn world_with(guest: &'static str) -> World {
    world_where(guest, |_| {}).await
}

/// Like [`world_with`], with other settings of that connector.
pub async fn world_where(
    guest: &'static str,
    change: impl FnOnce(&mut ConnectorConfig) + Send + 'static,
) -> World {
    let settings = move |config: &mut Config| {
        // A generous budget: the call's own limit must apply first, even on a busy machine.
        config.freshness.live_budget_ms = 60_000;
        config.requests.timeout_seconds = 90;
        add(config, guest);
        change(config.connector.entry(connector_id(guest)).or_default());
    };
    World::new().with_guests().settings(settings).start().await
}

/// Enables a misbehaving connector. Its upstream, if any, is a part of the simulator that only it uses.
pub fn add(config: &mut Config, guest: &str) {
    let mut connector = limited();
    if guest == "guest-network" {
        let simulator = config.connector["rpo"].grants[0].clone();
        let address = Some(format!("{simulator}/operator-files"));
        connector.upstreams.insert(
            "register".to_owned(),
            UpstreamConfig {
                address,
                ..UpstreamConfig::default()
            },
        );
        connector.grants.push(simulator);
    }
    config.connector.insert(connector_id(guest), connector);
}

/// Asserts that one failing scope is marked unread while everything else works, during and after the failure.
pub async fn assert_contained(world: &World, connector: &str, scope: &str, code: &str, why: &str) {
    let (first, second) = (&world.icos[0], &world.icos[1]);
    let scopes = format!("{scope},erased_vat");
    let (answer, meanwhile) = tokio::join!(
        world.company(first, &scopes),
        world.company(second, "tax_reliability")
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.at(&format!("/data/{scope}")).is_null(), "{answer:?}");
    assert_eq!(
        answer.at(&format!("/meta/scopes/{scope}/state")),
        "unread",
        "{scope}: {}",
        answer.at("/meta")
    );
    assert_eq!(
        answer.at(&format!("/meta/scopes/{scope}/reason")),
        code,
        "{scope}: {}",
        answer.at("/meta")
    );
    assert_eq!(answer.at("/data/erased_vat/is_erased"), false, "{answer:?}");
    assert_eq!(answer.at("/meta/scopes/erased_vat/state"), "fresh");
    let status = source(world, connector).await;
    assert_eq!(status["state"], "degraded", "{status}");
    let reason = status["reason"].as_str().unwrap_or_default();
    assert!(reason.contains(why), "{scope}: {reason}");
    assert!(
        !reason.contains("Tajný"),
        "a reason contains nothing of the answer: {reason}"
    );
    let afterwards = world.company(second, "tax_reliability").await;
    for other in [&meanwhile, &afterwards] {
        assert_eq!(other.status, 200, "{other:?}");
        assert_eq!(
            other.at("/data/tax_reliability/is_reliable"),
            true,
            "{other:?}"
        );
    }
    assert_others_operational(world).await;
}

pub async fn assert_others_operational(world: &World) {
    assert_eq!(world.get_with("/v1/health", &[]).await.status, 200);
    for shipped in ["debtors", "orsr", "rpo", "tax-authority"] {
        let status = source(world, shipped).await;
        let state = status["state"].as_str().unwrap_or_default();
        assert!(["operational", "unknown"].contains(&state), "{status}");
    }
}

/// The log of a test's host and guests.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Collects this thread's log while the guard lives. A test's whole world runs on one thread.
    pub fn of_this_thread() -> (Self, impl Drop) {
        // `tracing` caches per call site whether it is enabled. With a single subscriber only the first thread to
        // reach the site is asked; a second subscriber makes it ask all of them.
        static SECOND: LazyLock<Dispatch> =
            LazyLock::new(|| tracing_subscriber::fmt().with_writer(io::sink).into());
        LazyLock::force(&SECOND);
        let log = Self::default();
        let writer = log.clone();
        let guard = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .finish()
            .set_default();
        (log, guard)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
