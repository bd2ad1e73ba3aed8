//! Accepts connections and serves HTTP/1.1 and HTTP/2, with limits that apply before a request exists.
//!
//! Serves the API and the operator's address. Connections and requests in progress are limited in total and per client
//! address. A connection is closed if the headers of its next request do not arrive in time, or if the client stops
//! reading its response. The time for a request's body is limited where the body is read, because only there an
//! error response is possible.

mod activity;
mod admission;
mod client;
mod connection;
mod descriptors;
mod tls;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::Connections;
use admission::{Admission, AdmittedConnection};
use connection::Shared;

pub use admission::{ConnectionCounts, CutOff, Refused, network};
pub use client::Client;
pub use descriptors::{connections_within, descriptor_limit, raise_descriptor_limit};
pub use tls::{CertificateError, CertificateState, Certificates, Replacement};

/// Pause after `accept` failed for lack of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The bytes of a connection, below or above TLS.
pub trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

pub type Stream = Box<dyn Transport>;

/// The response to a request that the router does not see.
pub type Refusal = Arc<dyn Fn(Refused) -> Response + Send + Sync>;

/// What a listener serves with.
pub struct Serving<'a> {
    pub bounds: &'a Connections,
    /// Updated as connections open and close.
    pub counts: Arc<ConnectionCounts>,
    /// `None` serves without TLS.
    pub certificates: Option<Certificates>,
    pub refusal: Refusal,
}

/// Serves `router` until `ended` resolves, then waits for running responses.
///
/// A client may be sending a request on an idle connection while the shutdown begins. So HTTP/1.1 connections stay
/// usable for `linger_seconds`, and each response closes its connection. HTTP/2 has an announcement for this.
///
/// If the returned future is dropped, all connections are closed and their requests cancelled.
///
/// `wrap` may add a layer between a connection's stream and HTTP. Errors of single connections are logged at `debug`.
/// Errors of the listener are logged and it is tried again, because descriptors become free again.
pub async fn serve<Io>(
    listener: TcpListener,
    router: Router,
    serving: Serving<'_>,
    wrap: impl Fn(Stream) -> Io + Clone + Send + 'static,
    ended: impl Future<Output = ()>,
) where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Serving {
        bounds,
        counts,
        certificates,
        refusal,
    } = serving;
    let admission = Admission::new(bounds, counts);
    let (closing, is_closing) = watch::channel(false);
    let shared = Shared::new(router, bounds, admission, refusal, is_closing);
    // Every connection has a receiver until it has ended.
    let (ending, _) = watch::channel(false);
    let linger = Duration::from_secs(bounds.linger_seconds);
    let mut ended = pin!(ended);
    let mut connections = JoinSet::new();
    loop {
        let (stream, peer, place) = tokio::select! {
            () = &mut ended => break,
            accepted = accept(&listener, &shared) => accepted,
        };
        let acceptor = certificates.as_ref().map(Certificates::acceptor);
        let (shared, wrap, receiver) = (shared.clone(), wrap.clone(), ending.subscribe());
        // Removes those that have ended.
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            shared
                .serve(stream, peer.ip(), acceptor, wrap, receiver)
                .await;
            drop(place);
        });
    }
    drop(listener);
    closing.send_replace(true);
    // Ends early when the last connection is closed. After the time, idle ones are closed below.
    drop(tokio::time::timeout(linger, ending.closed()).await);
    ending.send_replace(true);
    ending.closed().await;
}

/// Waits for the next admitted connection. At the connection limit it waits for a free place: idle connections
/// are closed soon, and the operating system queues new ones.
async fn accept(
    listener: &TcpListener,
    shared: &Shared,
) -> (TcpStream, SocketAddr, AdmittedConnection) {
    loop {
        let slot = shared.admission.slot().await;
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                pause_after(&error).await;
                continue;
            }
        };
        let is_proxy = shared.trust.is_proxy(peer.ip());
        if let Some(place) = shared.admission.enter(slot, peer.ip(), is_proxy) {
            // Responses are small; Nagle's algorithm would only delay them.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY could not be set");
            }
            return (stream, peer, place);
        }
        // This address exceeds its limit. Closing without a response costs the least.
    }
}

/// Pauses after a lack of descriptors or memory, but not after a client that disconnected before it was
/// accepted.
async fn pause_after(error: &io::Error) {
    let gone = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !gone {
        tracing::error!(%error, "accepting connections failed; retrying in {} s", ACCEPT_PAUSE.as_secs());
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
