//! Observations of this machine: the host, the clock, disks and descriptors.

use std::net::SocketAddr;

use time::OffsetDateTime;

use super::{Description, fail, ok, warn};
use crate::clock::rfc3339;

/// What was observed of this machine.
#[derive(Debug, Clone)]
pub enum MachineObservation {
    HostRuns {
        address: SocketAddr,
    },
    HostStopped,
    /// A host runs, and its operator address is off. Holds the reason.
    HostSilent(String),
    /// A host runs, and it does not answer at the operator address of these settings. Holds the reason.
    HostForeign(String),
    ClockAgrees {
        milliseconds: i128,
    },
    ClockPlausible,
    ClockDiffers {
        seconds: f64,
        minutes: u32,
    },
    ClockBehind {
        newest: OffsetDateTime,
    },
    LongPause {
        newest: OffsetDateTime,
        days: u32,
    },
    ClockDistrusted,
    TestClock {
        hours: u32,
    },
    DiskFree {
        free_mib: u64,
    },
    DiskLow {
        free_mib: u64,
        low_mib: u64,
    },
    DiskTight {
        free_mib: u64,
        low_mib: u64,
    },
    NoInodes,
    DiskUnknown(String),
    Descriptors {
        limit: u64,
    },
    FewDescriptors {
        limit: u64,
        wanted: usize,
        most: usize,
    },
}

impl MachineObservation {
    pub(super) fn described(&self) -> Description {
        match self {
            Self::HostRuns { address } => ok(
                "host_runs",
                format!("a host runs; its operator address is {address}"),
            ),
            Self::HostStopped => ok(
                "host_stopped",
                "no host runs with these settings on this machine",
            ),
            Self::HostSilent(reason) => warn(
                "host_silent",
                format!("a host runs, and its state is unknown: {reason}"),
                "set operator.on = true, so that commands can ask the running host",
            ),
            Self::HostForeign(reason) => warn(
                "host_silent",
                format!("a host runs, and its state is unknown: {reason}"),
                "if it is another host, choose other ports in `listen` and `operator.listen`; if it is this one, restart it",
            ),
            Self::DiskFree { free_mib } => ok("disk_free", format!("{free_mib} MiB are free")),
            Self::DiskLow { free_mib, low_mib } => fail(
                "disk_low",
                format!("only {free_mib} MiB are free, less than disk.low_mib = {low_mib}"),
                "free space on this disk; imports are paused until then",
            ),
            Self::DiskTight { free_mib, low_mib } => warn(
                "disk_tight",
                format!("{free_mib} MiB are free; below disk.low_mib = {low_mib} imports pause"),
                "free space on this disk soon",
            ),
            Self::NoInodes => fail(
                "no_inodes",
                "no more files can be created (no inodes are free)",
                "delete files on this disk",
            ),
            Self::DiskUnknown(reason) => warn(
                "disk_unknown",
                format!("the free space cannot be read: {reason}"),
                "check that the directory exists and is readable",
            ),
            Self::Descriptors { limit } => {
                ok("descriptors", format!("a host may open {limit} files"))
            }
            Self::FewDescriptors {
                limit,
                wanted,
                most,
            } => warn(
                "few_descriptors",
                format!(
                    "a host may open only {limit} files, so it accepts {most} connections instead of {wanted}"
                ),
                "raise the hard limit of open files, for example LimitNOFILE=65536 in the systemd unit",
            ),
            Self::ClockAgrees { .. }
            | Self::ClockPlausible
            | Self::ClockDiffers { .. }
            | Self::ClockBehind { .. }
            | Self::LongPause { .. }
            | Self::ClockDistrusted
            | Self::TestClock { .. } => self.clock_described(),
        }
    }

    fn clock_described(&self) -> Description {
        match self {
            Self::ClockAgrees { milliseconds } => ok(
                "clock_agrees",
                format!("it differs from the database's clock by {milliseconds} ms"),
            ),
            Self::ClockDiffers { seconds, minutes } => fail(
                "clock_differs",
                format!(
                    "it differs from the database's clock by {seconds:.0} s, more than \
                     ledger.clock_jump_minutes = {minutes}"
                ),
                "synchronise both clocks, for example with chrony; credits are booked at the earlier time",
            ),
            Self::ClockBehind { newest } => fail(
                "clock_behind",
                format!(
                    "it is before the newest booking of credits at {}",
                    rfc3339(*newest)
                ),
                "set this machine's clock, and synchronise it, for example with chrony",
            ),
            Self::LongPause { newest, days } => warn(
                "long_pause",
                format!(
                    "the newest booking of credits was at {}, longer ago than \
                     ledger.longest_pause_days = {days}",
                    rfc3339(*newest)
                ),
                "if the clock is right, start once with `lustra serve --confirm-clock`",
            ),
            Self::ClockDistrusted => fail(
                "clock_distrusted",
                "the running host does not trust its clock",
                "set the clock; if it is right, run `lustra ledger confirm-clock`",
            ),
            Self::TestClock { hours } => warn(
                "test_clock",
                format!("clock_ahead_hours = {hours} moves the clock of the host"),
                "delete clock_ahead_hours on a production server",
            ),
            Self::ClockPlausible
            | Self::HostRuns { .. }
            | Self::HostStopped
            | Self::HostSilent(_)
            | Self::HostForeign(_)
            | Self::DiskFree { .. }
            | Self::DiskLow { .. }
            | Self::DiskTight { .. }
            | Self::NoInodes
            | Self::DiskUnknown(_)
            | Self::Descriptors { .. }
            | Self::FewDescriptors { .. } => ok(
                "clock_plausible",
                "it agrees with the newest booking of credits",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_host_is_not_told_to_switch_on_what_is_on() {
        let advice =
            |observation: MachineObservation| observation.described().advice.unwrap_or_default();
        let off = advice(MachineObservation::HostSilent("off".to_owned()));
        assert!(off.contains("operator.on = true"), "{off}");
        let on = advice(MachineObservation::HostForeign("no answer".to_owned()));
        assert!(
            on.contains("other ports") && !on.contains("operator.on"),
            "{on}"
        );
    }
}
