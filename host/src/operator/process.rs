//! Process metrics from the operating system for `/metrics`, under the names of Prometheus' client libraries.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use rustix::process::{Resource, getrlimit};

/// Reads `/proc/self` on collection. Unreadable values are omitted.
#[derive(Debug)]
pub(super) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        if let Some(seconds) = cpu_seconds() {
            let metric = encoder.encode_descriptor(
                "process_cpu_seconds",
                "CPU time of this process.",
                None,
                MetricType::Counter,
            )?;
            ConstCounter::new(seconds).encode(metric)?;
        }
        let gauges = [
            (
                "process_resident_memory_bytes",
                "Resident memory of this process.",
                resident_bytes(),
            ),
            (
                "process_open_fds",
                "Open file descriptors.",
                open_descriptors(),
            ),
            (
                "process_virtual_memory_bytes",
                "Virtual memory of this process.",
                virtual_bytes(),
            ),
            ("process_threads", "Threads of this process.", threads()),
            (
                "process_start_time_seconds",
                "When this process began, in seconds since 1970-01-01 UTC.",
                started_at(),
            ),
            (
                "process_max_fds",
                "Maximum open file descriptors.",
                getrlimit(Resource::Nofile).current.map(float),
            ),
        ];
        for (name, help, value) in gauges {
            if let Some(value) = value {
                let metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
                ConstGauge::new(value).encode(metric)?;
            }
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers far below 2^52")]
fn float(number: u64) -> f64 {
    number as f64
}

/// A field of `/proc/self/stat` by its number in proc(5), from 3 on. The second field may contain spaces and ends at
/// the last parenthesis.
fn stat(number: usize) -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let field = fields.split_whitespace().nth(number.checked_sub(3)?)?;
    field.parse().ok()
}

fn seconds_of_ticks(ticks: u64) -> f64 {
    float(ticks) / float(rustix::param::clock_ticks_per_second())
}

/// CPU time in user and in kernel mode.
fn cpu_seconds() -> Option<f64> {
    Some(seconds_of_ticks(stat(14)? + stat(15)?))
}

fn threads() -> Option<f64> {
    stat(20).map(float)
}

/// The start of the process in ticks after the system's, plus the start of the system (`btime` of `/proc/stat`).
fn started_at() -> Option<f64> {
    let system = fs::read_to_string("/proc/stat").ok()?;
    let booted = system
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?;
    let booted: u64 = booted.trim().parse().ok()?;
    Some(float(booted) + seconds_of_ticks(stat(22)?))
}

/// A field of `/proc/self/statm`, which counts pages.
fn bytes_of_statm(place: usize) -> Option<f64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(place)?.parse().ok()?;
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    Some(float(pages * page))
}

fn virtual_bytes() -> Option<f64> {
    bytes_of_statm(0)
}

fn resident_bytes() -> Option<f64> {
    bytes_of_statm(1)
}

fn open_descriptors() -> Option<f64> {
    let open = fs::read_dir("/proc/self/fd").ok()?.count();
    // One of them is the directory being read.
    u64::try_from(open.saturating_sub(1)).ok().map(float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn process_metrics_are_read_on_linux() {
        assert!(cpu_seconds().is_some_and(|seconds| seconds >= 0.0));
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1e6));
        assert!(virtual_bytes() >= resident_bytes());
        assert!(threads().is_some_and(|threads| threads >= 1.0));
        assert!(open_descriptors().is_some_and(|open| open >= 3.0));
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
        let now = now.expect("it is later").as_secs_f64();
        let age = now - started_at().expect("a time");
        assert!((-2.0..3_600.0).contains(&age), "{age}");
    }
}
