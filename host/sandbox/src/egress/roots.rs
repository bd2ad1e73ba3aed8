//! The system's root certificates, read once for all clients of the process.

use std::sync::{Arc, OnceLock};

use reqwest::ClientBuilder;
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::Verifier;

static VERIFIER: OnceLock<Option<Arc<Verifier>>> = OnceLock::new();

/// Reads the root certificates, unless they were read before. Often they are hundreds of files.
pub fn read_system_roots() {
    verifier();
}

/// Lets a client accept servers whose certificates the system trusts, over HTTP/2 or HTTP/1.1. Installs the process's
/// cryptography.
pub fn with_system_roots(builder: ClientBuilder) -> ClientBuilder {
    // Installing the provider twice returns an error; the first one wins.
    drop(ring::default_provider().install_default());
    let config = verifier().and_then(|verifier| {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .ok()?;
        Some(
            config
                .dangerous()
                .with_custom_certificate_verifier(verifier)
                .with_no_client_auth(),
        )
    });
    match config {
        // Each client has its own sessions, which another one must not resume.
        Some(mut config) => {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            builder.tls_backend_preconfigured(config)
        }
        // The builder reads the certificates itself and returns the error.
        None => builder,
    }
}

fn verifier() -> Option<Arc<Verifier>> {
    let read = || match Verifier::new(Arc::new(ring::default_provider())) {
        Ok(verifier) => Some(Arc::new(verifier)),
        Err(error) => {
            tracing::warn!(%error, "the system's root certificates cannot be used: {error}");
            None
        }
    };
    VERIFIER.get_or_init(read).clone()
}
