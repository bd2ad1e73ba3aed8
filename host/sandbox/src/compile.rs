//! From a component to machine code, here or beside the host.
//!
//! Compiling uses whole cores for up to seconds. At the start nothing else is done and every core helps; later a child
//! process of the lowest priority does it, one at a time, so that look-ups do not feel it. The child is this program
//! with a hidden command; where it cannot be used, the host compiles in its own process and says so.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use wasmtime::Engine;

use super::engine::{ConnectorEngine, PoolSize};

/// A component that takes longer is not worth it.
const LONGEST: Duration = Duration::from_secs(120);

/// Who compiles.
#[derive(Debug)]
pub enum Compiler {
    /// This process, with every core.
    Here,
    /// A child process of the lowest priority.
    Beside(Beside),
}

/// The child's program, and the lock that lets one run at a time.
#[derive(Debug)]
pub struct Beside {
    program: PathBuf,
    turn: Mutex<()>,
}

/// Why nothing was compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The component is refused.
    #[error("it does not compile: {0}")]
    Refused(String),
    /// It took too long.
    #[error("compiling it took longer than {} s", LONGEST.as_secs())]
    TooLong,
    /// The child could not be used.
    #[error("the compiling process: {0}")]
    Child(#[from] io::Error),
}

impl Compiler {
    /// The compiler of a running host: the program that was named, else this one where it is Lustra's own.
    #[must_use]
    pub fn beside(named: Option<&Path>) -> Self {
        let own = || {
            let program = std::env::current_exe().ok()?;
            (program.file_stem()? == "lustra").then_some(program)
        };
        match named.map(Path::to_owned).or_else(own) {
            Some(program) => Self::Beside(Beside {
                program,
                turn: Mutex::default(),
            }),
            None => Self::Here,
        }
    }

    /// Machine code of a component, to be deserialised by the same engine.
    ///
    /// # Errors
    /// A [`CompileError`]. A child that cannot be started or used is no error: the host compiles then.
    pub fn compile(
        &self,
        engine: &ConnectorEngine,
        component: &[u8],
    ) -> Result<Vec<u8>, CompileError> {
        match self {
            Self::Here => here(engine.engine(), component),
            Self::Beside(beside) => match beside.compile(engine.pool(), component) {
                Err(CompileError::Child(error)) => {
                    tracing::warn!(%error, "no process could be started to compile a component; it is compiled in the host's own");
                    here(engine.engine(), component)
                }
                compiled => compiled,
            },
        }
    }
}

fn here(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, CompileError> {
    engine
        .precompile_component(component)
        .map_err(|error| CompileError::Refused(format!("{error:#}")))
}

impl Beside {
    fn compile(&self, pool: PoolSize, component: &[u8]) -> Result<Vec<u8>, CompileError> {
        let _turn = self
            .turn
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut child = Command::new(&self.program)
            .args(["connector", "compile"])
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

/// What the child says first when the component, not the child, is at fault.
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

/// Waits for the child; false when it had to be ended.
fn wait(child: &mut Child) -> io::Result<bool> {
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > LONGEST {
            child.kill()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(true)
}

/// The child's part: lowers its priority and compiles what comes on standard input to standard output.
///
/// # Errors
/// The component is refused, or input or output failed.
pub fn as_child(
    pool: PoolSize,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<(), CompileError> {
    // Without the lower priority it only disturbs more.
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(19) {
        tracing::debug!(%error, "the priority stays as it is");
    }
    let mut component = Vec::new();
    input.read_to_end(&mut component)?;
    let engine = super::engine::for_compiling(pool)
        .map_err(|error| io::Error::other(format!("{error:#}")))?;
    output.write_all(&here(&engine, &component)?)?;
    output.flush()?;
    Ok(())
}
