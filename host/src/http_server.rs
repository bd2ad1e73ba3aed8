//! Accepts connections and serves HTTP/1.1 on them, within bounds that hold before a request exists.
//!
//! The API and the operator's address are both served from here. The number of connections is bounded, in all and for
//! each client address. A connection is closed when the headers of its next request do not arrive in time, and when
//! the client stops reading its answer. The time for a request's body is bounded where the body is read, because only
//! there an error can be answered.

mod admission;
mod descriptors;

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

use crate::config::Connections;
use admission::{Admission, Place};

pub use admission::ConnectionCounts;
pub use descriptors::raise_descriptor_limit;

/// The most bytes that a request's line and headers may have together.
const HEADER_BYTES: usize = 128 << 10;

/// Pause after the system refused a connection for want of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The stream of a connection.
pub type Stream = Pin<Box<TimeoutStream<TcpStream>>>;

/// Serves `router` until `ended` resolves, then waits for answers that are under way.
///
/// `wrap` may put something between the stream of a connection and HTTP. `counts` is updated as connections come and go. Errors of single connections are logged at `debug`.
///
/// # Errors
/// None at present: an error of `accept` is logged and retried, because it passes when descriptors are free again.
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
        .max_buf_size(HEADER_BYTES);
    let write = Duration::from_secs(bounds.write_seconds.max(1));
    let mut ended = pin!(ended);
    loop {
        let (stream, place) = tokio::select! {
            () = &mut ended => break,
            accepted = accept(&listener, &admission) => accepted,
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(write));
        let service = TowerToHyperService::new(router.clone());
        let connection = server.serve_connection(TokioIo::new(wrap(Box::pin(stream))), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

/// The next connection that is admitted. Waits while the most connections are open: those that do nothing are closed
/// soon, and the operating system queues new ones meanwhile.
async fn accept(listener: &TcpListener, admission: &Admission) -> (TcpStream, Place) {
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
            // Answers are small; waiting for more data to fill a packet only delays them.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY cannot be set");
            }
            return (stream, place);
        }
        // More connections than one address may have: closed without an answer, which costs the least.
    }
}

/// A client that is gone before it was accepted is no reason to wait; a lack of descriptors or memory is.
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
