//! Where notices may go.

use url::{Host, Url};

use crate::connectors::egress::{Reach, special_name};

/// The longest address of a webhook.
const LONGEST: usize = 2_048;

/// The queue of all mail: there is one mail server.
pub const MAIL: &str = "email";

/// An address that a webhook may be sent to, as far as its text tells: what its name leads to is checked when it is
/// connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl {
    url: Url,
}

/// Why a webhook is not sent to an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is no address of the web.
    #[error("it is no URL with http or https and a host")]
    Form,
    /// It has a user name or a password.
    #[error("a URL with a user name or a password is not taken")]
    Userinfo,
    /// It is too long.
    #[error("it is longer than {LONGEST} characters")]
    TooLong,
    /// It is not on the public internet.
    #[error("{0} is not on the public internet: {1}")]
    Special(String, &'static str),
}

impl WebhookUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// A [`TargetError`].
    pub fn parse(text: &str, reach: Reach) -> Result<Self, TargetError> {
        if text.len() > LONGEST {
            return Err(TargetError::TooLong);
        }
        // A parser of URLs removes these, and people would read another address than the one that is meant.
        if text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return Err(TargetError::Form);
        }
        let mut url = Url::parse(text).map_err(|_unshown| TargetError::Form)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetError::Form);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Userinfo);
        }
        let range = match url.host() {
            Some(Host::Ipv4(address)) => reach.refuses(address.into()),
            Some(Host::Ipv6(address)) => reach.refuses(address.into()),
            Some(Host::Domain("localhost")) if reach != Reach::Public => None,
            Some(Host::Domain(name)) => special_name(name).then_some("a local name"),
            None => return Err(TargetError::Form),
        };
        let host = url.host_str().unwrap_or_default().to_owned();
        if let Some(range) = range {
            return Err(TargetError::Special(host, range));
        }
        url.set_fragment(None);
        Ok(Self { url })
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The queue of its host: scheme, host and port.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}
