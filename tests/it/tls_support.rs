//! Certificates for tests, and clients that trust them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lustra_tests::lustra::config::Config;
use lustra_tests::{Builder, World};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A time after all tests.
pub const LATER: OffsetDateTime = datetime!(2049-01-01 0:00 UTC);

/// A self-signed certificate for `localhost` and the loopback address, and its key, as PEM.
pub struct Pair {
    pub certificate: String,
    pub key: String,
}

impl Pair {
    pub fn new() -> Self {
        Self::valid(datetime!(2020-01-01 0:00 UTC), LATER)
    }

    pub fn valid(from: OffsetDateTime, until: OffsetDateTime) -> Self {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut parameters = rcgen::CertificateParams::new(names).expect("they are names");
        parameters.not_before = from;
        parameters.not_after = until;
        let key = rcgen::KeyPair::generate().expect("a key");
        let certificate = parameters.self_signed(&key).expect("a certificate");
        Self {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    /// Writes both files. The files that a host follows may be replaced one after the other.
    pub fn write(&self, folder: &Path) -> (PathBuf, PathBuf) {
        let files = (folder.join("certificate.pem"), folder.join("key.pem"));
        std::fs::write(&files.0, &self.certificate).expect("a folder of our own");
        std::fs::write(&files.1, &self.key).expect("a folder of our own");
        files
    }

    /// Settings of a client that trusts this certificate only and offers these protocols.
    pub fn client_config(&self, protocols: &[&str]) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes());
        let added = roots.add(certificate.expect("PEM"));
        added.expect("a certificate");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring has all of them");
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        let protocols = protocols.iter().map(|name| name.as_bytes().to_vec());
        config.alpn_protocols = protocols.collect();
        config
    }

    /// A connection to a host. An error if it has another certificate.
    pub async fn connect(
        &self,
        to: std::net::SocketAddr,
        protocols: &[&str],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let connector = TlsConnector::from(Arc::new(self.client_config(protocols)));
        let stream = TcpStream::connect(to).await?;
        let name = ServerName::try_from("localhost").expect("a name");
        connector.connect(name, stream).await
    }
}

/// A world with TLS and without connectors, the folder of its certificate, and what it was given.
pub async fn with_tls(
    change: impl FnOnce(&mut Config) + Send + 'static,
) -> (World, tempfile::TempDir, Pair) {
    with_tls_of(
        World::new()
            .connectors(&[])
            .companies(12)
            .nothing_imported()
            .without_index(),
        change,
    )
    .await
}

pub async fn with_tls_of(
    builder: Builder,
    change: impl FnOnce(&mut Config) + Send + 'static,
) -> (World, tempfile::TempDir, Pair) {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let pair = Pair::new();
    let (certificate, key) = pair.write(folder.path());
    let world = builder.settings(move |config| {
        config.tls.certificate = Some(certificate);
        config.tls.key = Some(key);
        change(config);
    });
    (world.start().await, folder, pair)
}
