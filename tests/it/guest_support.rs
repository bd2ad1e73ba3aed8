//! What the tests of misbehaving connectors share: a world with one of them, and what everybody else must see.

use std::io;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use lustra_tests::World;
use lustra_tests::lustra::config::{Config, ConnectorConfig, LimitsConfig, UpstreamConfig};
use tracing::Dispatch;
use tracing_subscriber::util::SubscriberInitExt;

use crate::faults_support::source;

/// Small limits, so that what goes on for ever ends soon.
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

/// As [`world_with`], with other settings of that connector.
pub async fn world_where(
    guest: &'static str,
    change: impl FnOnce(&mut ConnectorConfig) + Send + 'static,
) -> World {
    let settings = move |config: &mut Config| {
        // Which limit ends a call must not depend on how busy the machine is.
        config.freshness.live_budget_ms = 60_000;
        config.requests.timeout_seconds = 90;
        add(config, guest);
        change(config.connector.entry(guest.to_owned()).or_default());
    };
    World::new().with_guests().settings(settings).start().await
}

/// Enables a misbehaving connector; its upstream, where it has one, is a part of the simulator that nobody else uses.
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
    config.connector.insert(guest.to_owned(), connector);
}

/// One scope that goes wrong: it is missing and says so; everything else is as always, meanwhile and afterwards.
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
        "a reason shows nothing of what was answered: {reason}"
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

/// What a test's host and its guests logged.
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
    /// Collects what this thread logs while the guard lives; the whole world of a test runs on it.
    pub fn of_this_thread() -> (Self, impl Drop) {
        // Whether a place in the code is logged at all is asked once. Of a lone subscriber only the thread that comes
        // there first is asked, and any other has none; beside a second one, all subscribers are.
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
