//! Reports to the service manager (systemd's `sd_notify` protocol): ready, reloading, stopping, alive, and a status.
//!
//! Without `NOTIFY_SOCKET` nothing is sent. The watchdog is fed while no background worker keeps failing and the
//! runtime has a free thread. Otherwise systemd ends the process after `WatchdogSec` and starts it again.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lustra::connectors::Connectors;
use lustra::server::Host;
use lustra::worker::Workers;
use sd_notify::NotifyState;

/// Interval of the status if systemd watches nothing.
const STATUS: Duration = Duration::from_secs(30);

/// A host that is ready, and what its status is made from.
#[derive(Clone)]
pub(super) struct Manager {
    connectors: Arc<Connectors>,
    workers: Workers,
    address: SocketAddr,
}

/// Sends a status text, as `systemctl status` shows it.
pub(super) fn status(text: &str) {
    send(&[NotifyState::Status(text)]);
}

impl Manager {
    /// Reports that the host is ready.
    pub(super) fn ready(host: &Host, address: SocketAddr) -> Self {
        let manager = Self {
            connectors: Arc::clone(host.app.companies.connectors()),
            workers: host.app.workers.clone(),
            address,
        };
        manager.serving();
        manager
    }

    /// Reports that the host serves: after the start, and after each reload.
    pub(super) fn serving(&self) {
        send(&[NotifyState::Ready, NotifyState::Status(&self.summary())]);
    }

    pub(super) fn reloading(&self) {
        // Newer versions of systemd require the time, to recognise the answer to their own signal.
        match NotifyState::monotonic_usec_now() {
            Ok(now) => send(&[
                NotifyState::Reloading,
                now,
                NotifyState::Status("reloading settings and connectors"),
            ]),
            Err(error) => {
                tracing::warn!(%error, "the service manager could not be notified of a reload");
            }
        }
    }

    pub(super) fn stopping(&self) {
        let status = NotifyState::Status("stopping: waiting for requests in progress");
        send(&[NotifyState::Stopping, status]);
    }

    /// Feeds the watchdog while the host is healthy, and keeps the status current.
    pub(super) async fn watch(self) {
        // Three times in the time that systemd allows, so that one late report is not the last.
        let interval = sd_notify::watchdog_enabled().map_or(STATUS, |timeout| timeout / 3);
        loop {
            tokio::time::sleep(interval).await;
            let failing = self.workers.failing();
            send(&reports(&failing, &self.summary(), &complaint(&failing)));
        }
    }

    fn summary(&self) -> String {
        let catalogue = self.connectors.catalogue();
        let (serving, all) = (catalogue.all_serving().count(), catalogue.entries.len());
        let address = self.address;
        format!("serving on http://{address} with {serving} of {all} connectors")
    }
}

/// What to report while these workers keep failing. Without `WATCHDOG=1`, systemd restarts the host in the end.
fn reports<'a>(failing: &[&str], summary: &'a str, complaint: &'a str) -> Vec<NotifyState<'a>> {
    if failing.is_empty() {
        vec![NotifyState::Watchdog, NotifyState::Status(summary)]
    } else {
        vec![NotifyState::Status(complaint)]
    }
}

fn complaint(failing: &[&str]) -> String {
    format!("unhealthy: workers keep failing: {}", failing.join(", "))
}

fn send(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "the service manager cannot be reached at NOTIFY_SOCKET: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_worker_does_not_feed_the_watchdog() {
        let shown = |failing: &[&str]| {
            let complaint = complaint(failing);
            let reports = reports(failing, "serving", &complaint);
            let texts: Vec<String> = reports.iter().map(ToString::to_string).collect();
            texts.join(" ")
        };
        assert_eq!(shown(&[]), "WATCHDOG=1 STATUS=serving");
        assert_eq!(
            shown(&["mail", "disk"]),
            "STATUS=unhealthy: workers keep failing: mail, disk"
        );
    }
}
