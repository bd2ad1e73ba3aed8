//! Stores with completed imports: created once per process, number of companies and set of connectors, and copied for
//! every world that would import the same.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use lustra::clock::Clock;
use lustra::config::Config;
use lustra::server::Host;
use lustra::store::DatabaseKind;
use lustra::store::testing::TestDatabase;
use lustra_demo as demo;
use tokio::sync::OnceCell;

use crate::START;
use crate::builder::{Connectors, enable_only, quiet};
use crate::components::{components, some_of};

/// A created store. `None` if it cannot be created.
type Made = Arc<OnceCell<Option<TestDatabase>>>;

/// Kind of database, number of companies, and the enabled connectors if not all are.
type Key = (DatabaseKind, u32, Option<Connectors>);

static MADE: LazyLock<Mutex<HashMap<Key, Made>>> = LazyLock::new(Mutex::default);

/// Whether hosts with these two settings import the same data.
pub(crate) fn imports_the_same(config: &Config, other: &Config) -> bool {
    config.connector == other.connector
        && config.imports == other.imports
        && config.base_registers == other.base_registers
        && config.clock_ahead_hours == other.clock_ahead_hours
        && config.store == other.store
}

/// A copy of a store with the first day's imports under the usual settings. `None` if it cannot be copied or its
/// server is unavailable.
pub(crate) async fn imported(
    kind: DatabaseKind,
    companies: u32,
    connectors: Option<Connectors>,
) -> Option<TestDatabase> {
    let made = {
        let mut all = MADE
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(all.entry((kind, companies, connectors)).or_default())
    };
    let made = made
        .get_or_init(|| import(kind, companies, connectors))
        .await;
    made.as_ref()?.copy().await
}

async fn import(
    kind: DatabaseKind,
    companies: u32,
    connectors: Option<Connectors>,
) -> Option<TestDatabase> {
    let database = match kind {
        DatabaseKind::Sqlite => TestDatabase::sqlite(),
        DatabaseKind::Postgres => TestDatabase::postgres_to_copy().await?,
    };
    let data = tempfile::tempdir().expect("tests can write temporary files");
    let components = tokio::task::spawn_blocking(components)
        .await
        .expect("building does not panic");
    let components = match connectors {
        Some(ids) => some_of(&components, ids, data.path().join("components")),
        None => components,
    };
    let (simulator, _) = demo::simulator(companies, 1, START)
        .await
        .expect("the simulator starts");
    // The time that the import takes is not in the copies: their worlds begin at the same time and may be faster.
    let clock = Clock::from_fn(|| START);
    let mut config = quiet(&simulator.url(), &components, data.path(), &database);
    enable_only(&mut config, connectors);
    let host = Box::pin(Host::prepare(config, clock))
        .await
        .expect("the host starts");
    host.importer.run_due().await.expect("the store is there");
    let store = &host.app.context.store;
    let states = store.datasets().states().await.expect("the store is there");
    for state in states {
        let (connector, dataset, failure) = (state.connector, state.dataset, state.failure);
        assert!(
            failure.is_none(),
            "{connector}/{dataset} was not imported: {failure:?}"
        );
    }
    store.close().await;
    Some(database)
}
