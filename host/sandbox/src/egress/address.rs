//! Addresses of upstreams, and joining of a connector's path to a base address.
//!
//! Grants and address ranges decide elsewhere whether an address may be reached.
//! Invariant: the result of `join` always has the scheme, host, port and base path of the address.

use std::path::{Component, Path, PathBuf};

use url::Url;

use super::failure::{Refusal, without_query};

/// The address of an upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// `http` or `https`, with an optional base path and without a query.
    Http(Url),
    /// Absolute path of a file that the operator maintains.
    File(PathBuf),
    /// Not configured yet; the operator must set it.
    Unset,
}

/// Why a text is not a valid address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    #[error("the address is not a URL")]
    NoUrl(#[from] url::ParseError),
    #[error("the address begins with {0}:, known are http, https and file")]
    Scheme(String),
    #[error("the address contains a user name or password")]
    Userinfo,
    #[error("the address contains a query or a fragment")]
    Trailing,
    #[error("a file's address is file: and an absolute path without . and ..")]
    File,
}

impl Address {
    /// Reads `https://host:port/base`, `file:/absolute/path` or `file:///absolute/path`. A file's path is taken
    /// literally, without percent-decoding.
    pub fn parse(text: &str) -> Result<Self, InvalidAddress> {
        let text = text.trim();
        if let Some(rest) = strip_file(text) {
            return Ok(Self::File(file_path(rest)?));
        }
        let mut url = Url::parse(text)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(InvalidAddress::Scheme(url.scheme().to_owned()));
        }
        if has_userinfo(&url) {
            return Err(InvalidAddress::Userinfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidAddress::Trailing);
        }
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&base);
        Ok(Self::Http(url))
    }
}

/// The rest of a text after the scheme `file:`.
pub(super) fn strip_file(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("file").then_some(rest)
}

/// The absolute path after `file:`.
pub(super) fn file_path(rest: &str) -> Result<PathBuf, InvalidAddress> {
    let path = match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path,
        Some(_) => return Err(InvalidAddress::File),
        None => rest,
    };
    let plain = Path::new(path)
        .components()
        .all(|component| matches!(component, Component::RootDir | Component::Normal(_)));
    // `components` drops an inner `.` and doubled slashes, so the rebuilt path is compared with the text.
    let rebuilt: PathBuf = Path::new(path).components().collect();
    let unchanged = rebuilt.as_os_str() == path;
    if !path.starts_with('/') || path == "/" || !plain || !unchanged || path.contains('\0') {
        return Err(InvalidAddress::File);
    }
    Ok(rebuilt)
}

/// The URL of a path below an address.
pub(super) fn join(upstream: &str, base: &Url, path: &str) -> Result<Url, Refusal> {
    let refusal = || Refusal::Path {
        upstream: upstream.to_owned(),
        path: without_query(path),
    };
    if !path.is_empty() && !path.starts_with(['/', '?']) {
        // Any other first character would extend the host name.
        return Err(refusal());
    }
    let root = base.as_str().trim_end_matches('/');
    let mut url = Url::parse(&format!("{root}{path}")).map_err(|_invalid| refusal())?;
    url.set_fragment(None);
    let same_origin = url.scheme() == base.scheme()
        && url.host() == base.host()
        && url.port_or_known_default() == base.port_or_known_default();
    let below = url
        .path()
        .strip_prefix(base.path().trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if !same_origin || !below || has_userinfo(&url) {
        return Err(refusal());
    }
    Ok(url)
}

/// Whether a URL carries a user name or a password.
pub(super) fn has_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Scheme, host and port as a grant would write them.
pub(super) fn origin(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}
