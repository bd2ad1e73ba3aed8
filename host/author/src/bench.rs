//! A bench: one component loaded outside a running host, with a store, a clock and grants of its own.
//!
//! The store is a temporary one, or that of a host's configuration, whose imported lists and companies the calls then
//! see. Without a configuration the component may reach exactly the addresses of its own manifest: it is the author's
//! machine, and the author wrote the manifest. A crate is built first.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use lustra_sandbox::cache::{Cache, Origin};
use lustra_sandbox::calls::check_describe;
use lustra_sandbox::clock::Clock;
use lustra_sandbox::compile::Compiler;
use lustra_sandbox::component::{Candidate, Lasting, Loaded, Refusal, Workshop};
use lustra_sandbox::cpu::Offload;
use lustra_sandbox::egress::{Egress, EgressSetupError};
use lustra_sandbox::engine::ConnectorEngine;
use lustra_sandbox::limits::LongRunning;
use lustra_sandbox::manifest::Manifest;
use lustra_sandbox::settings::{ConnectorConfig, Pool, SecretMap};
use lustra_sandbox::state::Services;
use lustra_sandbox::stats::Stats;
use lustra_sandbox::tape::sample::Sample;
use lustra_sandbox::{grant_of, reload};
use lustra_store::{Store, StoreError};

/// Calls at once: an author makes one.
const STORE_CONNECTIONS: u32 = 2;

/// What a bench is set up with.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The URL of a host's store. `None`: a temporary one.
    pub store: Option<String>,
    /// The size of the instance pool.
    pub pool: Pool,
    /// A host's settings of its connectors. `None`: the connector may reach the addresses of its manifest.
    pub connectors: Option<BTreeMap<String, ConnectorConfig>>,
    /// Upstreams that are elsewhere; each address is granted.
    pub upstreams: Vec<(String, String)>,
    /// Settings of the connector, as JSON.
    pub settings: Vec<(String, Value)>,
    /// Where compiled components are kept. None: they are not.
    pub compiled: Option<PathBuf>,
    /// Whether the connector may use all the memory of the pool, as an operator can allow it.
    pub all_memory: bool,
}

/// Where components are put to the test.
pub struct Bench {
    /// What calls are carried out with.
    pub services: Services,
    /// The engine.
    pub engine: ConnectorEngine,
    setup: Setup,
    cache: Cache,
    store_url: String,
    folder: tempfile::TempDir,
}

/// A component on the bench.
#[derive(Clone)]
pub struct OnBench {
    /// It can be called.
    pub loaded: Arc<Loaded>,
    /// Where it came from.
    pub file: PathBuf,
    /// Its bytes.
    pub bytes: Arc<Vec<u8>>,
    /// From the file to a connector that can be called; most of it is compiling.
    pub took: Duration,
}

/// Why there is nothing on the bench.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The machine did not give what a bench needs.
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
        /// The component.
        file: PathBuf,
        /// Why.
        refusal: Box<Refusal>,
    },
    /// The configuration does not name the connector.
    #[error("the configuration has no [connector.{0}]")]
    NotConfigured(String),
}

impl Bench {
    /// Sets a bench up.
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
        let engine = ConnectorEngine::new((&setup.pool).into()).map_err(BenchError::Engine)?;
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
            },
            engine,
            cache: Cache::open(&compiled)?,
            setup,
            store_url,
            folder,
        })
    }

    /// Puts a component on the bench: admitted, compiled, linked and asked for its manifest, as by a host.
    ///
    /// # Errors
    /// [`BenchError::Refused`] with the same reason that an operator would read.
    pub async fn load(&self, file: &Path) -> Result<OnBench, BenchError> {
        let refused = |refusal| BenchError::Refused {
            file: file.to_owned(),
            refusal: Box::new(refusal),
        };
        let started = Instant::now();
        let candidate = reload::read(file).map_err(refused)?;
        let config = self.config_of(&candidate)?;
        let section = candidate.manifest_value().clone();
        let bytes = Arc::clone(&candidate.bytes);
        let workshop = Workshop {
            engine: &self.engine,
            cache: &self.cache,
            compiler: &Compiler::Here,
        };
        let lasting = Lasting {
            stats: Arc::new(Stats::default()),
            sample: Arc::new(Sample::new(0, 0)),
        };
        let now = self.services.clock.now();
        let loaded = tokio::task::block_in_place(|| {
            candidate
                .load(&workshop, &config, lasting, now)
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
            took: started.elapsed(),
        })
    }

    /// The URL of the store that calls see.
    #[must_use]
    pub fn store_url(&self) -> &str {
        &self.store_url
    }

    /// A temporary directory that ends with the bench.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The directory of compiled components, where they are kept.
    #[must_use]
    pub fn compiled(&self) -> Option<&Path> {
        self.setup.compiled.as_deref()
    }

    /// The connector's configuration: a host's, or one that grants what the manifest asks for.
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
                // The pace is the register's wish; a simulator has none.
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
    /// Its manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.loaded.manifest
    }

    /// Whether machine code was made now, and not found in the cache.
    #[must_use]
    pub fn was_compiled(&self) -> bool {
        self.loaded.origin == Origin::Compiled
    }
}

fn is_local(address: &str) -> bool {
    let host = url::Url::parse(address).ok();
    let host = host.as_ref().and_then(url::Url::host_str);
    host.is_some_and(|host| host == "localhost" || host.starts_with("127.") || host == "[::1]")
}
