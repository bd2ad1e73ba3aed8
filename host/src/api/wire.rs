//! Requests that never reach the router: the HTTP library answers what it cannot read (no HTTP, an address or headers that
//! are too long) with a bare status. Here such answers get the one form of every error.
//!
//! Answers of the router carry a request id, the library's do not: that tells them apart.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::error::{ApiError, Code};
use super::exchange::Exchange;
use crate::clock::Clock;

/// A connection on which every error has the one form.
pub struct Connection<Io> {
    io: Io,
    clock: Clock,
    /// An answer in the place of one of the library's, and how much of it is written.
    waiting: Vec<u8>,
    written: usize,
}

impl<Io> Connection<Io> {
    /// A connection over a stream. The clock is that of request ids.
    pub fn new(io: Io, clock: Clock) -> Self {
        Self {
            io,
            clock,
            waiting: Vec::new(),
            written: 0,
        }
    }
}

impl<Io: AsyncWrite + Unpin> Connection<Io> {
    /// Writes what waits.
    fn poll_waiting(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.waiting.len() {
            let left = &self.waiting[self.written..];
            match ready!(Pin::new(&mut self.io).poll_write(context, left))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                more => self.written += more,
            }
        }
        self.waiting.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    /// Takes an answer of the library's, of which another one waits then. False: it is none.
    fn takes(&mut self, answer: &[u8]) -> bool {
        let Some(error) = error_of_library(answer) else {
            return false;
        };
        let exchange = Exchange::new(self.clock.now());
        let (status, body) = error.as_sent();
        tracing::debug!(
            request.id = exchange.id(),
            "a request could not be read: {status}"
        );
        let (length, id) = (body.len(), exchange.id());
        let text = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\nx-request-id: {id}\r\n\r\n{body}"
        );
        self.waiting = text.into_bytes();
        true
    }
}

/// The error that an answer of the library's stands for. `None`: it is an answer of the router.
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
        "31" => (Code::HeadersTooLarge, "the headers are too large"),
        _ => return None,
    };
    Some(ApiError::new(code, message))
}

impl<Io: AsyncRead + Unpin> AsyncRead for Connection<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Connection<Io> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_waiting(context))?;
        if self.takes(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_waiting(context))?;
        if let [only] = slices
            && self.takes(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        Pin::new(&mut self.io).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_waiting(context))?;
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_waiting(context))?;
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::error_of_library;

    #[test]
    fn only_bare_answers_are_replaced() {
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
