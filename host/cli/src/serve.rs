//! `lustra serve`.

#[cfg(not(feature = "otlp"))]
use super::start_log;
use super::{CliError, ConfigFile, asked_to_end, many};
#[cfg(feature = "otlp")]
use super::{start_log_and, telemetry::Traces};
use lustra::config::{Config, Places, check};
use lustra::http_server::Certificates;
use lustra::operator::state::{self, ConnectorState, ServingState};
use lustra::reload::{ReloadMode, Reloader};
use lustra::server::{Host, StartError};

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
        let text = self.config.text();
        let file = self.config.config.display();
        let located = |error: StartError, config: &Config| {
            let setting = setting_of(&error, config);
            let line = setting.and_then(|setting| Places::of(&text).line(setting));
            let setting = setting.map_or_else(String::new, |setting| format!(", {setting}"));
            let line = line.map_or_else(String::new, |line| format!(", line {line}"));
            CliError::caused(format!("{file}{line}{setting}"), &error)
        };
        let findings = check::findings(&config, &self.config.config, &text);
        for finding in &findings {
            // What prevents the start is reported by it.
            if !matches!(finding.problem, check::Problem::AddressInUse(_)) {
                tracing::warn!(
                    setting = finding.setting,
                    line = finding.line,
                    "{file}: {finding}"
                );
            }
        }
        let (has_tls, operator_has_tls) = (config.tls.is_on(), config.tls.operator);
        let prepared = Host::prepare_from(config.clone(), settings, clock).await;
        let host = prepared.map_err(|error| located(error, &config))?;
        if self.confirm_clock && !host.ledger.confirm_clock().await? {
            tracing::error!("--confirm-clock has no effect: the database's clock says otherwise");
        }
        let listener = host.listen().await;
        let listener = listener.map_err(|error| located(error, &config))?;
        let operator = host.listen_for_operator().await;
        let operator = operator.map_err(|error| located(error, &config))?;
        let address = listener.local_addr()?;
        let (scheme, summary) = (scheme(has_tls), summary(&host).await?);
        tracing::info!(
            "serving on {scheme}://{address}/v1, documentation on {scheme}://{address}/docs; {summary}"
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

/// The setting that an error at the start is about.
fn setting_of(error: &StartError, config: &Config) -> Option<&'static str> {
    match error {
        StartError::Store(_) => Some("store"),
        StartError::Data { .. } => Some("data"),
        StartError::Listen { address, .. } if *address == config.listen => Some("listen"),
        StartError::Listen { .. } => Some("operator.listen"),
        StartError::Engine(_) => Some("pool"),
        StartError::Mail(_) => Some("mail"),
        StartError::Notifier(_) => Some("notifications"),
        StartError::Secrets(_) => Some("notifications.secrets_key"),
        StartError::Certificate(_) => Some("tls.certificate"),
        StartError::Threads(_) | StartError::Egress(_) | StartError::Sandbox(_) => None,
    }
}

/// Version, connectors and lists of a host, in one line.
async fn summary(host: &Host) -> Result<String, CliError> {
    let context = &host.app.context;
    let connectors = state::all(&context.store, &host.app.companies).await?;
    let serving = |state: &&ConnectorState| state.state == ServingState::Serving;
    let enabled = |state: &&ConnectorState| state.state != ServingState::NotEnabled;
    let (serving, enabled): (Vec<_>, Vec<_>) = (
        connectors.iter().filter(serving).collect(),
        connectors.iter().filter(enabled).collect(),
    );
    let lists = serving.iter().flat_map(|state| &state.lists);
    let lists: Vec<_> = lists.filter(|list| list.on).collect();
    let never = lists.iter().filter(|list| list.imported_at.is_none());
    let paused = lists.iter().filter(|list| list.paused_at.is_some());
    let failed = lists.iter().filter(|list| list.failure.is_some());
    Ok(format!(
        "version {}, {} of {} connectors serve; {}: {} never imported, {} failed, {} paused",
        env!("CARGO_PKG_VERSION"),
        serving.len(),
        enabled.len(),
        many(lists.len(), "list", "lists"),
        never.count(),
        failed.count(),
        paused.count(),
    ))
}
