//! Compiled components that were installed with the program, so that a first start compiles nothing.
//!
//! Deserialising a compiled component executes code from the file. The [`cache`](super::cache) proves its own entries
//! with a key; an installed directory has none. Its index names the digest of every compiled file, and the index is
//! trusted like the program's own file: it must belong to root or to the program's owner, and no other user may write
//! it. So the user of a service can change it only if that user can change the program too. Exactly the bytes whose
//! digest was verified are deserialised.
//!
//! A directory that is not trusted, or that was made for another engine or processor, is reported once; its components
//! are then compiled as usual.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use wasmtime::component::Component;

use super::code_file::CodeFile;
use super::compile::deserialise_file;
use super::engine::ConnectorEngine;

/// Name of the index in its directory.
pub const INDEX: &str = "index.json";

/// Version of the index's form.
pub(super) const FORMAT: u32 = 1;

/// Largest index in bytes. An entry has about 200.
const MAX_INDEX_BYTES: u64 = 4 << 20;

/// Largest compiled component in bytes. Machine code is a few times larger than a component.
const MAX_COMPILED_BYTES: u64 = 512 << 20;

/// Permission bits with which group or others can write.
const OTHERS_WRITE: u32 = 0o022;

/// A trusted directory of compiled components.
#[derive(Debug)]
pub struct Precompiled {
    directory: PathBuf,
    index: Index,
    /// Set by the first entry that cannot be used, so that one message is logged and not one for each component.
    unusable: AtomicBool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) format: u32,
    /// Version of the program that compiled.
    pub(super) program: String,
    /// The processors that the code is for, as the command line names them.
    pub(super) cpu: String,
    /// By the digest of the component.
    pub(super) components: BTreeMap<String, Compiled>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Compiled {
    pub(super) file: String,
    /// BLAKE3 of the file in hexadecimal.
    pub(super) blake3: String,
}

/// Why a directory of compiled components is not used.
#[derive(Debug, thiserror::Error)]
pub enum Untrusted {
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{path} belongs to user {owner}, not to root or to the owner of the program")]
    Owner { path: String, owner: u32 },
    #[error("{path} can be written by other users than its owner (mode {mode:o})")]
    Writable { path: String, mode: u32 },
    #[error("{path} is not a regular file of at most {MAX_INDEX_BYTES} bytes")]
    NoFile { path: String },
    #[error("{path} is not an index of compiled components: {why}")]
    Index { path: String, why: String },
}

impl Precompiled {
    /// Opens a directory that [`precompile`](super::precompile) made, if it is trusted.
    ///
    /// # Errors
    /// An [`Untrusted`] says why it is not used.
    pub fn open(directory: &Path) -> Result<Self, Untrusted> {
        let program = std::env::current_exe().and_then(fs::metadata);
        // Without the program's owner only root's files are trusted.
        let program_owner = program.map_or(ROOT, |program| owner(&program));
        let about = fs::metadata(directory).map_err(|error| file_error(directory, error))?;
        check_trust(directory, &about, program_owner)?;
        let path = directory.join(INDEX);
        // The open file is checked, not its path, which could be replaced in between.
        let file = File::open(&path).map_err(|error| file_error(&path, error))?;
        let about = file.metadata().map_err(|error| file_error(&path, error))?;
        check_trust(&path, &about, program_owner)?;
        let shown = || path.display().to_string();
        if !about.is_file() || about.len() > MAX_INDEX_BYTES {
            return Err(Untrusted::NoFile { path: shown() });
        }
        let mut text = String::new();
        file.take(MAX_INDEX_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| file_error(&path, error))?;
        let index = parse(&text).map_err(|why| Untrusted::Index { path: shown(), why })?;
        Ok(Self {
            directory: directory.to_owned(),
            index,
            unusable: AtomicBool::new(false),
        })
    }

    /// Number of components in the index.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.components.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.index.components.is_empty()
    }

    /// The compiled form of the component with this digest. `None` if it is not in the index or not usable.
    pub(super) fn component(&self, engine: &ConnectorEngine, digest: &str) -> Option<Component> {
        let entry = self.index.components.get(digest)?;
        if self.unusable.load(Ordering::Relaxed) {
            return None;
        }
        match self.load(engine, entry) {
            Ok(component) => Some(component),
            Err(why) => {
                if !self.unusable.swap(true, Ordering::Relaxed) {
                    let Index { program, cpu, .. } = &self.index;
                    tracing::warn!(
                        "the installed compiled components in {} (made by Lustra {program} for {cpu}) cannot be used, so components are compiled: {why}",
                        self.directory.display()
                    );
                }
                None
            }
        }
    }

    fn load(&self, engine: &ConnectorEngine, entry: &Compiled) -> Result<Component, String> {
        let path = self.directory.join(&entry.file);
        let of_file = |error: io::Error| format!("{}: {error}", entry.file);
        let mut file = File::open(path).map_err(of_file)?;
        let length = file.metadata().map_err(of_file)?.len();
        if length > MAX_COMPILED_BYTES {
            return Err(format!("{}: {length} bytes are too many", entry.file));
        }
        let mut hasher = blake3::Hasher::new();
        let code = CodeFile::copy(&mut file, length, &mut hasher).map_err(of_file)?;
        if hasher.finalize().to_hex().as_str() != entry.blake3 {
            return Err(format!(
                "{}: its digest is not the one in the index",
                entry.file
            ));
        }
        // The engine refuses code of another version, of other settings, or for another processor.
        deserialise_file(engine.engine(), &code)
            .map_err(|error| format!("{}: {error:#}", entry.file))
    }
}

fn parse(text: &str) -> Result<Index, String> {
    let index: Index = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if index.format != FORMAT {
        return Err(format!(
            "its format is {}, this program reads {FORMAT}",
            index.format
        ));
    }
    let is_name = |file: &str| Path::new(file).file_name().is_some_and(|name| name == file);
    match index
        .components
        .values()
        .find(|entry| !is_name(&entry.file))
    {
        Some(entry) => Err(format!("{:?} is not a file name", entry.file)),
        None => Ok(index),
    }
}

/// Refuses a file or directory that a user could write who cannot write the program.
fn check_trust(path: &Path, about: &Metadata, program_owner: u32) -> Result<(), Untrusted> {
    check_owner_and_mode(path, owner(about), mode(about), program_owner)
}

fn check_owner_and_mode(
    path: &Path,
    owner: u32,
    mode: u32,
    program_owner: u32,
) -> Result<(), Untrusted> {
    let path = || path.display().to_string();
    if owner != ROOT && owner != program_owner {
        return Err(Untrusted::Owner {
            path: path(),
            owner,
        });
    }
    if mode & OTHERS_WRITE != 0 {
        let mode = mode & 0o7777;
        return Err(Untrusted::Writable { path: path(), mode });
    }
    Ok(())
}

const ROOT: u32 = 0;

#[cfg(unix)]
fn owner(about: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(about)
}

#[cfg(unix)]
fn mode(about: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(about)
}

/// Without owners and modes nothing can be trusted: group and others count as able to write.
#[cfg(not(unix))]
fn owner(_about: &Metadata) -> u32 {
    ROOT
}

#[cfg(not(unix))]
fn mode(_about: &Metadata) -> u32 {
    OTHERS_WRITE
}

fn file_error(path: &Path, error: io::Error) -> Untrusted {
    Untrusted::File {
        path: path.display().to_string(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_of_another_user_or_writable_is_not_trusted() {
        const SERVICE: u32 = 990;
        const OPERATOR: u32 = 1000;
        let check = |owner, mode, program_owner| {
            check_owner_and_mode(Path::new("index.json"), owner, mode, program_owner)
                .map_err(|error| error.to_string())
        };
        for (owner, mode, program_owner) in [
            (ROOT, 0o100_644, ROOT),
            (ROOT, 0o100_444, OPERATOR),
            (OPERATOR, 0o100_644, OPERATOR),
        ] {
            assert_eq!(check(owner, mode, program_owner), Ok(()));
        }
        for (owner, mode, program_owner, why) in [
            (SERVICE, 0o100_644, ROOT, "belongs to user 990"),
            (SERVICE, 0o100_444, OPERATOR, "belongs to user 990"),
            (ROOT, 0o100_664, ROOT, "(mode 664)"),
            (ROOT, 0o100_646, ROOT, "(mode 646)"),
            (OPERATOR, 0o40_777, OPERATOR, "(mode 777)"),
        ] {
            let refused = check(owner, mode, program_owner).expect_err("it is not trusted");
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn code_of_another_engine_is_not_loaded() {
        const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
        let engine = ConnectorEngine::new(super::super::engine::PoolSize {
            instances: 1,
            memory: 1 << 25,
            stack: 1 << 19,
        })
        .expect("an engine");
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let installed = |compiled: &[u8]| {
            fs::write(folder.path().join("a.compiled"), compiled).expect("a fresh folder");
            let blake3 = blake3::hash(compiled).to_hex();
            let entry = format!(r#"{{"ab":{{"file":"a.compiled","blake3":"{blake3}"}}}}"#);
            let index = parse(&format!(
                r#"{{"format":1,"program":"1","cpu":"native","components":{entry}}}"#
            ));
            Precompiled {
                directory: folder.path().to_owned(),
                index: index.expect("it is an index"),
                unusable: AtomicBool::new(false),
            }
        };
        let own = engine.engine().precompile_component(COMPONENT);
        let own = installed(&own.expect("it compiles"));
        assert!(own.component(&engine, "ab").is_some());
        assert!(own.component(&engine, "cd").is_none());
        // Code that cannot be interrupted.
        let other = wasmtime::Engine::default().precompile_component(COMPONENT);
        let other = installed(&other.expect("it compiles"));
        assert!(other.component(&engine, "ab").is_none());
        assert!(
            other.unusable.load(Ordering::Relaxed),
            "it is reported once"
        );
    }

    #[test]
    fn index_with_paths_or_another_format_is_refused() {
        let index = |format: u32, file: &str| {
            let entry = format!(r#"{{"ab":{{"file":{file:?},"blake3":"00"}}}}"#);
            parse(&format!(
                r#"{{"format":{format},"program":"1","cpu":"native","components":{entry}}}"#
            ))
        };
        assert!(index(1, "rpo.compiled").is_ok());
        for file in ["../rpo.compiled", "/tmp/rpo.compiled", "a/b", "..", ""] {
            let refused = index(1, file).expect_err("it is a path");
            assert!(refused.contains("is not a file name"), "{refused}");
        }
        let refused = index(2, "rpo.compiled").expect_err("another format");
        assert!(refused.contains("this program reads 1"), "{refused}");
    }
}
