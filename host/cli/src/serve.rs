//! `lustra serve`.

mod manager;
mod signals;
mod sockets;

use std::time::Instant;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use self::manager::Manager;
use self::signals::{Endings, Hangups};
pub(crate) use self::sockets::Inherited;
use super::{CliError, ConfigFile, start_log};
use lustra::config::check;
use lustra::reload::{ReloadMode, Reloader};
use lustra::server::Host;

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
        start_log("info", self.json);
        // Before the start takes time: without a handler, SIGHUP ends the process.
        let hangups = Hangups::new()?;
        let settings = Some(self.config.config.clone());
        let config = self.config.parse()?;
        let clock = ConfigFile::clock(&config);
        // An unreadable directory is reported when the components are loaded.
        for finding in check::findings(&config).unwrap_or_default() {
            tracing::warn!(setting = finding.setting, "settings: {finding}");
        }
        manager::status("starting: opening the store and loading connectors");
        let drain = config.requests.drain_seconds;
        let bound = inherited.listeners(&config)?;
        let host = Host::prepare_from(config, settings, clock).await?;
        if self.confirm_clock && !host.ledger.confirm_clock().await? {
            tracing::error!("--confirm-clock has no effect: the database's clock says otherwise");
        }
        let listener = match bound.api {
            Some(listener) => listener,
            None => host.listen().await?,
        };
        let operator = match bound.operator {
            Some(listener) => Some(listener),
            None => host.listen_for_operator().await?,
        };
        say_where(&listener, operator.as_ref())?;
        let endings = Endings::new()?;
        let manager = Manager::ready(&host, listener.local_addr()?);
        // Tasks of the runtime that serves, so that a runtime whose threads are stuck reports nothing.
        let watching = tokio::spawn(manager.clone().watch());
        let reloading = tokio::spawn(reload(hangups, manager.clone(), host.reloader.clone()));
        let listeners = (listener, operator);
        serve_until_signalled(host, listeners, endings, manager, drain).await?;
        watching.abort();
        reloading.abort();
        tracing::info!("stopped");
        Ok(())
    }
}

/// Logs the addresses of both listeners.
fn say_where(listener: &TcpListener, operator: Option<&TcpListener>) -> Result<(), CliError> {
    let address = listener.local_addr()?;
    tracing::info!("serving on http://{address}/v1, documentation on http://{address}/docs");
    if let Some(operator) = operator {
        let address = operator.local_addr()?;
        tracing::info!(
            "operators: metrics on http://{address}/metrics, connectors on http://{address}/connectors"
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

/// Applies changed settings and components at each SIGHUP, as `lustra connector reload` does.
async fn reload(mut hangups: Hangups, manager: Manager, reloader: Reloader) {
    loop {
        hangups.next().await;
        manager.reloading();
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
