//! Sockets that systemd opened for this process (socket activation).
//!
//! The sockets stay open while the program is replaced: connections wait in them until the next process accepts them.
//! The unit names them `api` and `operator` (`FileDescriptorName`); without names the first is the API's and the second
//! the operator's.

use std::net::{SocketAddr, TcpListener};

use listenfd::ListenFd;

use super::super::CliError;
use lustra::config::Config;

/// Variable with the names of the sockets, separated by colons.
const NAMES: &str = "LISTEN_FDNAMES";

/// Sockets from the environment, not yet checked.
pub(crate) struct Inherited {
    sockets: ListenFd,
    names: String,
}

/// Sockets of this host; those that are missing are opened by the host itself.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) api: Option<tokio::net::TcpListener>,
    pub(super) operator: Option<tokio::net::TcpListener>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Api,
    Operator,
}

impl Inherited {
    /// Takes the sockets from the environment. To be called before the process has other threads, because it removes
    /// variables.
    pub(crate) fn take() -> Self {
        Self {
            sockets: ListenFd::from_env(),
            names: std::env::var(NAMES).unwrap_or_default(),
        }
    }

    /// The sockets by their role, ready to accept.
    pub(super) fn listeners(mut self, config: &Config) -> Result<Bound, CliError> {
        let mut bound = Bound::default();
        for index in 0..self.sockets.len() {
            let of_socket = |error: std::io::Error| {
                CliError(format!("socket {index} from the service manager: {error}"))
            };
            let Some(role) = role(index, &self.names) else {
                return Err(CliError(format!(
                    "the service manager passed {} sockets ({}); the host serves two: `api` and `operator`",
                    self.sockets.len(),
                    self.names
                )));
            };
            let taken = self.sockets.take_tcp_listener(index).map_err(of_socket)?;
            let Some(listener) = taken else { continue };
            let at = listener.local_addr().map_err(of_socket)?;
            listener.set_nonblocking(true).map_err(of_socket)?;
            if let Some(problem) = difference(role, at, config) {
                tracing::warn!("{problem}");
            }
            if role == Role::Operator && !config.operator.on {
                continue;
            }
            let place = match role {
                Role::Api => &mut bound.api,
                Role::Operator => &mut bound.operator,
            };
            if place.is_some() {
                return Err(CliError(format!(
                    "the service manager passed two sockets for one address ({})",
                    self.names
                )));
            }
            *place = Some(accepting(listener).map_err(of_socket)?);
        }
        Ok(bound)
    }
}

fn accepting(listener: TcpListener) -> std::io::Result<tokio::net::TcpListener> {
    tokio::net::TcpListener::from_std(listener)
}

/// The role of a socket, by its name or else by its place.
fn role(index: usize, names: &str) -> Option<Role> {
    match (names.split(':').nth(index), index) {
        (Some("api"), _) => Some(Role::Api),
        (Some("operator"), _) => Some(Role::Operator),
        (_, 0) => Some(Role::Api),
        (_, 1) => Some(Role::Operator),
        (_, _) => None,
    }
}

/// What the operator should know if a socket and the settings disagree.
fn difference(role: Role, at: SocketAddr, config: &Config) -> Option<String> {
    let (setting, wanted) = match role {
        Role::Operator if !config.operator.on => {
            return Some(format!(
                "the service manager passed a socket for the operator's address, {at}, but operator.on is false: remove it from the socket unit, or connections to it wait forever"
            ));
        }
        Role::Operator => ("operator.listen", config.operator.listen),
        Role::Api => ("listen", config.listen),
    };
    (at != wanted).then(|| {
        format!(
            "settings: {setting} is {wanted}, but the service manager listens on {at}, which counts; make the settings and the socket unit agree, because commands read the settings"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_have_roles_by_name_or_place() {
        let roles = |names: &str| [0, 1, 2].map(|index| role(index, names));
        let (api, operator) = (Some(Role::Api), Some(Role::Operator));
        assert_eq!(roles(""), [api, operator, None]);
        let unit = "lustra.socket:lustra.socket";
        assert_eq!(roles(unit), [api, operator, None]);
        assert_eq!(roles("operator:api"), [operator, api, None]);
        assert_eq!(roles("x:y:api"), [api, operator, api]);
    }

    #[test]
    fn socket_other_than_the_setting_is_reported() {
        let mut config = Config::default();
        let at = |text: &str| text.parse().expect("an address");
        let same = difference(Role::Api, at("127.0.0.1:8080"), &config);
        assert_eq!(same, None);
        let other = difference(Role::Operator, at("127.0.0.1:9"), &config).expect("it differs");
        assert!(
            other.contains("operator.listen is 127.0.0.1:8081"),
            "{other}"
        );
        config.operator.on = false;
        let off = difference(Role::Operator, at("127.0.0.1:8081"), &config).expect("it is off");
        assert!(off.contains("operator.on is false"), "{off}");
    }
}
