//! Addresses that notifications may be sent to.

use url::{Host, Url};

use crate::connectors::egress::{Reach, special_name};

/// Maximum length of a webhook URL as it is stored and requested: percent-encoded, so that each character is a
/// byte.
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
    #[error("percent-encoded, it is longer than {LONGEST} characters")]
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
        if url.as_str().len() > LONGEST {
            return Err(TargetError::TooLong);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(path: &str) -> Result<WebhookUrl, TargetError> {
        WebhookUrl::parse(&format!("https://firma.sk/{path}"), Reach::Public)
    }

    #[test]
    fn length_limit_counts_the_encoded_url() {
        let rest = LONGEST - "https://firma.sk/".len();
        assert!(parsed(&"a".repeat(rest)).is_ok());
        assert_eq!(parsed(&"a".repeat(rest + 1)), Err(TargetError::TooLong));
        // Each of these characters has 2 bytes and is encoded as 6.
        let longest = parsed(&"č".repeat(rest / 6)).expect("it fits when it is encoded");
        assert_eq!(parsed(&"č".repeat(rest / 6 + 1)), Err(TargetError::TooLong));
        // Deliveries parse the stored URL.
        let stored = WebhookUrl::parse(longest.url().as_str(), Reach::Public);
        assert_eq!(stored, Ok(longest));
    }
}
