//! `lustra dataset pause` and `lustra dataset resume`.

use super::super::{CliError, ConfigFile, print};
use super::named::{find, known};
use super::{offered, shown_time};
use lustra_sandbox::clock::rfc3339;
use lustra_store::{ConnectorId, Store};

/// Pause the imports of a dataset on all hosts, until `dataset resume`.
///
/// The pause is stored, so it survives restarts. The list in use stays and is shown with its date. An import under way
/// stops at its last committed batch and continues there later. `dataset import` of a paused dataset is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra dataset pause rpo/companies --config lustra.toml")]
pub struct Pause {
    /// Name as `connector/dataset`, or `dataset` alone if it is unique.
    dataset: String,
    #[command(flatten)]
    config: ConfigFile,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Resume the imports of a paused dataset.
///
/// An import that became due during the pause begins at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra dataset resume rpo/companies --config lustra.toml")]
pub struct Resume {
    /// Name as `connector/dataset`, or `dataset` alone if it is unique.
    dataset: String,
    #[command(flatten)]
    config: ConfigFile,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// The store and the dataset that a user named.
struct Named {
    store: Store,
    connector: ConnectorId,
    dataset: String,
    now: time::OffsetDateTime,
}

impl Named {
    async fn open(config: &ConfigFile, name: &str) -> Result<Self, CliError> {
        let config = config.read()?;
        let offered = offered(&config)?;
        let now = ConfigFile::clock(&config).now();
        let store = config.open_store(2).await?;
        let known = known(&store, &offered).await?;
        let (connector, dataset) = find(&known, name)?;
        Ok(Self {
            connector: connector.clone(),
            dataset: dataset.to_owned(),
            store,
            now,
        })
    }
}

impl Pause {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let named = Named::open(&self.config, &self.dataset).await?;
        let (connector, dataset) = (&named.connector, &named.dataset);
        let datasets = named.store.datasets();
        let before = datasets.state(connector, dataset).await?;
        let before = before.and_then(|state| state.paused_at);
        let since = datasets.pause(connector, dataset, named.now).await?;
        let changed = before.is_none();
        if self.json {
            let line = serde_json::json!({
                "connector": connector, "dataset": dataset, "paused_at": rfc3339(since), "changed": changed,
            });
            print(&line.to_string());
        } else if changed {
            print(&format!("{connector}/{dataset} is paused"));
        } else {
            let since = shown_time(since);
            print(&format!(
                "{connector}/{dataset} was paused before, since {since}"
            ));
        }
        Ok(())
    }
}

impl Resume {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let named = Named::open(&self.config, &self.dataset).await?;
        let (connector, dataset) = (&named.connector, &named.dataset);
        let datasets = named.store.datasets();
        let changed = datasets.resume(connector, dataset).await?;
        let state = datasets.state(connector, dataset).await?;
        let next = state.and_then(|state| state.next_run_at);
        if self.json {
            let line = serde_json::json!({
                "connector": connector, "dataset": dataset, "paused_at": null, "changed": changed,
                "next_run_at": next.map(rfc3339),
            });
            print(&line.to_string());
        } else if changed {
            let next = match next {
                Some(at) if at > named.now => format!("; next run {}", shown_time(at)),
                Some(_) | None => "; it is due now".to_owned(),
            };
            print(&format!("{connector}/{dataset} is resumed{next}"));
        } else {
            print(&format!("{connector}/{dataset} was not paused"));
        }
        Ok(())
    }
}
