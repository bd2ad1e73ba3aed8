//! Compiled components on disk, each with a keyed hash (MAC) that proves that this host wrote it.
//!
//! Deserialising a compiled component executes code from the file, and the engine does not detect corruption. So every
//! entry ends with its BLAKE3 hash under a key that only the server's user can read, and exactly the verified bytes are
//! deserialised. An invalid entry is deleted, counted and compiled again.
//!
//! Components that were compiled before and installed with the program come first; see [`Precompiled`].
//!
//! BLAKE3, because a start verifies tens of megabytes: SHA-256 took more than half of a warm start.

use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::code_file::CodeFile;
use super::compile::{CompileError, Compiler, deserialise, deserialise_file};
use super::engine::ConnectorEngine;
use super::precompiled::Precompiled;

const KEY_BYTES: usize = blake3::KEY_LEN;
const MAC_BYTES: usize = blake3::OUT_LEN;

/// The cache's directory with its key.
pub struct Cache {
    directory: PathBuf,
    key: [u8; KEY_BYTES],
    rejected: AtomicU64,
    precompiled: Option<Precompiled>,
}

/// Where the machine code of a component comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was compiled now by the single-pass compiler, and is optimized later.
    SinglePass,
    /// It was compiled now.
    Compiled,
    /// A verified entry was in the cache.
    Cached,
    /// It was installed with the program.
    Precompiled,
}

lustra_store::text_enum!(Origin {
    SinglePass: "single-pass",
    Compiled: "compiled",
    Cached: "cached",
    Precompiled: "precompiled",
});

impl Cache {
    /// Opens the cache below `directory` and creates directory and key if necessary, readable for this user only.
    ///
    /// # Errors
    /// The directory or key cannot be created or read.
    pub fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        restrict(directory, 0o700)?;
        let key_file = directory.join("key");
        let key = match fs::read(&key_file) {
            Ok(bytes) => <[u8; KEY_BYTES]>::try_from(bytes.as_slice()).ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let key = match key {
            Some(key) => key,
            None => {
                let key: [u8; KEY_BYTES] = rand::random();
                write_private(&key_file, &[&key])?;
                key
            }
        };
        Ok(Self {
            directory: directory.to_owned(),
            key,
            rejected: AtomicU64::new(0),
            precompiled: None,
        })
    }

    /// Adds the directory of compiled components that were installed with the program. One that is not trusted is
    /// reported, and components are compiled instead.
    #[must_use]
    pub fn with_precompiled(mut self, directory: Option<&Path>) -> Self {
        self.precompiled = directory.and_then(|directory| match Precompiled::open(directory) {
            Ok(precompiled) => Some(precompiled),
            Err(error) => {
                tracing::warn!(%error, "the installed compiled components are not used, so components are compiled: {error}");
                None
            }
        });
        self
    }

    /// Number of entries that failed verification since the start.
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    /// Returns the compiled form of a component: installed, from the cache, or compiled now and then cached. `digest`
    /// is the [`digest`] of its bytes.
    ///
    /// # Errors
    /// The component does not compile. A failed write to the cache is only logged.
    pub fn component(
        &self,
        engine: &ConnectorEngine,
        compiler: &Compiler,
        bytes: &[u8],
        digest: &str,
    ) -> Result<(Component, Origin), CompileError> {
        if let Some(stored) = self.stored(engine, digest) {
            return Ok(stored);
        }
        let (component, compiled) = compiled_now(engine, compiler, bytes)?;
        let path = self.path(engine, digest);
        if let Err(error) = write_private(&path, &[&compiled, self.mac(&compiled).as_bytes()]) {
            tracing::warn!(%error, "a compiled component could not be cached; the next start compiles it again");
        }
        Ok((component, Origin::Compiled))
    }

    /// The compiled form of a component that is installed or in the cache.
    pub(super) fn stored(
        &self,
        engine: &ConnectorEngine,
        digest: &str,
    ) -> Option<(Component, Origin)> {
        let installed = self.precompiled.as_ref();
        if let Some(component) = installed.and_then(|installed| installed.component(engine, digest))
        {
            return Some((component, Origin::Precompiled));
        }
        let path = self.path(engine, digest);
        let compiled = self.proven(&path)?;
        match deserialise_file(engine.engine(), &compiled) {
            Ok(component) => Some((component, Origin::Cached)),
            Err(error) => {
                self.reject(&path, &error.to_string());
                None
            }
        }
    }

    fn path(&self, engine: &ConnectorEngine, digest: &str) -> PathBuf {
        self.directory.join(entry_name(engine.engine(), digest))
    }

    fn proven(&self, path: &Path) -> Option<CodeFile> {
        let read = File::open(path).and_then(|mut entry| {
            let length = entry.metadata()?.len().checked_sub(MAC_BYTES as u64);
            let length = length.ok_or(io::ErrorKind::UnexpectedEof)?;
            let mut hasher = blake3::Hasher::new_keyed(&self.key);
            let compiled = CodeFile::copy(&mut entry, length, &mut hasher)?;
            let mut proof = [0; MAC_BYTES];
            entry.read_exact(&mut proof)?;
            // Constant-time comparison.
            Ok((hasher.finalize() == proof).then_some(compiled))
        });
        match read {
            Ok(Some(compiled)) => Some(compiled),
            Ok(None) => {
                self.reject(path, "its hash does not match");
                None
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.reject(path, &error.to_string());
                None
            }
        }
    }

    fn reject(&self, path: &Path, why: &str) {
        self.rejected.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            why,
            "a compiled component in the cache is invalid; compiling it again"
        );
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "an invalid compiled component in the cache could not be deleted");
        }
    }

    fn mac(&self, compiled: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.key, compiled)
    }
}

/// Compiles a component. Returns its machine code too.
///
/// # Errors
/// The component does not compile.
pub(super) fn compiled_now(
    engine: &ConnectorEngine,
    compiler: &Compiler,
    bytes: &[u8],
) -> Result<(Component, Vec<u8>), CompileError> {
    let compiled = compiler.compile(engine, bytes)?;
    match deserialise(engine.engine(), &compiled) {
        Ok(component) => Ok((component, compiled)),
        // The program on disk may be a newer version than this process.
        Err(error) => {
            tracing::warn!(%error, "the output of the compiler process is not usable; compiling in the host process");
            let compiled = Compiler::InProcess.compile(engine, bytes)?;
            let component = deserialise(engine.engine(), &compiled)
                .map_err(|error| CompileError::Refused(format!("{error:#}")))?;
            Ok((component, compiled))
        }
    }
}

fn entry_name(engine: &Engine, digest: &str) -> String {
    let mut engine_hash = EngineHash(Sha256::new());
    engine
        .precompile_compatibility_hash()
        .hash(&mut engine_hash);
    let engine = hex(&engine_hash.0.finalize()[..8]);
    format!("{digest}-{engine}.compiled")
}

/// Hashes the engine's compatibility; the standard hasher does not guarantee the same result in every run.
struct EngineHash(Sha256);

impl Hasher for EngineHash {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

/// SHA-256 of a component's bytes in hexadecimal. A start hashes all components, so it uses the fast implementation.
#[must_use]
pub fn digest(component: &[u8]) -> String {
    hex(ring::digest::digest(&ring::digest::SHA256, component).as_ref())
}

#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    halves.map(|half| DIGITS[usize::from(half)]).collect()
}

/// Writes a file that only this user can read: to a temporary name, then sync and rename.
fn write_private(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = (|| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(&temporary)?;
        for piece in pieces {
            file.write_all(piece)?;
        }
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The rest of a failed write is useless; leaving it behind does no harm.
        drop(fs::remove_file(&temporary));
    }
    written
}

#[cfg(unix)]
fn restrict(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn restrict(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}
