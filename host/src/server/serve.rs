//! Serves connections until the end, and ends in order.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::Host;
use crate::api::{App, protocol_errors};
use crate::http_server::{self, Serving};
use crate::membership::Membership;
use crate::operator;
use crate::worker::Workers;

/// Bound of the last writes of a host that ends. Other hosts take over what it could not release.
const LEAVE: Duration = Duration::from_secs(15);

/// Ends the workers when it is dropped. They keep the host's parts alive, and those keep the workers alive.
struct EndOnDrop(Workers);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Host {
    /// Serves until `ended` resolves, and runs the workers that the settings enable. If the returned future is
    /// dropped, connections and workers end at once.
    ///
    /// # Errors
    /// A newer program has migrated the store so that this one may not use it any more.
    pub async fn serve(
        self,
        listener: TcpListener,
        operator: Option<TcpListener>,
        ended: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let operator_state = self.operator_state();
        let connections = Arc::clone(&operator_state.connections.api);
        let bounds = self.config.connections.clone();
        let _workers = EndOnDrop(self.app.workers.clone());
        self.start_workers();
        // The listeners are not supervised workers: they own bound sockets and end after the running responses. Each
        // connection is a task of its own, and a panic of a handler is answered with 500.
        let mut operating = JoinSet::new();
        if let Some(listener) = operator {
            let bounds = bounds.clone();
            operating.spawn(async move {
                operator::serve(listener, operator_state, &bounds).await;
            });
        }
        let shutdown_started = Arc::new(Notify::new());
        let clock = self.app.context.clock.clone();
        let of_refusals = clock.clone();
        let wrap = move |stream| protocol_errors::ErrorRewriter::new(stream, clock.clone());
        let ended = until_ended(
            self.app.clone(),
            self.membership.clone(),
            ended,
            Arc::clone(&shutdown_started),
        );
        let serving = Serving {
            bounds: &bounds,
            counts: connections,
            certificates: self.certificates.clone(),
            refusal: Arc::new(move |why| protocol_errors::refused(why, of_refusals.now())),
        };
        let serving = http_server::serve(listener, self.router(), serving, wrap, ended);
        let longest = Duration::from_secs(self.config.requests.drain_seconds);
        let too_long = async {
            shutdown_started.notified().await;
            tokio::time::sleep(longest).await;
        };
        tokio::select! {
            () = serving => {}
            () = too_long => {
                let seconds = longest.as_secs();
                tracing::warn!("shutdown: cancelled responses that were still running after {seconds} s");
            }
        }
        operating.abort_all();
        let leaving = async {
            self.notifier.leave().await;
            // An interrupted import resumes at its cursor as soon as its lease has ended.
            self.app.workers.end();
            self.leave().await;
        };
        if tokio::time::timeout(LEAVE, leaving).await.is_err() {
            let seconds = LEAVE.as_secs();
            tracing::warn!("shutdown: the store did not take the last records within {seconds} s");
        }
        match self.membership.refusal() {
            Some(refusal) => {
                let why = format!("the store was migrated while this host served: {refusal}");
                Err(io::Error::other(why))
            }
            None => Ok(()),
        }
    }

    /// What the operator's address reads and controls.
    fn operator_state(&self) -> operator::OperatorState {
        operator::OperatorState {
            context: self.app.context.clone(),
            companies: self.app.companies.clone(),
            reloader: self.reloader.clone(),
            search: self.search.clone(),
            collections: self.app.collections.clone(),
            metrics: self.app.metrics.clone(),
            connections: operator::Listeners::default(),
            certificates: self.certificates.clone(),
            has_tls: self.config.tls.operator,
            hosts: self.config.operator.hosts.clone().into(),
            disk: self.disk.clone(),
            ledger: self.ledger.clone(),
            workers: self.app.workers.clone(),
            importer: self.importer.clone(),
            memory: operator::Memory::default(),
            started_at: self.app.started_at,
        }
    }

    /// Writes what is only in memory, and releases what this host has claimed.
    async fn leave(&self) {
        if let Err(error) = self.ledger.write_usage().await {
            tracing::warn!(%error, "shutdown: the last free calls could not be counted");
        }
        if let Err(error) = self.app.keys.write_used(&self.app.context.store).await {
            tracing::warn!(%error, "shutdown: the last use of some keys could not be stored");
        }
        self.batches.leave().await;
        self.membership.leave().await;
    }
}

/// Waits for `ended`, or until the store refuses this program. Then signals long requests to end, and notifies
/// `shutdown_started`.
async fn until_ended(
    app: App,
    membership: Membership,
    ended: impl Future<Output = ()>,
    shutdown_started: Arc<Notify>,
) {
    tokio::select! {
        () = ended => {}
        () = membership.schema_refused() => {}
    }
    app.ending.send_replace(true);
    shutdown_started.notify_one();
}
