//! Compiles components to machine code, in this process or in a child process.
//!
//! Compiling uses whole cores for up to seconds. At the start the host compiles with all cores. Later a child process
//! with the lowest priority compiles one component at a time, so that look-ups are not slowed down. The child is this
//! program with a hidden command. If it cannot be used, the host logs that and compiles in its own process. The
//! single-pass compiler has a child of its own, so that it need not wait for the optimizing one.

use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use wasmtime::Engine;
use wasmtime::component::Component;

use super::code_file::CodeFile;
use super::engine::{ConnectorEngine, PoolSize, Tier};
use crate::time_slice;

/// Timeout of one compilation.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(120);

/// Where components are compiled.
#[derive(Debug)]
pub enum Compiler {
    /// In this process, on all cores.
    InProcess,
    /// In a child process with the lowest priority.
    ChildProcess(ChildCompiler),
}

/// The child's program, with locks that let one child of each compiler run at a time.
#[derive(Debug)]
pub struct ChildCompiler {
    program: PathBuf,
    single_pass: Mutex<()>,
    optimizing: Mutex<()>,
}

/// Why a compilation failed.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The component is invalid.
    #[error("it does not compile: {0}")]
    Refused(String),
    #[error("compiling it took longer than {} s", COMPILE_TIMEOUT.as_secs())]
    TooLong,
    /// The child process could not be used.
    #[error("the compiling process: {0}")]
    Child(#[from] io::Error),
}

impl Compiler {
    /// The compiler of a running host: the given program, or this one if it is Lustra's own.
    #[must_use]
    pub fn child_process(named: Option<&Path>) -> Self {
        let own = || {
            let program = std::env::current_exe().ok()?;
            (program.file_stem()? == "lustra").then_some(program)
        };
        match named.map(Path::to_owned).or_else(own) {
            Some(program) => Self::ChildProcess(ChildCompiler {
                program,
                single_pass: Mutex::default(),
                optimizing: Mutex::default(),
            }),
            None => Self::InProcess,
        }
    }

    /// Compiles a component to machine code, to be deserialised by the same engine.
    ///
    /// # Errors
    /// A [`CompileError`]. If the child cannot be started or used, the host compiles instead.
    pub fn compile(
        &self,
        engine: &ConnectorEngine,
        component: &[u8],
    ) -> Result<Vec<u8>, CompileError> {
        match self {
            Self::InProcess => compile_here(engine.engine(), component),
            Self::ChildProcess(child) => match child.compile(engine, component) {
                Err(CompileError::Child(error)) => {
                    tracing::warn!(%error, "the compiler process could not be started; compiling in the host process");
                    compile_here(engine.engine(), component)
                }
                compiled => compiled,
            },
        }
    }
}

fn compile_here(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, CompileError> {
    engine
        .precompile_component(component)
        .map_err(|error| CompileError::Refused(format!("{error:#}")))
}

/// Makes machine code callable. The bytes must be ones that `precompile_component` returned.
#[expect(
    unsafe_code,
    reason = "the bytes carry the proof of this host, were installed with the program, or were compiled a moment ago"
)]
pub(super) fn deserialise(engine: &Engine, compiled: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes come from `precompile_component`, run by this host's user or by
    // the user who installed the program; see the invariants of `cache` and
    // `precompiled`.
    let component = unsafe { Component::deserialize(engine, compiled) }?;
    component.initialize_copy_on_write_image()?;
    Ok(component)
}

/// Makes copied machine code callable.
#[expect(
    unsafe_code,
    reason = "the copy carries the proof of this host or was installed with the program, and can no longer change"
)]
pub(super) fn deserialise_file(engine: &Engine, code: &CodeFile) -> wasmtime::Result<Component> {
    let file = match code {
        CodeFile::Bytes(bytes) => return deserialise(engine, bytes),
        CodeFile::Sealed(file) => file,
    };
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: as for `deserialise`; the seals keep the mapped file as it is.
    let Ok(component) = (unsafe { Component::deserialize_file(engine, path) }) else {
        // Without /proc the engine cannot open the file.
        let mut bytes = Vec::new();
        (&mut &*file).rewind()?;
        (&*file).read_to_end(&mut bytes)?;
        return deserialise(engine, &bytes);
    };
    component.initialize_copy_on_write_image()?;
    Ok(component)
}

impl ChildCompiler {
    fn compile(&self, engine: &ConnectorEngine, component: &[u8]) -> Result<Vec<u8>, CompileError> {
        let (pool, lock) = (
            engine.pool(),
            match engine.tier() {
                Tier::SinglePass => &self.single_pass,
                Tier::Optimizing => &self.optimizing,
            },
        );
        let _one_at_a_time = lock
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut child = Command::new(&self.program)
            .args(["connector", "compile", "--tier", engine.tier().word()])
            .arg("--instances")
            .arg(pool.instances.to_string())
            .arg("--memory")
            .arg(pool.memory.to_string())
            .arg("--stack")
            .arg(pool.stack.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        std::thread::scope(|scope| {
            let (input, output, errors) =
                (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let writer = scope.spawn(move || match input {
                Some(mut input) => input.write_all(component),
                None => Ok(()),
            });
            let reader = scope.spawn(move || read(output));
            let complaints = scope.spawn(move || read(errors));
            let ended = wait(&mut child);
            let written = writer.join();
            let compiled = joined(reader.join())?;
            let complaints = joined(complaints.join())?;
            if !ended? {
                return Err(CompileError::TooLong);
            }
            let succeeded = child.wait()?.success();
            if succeeded && matches!(written, Ok(Ok(()))) {
                return Ok(compiled);
            }
            let text = String::from_utf8_lossy(&complaints);
            match text.trim().strip_prefix(REFUSED) {
                Some(why) => Err(CompileError::Refused(why.trim().to_owned())),
                None => Err(io::Error::other(text.trim().to_owned()).into()),
            }
        })
    }
}

/// Prefix of the child's output if the component, and not the child, is at fault.
pub const REFUSED: &str = "refused:";

fn read(source: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut source) = source {
        source.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn joined(result: std::thread::Result<io::Result<Vec<u8>>>) -> io::Result<Vec<u8>> {
    result.unwrap_or_else(|_panic| Err(io::Error::other("reading from it failed")))
}

/// Waits for the child; false if it exceeded the timeout and was killed.
fn wait(child: &mut Child) -> io::Result<bool> {
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > COMPILE_TIMEOUT {
            child.kill()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(true)
}

/// Runs as the child: lowers the priority and compiles standard input to standard output.
///
/// # Errors
/// The component is refused, or input or output failed.
pub fn as_child(
    pool: PoolSize,
    tier: Tier,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<(), CompileError> {
    // Without the lower priority the child still works, but disturbs the host more.
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(19)
        .map_err(io::Error::from)
        .and_then(|_nice| time_slice::reset())
    {
        tracing::debug!(%error, "the priority of the compiler process could not be lowered");
    }
    let mut component = Vec::new();
    input.read_to_end(&mut component)?;
    let engine = super::engine::for_compiling(pool, tier)
        .map_err(|error| io::Error::other(format!("{error:#}")))?;
    output.write_all(&compile_here(&engine, &component)?)?;
    output.flush()?;
    Ok(())
}
