//! `lustra serve`.

#[cfg(not(feature = "otlp"))]
use super::start_log;
use super::{CliError, ConfigFile, asked_to_end};
#[cfg(feature = "otlp")]
use super::{start_log_and, telemetry::Traces};
use lustra::config::check;
use lustra::http_server::Certificates;
use lustra::reload::{ReloadMode, Reloader};
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
        let settings = Some(self.config.config.clone());
        let config = self.config.read()?;
        #[cfg(feature = "otlp")]
        let traces = Traces::begin(&config.telemetry)?;
        #[cfg(feature = "otlp")]
        start_log_and("info", self.json, traces.as_ref().map(Traces::layer));
        #[cfg(not(feature = "otlp"))]
        start_log("info", self.json);
        let clock = ConfigFile::clock(&config);
        // An unreadable directory is reported when the components are loaded.
        for finding in check::findings(&config).unwrap_or_default() {
            tracing::warn!(setting = finding.setting, "settings: {finding}");
        }
        let (has_tls, operator_has_tls) = (config.tls.is_on(), config.tls.operator);
        let host = Host::prepare_from(config, settings, clock).await?;
        if self.confirm_clock && !host.ledger.confirm_clock().await? {
            tracing::error!("--confirm-clock has no effect: the database's clock says otherwise");
        }
        let listener = host.listen().await?;
        let operator = host.listen_for_operator().await?;
        let address = listener.local_addr()?;
        let scheme = scheme(has_tls);
        tracing::info!(
            "serving on {scheme}://{address}/v1, documentation on {scheme}://{address}/docs"
        );
        if let Some(operator) = &operator {
            let address = operator.local_addr()?;
            let scheme = self::scheme(operator_has_tls);
            tracing::info!(
                "operators: metrics on {scheme}://{address}/metrics, connectors on {scheme}://{address}/connectors"
            );
        }
        let hangups = follow_hangups(host.reloader.clone(), host.certificates.clone());
        let hangups = tokio::spawn(hangups);
        let ended = async {
            let signal = asked_to_end().await;
            tracing::info!("shutting down: {signal}");
        };
        host.serve(listener, operator, ended).await?;
        hangups.abort();
        #[cfg(feature = "otlp")]
        if let Some(traces) = traces {
            traces.end().await;
        }
        tracing::info!("stopped");
        Ok(())
    }
}

fn scheme(has_tls: bool) -> &'static str {
    if has_tls { "https" } else { "http" }
}

/// Applies changed settings, components and certificates at each SIGHUP.
async fn follow_hangups(reloader: Reloader, certificates: Option<Certificates>) {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangups = match signal(SignalKind::hangup()) {
        Ok(hangups) => hangups,
        Err(error) => {
            tracing::warn!(%error, "SIGHUP has no effect");
            return;
        }
    };
    while hangups.recv().await.is_some() {
        tracing::info!("SIGHUP: reading settings, components and certificates again");
        if let Some(certificates) = certificates.clone() {
            // The log says what became of it.
            let read = tokio::task::spawn_blocking(move || certificates.step()).await;
            if let Err(error) = read {
                tracing::error!(%error, "TLS: reading the certificate panicked");
            }
        }
        reloader.step(ReloadMode::RetryRefused).await;
    }
}
