//! Compiled components that were installed with the program.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use lustra_tests::guests;
use lustra_tests::lustra::connectors::cache::{Cache, Origin, digest};
use lustra_tests::lustra::connectors::compile::Compiler;
use lustra_tests::lustra::connectors::engine::{ConnectorEngine, Cpu, PoolSize};
use lustra_tests::lustra::connectors::precompile;

const POOL: PoolSize = PoolSize {
    instances: 1,
    memory: 1 << 25,
    stack: 1 << 19,
};

struct Installed {
    folder: tempfile::TempDir,
    engine: ConnectorEngine,
    component: Vec<u8>,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let components = folder.path().join("components");
        std::fs::create_dir(&components).expect("a fresh folder");
        let component = std::fs::read(guests().join("guest-crash.wasm")).expect("it was built");
        std::fs::write(components.join("guest-crash.wasm"), &component).expect("a fresh folder");
        let output = folder.path().join("precompiled");
        precompile::write(&components, &output, POOL, Cpu::Baseline, &mut |_| {})
            .expect("it compiles");
        Self {
            folder,
            engine: ConnectorEngine::new(POOL).expect("an engine"),
            component,
        }
    }

    fn directory(&self) -> PathBuf {
        self.folder.path().join("precompiled")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// Where the next start of a host without own compiled components gets the machine code from.
    fn origin(&self) -> Origin {
        let own = tempfile::tempdir().expect("tests can write temporary files");
        let cache = Cache::open(own.path()).expect("a folder of our own");
        let cache = cache.with_precompiled(Some(&self.directory()));
        let digest = digest(&self.component);
        let loaded = cache.component(&self.engine, &Compiler::InProcess, &self.component, &digest);
        loaded.expect("it compiles").1
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("a folder of our own");
}

#[test]
fn tampered_precompiled_component_is_not_loaded() {
    let installed = Installed::new();
    assert_eq!(installed.origin(), Origin::Precompiled);
    let (compiled, index) = (
        installed.file("guest-crash.compiled"),
        installed.file("index.json"),
    );
    let (good, good_index) = (
        std::fs::read(&compiled).expect("it was written"),
        std::fs::read_to_string(&index).expect("it was written"),
    );
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    for bytes in [flipped, good[..good.len() - 1].to_vec(), Vec::new()] {
        std::fs::write(&compiled, bytes).expect("a folder of our own");
        assert_eq!(installed.origin(), Origin::Compiled);
    }
    std::fs::remove_file(&compiled).expect("a folder of our own");
    assert_eq!(installed.origin(), Origin::Compiled);
    std::fs::write(&compiled, &good).expect("a folder of our own");
    for text in [
        "{}".to_owned(),
        good_index.replace("\"format\": 1", "\"format\": 2"),
        good_index.replace(
            "guest-crash.compiled",
            "../precompiled/guest-crash.compiled",
        ),
    ] {
        std::fs::write(&index, text).expect("a folder of our own");
        assert_eq!(installed.origin(), Origin::Compiled);
    }
    std::fs::write(&index, good_index).expect("a folder of our own");
    assert_eq!(installed.origin(), Origin::Precompiled);
}

#[test]
fn precompiled_directory_that_others_can_write_is_not_used() {
    let installed = Installed::new();
    let (directory, index) = (installed.directory(), installed.file("index.json"));
    for (path, bad, good) in [
        (&directory, 0o777, 0o755),
        (&directory, 0o775, 0o755),
        (&index, 0o664, 0o644),
        (&index, 0o646, 0o644),
    ] {
        set_mode(path, bad);
        assert_eq!(installed.origin(), Origin::Compiled, "{bad:o}");
        set_mode(path, good);
        assert_eq!(installed.origin(), Origin::Precompiled);
    }
    // Root can give the files to the user of a service; others cannot, and the unit tests cover the rule.
    if chown(&index, Some(12_345), None).is_ok() {
        assert_eq!(installed.origin(), Origin::Compiled);
    }
}
