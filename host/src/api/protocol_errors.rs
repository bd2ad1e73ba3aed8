//! Replaces error responses of the HTTP library. A request that the library cannot parse (invalid HTTP, URI or
//! headers too long) never reaches the router, and the library answers with a bare status. This module gives
//! such responses the common error form.
//!
//! Responses of the router have a request id and those of the library do not; this distinguishes them.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use time::OffsetDateTime;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::error::{ApiError, Code};
use super::exchange::Exchange;
use crate::clock::Clock;
use crate::http_server::Refused;

/// The stream of a connection, which gives every error response the common form.
pub struct ErrorRewriter<Io> {
    io: Io,
    clock: Clock,
    /// A replacement response, and how many of its bytes are written.
    pending: Vec<u8>,
    written: usize,
}

impl<Io> ErrorRewriter<Io> {
    /// Wraps a stream. The clock is used for request ids.
    pub fn new(io: Io, clock: Clock) -> Self {
        Self {
            io,
            clock,
            pending: Vec::new(),
            written: 0,
        }
    }
}

impl<Io: AsyncWrite + Unpin> ErrorRewriter<Io> {
    /// Writes the pending replacement.
    fn poll_pending(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.pending.len() {
            let left = &self.pending[self.written..];
            match ready!(Pin::new(&mut self.io).poll_write(context, left))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                more => self.written += more,
            }
        }
        self.pending.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    /// Replaces a response of the library by a pending one. Returns `false` for a response of the router.
    fn replaces(&mut self, answer: &[u8]) -> bool {
        let Some(error) = error_of_library(answer) else {
            return false;
        };
        let exchange = Exchange::new(self.clock.now());
        let (status, body) = error.as_sent();
        tracing::debug!(
            request.id = exchange.id(),
            "request could not be parsed: {status}"
        );
        let (length, id) = (body.len(), exchange.id());
        let text = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\nx-request-id: {id}\r\n\r\n{body}"
        );
        self.pending = text.into_bytes();
        true
    }
}

/// The error for a response of the library. `None` for a response of the router.
fn error_of_library(answer: &[u8]) -> Option<ApiError> {
    let head = answer.strip_prefix(b"HTTP/1.1 4")?;
    if !head.ends_with(b"\r\n\r\n") {
        return None;
    }
    let head = std::str::from_utf8(head).ok()?;
    let lines = || head.split("\r\n").skip(1);
    let has = |line: &str| lines().any(|sent| sent.eq_ignore_ascii_case(line));
    let has_id = lines().any(|sent| sent.starts_with("x-request-id:"));
    if has_id || !has("content-length: 0") {
        return None;
    }
    let (code, message) = match head.get(..2)? {
        "00" => (Code::BadRequest, "the request is not HTTP that can be read"),
        "14" => (Code::UriTooLong, "the path and query are too long"),
        "31" => (Code::HeadersTooLarge, HEADERS_TOO_LARGE),
        _ => return None,
    };
    Some(ApiError::new(code, message))
}

/// The response to a request that the router does not see.
#[must_use]
pub fn refused(why: Refused, now: OffsetDateTime) -> Response {
    let error = match why {
        Refused::ClientLimit => {
            let message = "too many requests of this address are in progress";
            ApiError::new(Code::RateLimitExceeded, message).retry_after(1)
        }
        Refused::HostLimit => {
            let message = "too many requests are in progress";
            ApiError::new(Code::ServiceUnavailable, message).retry_after(1)
        }
        Refused::Headers => ApiError::new(Code::HeadersTooLarge, HEADERS_TOO_LARGE),
    };
    let exchange = Exchange::new(now);
    let mut response = error.into_response();
    if let Ok(id) = HeaderValue::from_str(exchange.id()) {
        response.headers_mut().insert(super::REQUEST_ID, id);
    }
    response
}

const HEADERS_TOO_LARGE: &str = "the headers are too large";

impl<Io: AsyncRead + Unpin> AsyncRead for ErrorRewriter<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for ErrorRewriter<Io> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(context))?;
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(context))?;
        if let [only] = slices
            && self.replaces(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        Pin::new(&mut self.io).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(context))?;
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(context))?;
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::error_of_library;

    #[test]
    fn only_bare_responses_are_replaced() {
        let bare = b"HTTP/1.1 414 URI Too Long\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let error = error_of_library(bare).expect("it is the library's");
        assert!(error.as_sent().1.contains("uri_too_long"));
        for other in [
            "HTTP/1.1 414 URI Too Long\r\ncontent-length: 0\r\nx-request-id: 1\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 2\r\n\r\n{}",
            "{}",
        ] {
            assert!(error_of_library(other.as_bytes()).is_none(), "{other}");
        }
    }
}
