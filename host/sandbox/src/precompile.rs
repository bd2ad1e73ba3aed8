//! Compiles a directory of components ahead of time, for [`precompiled`](super::precompiled).

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::compile::CompileError;
use super::engine::{self, Cpu, PoolSize};
use super::precompiled::{Compiled, FORMAT, INDEX, Index};
use super::refusal::Refusal;
use super::reload;

/// Why a directory of compiled components could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PrecompileError {
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("there are no components in {0}")]
    NoComponents(String),
    #[error("{path}: {refusal}")]
    Component { path: String, refusal: Refusal },
    #[error("{path}: {error}")]
    Compile { path: String, error: CompileError },
    #[error("the WebAssembly engine cannot be built: {0:#}")]
    Engine(wasmtime::Error),
}

/// A component that was compiled.
#[derive(Debug, Clone)]
pub struct PrecompiledComponent {
    /// Id of the connector.
    pub id: String,
    /// Size of the machine code in bytes.
    pub size: u64,
}

/// Compiles all components of a directory for processors of a kind and writes them to another directory with an index.
/// `report` receives each compiled component. The same components give the same bytes.
///
/// # Errors
/// A component or file cannot be read, compiled or written. The index is written last.
pub fn write(
    components: &Path,
    output: &Path,
    pool: PoolSize,
    cpu: Cpu,
    report: &mut dyn FnMut(&PrecompiledComponent),
) -> Result<(), PrecompileError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error| PrecompileError::File { path, error }
    };
    let files = reload::components(components).map_err(failed(components))?;
    if files.is_empty() {
        return Err(PrecompileError::NoComponents(
            components.display().to_string(),
        ));
    }
    let engine = engine::for_precompiling(pool, cpu).map_err(PrecompileError::Engine)?;
    fs::create_dir_all(output).map_err(failed(output))?;
    let mut index = Index {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        cpu: cpu.word().to_owned(),
        components: BTreeMap::new(),
    };
    for path in files {
        let shown = || path.display().to_string();
        let candidate = reload::read(&path).map_err(|refusal| PrecompileError::Component {
            path: shown(),
            refusal,
        })?;
        let compiled = engine
            .precompile_component(&candidate.bytes)
            .map_err(|error| PrecompileError::Compile {
                path: shown(),
                error: CompileError::Refused(format!("{error:#}")),
            })?;
        let id = candidate.manifest.id;
        let file = format!("{id}.compiled");
        write_file(&output.join(&file), &compiled).map_err(failed(output))?;
        let blake3 = blake3::hash(&compiled).to_hex().to_string();
        let size = compiled.len() as u64;
        index
            .components
            .insert(candidate.digest, Compiled { file, blake3 });
        report(&PrecompiledComponent {
            id: id.to_string(),
            size,
        });
    }
    let mut text = serde_json::to_vec_pretty(&index).expect("names and digests are JSON");
    text.push(b'\n');
    write_file(&output.join(INDEX), &text).map_err(failed(output))
}

/// Writes a file that group and others cannot change, whatever the umask.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A host may have read the previous file; the new one gets the mode below.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    options.open(path)?.write_all(bytes)
}
