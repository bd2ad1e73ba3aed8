//! The test world of tests and benchmarks: a real host on a free port, its own database, the register simulator, and
//! one clock that advances with the simulator's days.
//!
//! Connectors are built once per process. The host does no background work: [`World::import_due`] runs imports,
//! [`World::batch_step`] processes parts of batches, [`World::mail_step`] sends messages and [`World::wait_idle`] waits
//! for refreshes. So no test waits for time to pass.

mod answer;
mod builder;
mod components;
mod disk;
mod imported;
mod mailbox;
mod neighbour;
mod proxy;
mod receiver;
mod rogue;
mod work;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use lustra::clock::Clock;
use lustra::config::Config;
use lustra::connectors::egress::with_system_roots;
use lustra::server::Host;
use lustra::store::testing::TestDatabase;
// Tests and benchmarks have the allocator of the program.
use lustra_cli as _;
use register_simulator::{ChangeKind, Fault, Register, Simulator};
use reqwest::Method;
use serde_json::Value;
use time::OffsetDateTime;
use time::macros::datetime;

use self::answer::{ask, company_path};
use self::builder::serve;

pub use self::answer::{Answer, answered};
pub use self::builder::{Builder, Connectors};
pub use self::components::{components, guests, repackaged, reworded};
pub use self::disk::{Filler, SmallDisk, with_own_mounts};
pub use self::mailbox::{Mailbox, Mood, ReceivedEmail};
pub use self::neighbour::Neighbour;
pub use self::proxy::{Proxy, Way};
pub use self::receiver::{Behaviour, Received, Receiver};
pub use self::rogue::Rogue;
pub use lustra::store::DatabaseKind;
pub use {lustra, register_simulator};

/// The start time of every test.
pub const START: OffsetDateTime = datetime!(2026-01-15 08:00 UTC);

/// An HTTP client.
#[must_use]
pub fn client() -> reqwest::Client {
    let client = with_system_roots(reqwest::Client::builder()).build();
    client.expect("the system has root certificates")
}

/// A running host and everything around it.
pub struct World {
    pub simulator: Simulator,
    /// Runs imports inside the host's process.
    pub importer: lustra::datasets::Importer,
    /// Processes batches; only on the test's request.
    pub batches: lustra::batches::Batches,
    /// Imports watch lists; long ones only on the test's request.
    pub watch_lists: lustra::watch_lists::WatchLists,
    /// Sends messages; only on the test's request.
    pub mailer: lustra::mail::Mailer,
    /// Refreshes, fans out and delivers; only on the test's request.
    pub notifier: lustra::notifications::Notifier,
    /// An API key on the chosen plan.
    pub key: String,
    pub store: lustra::store::Store,
    /// The IČOs of the showcase companies.
    pub icos: Vec<String>,
    /// The certificate of a world with TLS.
    pub certificates: Option<lustra::http_server::Certificates>,
    pub(crate) reloader: lustra::reload::Reloader,
    pub(crate) membership: lustra::membership::Membership,
    pub(crate) search: lustra::search::Search,
    pub ledger: lustra::billing::Ledger,
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) address: SocketAddr,
    pub(crate) operator: SocketAddr,
    pub(crate) client: reqwest::Client,
    pub(crate) server: tokio::task::JoinHandle<()>,
    pub(crate) database: Option<TestDatabase>,
    pub(crate) _data: tempfile::TempDir,
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

    /// The kind of the host's database.
    #[must_use]
    pub fn kind(&self) -> DatabaseKind {
        self.store.kind()
    }

    /// The host's URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of the host.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
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

    /// A request without a body.
    ///
    /// # Panics
    /// If there is no response.
    pub async fn request(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        ask(
            &self.client,
            format!("{}{path}", self.url()),
            method,
            headers,
        )
        .await
    }

    /// A `POST` with the key; add a body and headers, then send it with [`answered`].
    pub fn posting(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url()));
        request.header("x-api-key", &self.key)
    }

    /// `POST` of JSON with the key.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        answered(self.posting(path).json(body)).await
    }

    /// `DELETE` with the key.
    pub async fn delete(&self, path: &str) -> Answer {
        let key = self.key.clone();
        self.request(Method::DELETE, path, &[("x-api-key", &key)])
            .await
    }

    /// One company with the given scopes, by the key.
    pub async fn company(&self, ico: &str, scope: &str) -> Answer {
        self.get(&company_path(ico, scope)).await
    }

    /// The operator's URL, without a trailing slash.
    #[must_use]
    pub fn operator_url(&self) -> String {
        format!("http://{}", self.operator)
    }

    /// Sends a request to the operator's address.
    ///
    /// # Panics
    /// If there is no response.
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

    /// Starts another host on the same store, with the same settings and clock.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn neighbour(&self) -> Neighbour {
        self.neighbour_with(self.reloader.config()).await
    }

    /// Starts another host on the same store, with these settings.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn neighbour_with(&self, config: Config) -> Neighbour {
        self.neighbour_by(config, self.clock.clone()).await
    }

    /// Starts another host on the same store, with these settings and its own clock.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn neighbour_by(&self, config: Config, clock: Clock) -> Neighbour {
        let host = Box::pin(Host::prepare(config, clock))
            .await
            .expect("the host starts");
        let importer = host.importer.clone();
        let batches = host.batches.clone();
        let watch_lists = host.app.watch_lists.clone();
        let mailer = host.mailer.clone();
        let notifier = host.notifier.clone();
        let membership = host.membership.clone();
        let search = host.search.clone();
        let ledger = host.ledger.clone();
        let (address, operator, server) = serve(host).await;
        Neighbour {
            ledger,
            operator,
            importer,
            batches,
            watch_lists,
            mailer,
            notifier,
            membership,
            search,
            key: self.key.clone(),
            address,
            client: self.client.clone(),
            server,
        }
    }

    /// The world's account as stored.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn account(&self) -> lustra::store::Account {
        let account = self.store.keys().find_account("tests").await;
        account
            .expect("the store is there")
            .expect("every world has it")
    }

    /// The billing data of the world's account under the current settings.
    ///
    /// # Panics
    /// If the store fails, or the settings lack the plan.
    pub async fn customer(&self) -> std::sync::Arc<lustra::billing::Customer> {
        let customer = lustra::billing::Customer::of(&self.account().await, &self.config);
        std::sync::Arc::new(customer.expect("the plan is there"))
    }

    /// Creates a further key of the world's account. A new key sees changes of the account at once, while a key in
    /// use stays cached for a second.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn new_key(&self) -> String {
        let key = lustra::billing::NewKey::live();
        let account = self.account().await.id;
        let keys = self.store.keys();
        let hash = key.text.hash();
        let created = keys.create_key(account, "another", &key.prefix, &hash, None, self.now());
        created.await.expect("the store is there");
        key.text.reveal().to_owned()
    }

    /// Checks the ledger of every account.
    ///
    /// # Panics
    /// If a book contains a mistake.
    pub async fn verify_ledgers(&self) -> lustra::billing::verify::Findings {
        let mut findings = lustra::billing::verify::Findings::default();
        let accounts = self.store.billing().accounts().await;
        for account in accounts.expect("the store is there") {
            let verified = lustra::billing::verify::verify(&self.store, account, &mut findings);
            verified.await.expect("the store is there");
        }
        assert_eq!(findings.mistakes, []);
        findings
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The clock of registers and host.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// The current time of registers and host.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Advances registers and host by days.
    pub fn advance(&self, days: u32) {
        self.simulator.advance(days);
    }

    /// Schedules a change of a company for the next day, and advances to that day.
    ///
    /// # Panics
    /// If there is no such company, or it does not qualify for the change.
    pub fn happens(&self, ico: &str, kind: ChangeKind) {
        let population = self.simulator.population();
        let index = population.by_ico(ico).expect("a company of the registers");
        let tomorrow = self.simulator.clock().day() + 1;
        assert!(population.force(index, tomorrow, kind), "{kind:?} of {ico}");
        self.advance(1);
    }

    /// Injects a fault into a register; [`Fault::Off`] ends it.
    pub fn fault(&self, register: Register, fault: Fault) {
        self.simulator.fault(register, fault);
    }

    #[must_use]
    pub fn search(&self) -> &lustra::search::Search {
        &self.search
    }

    /// Stops the host and deletes its database.
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
