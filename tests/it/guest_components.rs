//! Component files that a host must not load, and tampered compiled components.

use std::path::Path;

use lustra_tests::lustra::connectors::cache::{Cache, Origin, digest};
use lustra_tests::lustra::connectors::catalogue::EntryState;
use lustra_tests::lustra::connectors::compile::Compiler;
use lustra_tests::lustra::connectors::engine::{ConnectorEngine, PoolSize};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{World, guests, reworded};

use crate::faults_support::source;
use crate::guest_support::{assert_others_operational, limited};

/// A component with a manifest that imports an unknown interface.
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

/// A core module's section of one memory with one page.
const ONE_PAGE: [u8; 5] = [5, 3, 1, 0, 1];

/// A component that instantiates a core module many times. Each instance occupies a slot of the pool.
fn instances_of(id: &str, count: u8, section: &[u8]) -> Vec<u8> {
    let module = [b"\0asm\x01\0\0\0", section].concat();
    let length = |length: usize| u8::try_from(length).expect("everything here is short");
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    bytes.extend([1, length(module.len())]);
    bytes.extend(module);
    let instances = [0_u8, 0, 0].repeat(count.into());
    let size = instances.len() + 1;
    bytes.extend([2, length(size % 128) | 0x80, length(size / 128), count]);
    bytes.extend(instances);
    let manifest =
        format!(r#"{{"id":"{id}","version":"0.1.0","title":"M","register":"M","upstreams":{{}}}}"#);
    bytes.extend([0, length(manifest.len() + 16), 15]);
    bytes.extend(b"lustra:manifest");
    bytes.extend(manifest.as_bytes());
    bytes
}

/// Adds files that a host must not load.
fn spoil(components: &Path) {
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(components.join(name), bytes).expect("a folder of our own");
    };
    let answers = std::fs::read(components.join("guest-answers.wasm")).expect("it was built");
    put("text.wasm", b"this is not a component");
    put("empty.wasm", b"");
    put("truncated.wasm", &answers[..answers.len() / 2]);
    put("without-manifest.wasm", b"\0asm\x0d\0\x01\0");
    put("foreign.wasm", &foreign());
    put("memories.wasm", &instances_of("memories", 30, &ONE_PAGE));
    put("swarm.wasm", &instances_of("swarm", 62, &ONE_PAGE));
    let mut damaged = answers.clone();
    damaged[answers.len() / 2] ^= 1;
    put("damaged.wasm", &damaged);
    // Another name of the same length, in the manifest and in the answer of `describe`.
    let renamed = reworded(&answers, b"guest-answers", b"quest-answers");
    put("quest-answers.wasm", &renamed);
    put("z-second.wasm", &renamed);
}

#[tokio::test]
async fn untrusted_components_are_refused_with_a_reason() {
    let start = World::new().with_guests().settings(|config| {
        let named = ["foreign", "memories", "swarm"];
        let guests = ["guest-answers", "quest-answers", "guest-network"];
        for id in guests.into_iter().chain(named) {
            config.connector.insert(connector_id(id), limited());
        }
        spoil(&config.components);
    });
    let world = start.start().await;
    let catalogue = world.importer.companies().connectors().catalogue();
    for (id, why) in [
        ("text", "it is not a WebAssembly component"),
        ("empty", "it is not a WebAssembly component"),
        ("truncated", "it is damaged"),
        ("damaged", "its bytes do not match its digest"),
        ("without-manifest", "the manifest: "),
        (
            "memories",
            "memories: it has 30, limit 1 for each component",
        ),
        ("swarm", "contains 62 core module instances"),
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
    assert!(catalogue.serving(&connector_id("guest-answers")).is_some());
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
fn tampered_compiled_component_is_recompiled() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let engine = ConnectorEngine::new(PoolSize {
        instances: 1,
        memory: 1 << 25,
        stack: 1 << 19,
    })
    .expect("an engine");
    let component = std::fs::read(guests().join("guest-crash.wasm")).expect("it was built");
    let cache = Cache::open(folder.path()).expect("a folder of our own");
    let origin = || {
        cache
            .component(
                &engine,
                &Compiler::InProcess,
                &component,
                &digest(&component),
            )
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
        assert_eq!(origin(), Origin::Cached, "the tampered file was replaced");
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
            .component(
                &engine,
                &Compiler::InProcess,
                &component,
                &digest(&component)
            )
            .expect("it compiles")
            .1,
        Origin::Compiled
    );
    assert_eq!(
        other.rejected(),
        1,
        "components compiled by another host are not trusted"
    );
}
