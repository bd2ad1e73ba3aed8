//! The SMTP server for outgoing messages, parsed from its URL.

use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::extension::ClientId;
use url::{Host, Url};

/// When the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// No encryption at all.
    Never,
    /// STARTTLS if the server offers it.
    Offered,
    /// STARTTLS; without it nothing is sent.
    Required,
    /// TLS from the first byte (implicit TLS).
    Always,
}

/// The mail server. It has no `Debug`, which would show the password.
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    /// Name of this host in the greeting (EHLO).
    pub name: ClientId,
    pub credentials: Option<Credentials>,
}

/// A mistake in the server's URL. The URL contains a password, so no text repeats a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SmtpMistake {
    #[error("it does not begin with smtp:// or smtps://")]
    Scheme,
    /// The URL cannot be parsed.
    #[error(
        "it is not a valid URL; special characters of the password must be percent-encoded, such as %40"
    )]
    Form,
    #[error("it has no host")]
    Host,
    /// The query has an unknown parameter, or `tls` an unknown value.
    #[error("the only query parameter is tls=required or tls=opportunistic, and only for smtp://")]
    Parameters,
    /// The path, which is the name for the greeting, is not a host name.
    #[error("the path may only contain this host's name for the greeting (EHLO)")]
    Name,
    /// A user without a password or the reverse, or text that is not UTF-8.
    #[error("user and password must be set together and be UTF-8")]
    Credentials,
}

impl SmtpServer {
    /// Parses a URL in the form of `lettre`: `scheme://user:password@host:port/name?tls=…`. Rejects what `lettre` would
    /// silently ignore, such as a misspelt `tls`.
    pub fn parse(text: &str) -> Result<Self, SmtpMistake> {
        if !text.starts_with("smtp://") && !text.starts_with("smtps://") {
            return Err(SmtpMistake::Scheme);
        }
        let url = Url::parse(text).map_err(|_unshown| SmtpMistake::Form)?;
        let host = match url.host() {
            Some(Host::Ipv6(address)) => address.to_string(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Domain(name)) if !name.is_empty() => name.to_owned(),
            Some(Host::Domain(_)) | None => return Err(SmtpMistake::Host),
        };
        let parameters: Vec<_> = url.query_pairs().collect();
        let tls = match parameters.as_slice() {
            [] => None,
            [(name, value)] if name == "tls" => Some(value.as_ref()),
            _ => return Err(SmtpMistake::Parameters),
        };
        let (encryption, usual) = match (url.scheme(), tls) {
            ("smtps", None) => (Encryption::Always, 465),
            ("smtp", Some("required")) => (Encryption::Required, 587),
            ("smtp", Some("opportunistic")) => (Encryption::Offered, 587),
            ("smtp", None) => (Encryption::Never, 25),
            _ => return Err(SmtpMistake::Parameters),
        };
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual),
            encryption,
            name: name(url.path())?,
            credentials: credentials(&url)?,
        })
    }

    /// Whether the connection leaves this machine and may be unencrypted, so that others could read or forge it.
    pub fn is_overheard(&self) -> bool {
        let near = self.host == "localhost"
            || self
                .host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback());
        let open = matches!(self.encryption, Encryption::Never | Encryption::Offered);
        open && !near
    }
}

fn name(path: &str) -> Result<ClientId, SmtpMistake> {
    let name = path.trim_matches('/');
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    if name.is_empty() {
        return Ok(ClientId::default());
    }
    if !name.chars().all(is_part) {
        return Err(SmtpMistake::Name);
    }
    Ok(ClientId::Domain(name.to_owned()))
}

fn credentials(url: &Url) -> Result<Option<Credentials>, SmtpMistake> {
    let decoded = |text: &str| {
        let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
        let decoded = decoded.map(std::borrow::Cow::into_owned);
        decoded.map_err(|_unshown| SmtpMistake::Credentials)
    };
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        (user, Some(password)) if !user.is_empty() => {
            Ok(Some(Credentials::new(decoded(user)?, decoded(password)?)))
        }
        _ => Err(SmtpMistake::Credentials),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_smtp_urls_are_parsed() {
        let read = |url: &str| {
            SmtpServer::parse(url).map(|server| {
                (
                    server.host,
                    server.port,
                    server.encryption,
                    server.name.to_string(),
                    server.credentials,
                )
            })
        };
        let password = |user: &str, password: &str| {
            Some(Credentials::new(user.to_owned(), password.to_owned()))
        };
        let local = "[127.0.0.1]".to_owned();
        for (url, server) in [
            (
                "smtps://lustra:p%40ss@mail.example",
                (
                    "mail.example",
                    465,
                    Encryption::Always,
                    local.clone(),
                    password("lustra", "p@ss"),
                ),
            ),
            (
                "smtp://a%40b.sk:x@mail.example/lustra.example?tls=required",
                (
                    "mail.example",
                    587,
                    Encryption::Required,
                    "lustra.example".to_owned(),
                    password("a@b.sk", "x"),
                ),
            ),
            (
                "smtp://[::1]:2525",
                ("::1", 2525, Encryption::Never, local.clone(), None),
            ),
            (
                "smtp://10.0.0.1?tls=opportunistic",
                ("10.0.0.1", 587, Encryption::Offered, local, None),
            ),
        ] {
            let (host, port, encryption, name, credentials) = server;
            let server = (host.to_owned(), port, encryption, name, credentials);
            assert!(read(url) == Ok(server), "{url}");
        }
    }

    #[test]
    fn mistaken_smtp_urls_are_rejected() {
        for (url, mistake) in [
            ("mail.example:25", SmtpMistake::Scheme),
            ("smtp://lustra:p#ss@mail.example", SmtpMistake::Form),
            ("smtp://", SmtpMistake::Host),
            ("smtp://mail.example?TLS=required", SmtpMistake::Parameters),
            ("smtp://mail.example?tls=yes", SmtpMistake::Parameters),
            (
                "smtp://mail.example?tls=required&x=1",
                SmtpMistake::Parameters,
            ),
            ("smtps://mail.example/a%20b", SmtpMistake::Name),
            ("smtps://lustra@mail.example", SmtpMistake::Credentials),
            ("smtps://:password@mail.example", SmtpMistake::Credentials),
            ("smtps://lustra:%ff@mail.example", SmtpMistake::Credentials),
        ] {
            assert_eq!(SmtpServer::parse(url).err(), Some(mistake), "{url}");
        }
    }

    #[test]
    fn only_unencrypted_remote_servers_are_overheard() {
        for (url, overheard) in [
            ("smtp://localhost", false),
            ("smtp://127.0.0.1:25", false),
            ("smtp://[::1]:25", false),
            ("smtps://mail.example", false),
            ("smtp://mail.example?tls=required", false),
            ("smtp://mail.example?tls=opportunistic", true),
            ("smtp://mail.example", true),
        ] {
            let server =
                SmtpServer::parse(url).unwrap_or_else(|mistake| panic!("{url}: {mistake}"));
            assert_eq!(server.is_overheard(), overheard, "{url}");
        }
    }
}
