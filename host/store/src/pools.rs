//! The metrics of all pools of the store.

use super::db::{Db, Either, on};
use super::{PoolState, Store};

impl Store {
    /// Metrics of this host's pools.
    #[must_use]
    pub fn pools(&self) -> Vec<PoolState> {
        let pools: &[(&'static str, &Db)] = match self.reads {
            Either::Postgres(_) => &[("all", &self.reads)],
            Either::Sqlite(_) => &[
                ("reads", &self.reads),
                ("writes", &self.writes),
                ("billing", &self.billing),
                ("billing_reads", &self.billing_reads),
            ],
        };
        let pools = pools.iter();
        pools
            .map(|(name, pool)| on!(pool, |pool| pool.state(name)))
            .collect()
    }
}
