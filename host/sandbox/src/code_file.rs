//! Compiled code that was copied from disk, hashed on the way, and can no longer change.
//!
//! On Linux the copy is a file in memory, sealed against writes. The engine maps it instead of copying it once more, so
//! that only the pages that are used take time.

use std::fs::File;
use std::io::{self, Read, Write};

/// Bytes that are read, hashed and written at once: few enough to stay in the processor's cache.
const PIECE: usize = 128 << 10;

/// A copy of compiled code.
pub(super) enum CodeFile {
    /// A sealed file in memory.
    Sealed(File),
    /// The system has no sealed files in memory.
    Bytes(Vec<u8>),
}

impl CodeFile {
    /// Copies `length` bytes and hashes them.
    ///
    /// # Errors
    /// The source is shorter or cannot be read, or there is no memory left.
    pub(super) fn copy(
        source: &mut impl Read,
        length: u64,
        hasher: &mut blake3::Hasher,
    ) -> io::Result<Self> {
        if let Ok(mut memory) = new_file() {
            copy_all(source, length, hasher, &mut memory)?;
            seal(&memory)?;
            return Ok(Self::Sealed(memory));
        }
        let mut bytes = Vec::new();
        copy_all(source, length, hasher, &mut bytes)?;
        Ok(Self::Bytes(bytes))
    }
}

fn copy_all(
    source: &mut impl Read,
    length: u64,
    hasher: &mut blake3::Hasher,
    to: &mut impl Write,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut left = length;
    while left > 0 {
        let most = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
        let piece = &mut piece[..most];
        source.read_exact(piece)?;
        hasher.update(piece);
        to.write_all(piece)?;
        left -= most as u64;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn new_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    Ok(memfd_create("lustra-code", flags)?.into())
}

#[cfg(target_os = "linux")]
fn seal(file: &File) -> io::Result<()> {
    use rustix::fs::{SealFlags, fcntl_add_seals};
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    Ok(fcntl_add_seals(file, seals)?)
}

#[cfg(not(target_os = "linux"))]
fn new_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn seal(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_is_hashed_and_cannot_be_written() {
        let source: Vec<u8> = (0..PIECE * 2 + 17)
            .map(|place| place.to_le_bytes()[0])
            .collect();
        let length = source.len() as u64 - 5;
        let mut hasher = blake3::Hasher::new();
        let copied = CodeFile::copy(&mut source.as_slice(), length, &mut hasher);
        let wanted = &source[..source.len() - 5];
        assert_eq!(hasher.finalize(), blake3::hash(wanted));
        match copied.expect("memory") {
            CodeFile::Sealed(file) => {
                use std::os::unix::fs::FileExt as _;
                let mut copy = vec![0; wanted.len()];
                file.read_exact_at(&mut copy, 0).expect("it is in memory");
                assert_eq!(copy, wanted);
                assert!(file.write_all_at(b"other", 0).is_err());
                assert!(file.set_len(1).is_err());
            }
            CodeFile::Bytes(copy) => assert_eq!(copy, wanted),
        }
        let longer = source.len() as u64 + 1;
        assert!(CodeFile::copy(&mut source.as_slice(), longer, &mut hasher).is_err());
    }
}
