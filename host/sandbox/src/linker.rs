//! What a component can be linked with: the imports of the contract, and WASI without any access.

use std::sync::Arc;

use wasmtime::component::{HasSelf, Linker};

use super::bindings::base::lustra::connector;
use super::engine::ConnectorEngine;
use super::state::CallState;

/// The engine with the host functions that components may import; one per process.
#[derive(Clone)]
pub struct ConnectorLinker {
    engine: ConnectorEngine,
    linker: Arc<Linker<CallState>>,
}

impl ConnectorLinker {
    /// Defines the host functions for an engine.
    ///
    /// # Errors
    /// Two host functions have the same name.
    pub fn new(engine: ConnectorEngine) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(engine.engine());
        wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
        connector::http::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
        connector::records::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
        connector::companies::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
        connector::runtime::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
        connector::types::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
        Ok(Self {
            engine,
            linker: Arc::new(linker),
        })
    }

    #[must_use]
    pub fn engine(&self) -> &ConnectorEngine {
        &self.engine
    }

    #[must_use]
    pub fn linker(&self) -> &Linker<CallState> {
        &self.linker
    }
}
