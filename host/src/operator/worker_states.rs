//! The background workers, for `/metrics`.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;

use super::metric::{Labels, float, metric};
use crate::worker::WorkerState;

#[derive(Debug)]
pub(super) struct WorkerStates(pub(super) Vec<WorkerState>);

impl WorkerStates {
    /// A number of every worker.
    fn each(&self, number: impl Fn(&WorkerState) -> f64) -> Vec<(Labels<'_>, f64)> {
        let workers = self.0.iter();
        workers
            .map(|worker| (vec![("worker", worker.name)], number(worker)))
            .collect()
    }
}

impl Collector for WorkerStates {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Restarts of a background worker after a panic.";
        let restarts = self.each(|worker| float(worker.restarts));
        metric(&mut encoder, "lustra_worker_restarts", help).counters(&restarts)?;
        let help = "1 while a background worker keeps panicking.";
        let failing = self.each(|worker| f64::from(u8::from(worker.failing)));
        metric(&mut encoder, "lustra_worker_failing", help).gauges(&failing)
    }
}
