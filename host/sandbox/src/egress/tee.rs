//! A copy of a body, for recordings.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

/// Collects the bytes of a body as they arrive. Shared with the body, which may be read long after its head arrived.
#[derive(Debug, Clone)]
pub struct Tee(Arc<Mutex<BodyCopy>>);

#[derive(Debug)]
struct BodyCopy {
    chunks: Vec<Bytes>,
    bytes: usize,
    most: usize,
    overflowed: bool,
    complete: bool,
}

impl Tee {
    /// Keeps at most `most` bytes; a longer body is not kept at all.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(BodyCopy {
            chunks: Vec::new(),
            bytes: 0,
            most,
            overflowed: false,
            complete: false,
        })))
    }

    /// Appends a chunk of the body.
    pub fn append(&self, chunk: &Bytes) {
        let mut copy = self.lock();
        copy.bytes += chunk.len();
        if copy.bytes > copy.most {
            copy.overflowed = true;
            copy.chunks.clear();
        } else if !copy.overflowed {
            copy.chunks.push(chunk.clone());
        }
    }

    /// Records that the body is complete.
    pub fn end(&self) {
        self.lock().complete = true;
    }

    /// The bytes that have arrived so far, also those that were not kept.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// The bytes that were kept, and whether they are the whole body.
    pub fn copy(&self) -> (Vec<u8>, bool) {
        let copy = self.lock();
        (copy.chunks.concat(), copy.complete && !copy.overflowed)
    }

    fn lock(&self) -> MutexGuard<'_, BodyCopy> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
