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
    /// The part of `now` that is not the content of mapped files, which the system can drop at any time.
    pub own: f64,
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
            own: mib("RssAnon:"),
        }
    }

    /// Resets the peak to the current value. If the system does not allow it, the peak still includes the start.
    pub fn forget_high() {
        drop(std::fs::write("/proc/self/clear_refs", "5"));
    }
}

/// The processor time of this process in seconds, without its running threads of this name. Zero if the system does not
/// provide it.
pub fn processor_seconds(without: &str) -> f64 {
    let whole = ticks("/proc/self/stat").map_or(0, |(_, ticks)| ticks);
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let others: u64 = tasks
        .flatten()
        .filter_map(|task| ticks(&task.path().join("stat").display().to_string()))
        .filter(|(name, _)| name == without)
        .map(|(_, ticks)| ticks)
        .sum();
    // Linux counts in hundredths of a second.
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    let ticks = whole.saturating_sub(others) as f64;
    ticks / 100.0
}

/// The name of a process or thread, and its processor time in ticks.
fn ticks(file: &str) -> Option<(String, u64)> {
    let text = std::fs::read_to_string(file).ok()?;
    let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((name.to_owned(), user + system))
}
