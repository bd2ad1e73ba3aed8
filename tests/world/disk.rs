//! A small disk that a test may fill.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment variable of a program that has mounts of its own.
const OWN_MOUNTS: &str = "LUSTRA_OWN_MOUNTS";

/// A small mounted disk, unmounted on drop.
pub struct SmallDisk(tempfile::TempDir);

/// What fills a disk. Dropping it makes room.
pub struct Filler(PathBuf);

impl SmallDisk {
    /// `None` if it cannot be mounted, which only root may do; prints so. [`with_own_mounts`] is a way for other users.
    ///
    /// # Panics
    /// If temporary files cannot be written.
    #[must_use]
    pub fn of(mib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let size = format!("size={mib}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(folder));
        }
        let said = writeln!(
            std::io::stderr(),
            "a small disk cannot be mounted: what fills one is skipped"
        );
        said.expect("standard error is open");
        None
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills the disk.
    ///
    /// # Panics
    /// If there is not even room for a name.
    #[must_use]
    pub fn fill(&self) -> Filler {
        let path = self.path().join("filler");
        let mut filler = std::fs::File::create(&path).expect("there is room for a name");
        for size in [1 << 20, 4_096] {
            while filler.write_all(&vec![1; size]).is_ok() {}
        }
        Filler(path)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(self.path()).status();
        drop(unmounted);
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).expect("it is ours");
    }
}

/// Runs this program again with mounts of its own, which end with it, so that it can mount a [`SmallDisk`] without
/// being root. Returns if the program already has them, or if the machine does not allow it.
pub fn with_own_mounts() {
    if std::env::var_os(OWN_MOUNTS).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    for way in ways {
        let allowed = Command::new("unshare")
            .args(way)
            .arg("true")
            .stderr(Stdio::null())
            .status();
        if allowed.is_ok_and(|ended| ended.success()) {
            let mut again = Command::new("unshare");
            again
                .args(way)
                .arg(program)
                .args(std::env::args_os().skip(1));
            // It returns only if the program could not be started.
            drop(again.env(OWN_MOUNTS, "1").exec());
            return;
        }
    }
}
