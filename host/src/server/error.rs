//! Why a host does not start.

use std::io;
use std::net::SocketAddr;

use crate::connectors::egress::EgressSetupError;
use crate::http_server::CertificateError;
use crate::mail::MailSetupError;
use crate::notifications::NotifierError;
use crate::sandbox_companies::SandboxError;
use crate::sealing::SecretError;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the data directory {path}: {error}")]
    Data { path: String, error: io::Error },
    #[error("the WebAssembly engine cannot be built: {0:#}")]
    Engine(wasmtime::Error),
    #[error("threads for connectors' calls cannot be created: {0}")]
    Threads(io::Error),
    #[error(transparent)]
    Egress(#[from] EgressSetupError),
    #[error(transparent)]
    Mail(#[from] MailSetupError),
    #[error(transparent)]
    Notifier(#[from] NotifierError),
    #[error(transparent)]
    Secrets(#[from] SecretError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("TLS: {0}")]
    Certificate(#[from] CertificateError),
    #[error("cannot listen on {address}: {error}")]
    Listen {
        address: SocketAddr,
        error: io::Error,
    },
}
