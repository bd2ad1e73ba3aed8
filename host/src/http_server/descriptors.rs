//! File descriptors: every connection, file and socket of the process takes one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Connections;

/// Descriptors that are kept for everything but clients: the store, registers, files, components.
const RESERVED: u64 = 256;

/// The most that is asked for. Some systems allow a billion, for which other programs reserve memory.
const WANTED: u64 = 65_536;

/// Raises the process's soft limit of open files as far as its hard limit allows, and lowers the number of
/// connections where even that is too small for them. At most half of a small limit goes to connections.
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
            Err(error) => tracing::warn!(%error, "the limit of open files cannot be raised"),
        }
    }
    let most = connections_within(have);
    if bounds.most > most {
        tracing::warn!(
            "only {have} files may be open: at most {most} connections are accepted, not {}",
            bounds.most
        );
        bounds.most = most;
    }
}

/// How many connections fit into so many descriptors.
fn connections_within(descriptors: u64) -> usize {
    let left = descriptors.saturating_sub(RESERVED).max(descriptors / 2);
    usize::try_from(left).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_rest() {
        assert_eq!(connections_within(65_536), 65_280);
        assert_eq!(connections_within(1_024), 768);
        assert_eq!(connections_within(256), 128);
        assert_eq!(connections_within(0), 1);
    }
}
