//! Checks of this machine: settings, files, addresses, disks and descriptors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::observation::{MachineObservation, SettingsObservation};
use super::{Check, Finding, HostState, Observer, Subject};
use crate::config::Config;
use crate::config::check::{self, Problem};
use crate::disk::{self, MIB};
use crate::http_server::{connections_within, descriptor_limit};
use crate::store::Store;

pub(super) fn examine(subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) {
    let config = subject.config;
    let read = SettingsObservation::Read {
        file: subject.file.to_owned(),
        connectors: config.connector.len(),
    };
    observer.found(Finding::new(Check::Settings, "", read));
    settings(subject, observer);
    if config.clock_ahead_hours > 0 {
        let hours = config.clock_ahead_hours;
        observer.found(Finding::new(
            Check::Clock,
            "",
            MachineObservation::TestClock { hours },
        ));
    }
    let host = match &subject.host {
        HostState::Stopped => MachineObservation::HostStopped,
        HostState::Running(_) => MachineObservation::HostRuns {
            address: config.operator.listen,
        },
        HostState::Silent(reason) if config.operator.on => {
            MachineObservation::HostForeign(reason.clone())
        }
        HostState::Silent(reason) => MachineObservation::HostSilent(reason.clone()),
    };
    observer.found(Finding::new(Check::Host, "", host));
    for finding in disks(config) {
        observer.found(finding);
    }
    observer.found(descriptors(config));
}

/// The findings of `config check`, and one line for each topic without a finding.
fn settings(subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) {
    let config = subject.config;
    let findings = check::findings(config, subject.file, subject.text);
    let mut topics = BTreeSet::new();
    for finding in findings {
        let topic = topic(&finding.problem);
        topics.insert(topic);
        let setting = finding.setting.clone();
        observer.found(Finding::new(
            topic,
            setting,
            SettingsObservation::Finding(finding),
        ));
    }
    let is_public = !config.listen.ip().is_loopback();
    let is_behind_proxy = !config.connections.proxies.is_empty() || config.tls.is_on();
    if is_public && !is_behind_proxy {
        topics.insert(Check::Addresses);
        let public = SettingsObservation::PublicWithoutTls(config.listen);
        observer.found(Finding::new(Check::Addresses, "listen", public));
    }
    for (file, mode) in readable_data(config) {
        topics.insert(Check::Secrets);
        let readable = SettingsObservation::DataReadable { mode };
        observer.found(Finding::new(
            Check::Secrets,
            file.display().to_string(),
            readable,
        ));
    }
    let manifests = check::manifests(&config.components);
    let components = manifests.map_or(0, |(manifests, _)| manifests.len());
    if components == 0 && !config.connector.is_empty() {
        // Without components no grant was compared with a manifest. The missing components are a finding.
        topics.insert(Check::Grants);
    }
    for (check, well) in [
        (
            Check::Grants,
            SettingsObservation::GrantsHold {
                connectors: config.connector.len(),
            },
        ),
        (
            Check::Components,
            SettingsObservation::ComponentsWhole { components },
        ),
        (Check::Secrets, SettingsObservation::SecretsPrivate),
        (
            Check::Addresses,
            SettingsObservation::AddressesUsable {
                listen: config.listen,
            },
        ),
    ] {
        if !topics.contains(&check) {
            observer.found(Finding::new(check, "", well));
        }
    }
}

fn topic(problem: &Problem) -> Check {
    match problem {
        Problem::NoComponents { .. }
        | Problem::NoComponent { .. }
        | Problem::UnreadableComponent(_) => Check::Components,
        Problem::InvalidGrant { .. } | Problem::UnencryptedGrant(_) | Problem::Refused(_) => {
            Check::Grants
        }
        Problem::ReadableByOthers { .. }
        | Problem::UnreadableFile { .. }
        | Problem::OwnSecretsKey => Check::Secrets,
        Problem::PublicOperator(_)
        | Problem::EveryoneIsProxy(_)
        | Problem::Certificate(_)
        | Problem::HostListens(_)
        | Problem::AddressInUse(_)
        | Problem::AddressUnusable { .. } => Check::Addresses,
        Problem::NoSuchConnector { .. }
        | Problem::NoSuchPart { .. }
        | Problem::Duplicate(_)
        | Problem::MemoryAbovePool { .. }
        | Problem::NoSuchFeature { .. }
        | Problem::NoSuchScope { .. }
        | Problem::NoBaseRegister { .. }
        | Problem::NotADirectory(_)
        | Problem::NotWritable { .. }
        | Problem::UnencryptedMail
        | Problem::LocalSender(_) => Check::Settings,
    }
}

/// The files of the database that other users can read, with their modes. A directory that others cannot enter protects
/// its files.
#[cfg(unix)]
fn readable_data(config: &Config) -> Vec<(PathBuf, u32)> {
    use std::os::unix::fs::MetadataExt;
    let mode = |path: &Path| path.metadata().ok().map(|metadata| metadata.mode() & 0o777);
    let files = Store::files(&config.store_url()).into_iter().flatten();
    files
        .filter_map(|file| {
            let of_file = mode(&file)?;
            let directory = match file.parent() {
                Some(directory) if !directory.as_os_str().is_empty() => directory,
                _ => Path::new("."),
            };
            let of_directory = mode(directory)?;
            // Read the file, and enter the directory. A group is the operator's own choice, as in the package.
            (of_file & 0o004 != 0 && of_directory & 0o001 != 0).then_some((file, of_file))
        })
        .collect()
}

#[cfg(not(unix))]
fn readable_data(_: &Config) -> Vec<(PathBuf, u32)> {
    Vec::new()
}

/// The disks of the data directory and of the database's files.
fn disks(config: &Config) -> Vec<Finding> {
    let files = Store::files(&config.store_url());
    let folder = files.and_then(|[main, _]| main.parent().map(PathBuf::from));
    let places: BTreeSet<PathBuf> = [Some(config.data.clone()), folder]
        .into_iter()
        .flatten()
        .filter_map(|place| existing(&place))
        .collect();
    places
        .into_iter()
        .map(|place| {
            let name = place.display().to_string();
            Finding::new(Check::Disk, name, space(config, &place))
        })
        .collect()
}

/// The directory itself, or the nearest one above it that exists.
fn existing(place: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(place).ok()?;
    let existing = absolute.ancestors().find(|above| above.exists())?;
    Some(existing.to_owned())
}

fn space(config: &Config, place: &Path) -> MachineObservation {
    let space = match disk::space(place) {
        Ok(space) => space,
        Err(error) => return MachineObservation::DiskUnknown(error.to_string()),
    };
    let (free_mib, low_mib) = (space.free_bytes / MIB, config.disk.low_mib);
    if space.free_files == Some(0) {
        MachineObservation::NoInodes
    } else if free_mib < low_mib {
        MachineObservation::DiskLow { free_mib, low_mib }
    } else if free_mib < low_mib.saturating_mul(4) {
        MachineObservation::DiskTight { free_mib, low_mib }
    } else {
        MachineObservation::DiskFree { free_mib }
    }
}

fn descriptors(config: &Config) -> Finding {
    let limit = descriptor_limit();
    let most = connections_within(limit);
    let wanted = config.connections.most;
    let observation = if most < wanted {
        MachineObservation::FewDescriptors {
            limit,
            wanted,
            most,
        }
    } else {
        MachineObservation::Descriptors { limit }
    };
    Finding::new(Check::Descriptors, "", observation)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn database_that_others_can_read_is_found() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a fresh name");
        let text = format!("data = {data:?}\n");
        let config = Config::read(&text, |_| None).expect("nothing is wrong");
        assert_eq!(readable_data(&config), [], "there is no database");
        let files = Store::files(&config.store_url()).expect("it is a file");
        let set = |path: &Path, mode: u32| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("it is ours");
        };
        for file in &files {
            std::fs::write(file, "").expect("a fresh name");
        }
        for (of_file, of_directory, found) in [
            (0o644, 0o755, 2),
            (0o644, 0o750, 0),
            (0o640, 0o755, 0),
            (0o600, 0o700, 0),
        ] {
            files.iter().for_each(|file| set(file, of_file));
            set(&data, of_directory);
            let readable = readable_data(&config);
            assert_eq!(readable.len(), found, "{of_file:o} in {of_directory:o}");
        }
    }
}
