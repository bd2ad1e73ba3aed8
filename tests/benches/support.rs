//! Shared by the benchmarks. Speed is only printed, if possible as a ratio to something measured in the same process a
//! moment earlier; no benchmark fails because a machine is slow.

pub mod client;
pub mod figures;
pub mod native;
pub mod options;
pub mod process;
pub mod repeated;
pub mod rivals;
pub mod sizes;
pub mod upstream;

use std::time::Duration;

pub use figures::{Aim, Figures};
pub use options::Options;

/// The percentile of a share between 0 and 1. Sorts the times.
pub fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a position among the values"
    )]
    let position = (times.len() as f64 * share).ceil() as usize;
    times[position.clamp(1, times.len()) - 1]
}

/// The median, which a single disturbed round does not change.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The median of some times, in microseconds.
pub fn median_micros(times: &mut [Duration]) -> f64 {
    percentile(times, 0.5).as_secs_f64() * 1e6
}

/// The rate per second.
pub fn rate(count: u64, span: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    let count = count as f64;
    count / span.as_secs_f64()
}

/// Creates the runtime of the servers; clients do not use it. Also installs the process's TLS provider, which HTTP
/// clients need and otherwise only the program installs.
pub fn runtime() -> tokio::runtime::Runtime {
    // Installing the provider twice returns an error; the first one wins.
    drop(rustls::crypto::ring::default_provider().install_default());
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads can be started")
}

/// The name of the threads of everything that is not the host.
pub const REGISTERS: &str = "registers";

/// Threads for registers and receivers, which are other machines in reality: their work does not wait in the host's
/// queue, and their processor time can be told from the host's.
pub fn runtime_of_registers() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .thread_name(REGISTERS)
        // The time of ended threads could not be told from the host's.
        .thread_keep_alive(Duration::from_secs(24 * 3_600))
        .enable_all()
        .build()
        .expect("threads can be started")
}

/// Logs as `lustra serve` does, but discards the output. Without a subscriber, the spans of a request would be free.
pub fn log_like_a_server() {
    let log = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new("info"))
        // As a server whose log is not a terminal.
        .with_ansi(false)
        .with_writer(std::io::sink);
    log.compact().init();
}
