//! Raises the limit of file descriptors; every connection, file and socket of the process uses one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Connections;

/// Descriptors reserved for other uses than clients: store, registers, files, components.
const RESERVED: u64 = 256;

/// Maximum requested limit. Some systems allow a billion, for which other programs reserve memory.
const WANTED: u64 = 65_536;

/// Raises the process's soft limit of open files up to its hard limit. If that is too low, reduces the number of
/// connections instead. Of a low limit, connections get at most half.
pub fn raise_descriptor_limit(bounds: &mut Connections) {
    let limit = getrlimit(Resource::Nofile);
    let hard = limit.maximum.unwrap_or(WANTED);
    let wanted = hard.min(WANTED);
    let mut have = limit.current.unwrap_or(WANTED);
    if have < wanted {
        let raised = Rlimit {
            current: Some(wanted),
            maximum: limit.maximum,
        };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => have = wanted,
            Err(error) => tracing::warn!(%error, "raising the limit of open files failed"),
        }
    }
    let most = connections_within(have);
    if bounds.most > most {
        tracing::warn!(
            "the limit of open files is {have}: accepting at most {most} connections instead of {}",
            bounds.most
        );
        bounds.most = most;
    }
}

/// The limit of open files that a host of this user gets.
#[must_use]
pub fn descriptor_limit() -> u64 {
    let hard = getrlimit(Resource::Nofile).maximum;
    hard.unwrap_or(WANTED).min(WANTED)
}

/// Number of connections that fit into a number of descriptors.
#[must_use]
pub fn connections_within(descriptors: u64) -> usize {
    let left = descriptors.saturating_sub(RESERVED).max(descriptors / 2);
    usize::try_from(left).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_reserved_descriptors() {
        assert_eq!(connections_within(65_536), 65_280);
        assert_eq!(connections_within(1_024), 768);
        assert_eq!(connections_within(256), 128);
        assert_eq!(connections_within(0), 1);
    }
}
