//! The SMTP server that takes messages, read from its URL.

use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::extension::ClientId;
use url::{Host, Url};

/// When the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Never.
    Never,
    /// Once both have greeted, where the server can.
    Offered,
    /// Once both have greeted, or nothing is said.
    Required,
    /// From the first byte.
    Always,
}

/// Where messages are handed in. It has no `Debug`, which would show the password.
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    /// What this host calls itself.
    pub name: ClientId,
    pub credentials: Option<Credentials>,
}

/// What is wrong with the URL of a server. It has a password, so no text repeats a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SmtpMistake {
    /// It does not begin with `smtp://` or `smtps://`.
    #[error("it does not begin with smtp:// or smtps://")]
    Scheme,
    /// It cannot be read.
    #[error(
        "it is no URL, perhaps because the password has characters that must be written as %40"
    )]
    Form,
    /// It names no host.
    #[error("it names no host")]
    Host,
    /// It says something about TLS that there is not, or something else.
    #[error("behind the ? stands nothing but tls=required or tls=opportunistic")]
    Parameters,
    /// The path is the name that the server is greeted with.
    #[error("behind the / stands nothing but the name that this host greets with")]
    Name,
    /// A user without a password, or no text.
    #[error("a user has a password, and both are UTF-8")]
    Credentials,
}

impl SmtpServer {
    /// Reads a URL as `lettre` documents its own: `scheme://user:password@host:port/name?tls=…`. What `lettre` would
    /// silently leave out, such as a misspelt `tls`, is a mistake here.
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

    /// Whether what is said to the server can be read, or its answers forged, by others than this machine.
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
    fn the_usual_forms_are_read() {
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
    fn what_would_send_otherwise_than_was_meant_is_a_mistake() {
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
    fn only_this_machine_and_encryption_are_not_overheard() {
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
