//! Checks that need more than the text of the settings: settings that have no effect, are dangerous, or that this
//! machine cannot fulfil.
//!
//! Parsing has already checked the form of the settings. [`components`] compares them with the manifests of the
//! components, [`machine`] with files and addresses. Nothing is compiled, executed or changed. The text of every
//! finding is made here.

mod components;
mod machine;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::suggestion::did_you_mean;
use super::{Config, SettingSpans};
pub use components::manifests;
pub use machine::is_answered_by_lustra;

/// Something in the settings that the operator should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The setting, as in `plans.free.scopes`.
    pub setting: String,
    /// Line in the settings file, from 1. `None`: the file does not contain the setting.
    pub line: Option<usize>,
    pub problem: Problem,
}

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The directory of components cannot be read.
    NoComponents {
        directory: PathBuf,
        reason: String,
    },
    /// The directory of components is empty, but connectors are named.
    NoComponent {
        directory: PathBuf,
    },
    /// The component's file is damaged, or it is no component of a connector.
    UnreadableComponent(String),
    NoSuchConnector {
        similar: Option<String>,
    },
    /// The connector has no part (scope, dataset, upstream, setting) of this name.
    NoSuchPart {
        kind: &'static str,
        similar: Option<String>,
    },
    InvalidGrant {
        grant: String,
        reason: String,
    },
    /// The same value occurs twice in a list.
    Duplicate(String),
    /// The grant allows unencrypted requests to a public host.
    UnencryptedGrant(String),
    /// The connector would not be loaded with these settings.
    Refused(String),
    /// The limit exceeds the pool's maximum.
    MemoryAbovePool {
        memory_mib: u64,
        pool_mib: u64,
    },
    NoSuchFeature {
        feature: String,
        similar: Option<String>,
    },
    NoSuchScope {
        scope: String,
        similar: Option<String>,
    },
    NoBaseRegister {
        connector: String,
        similar: Option<String>,
    },
    /// Every client could choose the address that counts as its own. Holds the network.
    EveryoneIsProxy(String),
    /// The certificate cannot serve now. Holds the reason.
    Certificate(String),
    /// The operator's address, which needs no key, can be reached from other machines.
    PublicOperator(SocketAddr),
    /// A host of Lustra listens there: the one with these settings, or another one.
    HostListens(SocketAddr),
    AddressInUse(SocketAddr),
    /// The address cannot be listened on for another reason.
    AddressUnusable {
        address: SocketAddr,
        reason: String,
    },
    /// The path exists and is no directory.
    NotADirectory(PathBuf),
    NotWritable {
        path: PathBuf,
        reason: String,
    },
    /// Other users of the machine can read a file that contains secrets.
    ReadableByOthers {
        path: PathBuf,
        mode: u32,
    },
    /// The file exists and cannot be read by this user.
    UnreadableFile {
        path: PathBuf,
        reason: String,
    },
    /// E-mail and password may travel unencrypted to another machine.
    UnencryptedMail,
    /// The sender's domain exists only on this machine.
    LocalSender(String),
    /// Several hosts share the database, and this one would have a key of its own.
    OwnSecretsKey,
}

impl Problem {
    /// A stable name for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoComponents { .. } => "no_components",
            Self::NoComponent { .. } => "no_component",
            Self::UnreadableComponent(_) => "unreadable_component",
            Self::NoSuchConnector { .. } => "no_such_connector",
            Self::NoSuchPart { .. } => "no_such_part",
            Self::InvalidGrant { .. } => "invalid_grant",
            Self::Duplicate(_) => "duplicate",
            Self::UnencryptedGrant(_) => "unencrypted_grant",
            Self::Refused(_) => "refused",
            Self::MemoryAbovePool { .. } => "memory_above_pool",
            Self::NoSuchFeature { .. } => "no_such_feature",
            Self::NoSuchScope { .. } => "no_such_scope",
            Self::NoBaseRegister { .. } => "no_base_register",
            Self::EveryoneIsProxy(_) => "everyone_is_proxy",
            Self::Certificate(_) => "certificate",
            Self::PublicOperator(_) => "public_operator",
            Self::HostListens(_) => "host_listens",
            Self::AddressInUse(_) => "address_in_use",
            Self::AddressUnusable { .. } => "address_unusable",
            Self::NotADirectory(_) => "not_a_directory",
            Self::NotWritable { .. } => "not_writable",
            Self::ReadableByOthers { .. } => "readable_by_others",
            Self::UnreadableFile { .. } => "unreadable_file",
            Self::UnencryptedMail => "unencrypted_mail",
            Self::LocalSender(_) => "local_sender",
            Self::OwnSecretsKey => "own_secrets_key",
        }
    }

    /// Whether this is a note, which may be as it should be.
    #[must_use]
    pub fn is_note(&self) -> bool {
        matches!(self, Self::HostListens(_))
    }

    /// Whether a host with these settings does not start or cannot serve at all.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::NoComponents { .. }
            | Self::Certificate(_)
            | Self::AddressInUse(_)
            | Self::AddressUnusable { .. }
            | Self::NotADirectory(_)
            | Self::NotWritable { .. }
            | Self::UnreadableFile { .. } => true,
            Self::NoComponent { .. }
            | Self::UnreadableComponent(_)
            | Self::NoSuchConnector { .. }
            | Self::NoSuchPart { .. }
            | Self::InvalidGrant { .. }
            | Self::Duplicate(_)
            | Self::UnencryptedGrant(_)
            | Self::Refused(_)
            | Self::MemoryAbovePool { .. }
            | Self::NoSuchFeature { .. }
            | Self::NoSuchScope { .. }
            | Self::NoBaseRegister { .. }
            | Self::EveryoneIsProxy(_)
            | Self::PublicOperator(_)
            | Self::HostListens(_)
            | Self::ReadableByOthers { .. }
            | Self::UnencryptedMail
            | Self::LocalSender(_)
            | Self::OwnSecretsKey => false,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        write!(formatter, "{}: {}", self.setting, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoComponents { directory, reason } => write!(
                f,
                "{} cannot be read: {reason}; name the directory of the components",
                directory.display()
            ),
            Self::NoComponent { directory } => write!(
                f,
                "{} has no components (*.wasm), so no connector is loaded; `lustra connector build` makes them",
                directory.display()
            ),
            Self::UnreadableComponent(reason) => {
                write!(f, "{reason}; replace the file, for example from the release")
            }
            Self::NoSuchConnector { similar } => {
                write!(f, "no component has this id{}", did_you_mean(similar))
            }
            Self::NoSuchPart { kind, similar } => {
                write!(f, "the connector has no such {kind}{}", did_you_mean(similar))
            }
            Self::InvalidGrant { grant, reason } => {
                write!(f, "{grant:?} is not a grant: {reason}; an example is https://www.orsr.sk")
            }
            Self::Duplicate(value) => write!(f, "{value:?} occurs twice; delete one"),
            Self::UnencryptedGrant(grant) => write!(
                f,
                "{grant} is not encrypted, so others can read and change the answers; use https if the register offers it"
            ),
            Self::Refused(reason) => write!(f, "{reason}"),
            Self::MemoryAbovePool {
                memory_mib,
                pool_mib,
            } => write!(
                f,
                "{memory_mib} MiB exceeds the maximum of an instance: pool.memory_mib is {pool_mib}"
            ),
            Self::NoSuchFeature { feature, similar } => write!(
                f,
                "no component has a collection with the feature {feature}{}",
                did_you_mean(similar)
            ),
            Self::NoSuchScope { scope, similar } => {
                write!(f, "no component provides the scope {scope}{}", did_you_mean(similar))
            }
            Self::NoBaseRegister { connector, similar } => write!(
                f,
                "no component {connector} provides base records{}",
                did_you_mean(similar)
            ),
            Self::EveryoneIsProxy(network) => write!(
                f,
                "{network} lets every client choose the address that counts; name the addresses of the proxies"
            ),
            Self::Certificate(reason) => f.write_str(reason),
            Self::PublicOperator(address) => write!(
                f,
                "{address} can be reached from other machines and requires no key; protect it with a firewall"
            ),
            Self::HostListens(address) => write!(
                f,
                "a host of Lustra already listens on {address}; if it is not this one, choose another port"
            ),
            Self::AddressInUse(address) => write!(
                f,
                "another program listens on {address}; stop it or choose another port"
            ),
            Self::AddressUnusable { address, reason } => write!(
                f,
                "this machine cannot listen on {address}: {reason}; use an address of this machine and a port above 1023"
            ),
            Self::NotADirectory(path) => {
                write!(f, "{} is not a directory; name a directory", path.display())
            }
            Self::NotWritable { path, reason } => write!(
                f,
                "this user cannot write to {}: {reason}; change its owner, or name another directory",
                path.display()
            ),
            Self::ReadableByOthers { path, mode } => write!(
                f,
                "{path} contains secrets, and other users can read it (mode {mode:03o}); run `chmod 600 {path}`",
                path = path.display()
            ),
            Self::UnreadableFile { path, reason } => write!(
                f,
                "{} cannot be read: {reason}; change its owner or mode",
                path.display()
            ),
            Self::UnencryptedMail => f.write_str(
                "messages and the password may be sent unencrypted; use smtps:// or add ?tls=required",
            ),
            Self::LocalSender(domain) => write!(
                f,
                "other mail servers reject senders at {domain}; set an address that the mail server allows"
            ),
            Self::OwnSecretsKey => f.write_str(
                "hosts that share a database need the same key; set one that `openssl rand -base64 32` prints",
            ),
        }
    }
}

/// Checks the settings against the components in their directory and against this machine. `text` is the settings
/// file, for the lines of the findings and for secrets that stand in it.
#[must_use]
pub fn findings(config: &Config, file: &std::path::Path, text: &str) -> Vec<Finding> {
    let mut found = Findings(Vec::new());
    components::check(config, &mut found);
    machine::check(config, file, text, &mut found);
    let spans = SettingSpans::of(text);
    for finding in &mut found.0 {
        finding.line = spans.line(&finding.setting);
    }
    found.0.sort_by_key(|finding| finding.line);
    found.0
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, setting: impl Into<String>, problem: Problem) {
        self.0.push(Finding {
            setting: setting.into(),
            line: None,
            problem,
        });
    }
}
