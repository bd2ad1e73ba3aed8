//! The certificate of the host's addresses, and its replacement while the host serves.
//!
//! Files are read as a whole and checked before anything changes: a new certificate that is wrong changes nothing, and
//! connections keep the certificate that they began with. The files are compared by content, because tools replace them
//! by links, by renaming or in place.
//! Invariant: the key is in no error and no log.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use time::OffsetDateTime;
use tokio_rustls::TlsAcceptor;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use crate::clock::{Clock, rfc3339};
use crate::config;

/// Pause between comparisons of the files.
const POLL: Duration = Duration::from_secs(5);

/// Maximum size of each file. A chain has a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("{file}: {error}")]
    File { file: String, error: io::Error },
    #[error("{file}: more than {MAX_BYTES} bytes")]
    TooLarge { file: String },
    #[error("{file}: not PEM: {error}")]
    Pem { file: String, error: pem::Error },
    #[error("{file}: contains no certificate in PEM form (BEGIN CERTIFICATE)")]
    NoCertificate { file: String },
    #[error("{file}: contains no private key in PEM form (BEGIN PRIVATE KEY)")]
    NoKey { file: String },
    #[error("{file}: the certificate cannot be read: {error}")]
    Unreadable {
        file: String,
        error: x509_cert::der::Error,
    },
    #[error("{key}: the key does not belong to the certificate in {certificate}")]
    OtherKey { certificate: String, key: String },
    #[error("{certificate} with {key}: {error}")]
    Unusable {
        certificate: String,
        key: String,
        error: rustls::Error,
    },
    #[error("{file}: the certificate is valid from {}", rfc3339(*.from))]
    NotYet { file: String, from: OffsetDateTime },
    #[error("{file}: the certificate ended at {}", rfc3339(*.ended))]
    Ended { file: String, ended: OffsetDateTime },
}

/// The certificate in use. Clones share it.
#[derive(Clone)]
pub struct Certificates(Arc<Inner>);

struct Inner {
    certificate: PathBuf,
    key: PathBuf,
    clock: Clock,
    in_use: ArcSwap<Loaded>,
    /// What was last read, usable or not.
    last: Mutex<Last>,
    failures: AtomicU64,
}

#[derive(Default)]
struct Last {
    digest: Option<blake3::Hash>,
    error: Option<String>,
}

struct Loaded {
    server: Arc<ServerConfig>,
    validity: Validity,
}

/// The time for which a certificate is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Validity {
    from: OffsetDateTime,
    until: OffsetDateTime,
}

/// The state of the certificate, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertificateState {
    /// When the certificate in use ends.
    pub until: OffsetDateTime,
    /// Whether the files differ from the certificate in use, because they cannot be used.
    pub is_outdated: bool,
    /// Failed replacements since the start.
    pub failures: u64,
}

/// What a look at the files did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    Unchanged,
    Replaced,
    /// The files cannot be used; the earlier certificate stays.
    Rejected(String),
}

impl Certificates {
    /// Reads the certificate that the settings name. `None` without one. One that is not valid now is reported in the
    /// log and used.
    ///
    /// # Errors
    /// The files cannot be used.
    pub fn read(settings: &config::Tls, clock: Clock) -> Result<Option<Self>, CertificateError> {
        let (Some(certificate), Some(key)) = (&settings.certificate, &settings.key) else {
            return Ok(None);
        };
        let files = Files::read(certificate, key)?;
        let loaded = files.load()?;
        if let Err(error) = loaded.validity.check(&files.certificate_name, clock.now()) {
            tracing::error!("TLS: {error}; clients will refuse it");
        }
        Ok(Some(Self(Arc::new(Inner {
            certificate: certificate.clone(),
            key: key.clone(),
            clock,
            in_use: ArcSwap::from_pointee(loaded),
            last: Mutex::new(Last {
                digest: Some(files.digest()),
                error: None,
            }),
            failures: AtomicU64::new(0),
        }))))
    }

    /// Reads the files and uses their certificate from the next connection on, if they have changed and are usable.
    pub fn step(&self) -> Replacement {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        let files = Files::read(&self.0.certificate, &self.0.key);
        let digest = files.as_ref().ok().map(Files::digest);
        if digest.is_some() && digest == last.digest && last.error.is_none() {
            return Replacement::Unchanged;
        }
        let now = self.0.clock.now();
        let loaded = files.and_then(|files| {
            let loaded = files.load()?;
            loaded.validity.check(&files.certificate_name, now)?;
            Ok(loaded)
        });
        match loaded {
            Ok(loaded) => {
                let until = rfc3339(loaded.validity.until);
                self.0.in_use.store(Arc::new(loaded));
                *last = Last {
                    digest,
                    error: None,
                };
                tracing::info!("TLS: certificate replaced; the new one is valid until {until}");
                Replacement::Replaced
            }
            Err(error) => {
                let error = error.to_string();
                // The same mistake is reported once.
                if last.error.as_ref() != Some(&error) {
                    self.0.failures.fetch_add(1, Ordering::Relaxed);
                    tracing::error!(
                        "TLS: certificate not replaced, the earlier one stays: {error}"
                    );
                }
                last.error = Some(error.clone());
                Replacement::Rejected(error)
            }
        }
    }

    /// Worker loop that follows the files.
    pub async fn follow(self) {
        let mut seen = None;
        loop {
            tokio::time::sleep(POLL).await;
            let this = self.clone();
            let looked = tokio::task::spawn_blocking(move || this.step_once_settled(seen)).await;
            seen = looked.unwrap_or_else(|error| {
                tracing::error!(%error, "TLS: reading the certificate panicked");
                None
            });
        }
    }

    /// Like [`Self::step`], if the files are those of the last look: tools replace one after the other. Returns what
    /// the files contain.
    fn step_once_settled(&self, seen: Option<blake3::Hash>) -> Option<blake3::Hash> {
        let files = Files::read(&self.0.certificate, &self.0.key);
        let now = files.ok().map(|files| files.digest());
        if now == seen {
            self.step();
        }
        now
    }

    #[must_use]
    pub fn state(&self) -> CertificateState {
        let last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        CertificateState {
            until: self.0.in_use.load().validity.until,
            is_outdated: last.error.is_some(),
            failures: self.0.failures.load(Ordering::Relaxed),
        }
    }

    /// Accepts a connection with the certificate that is in use now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0.in_use.load().server))
    }
}

/// The contents of both files.
struct Files {
    certificate_name: String,
    key_name: String,
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Files {
    fn read(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        Ok(Self {
            certificate_name: certificate.display().to_string(),
            key_name: key.display().to_string(),
            certificate: read_bounded(certificate)?,
            key: read_bounded(key)?,
        })
    }

    fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.certificate.len() as u64).to_le_bytes());
        hasher
            .update(&self.certificate)
            .update(&self.key)
            .finalize()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other cases are treated alike"
    )]
    fn load(&self) -> Result<Loaded, CertificateError> {
        let file = || self.certificate_name.clone();
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.certificate).collect();
        let chain = chain.map_err(|error| CertificateError::Pem {
            file: file(),
            error,
        })?;
        let Some(first) = chain.first() else {
            return Err(CertificateError::NoCertificate { file: file() });
        };
        let validity = Validity::of(first).map_err(|error| CertificateError::Unreadable {
            file: file(),
            error,
        })?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|error| match error {
            pem::Error::NoItemsFound => CertificateError::NoKey {
                file: self.key_name.clone(),
            },
            error => CertificateError::Pem {
                file: self.key_name.clone(),
                error,
            },
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13, &TLS12])
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
        let mut server = server.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => CertificateError::OtherKey {
                certificate: self.certificate_name.clone(),
                key: self.key_name.clone(),
            },
            error => CertificateError::Unusable {
                certificate: self.certificate_name.clone(),
                key: self.key_name.clone(),
                error,
            },
        })?;
        server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Loaded {
            server: Arc::new(server),
            validity,
        })
    }
}

impl Validity {
    fn of(certificate: &CertificateDer<'_>) -> Result<Self, x509_cert::der::Error> {
        let certificate = Certificate::from_der(certificate)?;
        let validity = certificate.tbs_certificate().validity();
        let moment = |at: &x509_cert::time::Time| {
            let seconds = at.to_unix_duration().as_secs();
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
            // A year beyond the range is as far away as can be said.
            OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(LAST)
        };
        Ok(Self {
            from: moment(&validity.not_before),
            until: moment(&validity.not_after),
        })
    }

    fn check(self, file: &str, now: OffsetDateTime) -> Result<(), CertificateError> {
        let file = file.to_owned();
        if now < self.from {
            let from = self.from;
            return Err(CertificateError::NotYet { file, from });
        }
        if self.until <= now {
            let ended = self.until;
            return Err(CertificateError::Ended { file, ended });
        }
        Ok(())
    }
}

/// The last second that is written with four digits of the year.
const LAST: OffsetDateTime = time::macros::datetime!(9999-12-31 23:59:59 UTC);

fn read_bounded(path: &Path) -> Result<Vec<u8>, CertificateError> {
    let file = || path.display().to_string();
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|opened| {
        let mut bounded = opened.take(MAX_BYTES + 1);
        bounded.read_to_end(&mut bytes)
    });
    read.map_err(|error| CertificateError::File {
        file: file(),
        error,
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CertificateError::TooLarge { file: file() });
    }
    Ok(bytes)
}
