//! Monitors free disk space where a host writes, so that operators are warned early.
//!
//! Work that needs much space, imports above all, checks [`Disk::is_low`] first. Charged calls are not
//! restricted.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::config::Config;

/// Interval of the checks.
const INTERVAL: Duration = Duration::from_secs(10);

pub const MIB: u64 = 1 << 20;

/// Free space of a disk, for this user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    pub free_bytes: u64,
    /// Files that can still be created. `None`: the file system has no such limit.
    pub free_files: Option<u64>,
}

/// Reads the free space of the disk of a path.
///
/// # Errors
/// The path does not exist, or the system cannot tell.
pub fn space(place: &Path) -> io::Result<Space> {
    let space = rustix::fs::statvfs(place)?;
    Ok(Space {
        free_bytes: space.f_bavail.saturating_mul(space.f_frsize),
        free_files: (space.f_files > 0).then_some(space.f_favail),
    })
}

/// The disks that a host writes to. Clones share the result of the last check.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    places: Vec<PathBuf>,
    low_bytes: u64,
    /// Bytes free on the fullest disk.
    free_bytes: AtomicU64,
    is_low: AtomicBool,
}

impl Disk {
    /// The disks of the data directory and, if it is a file, of the store.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let url = config.store_url();
        let file = url.strip_prefix("sqlite:").map(PathBuf::from);
        let folder = file.and_then(|file| file.parent().map(PathBuf::from));
        let disk = Self(Arc::new(Inner {
            places: [Some(config.data.clone()), folder]
                .into_iter()
                .flatten()
                .collect(),
            low_bytes: config.disk.low_mib.saturating_mul(MIB),
            free_bytes: AtomicU64::new(u64::MAX),
            is_low: AtomicBool::new(false),
        }));
        disk.look();
        disk
    }

    /// Bytes free on the fullest disk at the last check. `None` if the system cannot tell.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        let free = self.0.free_bytes.load(Ordering::Relaxed);
        (free < u64::MAX).then_some(free)
    }

    /// Whether the last check found less free space than configured.
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.0.is_low.load(Ordering::Relaxed)
    }

    /// Checks the disks and logs changes. Returns whether less space is free than configured.
    pub fn look(&self) -> bool {
        let places = self.0.places.iter();
        let free = places.filter_map(|place| Some((space(place).ok()?.free_bytes, place)));
        let Some((free, place)) = free.min() else {
            return false;
        };
        self.0.free_bytes.store(free, Ordering::Relaxed);
        let is_low = free < self.0.low_bytes;
        let was_low = self.0.is_low.swap(is_low, Ordering::Relaxed);
        let (mib, low, place) = (free / MIB, self.0.low_bytes / MIB, place.display());
        if is_low && !was_low {
            tracing::error!(
                free_bytes = free,
                "only {mib} MiB are free on the disk of {place}, less than disk.low_mib = {low}; imports are paused"
            );
        } else if was_low && !is_low {
            tracing::info!(
                free_bytes = free,
                "{mib} MiB are free again on the disk of {place}; imports resume"
            );
        }
        is_low
    }

    /// Worker loop that checks the disks.
    pub async fn run(self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let this = self.clone();
            // A hanging disk blocks only this task.
            if let Err(error) = tokio::task::spawn_blocking(move || this.look()).await {
                tracing::warn!(%error, "free disk space could not be checked; retrying");
            }
        }
    }
}
