//! Availability of the store and use of its connection pools, for `/metrics`. Works while the store is
//! unavailable.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;

use super::metric::{Labels, float, metric};
use crate::store::PoolState;

/// The store as this process sees it.
#[derive(Debug)]
pub(super) struct StoreState {
    pub(super) is_up: bool,
    pub(super) pools: Vec<PoolState>,
}

/// A metric's name, its help text and its value for a pool.
type Named = (&'static str, &'static str, fn(&PoolState) -> f64);

impl StoreState {
    fn each(&self, number: impl Fn(&PoolState) -> f64) -> Vec<(Labels<'_>, f64)> {
        let pools = self.pools.iter();
        pools
            .map(|pool| (vec![("pool", pool.name)], number(pool)))
            .collect()
    }
}

impl Collector for StoreState {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let up = f64::from(u8::from(self.is_up));
        let help = "1 while the store is available; at 0, stored values are omitted.";
        metric(&mut encoder, "lustra_store_up", help).gauges(&[(Labels::new(), up)])?;
        let gauges: [Named; 3] = [
            (
                "lustra_store_pool_connections",
                "Open connections to the database, by pool.",
                |pool| f64::from(pool.open),
            ),
            (
                "lustra_store_pool_idle",
                "Idle connections to the database.",
                |pool| f64::from(pool.idle),
            ),
            (
                "lustra_store_pool_max",
                "Maximum open connections to the database.",
                |pool| f64::from(pool.most),
            ),
        ];
        for (name, help, number) in gauges {
            metric(&mut encoder, name, help).gauges(&self.each(number))?;
        }
        let counters: [Named; 3] = [
            (
                "lustra_store_pool_waits",
                "Waits for a connection to the database, including failed ones.",
                |pool| float(pool.waits),
            ),
            (
                "lustra_store_pool_timeouts",
                "Waits for a connection to the database that timed out.",
                |pool| float(pool.timed_out),
            ),
            (
                "lustra_store_pool_wait_seconds",
                "Total time of all waits for a connection to the database.",
                |pool| pool.waited.as_secs_f64(),
            ),
        ];
        for (name, help, number) in counters {
            metric(&mut encoder, name, help).counters(&self.each(number))?;
        }
        Ok(())
    }
}
