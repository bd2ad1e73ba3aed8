//! Streams bodies too large for memory: a thread writes them while they are sent, or a temporary file holds
//! them first.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};

use axum::body::Body;
use bytes::Bytes;
use tokio::sync::mpsc;

/// Size of a buffered piece in bytes.
const PIECE: usize = 64 << 10;

/// A body that `write` produces while it is being sent. An error aborts the body.
pub(crate) fn produced(write: impl FnOnce(&mut Pieces) -> io::Result<()> + Send + 'static) -> Body {
    let (sender, receiver) = mpsc::channel(8);
    tokio::task::spawn_blocking(move || {
        let mut pieces = Pieces {
            gathered: Vec::with_capacity(PIECE),
            sender,
        };
        if let Err(error) = write(&mut pieces).and_then(|()| pieces.send()) {
            // The send fails only if the client has disconnected.
            drop(pieces.sender.blocking_send(Err(error)));
        }
    });
    let pieces = futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    Body::from_stream(pieces)
}

/// A body that `write` puts into a temporary file first, with its length.
pub(crate) async fn spooled(
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()> + Send + 'static,
) -> io::Result<(u64, Body)> {
    let spooling = tokio::task::spawn_blocking(move || {
        let mut writer = BufWriter::with_capacity(PIECE, tempfile::tempfile()?);
        write(&mut writer)?;
        let mut file = writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let length = file.metadata()?.len();
        Ok::<_, io::Error>((length, file))
    });
    let (length, mut file) = spooling.await.map_err(io::Error::other)??;
    if length <= PIECE as u64 {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok((length, Body::from(bytes)));
    }
    Ok((
        length,
        produced(move |pieces| io::copy(&mut file, pieces).map(drop)),
    ))
}

/// A writer that sends its input as pieces of a body.
pub(crate) struct Pieces {
    gathered: Vec<u8>,
    sender: mpsc::Sender<io::Result<Bytes>>,
}

impl Pieces {
    fn send(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.gathered, Vec::with_capacity(PIECE));
        self.sender
            .blocking_send(Ok(Bytes::from(piece)))
            .or(Err(io::ErrorKind::BrokenPipe.into()))
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= PIECE {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
