//! Accepts connections and serves HTTP/1.1, with limits that apply before a request exists.
//!
//! Serves the API and the operator's address. Connections are limited in total and per client address. A
//! connection is closed if the headers of its next request do not arrive in time, or if the client stops
//! reading its response. The time for a request's body is limited where the body is read, because only there an
//! error response is possible.

mod admission;
mod descriptors;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt as _;

use crate::config::Connections;
use admission::{Admission, Place};

pub use admission::{ConnectionCounts, network};
pub use descriptors::raise_descriptor_limit;

/// Maximum size of a request's line and headers together.
const MAX_HEADER_BYTES: usize = 128 << 10;

/// Pause after `accept` failed for lack of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The address of a connection's other end. Every request carries it as an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

pub type Stream = Pin<Box<TimeoutStream<TcpStream>>>;

/// Serves `router` until `ended` resolves, then waits for running responses.
///
/// A client may be sending a request on an idle connection while the shutdown begins. So connections stay usable for
/// `linger_seconds`, and each response closes its connection.
///
/// `wrap` may add a layer between a connection's stream and HTTP. `counts` is updated as connections open and
/// close. Errors of single connections are logged at `debug`.
///
/// # Errors
/// None at present: `accept` errors are logged and retried, because descriptors become free again.
pub async fn serve<Io>(
    listener: TcpListener,
    router: Router,
    bounds: &Connections,
    counts: Arc<ConnectionCounts>,
    wrap: impl Fn(Stream) -> Io,
    ended: impl Future<Output = ()>,
) -> io::Result<()>
where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let admission = Admission::new(bounds, counts);
    let graceful = GracefulShutdown::new();
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(bounds.header_seconds.max(1)))
        .max_buf_size(MAX_HEADER_BYTES);
    let write = Duration::from_secs(bounds.write_seconds.max(1));
    let linger = Duration::from_secs(bounds.linger_seconds);
    let closing = watch::Sender::new(false);
    let mut ended = pin!(ended);
    loop {
        let (stream, peer, place) = tokio::select! {
            () = &mut ended => break,
            accepted = accept(&listener, &admission) => accepted,
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(write));
        let with_peer = move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            request
        };
        let is_closing = closing.subscribe();
        let closes = move |mut response: Response<_>| {
            if *is_closing.borrow() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            response
        };
        let service = router.clone().map_request(with_peer).map_response(closes);
        let service = TowerToHyperService::new(service);
        let connection = server.serve_connection(TokioIo::new(wrap(Box::pin(stream))), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    closing.send_replace(true);
    // Ends early when the last connection is closed. After the time, idle ones are closed below.
    drop(tokio::time::timeout(linger, closing.closed()).await);
    graceful.shutdown().await;
    Ok(())
}

/// Waits for the next admitted connection. At the connection limit it waits for a free place: idle connections
/// are closed soon, and the operating system queues new ones.
async fn accept(listener: &TcpListener, admission: &Admission) -> (TcpStream, PeerAddress, Place) {
    loop {
        let slot = admission.slot().await;
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                pause_after(&error).await;
                continue;
            }
        };
        let peer: SocketAddr = peer;
        if let Some(place) = admission.enter(slot, peer.ip()) {
            // Responses are small; Nagle's algorithm would only delay them.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY could not be set");
            }
            return (stream, PeerAddress(peer.ip()), place);
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
