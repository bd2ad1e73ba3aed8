//! Messages as files, where there is no server: for trying things out.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::SendError;
use super::message::Letter;

/// A directory that messages are written into.
pub(super) struct Files(pub PathBuf);

impl Files {
    /// Writes a message; where it went.
    pub async fn write(&self, letter: Letter) -> Result<PathBuf, SendError> {
        let directory = self.0.clone();
        let path = directory.join(format!("{}.eml", letter.name));
        let file = path.clone();
        let written = tokio::task::spawn_blocking(move || write(&directory, &file, &letter.bytes))
            .await
            .unwrap_or_else(|panicked| Err(io::Error::other(panicked)));
        match written {
            Ok(()) => Ok(path),
            Err(error) => Err(SendError::File {
                path: path.display().to_string(),
                error,
            }),
        }
    }
}

/// Writes it under another name first: whoever sees the file sees all of it.
fn write(directory: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    make_private(directory)?;
    // Two attempts at once write different files, and the last one stays.
    let temporary = file.with_extension(format!("{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = (|| {
        let mut new = std::fs::File::create_new(&temporary)?;
        new.write_all(bytes)?;
        new.write_all(b"\r\n")?;
        new.sync_all()?;
        std::fs::rename(&temporary, file)
    })();
    if written.is_err() {
        // The rest of a failed write is of no use; that it may stay behind harms nobody.
        drop(std::fs::remove_file(&temporary));
    }
    written
}

/// Messages name people, so the directory is this user's alone.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}
