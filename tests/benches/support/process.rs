//! This process as the kernel sees it, and processes of the same program beside it.

use std::process::Command;

/// This benchmark once more in a process of its own, with the same options: it finds the two words in
/// [`Options::inner`](super::Options::inner).
pub fn again(inner: [&str; 2]) -> Command {
    let mut command = same_words();
    command.arg("--inner").args(inner);
    command
}

/// This program for one benchmark alone, with the same options.
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

/// Resident memory now and at its highest, in MiB.
#[derive(Debug, Clone, Copy)]
pub struct Resident {
    /// Now.
    pub now: f64,
    /// The most since the start, or since [`Resident::forget_high`].
    pub high: f64,
}

impl Resident {
    /// Reads it. Zero where the system does not say.
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

    /// Takes what is resident now for the highest so far; where the system does not let it, the start counts too.
    pub fn forget_high() {
        drop(std::fs::write("/proc/self/clear_refs", "5"));
    }
}
