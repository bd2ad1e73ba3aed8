//! Free space where a host writes, watched so that operators hear of it before it is gone.
//!
//! What needs much room, imports above all, asks [`Disk::is_low`] first; calls that are charged go on to the end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::config::Config;

/// How often free space is looked at.
const PAUSE: Duration = Duration::from_secs(10);

const MIB: u64 = 1 << 20;

/// The disks that a host writes to. Clones share what was seen.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    places: Vec<PathBuf>,
    low_bytes: u64,
    /// The least that is free in any place.
    free_bytes: AtomicU64,
    is_low: AtomicBool,
}

impl Disk {
    /// The disks of the data directory and of the store, where that is a file.
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

    /// The least that was free in any place at the last look: bytes. `None`: it cannot be told here.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        let free = self.0.free_bytes.load(Ordering::Relaxed);
        (free < u64::MAX).then_some(free)
    }

    /// Whether less was free at the last look than the settings want.
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.0.is_low.load(Ordering::Relaxed)
    }

    /// Looks at the disks; whether less is free than the settings want. What has changed is logged.
    pub fn look(&self) -> bool {
        let free = self.0.places.iter().filter_map(|place| {
            let space = rustix::fs::statvfs(place).ok()?;
            Some((space.f_bavail.saturating_mul(space.f_frsize), place))
        });
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
                "only {mib} MiB are free on the disk of {place}, less than disk.low_mib = {low}; imports pause"
            );
        } else if was_low && !is_low {
            tracing::info!(
                free_bytes = free,
                "{mib} MiB are free again on the disk of {place}; imports go on"
            );
        }
        is_low
    }

    /// Looks again and again, for as long as the host runs.
    pub async fn run(self) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let this = self.clone();
            // A disk that hangs holds up this task alone.
            if let Err(error) = tokio::task::spawn_blocking(move || this.look()).await {
                tracing::warn!(%error, "free space could not be looked at");
            }
        }
    }
}
