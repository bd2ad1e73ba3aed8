//! The world that tests and benchmarks live in: a real host on a free port, its own database, the register simulator,
//! and one clock that the simulator's days turn.
//!
//! Connectors are built once for a process. Imports run when [`World::import_due`] says so, parts of batches when
//! [`World::batch_step`] does, messages are sent by [`World::mail_step`], and refreshes are awaited by
//! [`World::settled`], so that no test waits for time to pass.

mod answer;
mod builder;
mod components;
mod imported;
mod mailbox;
mod neighbour;
mod proxy;
mod receiver;
mod rogue;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use lustra::clock::Clock;
use lustra::config::Config;
use lustra::server::Host;
use lustra::store::testing::TestDatabase;
use register_simulator::{ChangeKind, Fault, Register, Simulator};
use reqwest::Method;
use serde_json::Value;
use time::OffsetDateTime;
use time::macros::datetime;

use self::answer::{ask, company_path};
use self::builder::serve;

pub use self::answer::{Answer, answered};
pub use self::builder::Builder;
pub use self::components::{components, guests, repackaged, reworded};
pub use self::mailbox::{Letter, Mailbox, Mood};
pub use self::neighbour::Neighbour;
pub use self::proxy::{Proxy, Way};
pub use self::receiver::{Behaviour, Received, Receiver};
pub use self::rogue::Rogue;
pub use lustra::store::Kind;
pub use {lustra, register_simulator};

/// When every test begins.
pub const START: OffsetDateTime = datetime!(2026-01-15 08:00 UTC);

/// A client. Tests that start no host in their own process have nobody else who chooses the TLS code.
#[must_use]
pub fn client() -> reqwest::Client {
    // The first to ask decides for the process; that somebody was first is no failure.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::new()
}

/// A running host and everything around it.
pub struct World {
    /// The registers.
    pub simulator: Simulator,
    /// The host's inside, for what cannot be asked over HTTP.
    pub importer: lustra::datasets::Importer,
    /// What its batches are carried out with; nothing is unless a test says so.
    pub batches: lustra::batches::Batches,
    /// What its messages are sent with; none is unless a test says so.
    pub mailer: lustra::mail::Mailer,
    /// What notices changes and tells of them; it does nothing unless a test says so.
    pub notifier: lustra::notifications::Notifier,
    /// An API key of the plan that was chosen.
    pub key: String,
    /// The store, as the host sees it.
    pub store: lustra::store::Store,
    /// The showcase companies.
    pub icos: Vec<String>,
    pub(crate) reloader: lustra::reload::Reloader,
    pub(crate) presence: lustra::presence::Presence,
    pub(crate) search: lustra::search::Search,
    /// Credits, as the host books them.
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

    /// Tries to send one message, if there is one that is due.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn mail_step(&self) -> bool {
        self.mailer.step().await.expect("the store is there")
    }

    /// Refreshes every watched company that is due and waits for it; how many.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn refresh_watched(&self) -> usize {
        let mut refreshed = 0;
        loop {
            let some = self.notifier.refresh_due().await;
            match some.expect("the store is there") {
                0 => return refreshed,
                some => refreshed += some,
            }
        }
    }

    /// Tells of every event that waits; how many.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn fan_out(&self) -> usize {
        let mut told = 0;
        loop {
            match self.notifier.fan_out().await.expect("the store is there") {
                0 => return told,
                some => told += some,
            }
        }
    }

    /// Sends every delivery that is due and waits for it; how many attempts.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn send_due(&self) -> usize {
        let mut attempts = 0;
        loop {
            match self.notifier.send_due().await.expect("the store is there") {
                0 => return attempts,
                some => attempts += some,
            }
        }
    }

    /// Everything that follows from a change of the registers: lists are imported, watched companies refreshed, and
    /// what is found is told and sent; how many attempts.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn tell(&self) -> usize {
        self.import_due().await;
        self.refresh_watched().await;
        self.fan_out().await;
        self.send_due().await
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
        self.reloader.step(lustra::reload::Order::Changed).await
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
        self.neighbour_by(config, self.clock.clone()).await
    }

    /// Starts another host on the same store, with these settings and a clock of its own.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn neighbour_by(&self, config: Config, clock: Clock) -> Neighbour {
        let host = Box::pin(Host::prepare(config, clock))
            .await
            .expect("the host starts");
        let importer = host.importer.clone();
        let batches = host.batches.clone();
        let mailer = host.mailer.clone();
        let notifier = host.notifier.clone();
        let presence = host.presence.clone();
        let search = host.search.clone();
        let ledger = host.ledger.clone();
        let (address, operator, server) = serve(host).await;
        Neighbour {
            ledger,
            operator,
            importer,
            batches,
            mailer,
            notifier,
            presence,
            search,
            key: self.key.clone(),
            address,
            client: self.client.clone(),
            server,
        }
    }

    /// The world's account, as it is stored now.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn account(&self) -> lustra::store::Account {
        let account = self.store.keys().find_account("tests").await;
        account
            .expect("the store is there")
            .expect("every world has it")
    }

    /// Who pays for the world's calls, on the terms of now.
    ///
    /// # Panics
    /// When the store fails or the plan is not one of the settings'.
    pub async fn customer(&self) -> std::sync::Arc<lustra::billing::Customer> {
        let customer = lustra::billing::Customer::of(&self.account().await, &self.config);
        std::sync::Arc::new(customer.expect("the plan is there"))
    }

    /// Makes a further key of the world's account: what is changed about the account holds for it at once, while a key
    /// that was just used is known for a second.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn new_key(&self) -> String {
        let key = lustra::billing::NewKey::live();
        let account = self.account().await.id;
        let keys = self.store.keys();
        let hash = key.text.hash();
        let created = keys.create_key(account, "another", &key.prefix, &hash, None, self.now());
        created.await.expect("the store is there");
        key.text.reveal().to_owned()
    }

    /// Checks the books of every account.
    ///
    /// # Panics
    /// When there is a mistake in them.
    pub async fn books_are_right(&self) -> lustra::billing::verify::Findings {
        let mut findings = lustra::billing::verify::Findings::default();
        let accounts = self.store.billing().accounts().await;
        for account in accounts.expect("the store is there") {
            let verified = lustra::billing::verify::verify(&self.store, account, &mut findings);
            verified.await.expect("the store is there");
        }
        assert_eq!(findings.mistakes, []);
        findings
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

    /// Lets something happen to a company on the next day, and that day begin.
    ///
    /// # Panics
    /// When there is no such company, or that cannot happen to it.
    pub fn happens(&self, ico: &str, kind: ChangeKind) {
        let population = self.simulator.population();
        let index = population.by_ico(ico).expect("a company of the registers");
        let tomorrow = self.simulator.clock().day() + 1;
        assert!(population.force(index, tomorrow, kind), "{kind:?} of {ico}");
        self.advance(1);
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
        self.importer.companies().wait_idle().await;
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
