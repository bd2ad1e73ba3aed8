//! `lustra serve`.

use super::{CliError, ConfigFile, asked_to_end, start_log};
use lustra::config::check;
use lustra::server::Host;

/// Serve the API and import due datasets, until interrupted.
///
/// Opens the store, loads every connector that the settings enable, and answers on `listen`. The log names each
/// connector that cannot be loaded, with the reason; `lustra connector list` shows them too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra serve --config lustra.toml\n\
    The log goes to standard error; RUST_LOG=lustra=debug shows every request.")]
pub struct Serve {
    #[command(flatten)]
    config: ConfigFile,
    /// Write the log as JSON.
    #[arg(long)]
    json: bool,
    /// Trust the host's clock, even if the newest booking of credits is long ago.
    #[arg(long)]
    confirm_clock: bool,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("info", self.json);
        let settings = Some(self.config.config.clone());
        let config = self.config.read()?;
        let clock = ConfigFile::clock(&config);
        // An unreadable directory is reported when the components are loaded.
        for finding in check::findings(&config).unwrap_or_default() {
            tracing::warn!(setting = finding.setting, "settings: {finding}");
        }
        let host = Host::prepare_from(config, settings, clock).await?;
        if self.confirm_clock && !host.ledger.confirm_clock().await? {
            tracing::error!("--confirm-clock has no effect: the database's clock says otherwise");
        }
        let listener = host.listen().await?;
        let operator = host.listen_for_operator().await?;
        let address = listener.local_addr()?;
        tracing::info!("serving on http://{address}/v1, documentation on http://{address}/docs");
        if let Some(operator) = &operator {
            let address = operator.local_addr()?;
            tracing::info!(
                "operators: metrics on http://{address}/metrics, connectors on http://{address}/connectors"
            );
        }
        let ended = async {
            let signal = asked_to_end().await;
            tracing::info!("shutting down: {signal}");
        };
        host.serve(listener, operator, ended).await?;
        tracing::info!("stopped");
        Ok(())
    }
}
