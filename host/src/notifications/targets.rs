//! Addresses that notifications may be sent to.

use url::{Host, Url};

use crate::connectors::egress::{Reach, special_name};

/// Maximum length of a webhook URL, in bytes.
const LONGEST: usize = 2_048;

/// Queue of all e-mails. There is one, because there is one mail server.
pub const MAIL: &str = "email";

/// A webhook URL whose text is acceptable. The addresses that its name resolves to are checked at connection
/// time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl {
    url: Url,
}

/// Why a webhook URL is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("it is not an http or https URL with a host")]
    Form,
    #[error("a URL must not contain a user name or a password")]
    Userinfo,
    #[error("it is longer than {LONGEST} characters")]
    TooLong,
    #[error("{0} is not on the public internet: {1}")]
    Special(String, &'static str),
}

impl WebhookUrl {
    /// Parses and checks a webhook URL.
    ///
    /// # Errors
    /// A [`TargetError`].
    pub fn parse(text: &str, reach: Reach) -> Result<Self, TargetError> {
        if text.len() > LONGEST {
            return Err(TargetError::TooLong);
        }
        // URL parsers drop these characters, so people would read another address than the one that is used.
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

    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The queue of its deliveries: scheme, host and port.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}
