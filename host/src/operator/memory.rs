//! What this host remembers for the operator's pages, beyond the store.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use super::lists::Uploads;
use crate::minute_limit::MinuteLimit;

/// The name of this machine; empty if it is unknown.
pub(super) static MACHINE: LazyLock<String> = LazyLock::new(|| {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_unknown| String::new(), |name| name.trim().to_owned())
});

/// Client addresses whose wrong keys are counted at a time. Further ones wait for the next minute.
const MAX_ADDRESSES: usize = 10_000;

/// Files that were sent, and wrong keys. Clones share it.
#[derive(Clone)]
pub struct Memory {
    pub(super) uploads: Uploads,
    pub(super) wrong_keys: Arc<MinuteLimit<IpAddr>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            uploads: Uploads::default(),
            wrong_keys: Arc::new(MinuteLimit::new(MAX_ADDRESSES)),
        }
    }
}
