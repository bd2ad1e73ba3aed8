//! Which hosts and files a connector may reach.
//!
//! A grant is one line of the operator's settings; a refusal prints the line that is missing. Scheme, host and port
//! must match; paths are not part of a grant, because each host defines the meaning of its own paths.

use std::path::{Path, PathBuf};

use url::{Host, Url};

use super::address::{file_path, has_userinfo, strip_file};

/// A host or file that a connector may reach: `https://api.statistics.sk`, `https://*.orsr.sk`,
/// `http://127.0.0.1:4545`, `file:/srv/lists/dovera.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// Exactly this host. It may resolve to a private network, because the operator named it.
    Host {
        scheme: String,
        host: Host<String>,
        port: Option<u16>,
    },
    /// Every name below this one, without the name itself; public addresses only.
    Below {
        scheme: String,
        /// Includes the leading dot.
        suffix: String,
        port: Option<u16>,
    },
    File(PathBuf),
}

/// Why a text is not a valid grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidGrant {
    #[error("the grant is not a URL")]
    NoUrl(#[from] url::ParseError),
    #[error("the grant begins with {0}:, known are http, https and file")]
    Scheme(String),
    #[error("a grant is a scheme, a host and optionally a port, nothing more")]
    MoreThanHost,
    #[error(
        "a wildcard must be the first label, before a name of two labels or more: https://*.orsr.sk"
    )]
    Wildcard,
    #[error("a file's grant is file: and an absolute path without . and ..")]
    File,
}

impl Grant {
    pub fn parse(text: &str) -> Result<Self, InvalidGrant> {
        let text = text.trim();
        if let Some(rest) = strip_file(text) {
            let path = file_path(rest).map_err(|_invalid| InvalidGrant::File)?;
            return Ok(Self(Kind::File(path)));
        }
        let wildcard = text.contains("://*.");
        let url = Url::parse(&text.replacen("://*.", "://", 1))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(InvalidGrant::Scheme(url.scheme().to_owned()));
        }
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !bare || has_userinfo(&url) {
            return Err(InvalidGrant::MoreThanHost);
        }
        let scheme = url.scheme().to_owned();
        let port = url.port_or_known_default();
        let host = url.host().ok_or(url::ParseError::EmptyHost)?.to_owned();
        if !wildcard && !host.to_string().contains('*') {
            return Ok(Self(Kind::Host { scheme, host, port }));
        }
        match host {
            Host::Domain(name) if !name.contains('*') && has_two_labels(&name) => {
                let suffix = format!(".{name}");
                Ok(Self(Kind::Below {
                    scheme,
                    suffix,
                    port,
                }))
            }
            Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => Err(InvalidGrant::Wildcard),
        }
    }

    /// Whether the URL's scheme, host and port are granted. A URL with a user name or password never is.
    pub fn allows_url(&self, url: &Url) -> bool {
        match &self.0 {
            Kind::Host { .. } => self.names(url),
            Kind::Below {
                scheme,
                suffix,
                port,
            } => {
                let below = url.domain().is_some_and(|name| {
                    name.len() > suffix.len() && name.ends_with(suffix.as_str())
                });
                below && same_door(url, scheme, *port)
            }
            Kind::File(_) => false,
        }
    }

    /// Whether this grant permits special and private addresses: it names exactly this host and port, and the host is
    /// an IP address or a name that is local by its form. A public name that DNS resolves to a private address is not
    /// permitted.
    pub(super) fn reaches_inside(&self, url: &Url) -> bool {
        let local = match url.host() {
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                let ending = name.rsplit('.').next().unwrap_or_default();
                !name.contains('.') || ["internal", "local", "localhost"].contains(&ending)
            }
            None => false,
        };
        local && self.names(url)
    }

    /// Whether this grant names exactly this host and port, without a wildcard.
    fn names(&self, url: &Url) -> bool {
        match &self.0 {
            Kind::Host { scheme, host, port } => {
                url.host().is_some_and(|its| its.to_owned() == *host)
                    && same_door(url, scheme, *port)
            }
            Kind::Below { .. } | Kind::File(_) => false,
        }
    }

    /// Whether exactly this file is granted.
    pub fn allows_file(&self, path: &Path) -> bool {
        match &self.0 {
            Kind::File(granted) => granted.as_os_str() == path.as_os_str(),
            Kind::Host { .. } | Kind::Below { .. } => false,
        }
    }
}

fn same_door(url: &Url, scheme: &str, port: Option<u16>) -> bool {
    url.scheme() == scheme && url.port_or_known_default() == port && !has_userinfo(url)
}

fn has_two_labels(name: &str) -> bool {
    name.trim_end_matches('.').contains('.')
}
