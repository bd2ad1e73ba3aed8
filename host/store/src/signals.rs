//! What tells others in this process that something was written, so that they need not look all the time. Other hosts
//! learn of it when they look.

use tokio::sync::{Notify, watch};

/// What others wait for.
#[derive(Debug)]
pub struct Signals {
    /// Events were found.
    pub events: Notify,
    /// Deliveries are due.
    pub deliveries: Notify,
    /// Watched companies are due.
    pub watches: Notify,
    /// The number of the last event in the log that this process wrote.
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
