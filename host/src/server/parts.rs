//! Parts of a host that are made from its settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::StartError;
use crate::billing::Customer;
use crate::clock::Clock;
use crate::collections::Collections;
use crate::companies::Companies;
use crate::config::Config;
use crate::connectors::Connectors;
use crate::connectors::background_runtime::BackgroundRuntime;
use crate::connectors::cache::Cache;
use crate::connectors::cpu::Offload;
use crate::connectors::egress::Egress;
use crate::connectors::engine::ConnectorEngine;
use crate::connectors::limits::LongRunning;
use crate::connectors::linker::ConnectorLinker;
use crate::connectors::state::Services;
use crate::context::Context;
use crate::mail::{Consents, Mailer};
use crate::notifications::Notifier;
use crate::sealing::Sealer;
use crate::search::Search;
use crate::store::{AccountId, Store, StoreError};

/// Creates the directories of the data. Returns the one for large bodies.
pub(super) fn directories(config: &Config) -> Result<PathBuf, StartError> {
    let spool = config.data.join("spool");
    create_private(&config.data)
        .and_then(|()| std::fs::create_dir_all(&spool))
        .map_err(data_error(config))?;
    Ok(spool)
}

fn data_error(config: &Config) -> impl Fn(std::io::Error) -> StartError {
    |error| StartError::Data {
        path: config.data.display().to_string(),
        error,
    }
}

/// Creates a directory that only this user can enter. One that exists keeps its mode.
fn create_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Builds the engine and loads the enabled components.
pub(super) async fn connectors(
    config: &Config,
    services: Services,
) -> Result<Arc<Connectors>, StartError> {
    let cache = Cache::open(&config.compiled_components()).map_err(data_error(config))?;
    let cache = cache.with_precompiled(config.precompiled.as_deref());
    let linker = ConnectorEngine::new((&config.pool).into())
        .and_then(ConnectorLinker::new)
        .map_err(StartError::Engine)?;
    let settings = config.connectors();
    let loading = Connectors::load(&settings, linker, Arc::new(cache), services);
    Ok(Arc::new(Box::pin(loading).await))
}

/// The outbox of e-mails, and the consents of addresses.
pub(super) async fn mailer(
    context: &Context,
    sealer: &Arc<Sealer>,
    config: &Config,
) -> Result<Mailer, StartError> {
    let (store, clock) = (&context.store, &context.clock);
    let consents = Consents::new(
        store.clone(),
        clock.clone(),
        Arc::clone(sealer),
        config.notifications.clone(),
    );
    let mailer = Mailer::new(
        store.clone(),
        store.identity().await?,
        clock.clone(),
        Arc::clone(sealer),
        consents,
        config.mail.clone(),
        &config.data,
    )?;
    Ok(mailer)
}

pub(super) fn notifier(
    context: &Context,
    companies: &Companies,
    mailer: &Mailer,
    sealer: &Arc<Sealer>,
    config: &Config,
) -> Result<Notifier, StartError> {
    let notifier = Notifier::new(
        context.clone(),
        companies.clone(),
        mailer.clone(),
        config.notifications.clone(),
        Arc::clone(sealer),
    )?;
    Ok(notifier)
}

pub(super) fn search(context: &Context, config: &Config) -> Search {
    let directory = config.data.join("search");
    Search::new(context.store.clone(), directory, config.search.clone())
}

pub(super) fn collections(
    context: &Context,
    companies: &Companies,
    config: &Config,
) -> Collections {
    let (context, connectors) = (context.clone(), Arc::clone(companies.connectors()));
    Collections::new(context, connectors, config.collections.clone())
}

/// What the calls of all connectors share.
pub(super) fn services(store: Store, clock: Clock, spool: PathBuf) -> Result<Services, StartError> {
    let user_agent = concat!("Lustra/", env!("CARGO_PKG_VERSION"));
    Ok(Services {
        store,
        egress: Arc::new(Egress::new(user_agent, clock.clone())?),
        clock,
        spool,
        long: LongRunning::default(),
        offload: Offload::default(),
        background: BackgroundRuntime::start().map_err(StartError::Threads)?,
    })
}

/// The billing data of an account, under the current settings. `None` if there is no such account or its
/// plan no longer exists.
pub(super) async fn customer(
    context: Context,
    account_id: AccountId,
) -> Result<Option<Customer>, StoreError> {
    let keys = context.store.keys();
    let account = keys.find_account_by_id(account_id).await?;
    let config = context.config();
    Ok(account.and_then(|account| Customer::of(&account, &config)))
}
