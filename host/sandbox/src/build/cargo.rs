//! Runs cargo and follows which modules it has finished.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::error::BuildError;

/// What is added to the nice value of a build in the background.
#[cfg(unix)]
const NICE: i32 = 10;

/// How a build shares the processor with the rest of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// Like any program.
    Normal,
    /// Only what other programs leave. Cargo prints errors and warnings, but no progress.
    Low,
}

/// The members of a line of `cargo build --message-format=json` that are read. See "External tools" in Cargo's book.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Runs cargo until it ends. Calls `finished` with each file that a crate was compiled to, as soon as it is there.
///
/// # Errors
/// Cargo cannot be started or fails. If `finished` fails, cargo is stopped.
pub(super) fn run(
    cargo: &mut Command,
    priority: Priority,
    finished: &mut dyn FnMut(PathBuf) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let file_error = |error| BuildError::File {
        what: "cargo".to_owned(),
        error,
    };
    if priority == Priority::Low {
        cargo.arg("--quiet");
    }
    cargo.arg("--message-format=json-render-diagnostics");
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(file_error)?;
    if priority == Priority::Low {
        lower_priority(&child);
    }
    let followed = match child.stdout.take() {
        Some(output) => follow(output, finished),
        None => Ok(()),
    };
    if followed.is_err() {
        // It may have ended meanwhile.
        child.kill().ok();
    }
    let status = child.wait().map_err(file_error)?;
    followed?;
    if status.success() {
        Ok(())
    } else {
        Err(BuildError::Cargo)
    }
}

fn follow(
    output: ChildStdout,
    finished: &mut dyn FnMut(PathBuf) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| BuildError::File {
            what: "the messages of cargo".to_owned(),
            error,
        })?;
        // Later versions may send other messages. The caller notices what was not reported.
        let Ok(message) = serde_json::from_str::<Message>(&line) else {
            continue;
        };
        for file in message.filenames {
            finished(file)?;
        }
    }
    Ok(())
}

/// If it fails, the build only takes more of the processor.
fn lower_priority(child: &Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, getpriority_process, setpriority_process};
        let process = Some(Pid::from_child(child));
        if let Ok(nice) = getpriority_process(process) {
            setpriority_process(process, nice + NICE).ok();
        }
    }
    #[cfg(not(unix))]
    let _ = child;
}
