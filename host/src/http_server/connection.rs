//! Serves one accepted connection: the TLS handshake, then HTTP/1.1 or HTTP/2.
//!
//! HTTP/2 is spoken where TLS has agreed on it (ALPN `h2`). Without TLS there is only HTTP/1.1, because a connection
//! that may be either has to be read before it has a time limit.
//! Invariant: both protocols reach the router in the same form, with `Host` and without authority in the path.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, Request, Response, Uri, header};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use super::activity::{Activity, CountedBody, Times};
use super::admission::{Admission, CutOff, Refused};
use super::client::Trust;
use super::{Refusal, Stream};
use crate::config::Connections;

/// Maximum size of a request's line and headers together.
const MAX_HEADER_BYTES: usize = 128 << 10;

/// Maximum size of the headers that HTTP/2 reads. Between both limits the router's owner answers; above this one the
/// library does, without a body.
const MAX_HEADER_LIST: u32 = 256 << 10;

/// Bytes of a request's body, and of all bodies of a connection, that may arrive before a handler reads them.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;

/// Bytes of a response that are buffered while the client does not take them.
const SEND_BUFFER: usize = 64 << 10;

/// Time between two pings of HTTP/2, and the time for their answer. They find clients that vanished.
const PING: Duration = Duration::from_secs(20);

/// How long a client has to close a connection after the host has announced its end.
const FAREWELL: Duration = Duration::from_secs(2);

/// What the connections of a listener share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) router: Router,
    pub(super) admission: Arc<Admission>,
    pub(super) trust: Arc<Trust>,
    pub(super) refusal: Refusal,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    times: Times,
    /// Whether the host has begun to end.
    closing: watch::Receiver<bool>,
}

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
struct Origin {
    peer: IpAddr,
    is_secure: bool,
}

type Answered = Result<Response<CountedBody>, Infallible>;

impl Shared {
    pub(super) fn new(
        router: Router,
        bounds: &Connections,
        admission: Admission,
        refusal: Refusal,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let headers = Duration::from_secs(bounds.header_seconds.max(1));
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(headers)
            .max_buf_size(MAX_HEADER_BYTES);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .max_concurrent_streams(bounds.streams.max(1))
            .max_header_list_size(MAX_HEADER_LIST)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(SEND_BUFFER)
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING);
        Self {
            router,
            admission: Arc::new(admission),
            trust: Arc::new(Trust::new(bounds)),
            refusal,
            http1,
            http2,
            times: Times {
                idle: headers,
                write: Duration::from_secs(bounds.write_seconds.max(1)),
            },
            closing,
        }
    }

    /// Serves a connection until it ends: a TLS handshake if there is an acceptor, then HTTP. `wrap` may add a layer below
    /// HTTP/1.1.
    pub(super) async fn serve<Io>(
        self,
        stream: TcpStream,
        peer: IpAddr,
        acceptor: Option<TlsAcceptor>,
        wrap: impl FnOnce(Stream) -> Io,
        mut ending: watch::Receiver<bool>,
    ) where
        Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let from = Origin {
            peer,
            is_secure: acceptor.is_some(),
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.times.write));
        let stream: Stream = Box::new(Box::pin(stream));
        let Some(acceptor) = acceptor else {
            return self.http1(wrap(stream), from, ending).await;
        };
        let accepting = tokio::time::timeout(self.times.idle, acceptor.accept(stream));
        let accepted = tokio::select! {
            accepted = accepting => accepted.map_err(io::Error::from).flatten(),
            () = host_ends(&mut ending) => return,
        };
        match accepted {
            Ok(stream) if is_http2(&stream) => {
                let stream: Stream = Box::new(stream);
                self.http2(stream, from).await;
            }
            Ok(stream) => self.http1(wrap(Box::new(stream)), from, ending).await,
            Err(error) => {
                self.admission.counts().count_failed_handshake();
                tracing::debug!(%error, "TLS handshake failed");
            }
        }
    }

    /// Serves HTTP/1.1 until the connection ends. When the host ends, the running response is completed.
    async fn http1<Io>(self, io: Io, from: Origin, mut ending: watch::Receiver<bool>)
    where
        Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let shared = self.clone();
        let service = service_fn(move |request| shared.clone().answer(request, from, None));
        let mut connection = pin!(self.http1.serve_connection(TokioIo::new(io), service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = host_ends(&mut ending) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        log_early_end(ended);
    }

    /// Serves HTTP/2 until the connection ends or exceeds a limit. When the host ends, the running responses are
    /// completed.
    async fn http2<Io>(self, io: Io, from: Origin)
    where
        Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let activity = Arc::new(Activity::default());
        let (shared, of_service) = (self.clone(), Arc::clone(&activity));
        let service = service_fn(move |request| {
            let activity = Some(Arc::clone(&of_service));
            shared.clone().answer(request, from, activity)
        });
        let mut connection = pin!(self.http2.serve_connection(TokioIo::new(io), service));
        let mut times = self.times;
        let (mut is_ending, mut ending) = (false, self.closing.clone());
        loop {
            let why = tokio::select! {
                ended = connection.as_mut() => return log_early_end(ended),
                () = host_ends(&mut ending), if !is_ending => None,
                why = activity.exceeds(times) => Some(why),
            };
            match why {
                Some(CutOff::Idle) if is_ending => return,
                Some(why @ (CutOff::Unread | CutOff::Cancelling)) => {
                    self.admission.counts().count_cut_off(why);
                    tracing::debug!(why = why.word(), "HTTP/2 connection closed: {}", why.word());
                    return;
                }
                Some(CutOff::Idle) => self.admission.counts().count_cut_off(CutOff::Idle),
                None => {}
            }
            // Announce the end, so that clients know which requests were not read.
            is_ending = true;
            connection.as_mut().graceful_shutdown();
            activity.restart_idle();
            times.idle = FAREWELL;
        }
    }

    /// Answers one request.
    async fn answer(
        self,
        mut request: Request<Incoming>,
        from: Origin,
        activity: Option<Arc<Activity>>,
    ) -> Answered {
        let under_way = activity.as_ref().map(Activity::begin);
        let client = self
            .trust
            .client(from.peer, from.is_secure, request.headers());
        let place = self.admission.request(client.counted);
        let is_too_large = activity.is_some() && header_bytes(&request) > MAX_HEADER_BYTES;
        let place = if is_too_large {
            Err(Refused::Headers)
        } else {
            place
        };
        let closes = activity.is_none() && *self.closing.borrow();
        let (mut response, place) = match place {
            Ok(place) => {
                if activity.is_some() {
                    as_in_http1(&mut request);
                }
                request.extensions_mut().insert(client);
                let response = match self.router.oneshot(request).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                };
                (response, Some(place))
            }
            Err(why) => {
                self.admission.counts().count_refused_request(why);
                tracing::debug!(why = why.word(), "request refused: {}", why.word());
                ((self.refusal)(why), None)
            }
        };
        if closes {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        Ok(response.map(|body| CountedBody::new(body, under_way, place)))
    }
}

/// Waits until the host ends.
async fn host_ends(ending: &mut watch::Receiver<bool>) {
    // An error means that the listener is gone, which is an end too.
    drop(ending.wait_for(|is_ending| *is_ending).await);
}

fn log_early_end(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended early");
    }
}

/// The size of a request's headers as HTTP/2 counts them (RFC 9113, 6.5.2).
fn header_bytes<B>(request: &Request<B>) -> usize {
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + 32);
    let path = request.uri().path_and_query();
    headers.sum::<usize>() + path.map_or(0, |path| path.as_str().len())
}

/// Moves the authority of an HTTP/2 request into `Host`, and keeps only path and query in its URI.
fn as_in_http1<B>(request: &mut Request<B>) {
    let uri = request.uri().clone();
    if let Some(authority) = uri.authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(header::HOST, host);
    }
    if let Some(path) = uri.path_and_query() {
        *request.uri_mut() = Uri::from(path.clone());
    }
}

/// Whether TLS has agreed on HTTP/2.
fn is_http2(stream: &tokio_rustls::server::TlsStream<Stream>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(b"h2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authority_becomes_the_host() {
        let mut request = Request::builder()
            .uri("https://api.example:8443/v1/health?x=1")
            .header("host", "other.example")
            .body(())
            .expect("a request");
        as_in_http1(&mut request);
        assert_eq!(request.uri(), "/v1/health?x=1");
        assert_eq!(request.headers()["host"], "api.example:8443");
    }
}
