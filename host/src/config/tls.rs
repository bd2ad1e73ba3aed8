//! Settings of TLS.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

/// TLS of the host itself, at least version 1.2, with HTTP/2. Without a certificate the host speaks HTTP/1.1 without TLS,
/// for a reverse proxy or for this machine only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// PEM file with the certificate and the certificates of its issuers. A changed file is used from the next connection
    /// on, within seconds or at SIGHUP; one that is wrong is reported, and the earlier one stays.
    pub certificate: Option<PathBuf>,
    /// PEM file with the private key of the certificate.
    pub key: Option<PathBuf>,
    /// Whether the operator's address has TLS too. Prometheus and the commands that ask a running host then use `https`.
    pub operator: bool,
}

impl Tls {
    /// Whether the host serves TLS.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.certificate.is_some() && self.key.is_some()
    }

    /// Mistakes in these settings.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        match (&self.certificate, &self.key) {
            (Some(_), None) => vec!["tls.key: required with tls.certificate"],
            (None, Some(_)) => vec!["tls.certificate: required with tls.key"],
            (None, None) if self.operator => {
                vec!["tls.operator: needs tls.certificate and tls.key"]
            }
            (Some(_), Some(_)) | (None, None) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn half_a_certificate_is_a_mistake() {
        for (text, mistake) in [
            (
                "certificate = \"a.pem\"",
                "tls.key: required with tls.certificate",
            ),
            ("key = \"a.pem\"", "tls.certificate: required with tls.key"),
            (
                "operator = true",
                "tls.operator: needs tls.certificate and tls.key",
            ),
        ] {
            let read = Config::read(&format!("[tls]\n{text}\n"), |_| None);
            let mistakes = read.expect_err("it is half").0;
            let shown: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            assert_eq!(shown.len(), 1, "{shown:?}");
            assert!(shown[0].contains(mistake), "{shown:?}");
        }
        let whole = "[tls]\ncertificate = \"a.pem\"\nkey = \"b.pem\"\n";
        assert!(Config::read(whole, |_| None).is_ok_and(|config| config.tls.is_on()));
    }
}
