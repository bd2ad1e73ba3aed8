//! Replaces a file in one step.
//!
//! The settings file may contain a password. Invariant: no other user can read more than before, not even for a moment.

use std::fs::Metadata;
#[cfg(unix)]
use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use super::super::CliError;

/// Writes a file atomically, so that a host that watches it never reads a partial one.
///
/// A file that exists keeps its mode, owner and group. Of a symbolic link, the file behind it is replaced. A new file
/// has the mode that the system gives to new files.
///
/// # Errors
/// The file cannot be written, or its owner cannot be kept.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let failed = |error: &io::Error| CliError::caused(path.display(), error);
    write(path, bytes).map_err(|error| failed(&error))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (target, existing) = match path.canonicalize() {
        Ok(target) => {
            let metadata = target.metadata()?;
            (target, Some(metadata))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
        Err(error) => return Err(error),
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temporary = match &existing {
        // Readable for this user only, until the owner is set.
        Some(_) => Builder::new().prefix(".lustra-").tempfile_in(folder)?,
        None => new_file(folder)?,
    };
    temporary.write_all(bytes)?;
    if let Some(existing) = &existing {
        keep_owner(&temporary, existing)?;
        temporary
            .as_file()
            .set_permissions(existing.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// A file with the mode of new files: readable and writable, without the bits of the process's umask.
#[cfg(unix)]
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mode = <Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    let mut builder = Builder::new();
    builder
        .prefix(".lustra-")
        .permissions(mode)
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    Builder::new().prefix(".lustra-").tempfile_in(folder)
}

#[cfg(unix)]
fn keep_owner(temporary: &NamedTempFile, existing: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = temporary.as_file().metadata()?;
    // A file of this user and group needs no right to change owners.
    let user = (new.uid() != existing.uid()).then_some(existing.uid());
    let group = (new.gid() != existing.gid()).then_some(existing.gid());
    if user.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(temporary.as_file(), user, group).map_err(|error| {
        let why = format!("this user cannot keep the owner of the file: {error}; run the command as its owner or as root");
        io::Error::new(error.kind(), why)
    })
}

#[cfg(not(unix))]
fn keep_owner(_: &NamedTempFile, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn replaced_file_keeps_its_mode_and_its_link() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let file = folder.path().join("real.toml");
        let link = folder.path().join("lustra.toml");
        std::fs::write(&file, "old").expect("a fresh name");
        for mode in [0o600, 0o640, 0o400] {
            std::fs::set_permissions(&file, Permissions::from_mode(mode)).expect("it is ours");
            if link.symlink_metadata().is_err() {
                symlink("real.toml", &link).expect("a fresh name");
            }
            let before = file.metadata().expect("it is there");
            replace(&link, b"new").expect("it can be replaced");
            let after = file.metadata().expect("it is there");
            assert_eq!(after.mode() & 0o7777, mode);
            assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
            assert!(link.symlink_metadata().expect("it is there").is_symlink());
            assert_eq!(std::fs::read(&file).expect("it is readable"), b"new");
        }
        let names = std::fs::read_dir(folder.path()).expect("it is ours");
        assert_eq!(names.count(), 2, "no temporary file is left");
    }

    #[test]
    fn new_file_has_the_mode_of_new_files() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (new, usual) = (folder.path().join("a.wasm"), folder.path().join("b"));
        std::fs::write(&usual, "").expect("a fresh name");
        replace(&new, b"code").expect("it can be written");
        let mode = |file: &Path| file.metadata().expect("it is there").mode();
        assert_eq!(mode(&new), mode(&usual));
    }

    /// Only root can give a file away.
    #[test]
    fn file_of_another_user_keeps_its_owner() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let file = folder.path().join("lustra.toml");
        std::fs::write(&file, "old").expect("a fresh name");
        std::os::unix::fs::chown(&file, Some(12), Some(34)).expect("root may");
        replace(&file, b"new").expect("it can be replaced");
        let after = file.metadata().expect("it is there");
        assert_eq!((after.uid(), after.gid()), (12, 34));
    }
}
