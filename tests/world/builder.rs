use std::net::SocketAddr;
use std::path::Path;

use lustra::billing::NewKey;
use lustra::config::Config;
use lustra::server::Host;
use lustra::store::testing::TestDatabase;
use lustra::store::{DatabaseKind, Store};
use lustra_demo as demo;
use time::OffsetDateTime;

use crate::components::{components, guests, remember_served, served_before, some_of, together};
use crate::imported::{imported, imports_the_same};
use crate::{START, World, client};

pub type Connectors = &'static [&'static str];

/// A change of the settings before the host starts.
type Change = Box<dyn FnOnce(&mut Config) + Send>;

/// Configures and starts a [`World`].
pub struct Builder {
    companies: u32,
    connectors: Option<Connectors>,
    plan: String,
    imported: bool,
    database: DatabaseKind,
    settings: Vec<Change>,
    with_guests: bool,
    own_components: bool,
    watching: bool,
    indexed: bool,
    registers: Option<tokio::runtime::Handle>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            companies: 60,
            connectors: None,
            plan: "enterprise".to_owned(),
            imported: true,
            database: DatabaseKind::Sqlite,
            settings: Vec::new(),
            with_guests: false,
            own_components: false,
            watching: false,
            indexed: true,
            registers: None,
        }
    }
}

impl Builder {
    /// Number of companies in the registers, at least 12. Default 60.
    #[must_use]
    pub fn companies(mut self, companies: u32) -> Self {
        self.companies = companies;
        self
    }

    /// Enables only these connectors, so that the world starts faster. Default: all shipped ones.
    #[must_use]
    pub fn connectors(mut self, ids: Connectors) -> Self {
        self.connectors = Some(ids);
        self
    }

    /// The plan of the key. Default `enterprise`.
    #[must_use]
    pub fn plan(mut self, plan: &str) -> Self {
        self.plan = plan.to_owned();
        self
    }

    /// Skips the initial imports, so that all lists are missing.
    #[must_use]
    pub fn nothing_imported(mut self) -> Self {
        self.imported = false;
        self
    }

    /// Does not wait for the name index.
    #[must_use]
    pub fn without_index(mut self) -> Self {
        self.indexed = false;
        self
    }

    /// Runs the registers on another runtime, so that their work can be told from the host's.
    #[must_use]
    pub fn registers_on(mut self, runtime: tokio::runtime::Handle) -> Self {
        self.registers = Some(runtime);
        self
    }

    /// The kind of database. Default `SQLite`.
    #[must_use]
    pub fn on(mut self, database: DatabaseKind) -> Self {
        self.database = database;
        self
    }

    /// Changes the settings before the host starts.
    #[must_use]
    pub fn settings(mut self, change: impl FnOnce(&mut Config) + Send + 'static) -> Self {
        self.settings.push(Box::new(change));
        self
    }

    /// Adds the misbehaving connectors to the shipped ones. The settings must enable those that are wanted.
    #[must_use]
    pub fn with_guests(mut self) -> Self {
        self.with_guests = true;
        self
    }

    /// Gives the world its own components directory and settings file. [`World::reload`] applies changes.
    #[must_use]
    pub fn changeable(mut self) -> Self {
        self.own_components = true;
        self
    }

    /// Like [`Self::changeable`], and the host follows the file system by itself.
    #[must_use]
    pub fn watching(mut self) -> Self {
        self.watching = true;
        self.changeable()
    }

    /// Starts the world. `None` if the database is unavailable, which is printed.
    ///
    /// # Panics
    /// If a part of the world does not start.
    pub async fn start_if_possible(self) -> Option<World> {
        // The futures of all tests contain this one.
        Box::pin(self.try_start()).await
    }

    #[expect(clippy::too_many_lines, reason = "one list of parts")]
    async fn try_start(self) -> Option<World> {
        let data = tempfile::tempdir().expect("tests can write temporary files");
        let components = tokio::task::spawn_blocking(components)
            .await
            .expect("building does not panic");
        let directory = if self.with_guests {
            let guests = tokio::task::spawn_blocking(guests)
                .await
                .expect("building does not panic");
            together(&[&components, &guests], data.path().join("components"))
        } else if let Some(ids) = self.connectors {
            some_of(&components, ids, data.path().join("components"))
        } else if self.own_components {
            together(&[&components], data.path().join("components"))
        } else {
            components.clone()
        };
        let database = match self.database {
            DatabaseKind::Sqlite => TestDatabase::sqlite(),
            DatabaseKind::Postgres => TestDatabase::postgres().await?,
        };
        let registers = self
            .registers
            .unwrap_or_else(tokio::runtime::Handle::current);
        let (simulator, clock) = registers
            .spawn(demo::simulator(self.companies, 1, START))
            .await
            .expect("starting the simulator does not panic")
            .expect("the simulator starts");
        let mut config = quiet(&simulator.url(), &directory, data.path(), &database);
        enable_only(&mut config, self.connectors);
        let listen = config.listen;
        config.reload.watch = self.watching;
        let usual = config.clone();
        for change in self.settings {
            change(&mut config);
        }
        let copied = if self.imported && imports_the_same(&config, &usual) {
            imported(self.database, self.companies, self.connectors).await
        } else {
            None
        };
        let (database, to_import) = match copied {
            Some(copy) => {
                database.remove().await;
                config.store = Some(lustra::config::Secret::new(copy.url()));
                (copy, false)
            }
            None => (database, self.imported),
        };
        let settings = self.own_components.then(|| {
            let file = data.path().join("lustra.toml");
            let text = demo::settings(&simulator.url(), &directory, data.path(), listen);
            std::fs::write(&file, text).expect("a fresh folder");
            file
        });
        let only_shipped = !self.with_guests && !self.own_components;
        if only_shipped {
            served_before(data.path());
        }
        let host = Box::pin(Host::prepare_from(config.clone(), settings, clock.clone()))
            .await
            .expect("the host starts");
        if only_shipped {
            remember_served(data.path(), &components);
        }
        let store = host.app.context.store.clone();
        let key = account_with_key(&store, &self.plan, clock.now()).await;
        if to_import {
            host.importer.run_due().await.expect("the store is there");
        }
        let importer = host.importer.clone();
        let (batches, watch_lists) = (host.batches.clone(), host.app.watch_lists.clone());
        let mailer = host.mailer.clone();
        let notifier = host.notifier.clone();
        let reloader = host.reloader.clone();
        let membership = host.membership.clone();
        let search = host.search.clone();
        let ledger = host.ledger.clone();
        let certificates = host.certificates.clone();
        if self.indexed {
            // As the host does: the threads of the index inherit the priority of the one that opens it.
            let background = &host.app.companies.connectors().services.background;
            let opening = search.clone();
            let opened = background.spawn(async move { opening.step().await }).await;
            opened
                .expect("the first step does not panic")
                .expect("the index follows");
        }
        let (address, operator, server) = serve(host).await;
        Some(World {
            certificates,
            reloader,
            membership,
            search,
            ledger,
            operator,
            icos: simulator.population().showcase(),
            simulator,
            importer,
            batches,
            watch_lists,
            mailer,
            notifier,
            key,
            store,
            config,
            clock,
            address,
            client: client(),
            server,
            database: Some(database),
            _data: data,
        })
    }

    /// Starts the world.
    ///
    /// # Panics
    /// If a part of the world, such as the database, does not start.
    pub async fn start(self) -> World {
        self.start_if_possible()
            .await
            .expect("the database is there")
    }
}

/// Creates the world's account, unless an earlier world on the store did. Returns a key.
async fn account_with_key(store: &Store, plan: &str, now: OffsetDateTime) -> String {
    let known = store.keys().find_account("tests").await;
    let account = match known.expect("the store is there") {
        Some(account) => account.id,
        None => {
            let account = store.keys().create_account("tests", plan, now).await;
            account.expect("the store is there").id
        }
    };
    let (key, keys) = (NewKey::live(), store.keys());
    let hash = key.text.hash();
    let created = keys.create_key(account, "tests", &key.prefix, &hash, None, now);
    created.await.expect("the store is there");
    key.text.reveal().to_owned()
}

/// The demo's settings for a host without background work.
pub(crate) fn quiet(
    simulator: &str,
    components: &Path,
    data: &Path,
    database: &TestDatabase,
) -> Config {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut config =
        demo::config(simulator, components, data, listen).expect("the demo's settings are right");
    config.store = Some(lustra::config::Secret::new(database.url()));
    config.store_connections = 8;
    // The test that is over has no clients left; waiting for them would only take time.
    config.connections.linger_seconds = 0;
    // Compiling takes longer than most tests, so worlds share the compiled components. The engine's hash separates
    // versions.
    config.compiled = Some(crate::components::components().join("../compiled-for-tests"));
    // What they compile must be in the shared cache when the next one looks.
    config.reload.single_pass = false;
    config.operator.listen = listen;
    keep_still(&mut config);
    config
}

/// Removes the connectors that a world does not name.
///
/// # Panics
/// If the demo lacks a named one.
pub(crate) fn enable_only(config: &mut Config, connectors: Option<Connectors>) {
    let Some(ids) = connectors else { return };
    config.connector.retain(|id, _| ids.contains(&id.as_str()));
    assert_eq!(config.connector.len(), ids.len(), "{ids:?}");
}

/// Switches off all background work: tests trigger it.
fn keep_still(config: &mut Config) {
    config.imports.scheduled = false;
    // Tests must not depend on the free space of the machine's disk.
    config.disk.low_mib = 0;
    config.operator.record_states = false;
    config.retention.on = false;
    config.batch.jobs = false;
    config.mail.on = false;
    config.notifications.on = false;
    // Test receivers listen on loopback.
    config.notifications.allow_loopback = true;
    // A small batch without a free worker becomes a job. Tests that share a world run more batches at once than
    // clients do.
    config.batch.workers = 64;
}

/// Serves a host on a free port.
pub(crate) async fn serve(host: Host) -> (SocketAddr, SocketAddr, tokio::task::JoinHandle<()>) {
    let listener = host.listen().await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let operator = host.listen_for_operator().await.expect("a free port");
    let for_operator = operator.as_ref().map_or(address, |operator| {
        operator.local_addr().expect("it is bound")
    });
    let server = tokio::spawn(async move {
        host.serve(listener, operator, std::future::pending())
            .await
            .expect("the listener stays");
    });
    (address, for_operator, server)
}
