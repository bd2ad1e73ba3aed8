//! Components that misbehave, written as strangers would write them: each costs its own section or list and no more.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lustra_tests::lustra::config::{Config, ConnectorConfig, LimitsConfig, UpstreamConfig};
use lustra_tests::lustra::connectors::cache::{Cache, Origin};
use lustra_tests::lustra::connectors::catalogue::EntryState;
use lustra_tests::lustra::connectors::compile::Compiler;
use lustra_tests::lustra::connectors::engine::{ConnectorEngine, PoolSize};
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{World, guests};
use tracing_subscriber::util::SubscriberInitExt;

use crate::faults_support::{Asked, dataset, source};

/// Small limits, so that what goes on for ever ends soon.
fn small() -> LimitsConfig {
    LimitsConfig {
        cpu_ms: Some(200),
        log_lines: Some(50),
        ..LimitsConfig::default()
    }
}

fn limited() -> ConnectorConfig {
    ConnectorConfig {
        limits: small(),
        import_limits: small(),
        ..ConnectorConfig::default()
    }
}

/// A world with one of the misbehaving connectors.
async fn world_with(guest: &str) -> World {
    let guest = guest.to_owned();
    World::new()
        .with_guests()
        .settings(move |config| add(config, &guest))
        .start()
        .await
}

/// Enables a misbehaving connector; its upstream, where it has one, is a part of the simulator that nobody else uses.
fn add(config: &mut Config, guest: &str) {
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
async fn assert_contained(world: &World, connector: &str, scope: &str, code: &str, why: &str) {
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

async fn assert_others_operational(world: &World) {
    assert_eq!(world.get_with("/v1/health", &[]).await.status, 200);
    for shipped in ["debtors", "orsr", "rpo", "tax-authority"] {
        let status = source(world, shipped).await;
        assert_eq!(status["state"], "operational", "{status}");
    }
}

#[tokio::test]
async fn code_that_fails_or_takes_too_much_costs_one_section() {
    let world = world_with("guest-crash").await;
    assert_contained(&world, "guest-crash", "crash_panic", "failed", "trap").await;
    assert_contained(
        &world,
        "guest-crash",
        "crash_loop",
        "limit",
        "limit cpu: 0.2 s used",
    )
    .await;
    assert_contained(
        &world,
        "guest-crash",
        "crash_memory",
        "limit",
        "limit memory: asked",
    )
    .await;
    assert_contained(&world, "guest-crash", "crash_stack", "limit", "limit stack").await;
    world.end().await;
}

#[tokio::test]
async fn an_answer_that_is_not_what_was_promised_costs_one_section() {
    let world = world_with("guest-answers").await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_giant",
        "limit",
        "limit result too large: more than 8 MiB",
    )
    .await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_schema",
        "failed",
        "does not fit its schema at \"/fine\"",
    )
    .await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_text",
        "failed",
        "it is not JSON",
    )
    .await;
    world.end().await;
}

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

#[tokio::test]
async fn a_connector_that_keeps_failing_is_left_alone_and_the_others_are_not() {
    let world = world_with("guest-crash").await;
    for ico in &world.icos[..5] {
        let answer = world.company(ico, "crash_panic").await;
        assert_eq!(
            answer.at("/meta/scopes/crash_panic/reason"),
            "failed",
            "{}",
            answer.at("/meta")
        );
    }
    let answer = world
        .company(&world.icos[5], "crash_panic,crash_loop,erased_vat")
        .await;
    assert_eq!(
        answer.at("/meta/scopes/crash_panic/reason"),
        "resting",
        "{}",
        answer.at("/meta")
    );
    assert_eq!(
        answer.at("/meta/scopes/crash_loop/reason"),
        "resting",
        "{}",
        answer.at("/meta")
    );
    assert_eq!(answer.at("/meta/scopes/erased_vat/state"), "fresh");
    assert_eq!(source(&world, "guest-crash").await["state"], "resting");
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn a_list_without_an_end_is_given_up_and_the_other_lists_are_imported() {
    let world = world_with("guest-import").await;
    for id in ["endless", "stuck"] {
        let list = dataset(&world, "guest-import", id).await;
        assert_eq!(list["state"], "failed", "{list}");
        assert_eq!(
            (&list["records"], list["last_success_at"].is_null()),
            (&0.into(), true),
            "{list}"
        );
        assert!(
            list["reason"]
                .as_str()
                .is_some_and(|reason| reason.starts_with("limit cpu")),
            "{list}"
        );
    }
    let fine = dataset(&world, "guest-import", "fine").await;
    assert_eq!(
        (&fine["state"], &fine["records"]),
        (&"imported".into(), &1.into()),
        "{fine}"
    );
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn while_an_import_loops_companies_are_answered() {
    let world = world_with("guest-import").await;
    let stuck = world.importer.run("guest-import", "stuck", &|_| {});
    let (outcome, answer) = tokio::join!(stuck, world.company(&world.icos[0], "tax_reliability"));
    assert!(outcome.is_err_and(|error| error.to_string().starts_with("limit cpu")));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        answer.at("/data/tax_reliability/is_reliable"),
        true,
        "{answer:?}"
    );
    world.end().await;
}

/// What a test's host and its guests logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

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
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

#[tokio::test]
async fn a_flood_of_log_lines_is_cut_off_and_counted() {
    let log = Log::default();
    let writer = log.clone();
    // This thread's alone: the whole world of this test runs on it.
    let _logging = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish()
        .set_default();
    let world = world_with("guest-answers").await;
    let answer = world.company(&world.icos[0], "answers_log").await;
    assert_eq!(
        answer.at("/data/answers_log/fine"),
        true,
        "too many lines are no reason to answer nothing: {answer:?}"
    );
    let text = log.text();
    assert_eq!(text.matches("guest line").count(), 50);
    assert!(
        text.contains("4951 log lines suppressed"),
        "5,000 lines and one of a megabyte, less 50"
    );
    assert!(
        !text.lines().any(|line| line.starts_with("forged")),
        "a guest cannot begin a line"
    );
    world.end().await;
}

/// A component that imports an interface which is neither the contract's nor WASI's, with a manifest.
fn foreign() -> Vec<u8> {
    let manifest =
        r#"{"id":"foreign","version":"0.1.0","title":"F","register":"F","upstreams":{}}"#;
    let import = b"evil:host/door@1.0.0";
    let length = |length: usize| u8::try_from(length).expect("everything here is short");
    // An empty component; a type section with an empty instance type; an import of such an instance.
    let mut bytes = b"\0asm\x0d\0\x01\0\x07\x03\x01\x42\0".to_vec();
    bytes.extend([10, length(import.len() + 5), 1, 0, length(import.len())]);
    bytes.extend(import);
    bytes.extend([5, 0]);
    bytes.extend([0, length(manifest.len() + 16), 15]);
    bytes.extend(b"lustra:manifest");
    bytes.extend(manifest.as_bytes());
    bytes
}

/// Puts files that no host should serve among the components.
fn spoil(components: &Path) {
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(components.join(name), bytes).expect("a folder of our own");
    };
    let answers = std::fs::read(components.join("guest-answers.wasm")).expect("it was built");
    put("text.wasm", b"this is no component");
    put("empty.wasm", b"");
    put("truncated.wasm", &answers[..answers.len() / 2]);
    put("without-manifest.wasm", b"\0asm\x0d\0\x01\0");
    put("foreign.wasm", &foreign());
    // Another name of the same length, in the manifest and in what `describe` answers.
    let renamed = replaced(&answers, b"guest-answers", b"quest-answers");
    put("quest-answers.wasm", &renamed);
    put("z-second.wasm", &renamed);
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for place in 0..=bytes.len() - from.len() {
        if bytes[place..].starts_with(from) {
            bytes[place..place + from.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[tokio::test]
async fn components_that_cannot_be_trusted_are_not_loaded_and_each_says_why() {
    let start = World::new().with_guests().settings(|config| {
        for id in ["guest-answers", "quest-answers", "guest-network", "foreign"] {
            config.connector.insert(id.to_owned(), limited());
        }
        spoil(&config.components);
    });
    let world = start.start().await;
    let catalogue = world.importer.companies().connectors().catalogue();
    for (id, why) in [
        ("text", "it is no WebAssembly component"),
        ("empty", "it is no WebAssembly component"),
        ("truncated", "it is damaged"),
        ("without-manifest", "the manifest: "),
        (
            "foreign",
            "it imports evil:host/door@1.0.0, which is neither of the contract",
        ),
        (
            "quest-answers",
            "the scope answers_giant is already given by guest-answers",
        ),
        (
            "guest-network",
            r#"add under [connector.guest-network]: grants = ["https://register.example"]"#,
        ),
    ] {
        let EntryState::Refused(reason) = &catalogue.entries[id].state else {
            panic!("{id} was let in")
        };
        assert!(reason.contains(why), "{id}: {reason}");
        assert_eq!(source(&world, id).await["state"], "refused", "{id}");
    }
    assert!(catalogue.serving("guest-answers").is_some());
    let first = &catalogue.entries["quest-answers"].file;
    assert!(
        first.ends_with("quest-answers.wasm"),
        "the first by file name is the one that counts: {first:?}"
    );
    let answer = world.company(&world.icos[0], "all").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.at("/meta/scopes/tax/state"), "fresh");
    assert_others_operational(&world).await;
    world.end().await;
}

#[test]
fn a_compiled_component_that_was_tampered_with_is_compiled_again() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let engine = ConnectorEngine::new(PoolSize {
        instances: 1,
        memory: 1 << 25,
    })
    .expect("an engine");
    let component = std::fs::read(guests().join("guest-crash.wasm")).expect("it was built");
    let cache = Cache::open(folder.path()).expect("a folder of our own");
    let origin = || {
        cache
            .component(&engine, &Compiler::Here, &component)
            .expect("it compiles")
            .1
    };
    assert_eq!((origin(), origin()), (Origin::Compiled, Origin::Cached));
    let entries = std::fs::read_dir(folder.path())
        .expect("it is there")
        .flatten()
        .map(|entry| entry.path());
    let entries: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "compiled"))
        .collect();
    let [entry] = entries.as_slice() else {
        panic!("one entry: {entries:?}")
    };
    let proven = std::fs::read(entry).expect("it is there");
    let flipped = |place: usize| {
        let mut bytes = proven.clone();
        bytes[place] ^= 1;
        bytes
    };
    let last = proven.len() - 1;
    let tampered = [
        flipped(0),
        flipped(last / 2),
        flipped(last),
        proven[..last].to_vec(),
        Vec::new(),
    ];
    for (times, bytes) in (1..).zip(tampered) {
        std::fs::write(entry, bytes).expect("a folder of our own");
        assert_eq!((origin(), cache.rejected()), (Origin::Compiled, times));
        assert_eq!(origin(), Origin::Cached, "it was put right");
    }
    let stranger = tempfile::tempdir().expect("tests can write temporary files");
    let other = Cache::open(stranger.path()).expect("a folder of our own");
    std::fs::copy(
        entry,
        stranger.path().join(entry.file_name().expect("a file")),
    )
    .expect("a folder of our own");
    assert_eq!(
        other
            .component(&engine, &Compiler::Here, &component)
            .expect("it compiles")
            .1,
        Origin::Compiled
    );
    assert_eq!(
        other.rejected(),
        1,
        "what another host compiled is not trusted"
    );
}
