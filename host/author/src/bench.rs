//! A bench loads one component outside a running host, with its own store, clock and grants.
//!
//! The store is temporary, or that of a host's configuration, so that calls see its imported lists and companies.
//! Without a configuration the component may reach exactly the public addresses of its own manifest. The
//! component may be foreign, so files and local addresses are granted only by a configuration. A crate is built first.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use lustra_sandbox::background_runtime::BackgroundRuntime;
use lustra_sandbox::cache::{Cache, Origin};
use lustra_sandbox::calls::check_describe;
use lustra_sandbox::clock::Clock;
use lustra_sandbox::compile::Compiler;
use lustra_sandbox::component::{Candidate, LoadContext, Loaded, SharedStats};
use lustra_sandbox::cpu::Offload;
use lustra_sandbox::egress::{Egress, EgressSetupError};
use lustra_sandbox::engine::ConnectorEngine;
use lustra_sandbox::limits::LongRunning;
use lustra_sandbox::linker::ConnectorLinker;
use lustra_sandbox::manifest::Manifest;
use lustra_sandbox::recording::sample::Sample;
use lustra_sandbox::refusal::Refusal;
use lustra_sandbox::settings::{ConnectorConfig, Pool, SecretMap};
use lustra_sandbox::state::Services;
use lustra_sandbox::stats::Stats;
use lustra_sandbox::{grant_of, reload};
use lustra_store::{ConnectorId, Store, StoreError};

/// Connections to the store; an author makes one call at a time.
const STORE_CONNECTIONS: u32 = 2;

/// Settings of a bench.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// URL of a host's store, or `None` for a temporary one.
    pub store: Option<String>,
    pub pool: Pool,
    /// A host's settings of its connectors. With `None` the connector may reach the public addresses of its
    /// manifest.
    pub connectors: Option<BTreeMap<ConnectorId, ConnectorConfig>>,
    /// Upstreams with a different address; each address is granted.
    pub upstreams: Vec<(String, String)>,
    /// Settings of the connector as JSON.
    pub settings: Vec<(String, Value)>,
    /// Directory for compiled components, or `None` to keep none.
    pub compiled: Option<PathBuf>,
    /// Whether the connector may use all memory of the pool, like an operator can allow.
    pub all_memory: bool,
}

/// Runs a component for its author.
pub struct Bench {
    /// Host services that calls use.
    pub services: Services,
    pub linker: ConnectorLinker,
    setup: Setup,
    cache: Cache,
    store_url: String,
    folder: tempfile::TempDir,
}

#[derive(Clone)]
pub struct OnBench {
    pub loaded: Arc<Loaded>,
    /// Path of the component.
    pub file: PathBuf,
    /// Bytes of the component.
    pub bytes: Arc<Vec<u8>>,
    /// Upstreams whose addresses in the manifest are files or in a local network, and are not used.
    pub withheld: Vec<String>,
    /// Time from reading the file to a callable connector; mostly compilation.
    pub took: Duration,
}

/// Why a component could not be loaded on a bench.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file or directory could not be used.
    #[error("the bench: {0}")]
    Io(#[from] io::Error),
    /// The store cannot be opened.
    #[error("the store: {0}")]
    Store(#[from] StoreError),
    /// The engine cannot be built.
    #[error("the WebAssembly engine cannot be built: {0:#}")]
    Engine(wasmtime::Error),
    /// The HTTP client cannot be built.
    #[error(transparent)]
    Egress(#[from] EgressSetupError),
    /// The component was refused.
    #[error("{}: {refusal}", .file.display())]
    Refused {
        /// Path of the component.
        file: PathBuf,
        refusal: Box<Refusal>,
    },
    /// The configuration does not name the connector.
    #[error("the configuration has no [connector.{0}]")]
    NotConfigured(ConnectorId),
}

impl Bench {
    /// Opens a bench.
    ///
    /// # Errors
    /// A [`BenchError`].
    pub async fn open(setup: Setup, clock: Clock) -> Result<Self, BenchError> {
        let folder = tempfile::TempDir::with_prefix("lustra-bench-")?;
        let spool = folder.path().join("spool");
        std::fs::create_dir_all(&spool)?;
        let temporary = || format!("sqlite:{}", folder.path().join("bench.db").display());
        let store_url = setup.store.clone().unwrap_or_else(temporary);
        let store = Store::connect(&store_url, STORE_CONNECTIONS).await?;
        let linker = ConnectorEngine::new((&setup.pool).into())
            .and_then(ConnectorLinker::new)
            .map_err(BenchError::Engine)?;
        let compiled = setup
            .compiled
            .clone()
            .unwrap_or_else(|| folder.path().join("compiled"));
        let user_agent = concat!("Lustra/", env!("CARGO_PKG_VERSION"));
        Ok(Self {
            services: Services {
                store,
                egress: Arc::new(Egress::new(user_agent, clock.clone())?),
                clock,
                spool,
                long: LongRunning::default(),
                offload: Offload::default(),
                background: BackgroundRuntime::current(),
            },
            linker,
            cache: Cache::open(&compiled)?,
            setup,
            store_url,
            folder,
        })
    }

    /// Loads a component like a host does: admits, compiles and links it, and calls its `describe`.
    ///
    /// # Errors
    /// [`BenchError::Refused`] with the reason that an operator would read.
    pub async fn load(&self, file: &Path) -> Result<OnBench, BenchError> {
        let refused = |refusal| BenchError::Refused {
            file: file.to_owned(),
            refusal: Box::new(refusal),
        };
        let started = Instant::now();
        let mut candidate = reload::read(file).map_err(refused)?;
        let mut withheld = Vec::new();
        if self.setup.connectors.is_none() {
            withheld = candidate.remove_private_addresses();
            withheld.retain(|name| !self.setup.upstreams.iter().any(|(given, _)| given == name));
        }
        let config = self.config_of(&candidate)?;
        let section = candidate.manifest_value().clone();
        let bytes = Arc::clone(&candidate.bytes);
        let context = LoadContext {
            linker: &self.linker,
            single_pass: None,
            cache: &self.cache,
            compiler: &Compiler::InProcess,
        };
        let shared_stats = SharedStats {
            stats: Arc::new(Stats::default()),
            sample: Arc::new(Sample::new(0, 0)),
        };
        let now = self.services.clock.now();
        let loaded = tokio::task::block_in_place(|| {
            candidate
                .load(&context, &config, shared_stats, now)
                .map(Arc::new)
        })
        .map_err(refused)?;
        check_describe(&loaded, &self.services, &section)
            .await
            .map_err(|why| refused(Refusal::Describe(why)))?;
        Ok(OnBench {
            loaded,
            file: file.to_owned(),
            bytes,
            withheld,
            took: started.elapsed(),
        })
    }

    /// URL of the store that calls use.
    #[must_use]
    pub fn store_url(&self) -> &str {
        &self.store_url
    }

    /// A temporary directory that is deleted with the bench.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Directory of compiled components, if they are kept.
    #[must_use]
    pub fn compiled(&self) -> Option<&Path> {
        self.setup.compiled.as_deref()
    }

    /// The connector's settings: a host's, or grants for the public addresses in the manifest.
    fn config_of(&self, candidate: &Candidate) -> Result<ConnectorConfig, BenchError> {
        let id = &candidate.manifest.id;
        let mut config = match &self.setup.connectors {
            Some(connectors) => {
                let own = connectors.get(id).cloned();
                own.ok_or_else(|| BenchError::NotConfigured(id.clone()))?
            }
            None => ConnectorConfig {
                grants: candidate.wanted_grants(),
                ..ConnectorConfig::default()
            },
        };
        if self.setup.all_memory {
            config.limits.memory_mib = Some(self.setup.pool.memory_mib);
        }
        for (name, address) in &self.setup.upstreams {
            let upstream = config.upstreams.entry(name.clone()).or_default();
            upstream.address = Some(address.clone());
            if is_local(address) {
                // The rate limit protects the real register; a simulator needs none.
                upstream.requests_per_second = Some(1_000.0);
                upstream.concurrent = Some(16);
            }
            config.grants.extend(grant_of(address));
        }
        let mut settings = config.settings.reveal().clone();
        settings.extend(self.setup.settings.iter().cloned());
        config.settings = SecretMap::new(settings);
        Ok(config)
    }
}

impl OnBench {
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.loaded.manifest
    }

    /// Whether the component was compiled now, and not read from the cache.
    #[must_use]
    pub fn was_compiled(&self) -> bool {
        self.loaded.origin() == Origin::Compiled
    }
}

fn is_local(address: &str) -> bool {
    let host = url::Url::parse(address).ok();
    let host = host.as_ref().and_then(url::Url::host_str);
    host.is_some_and(|host| host == "localhost" || host.starts_with("127.") || host == "[::1]")
}
