//! The world that tests and benchmarks live in: a real host on a free port, its own database, the register simulator,
//! and one clock that the simulator's days turn.
//!
//! Connectors are built once for a process. Imports run when [`World::import_due`] says so, parts of batches when
//! [`World::batch_step`] does, and refreshes are awaited by [`World::settled`], so that no test waits for time to pass.

mod rogue;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lustra::billing::NewKey;
use lustra::clock::Clock;
use lustra::config::Config;
use lustra::connectors::build;
use lustra::demo;
use lustra::server::Host;
use lustra::store::testing::TestDatabase;
use register_simulator::{Fault, Register, Simulator};
use reqwest::Method;
use serde_json::Value;
use time::OffsetDateTime;
use time::macros::datetime;

pub use self::rogue::Rogue;
pub use lustra::store::Kind;
pub use {lustra, register_simulator};

/// When every test begins.
pub const START: OffsetDateTime = datetime!(2026-01-15 08:00 UTC);

/// The components of the shipped connectors, built once for a process.
///
/// # Panics
/// When they cannot be built: the compiler's messages stand above.
#[must_use]
pub fn components() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let (components, _) = demo::build_connectors(&mut say).expect("the connectors build");
            components
        })
        .clone()
}

/// The components of the misbehaving connectors below `tests/guests`, built once for a process.
///
/// # Panics
/// When they cannot be built.
#[must_use]
pub fn guests() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let crates = build::connectors_below(&here().join("guests"))
                .expect("the folder of guests is there");
            let target = components().join("..");
            let output = target.join("guests");
            build::build(&crates, &target, &output, &mut say).expect("the guests build");
            output
        })
        .clone()
}

/// A component with another word of the same length wherever one stands: a version that nobody had to build.
///
/// # Panics
/// When the words differ in length.
#[must_use]
pub fn reworded(component: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "only words of one length fit");
    let mut bytes = component.to_vec();
    for place in 0..=bytes.len() - from.len() {
        if bytes[place..].starts_with(from) {
            bytes[place..place + from.len()].copy_from_slice(to);
        }
    }
    bytes
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests should know what takes the time"
)]
fn say(line: &str) {
    eprintln!("· {line}");
}

/// A client. Tests that start no host in their own process have nobody else who chooses the TLS code.
#[must_use]
pub fn client() -> reqwest::Client {
    // The first to ask decides for the process; that somebody was first is no failure.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::new()
}

/// What a test changes in the settings before its host starts.
type Change = Box<dyn FnOnce(&mut Config) + Send>;

/// A world that is being put together.
pub struct Builder {
    companies: u32,
    plan: String,
    imported: bool,
    database: Kind,
    settings: Vec<Change>,
    with_guests: bool,
    own_components: bool,
    watching: bool,
    indexed: bool,
}

/// A running host and everything around it.
pub struct World {
    /// The registers.
    pub simulator: Simulator,
    /// The host's inside, for what cannot be asked over HTTP.
    pub importer: lustra::datasets::Importer,
    /// What its batches are carried out with; nothing is unless a test says so.
    pub batches: lustra::batches::Batches,
    /// An API key of the plan that was chosen.
    pub key: String,
    /// The store, as the host sees it.
    pub store: lustra::store::Store,
    /// The showcase companies.
    pub icos: Vec<String>,
    reloader: lustra::reload::Reloader,
    presence: lustra::presence::Presence,
    search: lustra::search::Search,
    config: Config,
    clock: Clock,
    address: SocketAddr,
    operator: SocketAddr,
    client: reqwest::Client,
    server: tokio::task::JoinHandle<()>,
    database: Option<TestDatabase>,
    _data: tempfile::TempDir,
}

/// Another host on a world's store, which takes the same keys.
pub struct Neighbour {
    /// Its inside.
    pub importer: lustra::datasets::Importer,
    /// What it carries batches out with.
    pub batches: lustra::batches::Batches,
    presence: lustra::presence::Presence,
    search: lustra::search::Search,
    key: String,
    address: SocketAddr,
    client: reqwest::Client,
    server: tokio::task::JoinHandle<()>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header names in lower case with their values, sorted.
    pub headers: Vec<(String, String)>,
    /// The body as JSON; as text where it is none.
    pub body: Value,
}

impl Answer {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// A value of the body by JSON pointer; null where there is none.
    #[must_use]
    pub fn at(&self, pointer: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.body.pointer(pointer).unwrap_or(&NULL)
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            companies: 60,
            plan: "enterprise".to_owned(),
            imported: true,
            database: Kind::Sqlite,
            settings: Vec::new(),
            with_guests: false,
            own_components: false,
            watching: false,
            indexed: true,
        }
    }
}

impl Builder {
    /// How many companies the registers know; at least 12. Default 60.
    #[must_use]
    pub fn companies(mut self, companies: u32) -> Self {
        self.companies = companies;
        self
    }

    /// The plan of the key. Default `enterprise`.
    #[must_use]
    pub fn plan(mut self, plan: &str) -> Self {
        self.plan = plan.to_owned();
        self
    }

    /// Without the lists: nothing was ever imported.
    #[must_use]
    pub fn nothing_imported(mut self) -> Self {
        self.imported = false;
        self
    }

    /// Without waiting for the name index.
    #[must_use]
    pub fn without_index(mut self) -> Self {
        self.indexed = false;
        self
    }

    /// On which database. Default `SQLite`.
    #[must_use]
    pub fn on(mut self, database: Kind) -> Self {
        self.database = database;
        self
    }

    /// Changes the settings before the host starts.
    #[must_use]
    pub fn settings(mut self, change: impl FnOnce(&mut Config) + Send + 'static) -> Self {
        self.settings.push(Box::new(change));
        self
    }

    /// With the misbehaving connectors beside the shipped ones; the settings must name those that are wanted.
    #[must_use]
    pub fn with_guests(mut self) -> Self {
        self.with_guests = true;
        self
    }

    /// With components that the test may change, and a settings file; [`World::reload`] takes changes up.
    #[must_use]
    pub fn changeable(mut self) -> Self {
        self.own_components = true;
        self
    }

    /// As [`Self::changeable`], and the host follows the file system by itself.
    #[must_use]
    pub fn watching(mut self) -> Self {
        self.watching = true;
        self.changeable()
    }

    /// Starts it. `None`: the database is not to be had here, which is said aloud.
    ///
    /// # Panics
    /// When a part of the world does not start.
    pub async fn start_if_possible(self) -> Option<World> {
        let database = match self.database {
            Kind::Sqlite => TestDatabase::sqlite(),
            Kind::Postgres => TestDatabase::postgres().await?,
        };
        let data = tempfile::tempdir().expect("tests can write temporary files");
        let components = tokio::task::spawn_blocking(components)
            .await
            .expect("building does not panic");
        let directory = if self.with_guests {
            let guests = tokio::task::spawn_blocking(guests)
                .await
                .expect("building does not panic");
            together(&[&components, &guests], data.path().join("components"))
        } else if self.own_components {
            together(&[&components], data.path().join("components"))
        } else {
            components.clone()
        };
        let (simulator, clock) = demo::simulator(self.companies, 1, START)
            .await
            .expect("the simulator starts");
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut config = demo::config(&simulator.url(), &directory, data.path(), listen)
            .expect("the demo's settings are right");
        config.store = Some(lustra::config::Secret::new(database.url()));
        config.store_connections = 8;
        // Compiling a component takes longer than most tests; the engine's own hash keeps versions apart.
        config.compiled = Some(components.join("../compiled-for-tests"));
        config.imports.scheduled = false;
        config.batch.jobs = false;
        // Small batches that find no turn become jobs; tests that share a world ask for more of them at once than clients.
        config.batch.workers = 64;
        config.operator.listen = listen;
        config.reload.watch = self.watching;
        for change in self.settings {
            change(&mut config);
        }
        let settings = self.own_components.then(|| {
            let file = data.path().join("lustra.toml");
            let text = demo::settings(&simulator.url(), &directory, data.path(), listen);
            std::fs::write(&file, text).expect("a fresh folder");
            file
        });
        let host = Host::prepare_from(config.clone(), settings, clock.clone())
            .await
            .expect("the host starts");
        let store = host.app.companies.store().clone();
        let now = clock.now();
        let account = store
            .keys()
            .create_account("tests", &self.plan, now)
            .await
            .expect("a fresh store");
        let key = NewKey::live();
        let created = store
            .keys()
            .create_key(
                account.id,
                "tests",
                &key.prefix,
                &key.text.hash(),
                None,
                now,
            )
            .await;
        created.expect("a fresh store");
        if self.imported {
            host.importer.run_due().await.expect("the store is there");
        }
        let importer = host.importer.clone();
        let batches = host.batches.clone();
        let reloader = host.reloader.clone();
        let presence = host.presence.clone();
        let search = host.search.clone();
        if self.indexed {
            search.step().await.expect("the index follows");
        }
        let (address, operator, server) = serve(host).await;
        Some(World {
            reloader,
            presence,
            search,
            operator,
            icos: simulator.population().showcase(),
            simulator,
            importer,
            batches,
            key: key.text.reveal().to_owned(),
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

    /// Starts it.
    ///
    /// # Panics
    /// When a part of the world does not start, the database among them.
    pub async fn start(self) -> World {
        self.start_if_possible()
            .await
            .expect("the database is there")
    }
}

/// Serves a host on a free port.
async fn serve(host: Host) -> (SocketAddr, SocketAddr, tokio::task::JoinHandle<()>) {
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

async fn ask(
    client: &reqwest::Client,
    url: String,
    method: Method,
    headers: &[(&str, &str)],
) -> Answer {
    let mut request = client.request(method, url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    answered(request).await
}

/// Sends a request and reads all of its answer.
///
/// # Panics
/// When no answer comes.
pub async fn answered(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.expect("the host answers");
    let status = response.status().as_u16();
    let mut headers: Vec<(String, String)> = response
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    headers.sort();
    let text = response.text().await.expect("the body arrives");
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer {
        status,
        headers,
        body,
    }
}

fn company_path(ico: &str, scope: &str) -> String {
    let query = if scope.is_empty() {
        String::new()
    } else {
        format!("?scope={scope}")
    };
    format!("/v1/company/ico/{ico}{query}")
}

/// A directory with the components of several others.
fn together(directories: &[&PathBuf], into: PathBuf) -> PathBuf {
    std::fs::create_dir_all(&into).expect("a fresh folder");
    for directory in directories {
        for entry in std::fs::read_dir(directory)
            .expect("it was just built")
            .flatten()
        {
            let path = entry.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "wasm")
            {
                std::fs::copy(&path, into.join(entry.file_name())).expect("a fresh folder");
            }
        }
    }
    into
}

impl World {
    /// A world with the defaults of [`Builder`].
    #[must_use]
    #[expect(
        clippy::new_ret_no_self,
        reason = "a world is built before it starts, and tests read better so"
    )]
    pub fn new() -> Builder {
        Builder::default()
    }

    /// The database that the host works on, named for messages.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.store.kind()
    }

    /// The host's address, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `GET` with the key.
    pub async fn get(&self, path: &str) -> Answer {
        let key = self.key.clone();
        self.request(Method::GET, path, &[("x-api-key", &key)])
            .await
    }

    /// `GET` with these headers and no key.
    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.request(Method::GET, path, headers).await
    }

    /// Any request without a body.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn request(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        ask(
            &self.client,
            format!("{}{path}", self.url()),
            method,
            headers,
        )
        .await
    }

    /// A `POST` with the key, to which a body and headers can be added; [`answered`] sends it.
    pub fn posting(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url()));
        request.header("x-api-key", &self.key)
    }

    /// `POST` of JSON with the key.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        answered(self.posting(path).json(body)).await
    }

    /// Carries out one part of a batch, if there is one to be claimed.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn batch_step(&self) -> bool {
        self.batches.step().await.expect("the store is there")
    }

    /// Carries out every part that can be claimed; how many.
    pub async fn batch_work(&self) -> usize {
        let mut parts = 0;
        while self.batch_step().await {
            parts += 1;
        }
        parts
    }

    /// One company with the given scopes, by the key.
    pub async fn company(&self, ico: &str, scope: &str) -> Answer {
        self.get(&company_path(ico, scope)).await
    }

    /// The operator's address, without a slash at its end.
    #[must_use]
    pub fn operator_url(&self) -> String {
        format!("http://{}", self.operator)
    }

    /// Asks the operator's address.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn operator(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let url = format!("{}{path}", self.operator_url());
        ask(&self.client, url, method, headers).await
    }

    /// The directory of components, which the test may change in a [`Builder::changeable`] world.
    #[must_use]
    pub fn components(&self) -> &Path {
        &self.config.components
    }

    /// The settings file of a [`Builder::changeable`] world.
    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.config.data.join("lustra.toml")
    }

    /// Lets the host tell the others on its store what it knows, and learn what they know; how many hosts there are.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn meet(&self) -> u32 {
        self.presence.step().await.expect("the store is there")
    }

    /// Lets the host take up changed components and settings, and waits for it.
    pub async fn reload(&self) -> lustra::reload::Reloaded {
        self.reloader.step(false).await
    }

    /// Starts another host on the same store, with the same settings and clock.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn neighbour(&self) -> Neighbour {
        self.neighbour_with(self.reloader.config()).await
    }

    /// Starts another host on the same store, with these settings.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn neighbour_with(&self, config: Config) -> Neighbour {
        let host = Host::prepare(config, self.clock.clone())
            .await
            .expect("the host starts");
        let importer = host.importer.clone();
        let batches = host.batches.clone();
        let presence = host.presence.clone();
        let search = host.search.clone();
        let (address, _, server) = serve(host).await;
        Neighbour {
            importer,
            batches,
            presence,
            search,
            key: self.key.clone(),
            address,
            client: self.client.clone(),
            server,
        }
    }

    /// The host's settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Now, as registers and host see it.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Lets days pass in the registers and for the host.
    pub fn advance(&self, days: u32) {
        self.simulator.advance(days);
    }

    /// Lets a register fail from now on; [`Fault::Off`] mends it.
    pub fn fault(&self, register: Register, fault: Fault) {
        self.simulator.fault(register, fault);
    }

    /// Imports what is due and waits for it; how many lists.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn import_due(&self) -> usize {
        self.importer.run_due().await.expect("the store is there")
    }

    /// The search of the host.
    #[must_use]
    pub fn search(&self) -> &lustra::search::Search {
        &self.search
    }

    /// Brings the name index up to date.
    ///
    /// # Panics
    /// When it fails.
    pub async fn indexed(&self) -> lustra::search::Stepped {
        self.search.step().await.expect("the index follows")
    }

    /// Waits until no refresh is under way.
    pub async fn settled(&self) {
        self.importer.companies().settled().await;
    }

    /// Ends the host and removes its database.
    pub async fn end(mut self) {
        self.server.abort();
        self.store.close().await;
        if let Some(database) = self.database.take() {
            database.remove().await;
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Neighbour {
    /// `GET` with the world's key.
    pub async fn get(&self, path: &str) -> Answer {
        let url = format!("http://{}{path}", self.address);
        ask(&self.client, url, Method::GET, &[("x-api-key", &self.key)]).await
    }

    /// Carries out one part of a batch, if there is one to be claimed.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn batch_step(&self) -> bool {
        self.batches.step().await.expect("the store is there")
    }

    /// Brings its name index up to date.
    ///
    /// # Panics
    /// When it fails.
    pub async fn indexed(&self) -> lustra::search::Stepped {
        self.search.step().await.expect("the index follows")
    }

    /// One company with the given scopes, by the world's key.
    pub async fn company(&self, ico: &str, scope: &str) -> Answer {
        let url = format!("http://{}{}", self.address, company_path(ico, scope));
        ask(&self.client, url, Method::GET, &[("x-api-key", &self.key)]).await
    }

    /// Lets it tell the other hosts what it knows, and learn what they know; how many hosts there are.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn meet(&self) -> u32 {
        self.presence.step().await.expect("the store is there")
    }

    /// Waits until it has no refresh under way.
    pub async fn settled(&self) {
        self.importer.companies().settled().await;
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.server.abort();
    }
}
