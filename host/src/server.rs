//! Builds a host from its settings; it then serves HTTP and runs its background workers.

mod error;
mod parts;
mod serve;
mod workers;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;

use crate::api::{self, App, AppParts};
use crate::batches::Batches;
use crate::billing::Ledger;
use crate::clock::Clock;
use crate::companies::{Companies, Sentinel};
use crate::config::Config;
use crate::connectors::egress::read_system_roots;
use crate::context::Context;
use crate::datasets::Importer;
use crate::disk::Disk;
use crate::http_server::{self, Certificates};
use crate::mail::Mailer;
use crate::membership::Membership;
use crate::notifications::Notifier;
use crate::reload::Reloader;
use crate::sandbox_companies::Sandbox;
use crate::sealing::Sealer;
use crate::search::Search;
use crate::watch_lists::WatchLists;
use crate::web::{self, Web, WebParts};
use crate::worker::Workers;

pub use error::StartError;

/// A host that is ready to serve.
pub struct Host {
    /// State of the API's handlers.
    pub app: App,
    pub importer: Importer,
    pub batches: Batches,
    /// Applies changed components and settings.
    pub reloader: Reloader,
    /// The host's membership among the hosts on its store.
    pub membership: Membership,
    pub search: Search,
    pub ledger: Ledger,
    /// Sends e-mail from the outbox.
    pub mailer: Mailer,
    /// Detects changes and notifies subscribers.
    pub notifier: Notifier,
    pub sentinel: Sentinel,
    pub disk: Disk,
    /// The certificate of the host, if the settings name one.
    pub certificates: Option<Certificates>,
    config: Arc<Config>,
}

impl Host {
    /// Opens the store and loads the connectors.
    ///
    /// # Errors
    /// A [`StartError`]. A connector that cannot be loaded does not prevent the start.
    pub async fn prepare(config: Config, clock: Clock) -> Result<Self, StartError> {
        Self::prepare_from(config, None, clock).await
    }

    /// Like [`Self::prepare`], and watches the settings file while the host serves.
    ///
    /// # Errors
    /// The same as of [`Self::prepare`].
    pub async fn prepare_from(
        mut config: Config,
        settings: Option<PathBuf>,
        clock: Clock,
    ) -> Result<Self, StartError> {
        http_server::raise_descriptor_limit(&mut config.connections);
        let certificates = Certificates::read(&config.tls, clock.clone())?;
        let spool = parts::directories(&config)?;
        // The HTTP clients need them after the store is open.
        drop(tokio::task::spawn_blocking(read_system_roots));
        let store = config.open_store(config.store_connections).await?;
        let services = parts::services(store.clone(), clock.clone(), spool)?;
        let connectors = parts::connectors(&config, services).await?;
        let host = format!("{}-{}", std::process::id(), uuid::Uuid::new_v4().simple());
        let context = Context::new(store, clock.clone(), &config);
        let companies = Companies::new(context.clone(), connectors, host.clone());
        let egress = Arc::clone(&companies.connectors().services.egress);
        let membership =
            Membership::new(host.clone(), context.store.clone(), egress, clock.clone());
        let disk = Disk::of(&config);
        let importer = Importer::new(
            context.clone(),
            companies.clone(),
            host.clone(),
            disk.clone(),
        );
        let sentinel = Sentinel::new(
            context.clone(),
            companies.clone(),
            config.sentinel.clone(),
            host.clone(),
        );
        let search = parts::search(&context, &config);
        let batches = Batches::new(
            context.clone(),
            companies.clone(),
            search.clone(),
            config.batch.clone(),
            host.clone(),
        );
        let ledger = Ledger::begin(context.store.clone(), clock.clone(), &config.ledger).await?;
        let key = config.notifications.sealing_key();
        let sealer = Arc::new(Sealer::open(key, &config.data)?);
        let mailer = parts::mailer(&context, &sealer, &config).await?;
        let notifier = parts::notifier(&context, &companies, &mailer, &sealer, &config)?;
        let watch_lists = WatchLists::new(
            context.clone(),
            batches.clone(),
            notifier.clone(),
            &config,
            host,
        );
        let reloader = Reloader::new(context.clone(), companies.clone(), settings);
        let config = Arc::new(config);
        let app = App::new(AppParts {
            collections: parts::collections(&context, &companies, &config),
            context,
            companies,
            batches: batches.clone(),
            search: search.clone(),
            ledger: ledger.clone(),
            notifier: notifier.clone(),
            watch_lists,
            disk: disk.clone(),
            config: Arc::clone(&config),
            sandbox: Arc::new(Sandbox::read()?),
            sealer,
            keys: api::auth::ValidatedKeys::default(),
            other_calls: api::other_calls::OtherCalls::new(config.requests.other_calls_per_minute),
            paid_tags: api::charging::PaidTags::default(),
            ending: tokio::sync::watch::Sender::new(false),
            metrics: api::metrics::ApiMetrics::default(),
            workers: Workers::default(),
            started_at: clock.now(),
        });
        Ok(Self {
            app,
            importer,
            batches,
            reloader,
            membership,
            search,
            ledger,
            mailer,
            notifier,
            sentinel,
            disk,
            certificates,
            config,
        })
    }

    pub fn router(&self) -> Router {
        let pages = Web::new(WebParts {
            context: self.app.context.clone(),
            companies: self.app.companies.clone(),
            search: self.app.search.clone(),
            sandbox: Arc::clone(&self.app.sandbox),
            sealer: Arc::clone(&self.app.sealer),
            api: api::calls(&self.app),
            settings: self.config.web.clone(),
            public_url: self.config.notifications.public_url.clone(),
            has_tls: self.config.tls.is_on(),
            started_at: self.app.started_at,
        });
        let router = api::router(self.app.clone(), web::routes(&pages));
        web::with_error_pages(router, &pages)
    }

    /// Binds the configured address of the API.
    ///
    /// # Errors
    /// [`StartError::Listen`].
    pub async fn listen(&self) -> Result<TcpListener, StartError> {
        let address = self.config.listen;
        TcpListener::bind(address)
            .await
            .map_err(|error| StartError::Listen { address, error })
    }

    /// Listens on the operator's address, if the settings enable it.
    ///
    /// # Errors
    /// [`StartError::Listen`].
    pub async fn listen_for_operator(&self) -> Result<Option<TcpListener>, StartError> {
        if !self.config.operator.on {
            return Ok(None);
        }
        let address = self.config.operator.listen;
        let listener = TcpListener::bind(address).await;
        listener
            .map(Some)
            .map_err(|error| StartError::Listen { address, error })
    }
}
