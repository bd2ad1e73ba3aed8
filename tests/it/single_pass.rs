//! Code of the single-pass compiler, which serves until the component is optimized.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lustra_tests::World;
use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::connectors::CallFailure;
use lustra_tests::lustra::connectors::cache::Origin;
use lustra_tests::lustra::store::testing::connector_id;
use reqwest::Method;

use crate::guest_support::{add, assert_contained};
use crate::workers::until;

/// Holds the optimizing compiler back until it is dropped.
struct HeldBack {
    _lock: File,
    program: PathBuf,
    _folder: tempfile::TempDir,
}

impl HeldBack {
    /// Makes a compiler process that waits for a lock and then fails, so that the host itself compiles.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (path, program) = (folder.path().join("lock"), folder.path().join("compiler"));
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *optimizing*) flock '{}' true ;; esac\nexit 1\n",
            path.display()
        );
        std::fs::write(&program, script).expect("a fresh folder");
        let executable = Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, executable).expect("a fresh folder");
        let lock = File::create(path).expect("a fresh folder");
        lock.lock().expect("no other process has it open");
        Self {
            _lock: lock,
            program,
            _folder: folder,
        }
    }

    /// Nothing is compiled yet, and new components serve with single-pass code.
    fn apply(&self, config: &mut Config) {
        config.compiled = Some(config.data.join("compiled-here"));
        config.reload.single_pass = true;
        config.reload.compiler = Some(self.program.clone());
    }
}

/// The machine code of each serving connector.
async fn code(world: &World) -> Vec<(String, String)> {
    let answer = world.operator(Method::GET, "/connectors", &[]).await;
    let states = answer.body.as_array().expect("a list").clone();
    let serving = states.iter().filter(|state| state["state"] == "serving");
    let word = |state: &serde_json::Value, name: &str| {
        state[name].as_str().expect("it is a word").to_owned()
    };
    serving
        .map(|state| (word(state, "id"), word(state, "code")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn single_pass_code_serves_within_the_limits() {
    let held_back = Arc::new(HeldBack::new());
    let compiler = Arc::clone(&held_back);
    let settings = move |config: &mut Config| {
        config.freshness.live_budget_ms = 60_000;
        config.requests.timeout_seconds = 90;
        add(config, "guest-crash");
        compiler.apply(config);
    };
    // The host has served none of them before, so each component's packaged calls are replayed.
    let world = World::new().with_guests().settings(settings);
    let world = world.start().await;
    let enabled = world.config().connector.len();
    let serving = code(&world).await;
    assert_eq!(serving.len(), enabled, "{serving:?}");
    assert!(
        serving.iter().all(|(_, code)| code == "single-pass"),
        "{serving:?}"
    );
    for (scope, code, why) in [
        ("crash_panic", "failed", "trap"),
        ("crash_loop", "limit", "limit cpu: 0.2 s used"),
        ("crash_memory", "limit", "limit memory: asked"),
        ("crash_stack", "limit", "limit stack"),
    ] {
        assert_contained(&world, "guest-crash", scope, code, why).await;
    }
    drop(held_back);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn optimized_code_replaces_single_pass_code() {
    let held_back = Arc::new(HeldBack::new());
    let compiler = Arc::clone(&held_back);
    let settings = move |config: &mut Config| {
        let few = ["rpo", "debtors"];
        config.connector.retain(|id, _| few.contains(&id.as_str()));
        config.freshness.live_budget_ms = 60_000;
        config.requests.timeout_seconds = 90;
        add(config, "guest-import");
        add(config, "guest-crash");
        let crash = config.connector.entry(connector_id("guest-crash"));
        crash.or_default().limits.cpu_ms = Some(3_000);
        compiler.apply(config);
    };
    let world = Arc::new(World::new().with_guests().settings(settings).start().await);
    let connectors = Arc::clone(world.importer.companies().connectors());
    let before = world.company(&world.icos[0], "debtor_status").await;
    let loaded = connectors.catalogue();
    let crash = loaded
        .serving(&connector_id("guest-crash"))
        .expect("it serves");
    assert_eq!(crash.origin(), Origin::SinglePass);
    let calling = Arc::clone(&world);
    let endless =
        tokio::spawn(async move { calling.company(&calling.icos[1], "crash_loop").await });
    let in_flight = || async { crash.stats.snapshot().in_flight };
    until(in_flight, |calls| *calls == 1).await;
    let importer = loaded
        .serving(&connector_id("guest-import"))
        .expect("it serves");
    let opened = importer.open_import(&connectors.services, "stuck", None);
    let mut import = opened.await.expect("it opens");
    drop(held_back);
    connectors.optimize_all().await;
    let optimized = connectors.catalogue();
    for loaded in optimized.all_serving() {
        assert_eq!(loaded.origin(), Origin::Compiled, "{}", loaded.manifest.id);
    }
    let same = optimized.serving(&connector_id("guest-crash"));
    assert!(same.is_some_and(|same| Arc::ptr_eq(same, crash)));
    let endless = endless.await.expect("the call does not panic");
    assert_eq!(
        endless.at("/meta/scopes/crash_loop/reason"),
        "limit",
        "a call that began with the replaced code is still limited: {endless:?}"
    );
    let batch = import.next().await;
    assert!(
        matches!(&batch, Err(CallFailure::Limit(why)) if why.starts_with("cpu")),
        "so is an import whose engine has no other code left: {batch:?}"
    );
    let after = world.company(&world.icos[2], "debtor_status").await;
    for answer in [&before, &after] {
        assert_eq!(answer.at("/meta/scopes/debtor_status/state"), "fresh");
    }
    assert_eq!(entries(&world.config().data.join("compiled-here")), 4);
    let world = Arc::into_inner(world).expect("no call is left");
    world.end().await;
}

/// Number of compiled components in a cache.
fn entries(cache: &Path) -> usize {
    let files = std::fs::read_dir(cache)
        .expect("the host made it")
        .flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "compiled"))
        .count()
}
