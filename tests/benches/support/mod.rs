//! What the benchmarks share. Speed is only ever printed, as a ratio to something that ran in the same process a moment
//! earlier where that is possible; nothing here fails because a machine is slow.

pub mod client;
pub mod figures;
pub mod native;
pub mod options;
pub mod process;
pub mod rivals;
pub mod upstream;

use std::time::Duration;

pub use figures::{Aim, Figures};
pub use options::Options;

/// The value that `share` of all are not above; the times are sorted for it.
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

/// The middle one of some figures, which one disturbed round does not move.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The middle one of some times, in microseconds.
pub fn median_micros(times: &mut [Duration]) -> f64 {
    percentile(times, 0.5).as_secs_f64() * 1e6
}

/// How many in a second.
pub fn rate(count: u64, span: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    let count = count as f64;
    count / span.as_secs_f64()
}

/// The runtime that servers, and nothing of a client, run on. Chooses the process's TLS provider as well, which every
/// HTTP client needs and only the program itself installs otherwise.
pub fn runtime() -> tokio::runtime::Runtime {
    // Installing a provider twice returns an error; the first one stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads can be started")
}

/// Logs as `lustra serve` does, into nothing: without it the spans of a request would cost nothing either.
pub fn log_like_a_server() {
    let log = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new("info"))
        .with_writer(std::io::sink);
    log.compact().init();
}
