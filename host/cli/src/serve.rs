//! `lustra serve`.

mod manager;
mod signals;
mod sockets;
mod summary;

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use self::manager::Manager;
use self::signals::{Endings, Hangups};
use self::sockets::Bound;
pub(crate) use self::sockets::Inherited;
use self::summary::summary;
#[cfg(not(feature = "otlp"))]
use super::start_log;
use super::{CliError, ConfigFile};
#[cfg(feature = "otlp")]
use super::{start_log_and, telemetry::Traces};
use lustra::config::{Config, SettingSpans, check};
use lustra::http_server::Certificates;
use lustra::reload::{ReloadMode, Reloader};
use lustra::server::{Host, StartError};

/// How long the end of the host waits for statements that still run. Connections that are open then end with the
/// process.
const CLOSE_STORE: Duration = Duration::from_secs(5);

/// Serve the API and import due datasets, until interrupted.
///
/// Opens the store, loads every connector that the settings enable, and answers on `listen`. The log names each
/// connector that cannot be loaded, with the reason; `lustra connector list` shows them too.
///
/// SIGHUP applies changed settings and components. SIGTERM and SIGINT end the host; requests in progress get
/// `requests.drain_seconds`, and a second signal cancels them. Under systemd the host takes its sockets from the socket
/// unit, and reports when it is ready, reloads and stops.
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
    pub(super) async fn run(self, inherited: Inherited) -> Result<(), CliError> {
        // Before the start takes time: without a handler, SIGHUP ends the process.
        let hangups = Hangups::new()?;
        let settings = Some(self.config.config.clone());
        let config = self.config.parse()?;
        #[cfg(feature = "otlp")]
        let traces = Traces::begin(&config.telemetry)?;
        #[cfg(feature = "otlp")]
        start_log_and("info", self.json, traces.as_ref().map(Traces::layer));
        #[cfg(not(feature = "otlp"))]
        start_log("info", self.json);
        let clock = ConfigFile::clock(&config);
        let located = Located {
            file: &self.config.config,
            text: &self.config.text(),
            config: &config,
        };
        located.warn_of_findings();
        manager::status("starting: opening the store and loading connectors");
        let drain = config.requests.drain_seconds;
        let bound = inherited.listeners(&config)?;
        let schemes = (scheme(config.tls.is_on()), scheme(config.tls.operator));
        let prepared = Host::prepare_from(config.clone(), settings, clock).await;
        let host = prepared.map_err(|error| located.start_error(&error))?;
        if self.confirm_clock && !host.ledger.confirm_clock().await? {
            tracing::error!("--confirm-clock has no effect: the database's clock says otherwise");
        }
        let listeners = listeners(&host, bound).await;
        let (listener, operator) = listeners.map_err(|error| located.start_error(&error))?;
        let summary = summary(&host).await?;
        say_where(&listener, operator.as_ref(), schemes, &summary)?;
        let endings = Endings::new()?;
        let manager = Manager::ready(&host, listener.local_addr()?);
        // Tasks of the runtime that serves, so that a runtime whose threads are stuck reports nothing.
        let watching = tokio::spawn(manager.clone().watch());
        let certificates = host.certificates.clone();
        let reloading = reload(
            hangups,
            manager.clone(),
            host.reloader.clone(),
            certificates,
        );
        let reloading = tokio::spawn(reloading);
        let listeners = (listener, operator);
        let store = host.app.context.store.clone();
        let served = serve_until_signalled(host, listeners, endings, manager, drain).await;
        watching.abort();
        reloading.abort();
        // SQLite writes its log back into the file only if the connections are closed one after the other.
        if tokio::time::timeout(CLOSE_STORE, store.close())
            .await
            .is_err()
        {
            let seconds = CLOSE_STORE.as_secs();
            tracing::warn!("shutdown: statements were still running after {seconds} s");
        }
        served?;
        #[cfg(feature = "otlp")]
        if let Some(traces) = traces {
            traces.end().await;
        }
        tracing::info!("stopped");
        Ok(())
    }
}

/// The settings with their file, to name the line of a setting.
struct Located<'a> {
    file: &'a Path,
    text: &'a str,
    config: &'a Config,
}

impl Located<'_> {
    /// Logs what the settings allow but probably do not mean. What prevents the start is reported by it.
    fn warn_of_findings(&self) {
        let file = self.file.display();
        for finding in check::findings(self.config, self.file, self.text) {
            let problem = &finding.problem;
            if !problem.is_note() && !matches!(problem, check::Problem::AddressInUse(_)) {
                tracing::warn!(
                    setting = finding.setting,
                    line = finding.line,
                    "{file}: {finding}"
                );
            }
        }
    }

    /// The error of a start that failed, with the setting that it is about.
    fn start_error(&self, error: &StartError) -> CliError {
        let file = self.file.display();
        let setting = setting_of(error, self.config);
        let line = setting.and_then(|setting| SettingSpans::of(self.text).line(setting));
        let setting = setting.map_or_else(String::new, |setting| format!(", {setting}"));
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        CliError::caused(format!("{file}{line}{setting}"), error)
    }
}

/// The sockets of the API and of the operator's pages: those that were inherited, or else new ones.
async fn listeners(
    host: &Host,
    bound: Bound,
) -> Result<(TcpListener, Option<TcpListener>), StartError> {
    let listener = match bound.api {
        Some(listener) => listener,
        None => host.listen().await?,
    };
    let operator = match bound.operator {
        Some(listener) => Some(listener),
        None => host.listen_for_operator().await?,
    };
    Ok((listener, operator))
}

fn scheme(has_tls: bool) -> &'static str {
    if has_tls { "https" } else { "http" }
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

/// Logs the addresses of both listeners, and what the host serves.
fn say_where(
    listener: &TcpListener,
    operator: Option<&TcpListener>,
    (scheme, of_operator): (&str, &str),
    summary: &str,
) -> Result<(), CliError> {
    let address = listener.local_addr()?;
    tracing::info!(
        "serving on {scheme}://{address}/v1, documentation on {scheme}://{address}/docs; {summary}"
    );
    if let Some(operator) = operator {
        let address = operator.local_addr()?;
        let scheme = of_operator;
        tracing::info!(
            "operators: metrics on {scheme}://{address}/metrics, connectors on {scheme}://{address}/connectors"
        );
    }
    Ok(())
}

/// Serves until a signal ends the host, and then at most `drain` seconds or until a second signal.
async fn serve_until_signalled(
    host: Host,
    (listener, operator): (TcpListener, Option<TcpListener>),
    mut endings: Endings,
    manager: Manager,
    drain: u64,
) -> Result<(), CliError> {
    let (announce, announced) = oneshot::channel();
    let ended = async move {
        let signal = endings.next().await;
        tracing::info!("shutting down: {signal}");
        tracing::info!("requests in progress get up to {drain} s; a second signal cancels them");
        manager.stopping();
        if announce.send((Instant::now(), endings)).is_err() {
            tracing::debug!("serving has failed already");
        }
    };
    let serving = host.serve(listener, operator, ended);
    let second = async {
        match announced.await {
            Ok((began, mut endings)) => (began, endings.next().await),
            Err(_serving_failed) => std::future::pending().await,
        }
    };
    tokio::select! {
        served = serving => Ok(served?),
        (began, signal) = second => {
            let seconds = began.elapsed().as_secs_f32();
            tracing::warn!("second signal after {seconds:.1} s, {signal}: requests in progress are cancelled");
            Ok(())
        }
    }
}

/// Applies changed settings, components and certificates at each SIGHUP, as `lustra connector reload` does.
async fn reload(
    mut hangups: Hangups,
    manager: Manager,
    reloader: Reloader,
    certificates: Option<Certificates>,
) {
    loop {
        hangups.next().await;
        manager.reloading();
        tracing::info!("SIGHUP: reading settings, components and certificates again");
        if let Some(certificates) = certificates.clone() {
            // The log says what became of it.
            let read = tokio::task::spawn_blocking(move || certificates.step()).await;
            if let Err(error) = read {
                tracing::error!(%error, "TLS: reading the certificate panicked");
            }
        }
        let reloaded = reloader.step(ReloadMode::RetryRefused).await;
        let changes = reloaded.changes.len();
        match reloaded.settings_mistake {
            None => tracing::info!("SIGHUP: reloaded; {changes} connectors changed"),
            Some(_logged) => {
                tracing::error!("SIGHUP: the settings have mistakes; kept the previous ones");
            }
        }
        manager.serving();
    }
}
