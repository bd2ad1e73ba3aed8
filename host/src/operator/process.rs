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

/// CPU time: fields 14 and 15 of `/proc/self/stat` (proc(5)), in ticks. The second field may contain spaces and
/// ends at the last parenthesis.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11);
    let user: u64 = ticks.next()?.parse().ok()?;
    let system: u64 = ticks.next()?.parse().ok()?;
    let each_second = rustix::param::clock_ticks_per_second();
    Some(float(user + system) / float(each_second))
}

/// The second field of `/proc/self/statm`, in pages.
fn resident_bytes() -> Option<f64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    Some(float(pages * page))
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
        assert!(open_descriptors().is_some_and(|open| open >= 3.0));
    }
}
