//! Writes messages to files if there is no mail server, for trials.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::SendError;
use super::message::EmailMessage;

/// The directory for message files.
pub(super) struct Files(pub PathBuf);

impl Files {
    /// Writes a message and returns its path.
    pub async fn write(&self, message: EmailMessage) -> Result<PathBuf, SendError> {
        let directory = self.0.clone();
        let path = directory.join(format!("{}.eml", message.name));
        let file = path.clone();
        let written = tokio::task::spawn_blocking(move || write(&directory, &file, &message.bytes))
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

/// Writes to a temporary name first, so that readers never see a partial file.
fn write(directory: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    make_private(directory)?;
    // Concurrent attempts use different temporary files; the last rename wins.
    let temporary = file.with_extension(format!("{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = (|| {
        let mut new = std::fs::File::create_new(&temporary)?;
        new.write_all(bytes)?;
        new.write_all(b"\r\n")?;
        new.sync_all()?;
        std::fs::rename(&temporary, file)
    })();
    if written.is_err() {
        // Best effort: a temporary file that stays behind causes no errors.
        drop(std::fs::remove_file(&temporary));
    }
    written
}

/// Messages contain personal data, so only this user may read the directory.
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
