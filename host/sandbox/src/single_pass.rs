//! The single-pass compiler: its code serves until the component is optimized.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::{ConnectorEngine, PoolSize, Tier};
use super::linker::ConnectorLinker;

/// The engine of the single-pass compiler with the host's functions, made when it is first needed.
pub struct SinglePass {
    pool: PoolSize,
    linker: Mutex<Option<ConnectorLinker>>,
}

impl SinglePass {
    pub(super) fn new(pool: PoolSize) -> Self {
        Self {
            pool,
            linker: Mutex::default(),
        }
    }

    /// The engine with the host's functions. `None` if it cannot be made, which is logged.
    pub(super) fn linker(&self) -> Option<ConnectorLinker> {
        let mut made = self.lock();
        if made.is_none() {
            let linker = ConnectorEngine::of_tier(self.pool, Tier::SinglePass)
                .and_then(ConnectorLinker::new);
            match linker {
                Ok(linker) => *made = Some(linker),
                Err(error) => {
                    tracing::warn!(%error, "the single-pass compiler is not used: {error:#}");
                }
            }
        }
        made.clone()
    }

    /// Drops the engine, as soon as no code that it runs is in use.
    pub(super) fn release(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<ConnectorLinker>> {
        // The guarded value is replaced as a whole, so a panic leaves it consistent.
        self.linker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
