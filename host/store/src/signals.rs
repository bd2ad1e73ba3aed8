//! Signals between tasks of this process about new writes, so that workers need not poll constantly. Workers of other
//! hosts notice new writes by polling.

use tokio::sync::{Notify, watch};

/// Signals that workers wait for.
#[derive(Debug)]
pub struct Signals {
    /// New events are in the outbox.
    pub events: Notify,
    pub deliveries: Notify,
    pub watches: Notify,
    /// Number of the last log event that this process wrote.
    pub logged: watch::Sender<i64>,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            events: Notify::new(),
            deliveries: Notify::new(),
            watches: Notify::new(),
            logged: watch::Sender::new(0),
        }
    }
}
