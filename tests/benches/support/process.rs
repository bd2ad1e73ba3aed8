//! The memory of this process, and child processes of the same program.

use std::process::Command;

/// This benchmark as a child process with the same options. The child finds the two words in
/// [`Options::inner`](super::Options::inner).
pub fn again(inner: [&str; 2]) -> Command {
    let mut command = same_words();
    command.arg("--inner").args(inner);
    command
}

/// This program as a child process for a single benchmark, with the same options.
pub fn alone(benchmark: &str) -> Command {
    let mut command = same_words();
    command.args(["--alone", benchmark]);
    command
}

fn same_words() -> Command {
    let program = std::env::current_exe().expect("the program has a path");
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    command
}

/// Current and peak resident memory, in MiB.
#[derive(Debug, Clone, Copy)]
pub struct Resident {
    pub now: f64,
    /// The peak since the start, or since [`Resident::forget_high`].
    pub high: f64,
}

impl Resident {
    /// Reads the current values. Zero if the system does not provide them.
    pub fn read() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
            kib.unwrap_or_default() / 1024.0
        };
        Self {
            now: mib("VmRSS:"),
            high: mib("VmHWM:"),
        }
    }

    /// Resets the peak to the current value. If the system does not allow it, the peak still includes the start.
    pub fn forget_high() {
        drop(std::fs::write("/proc/self/clear_refs", "5"));
    }
}
