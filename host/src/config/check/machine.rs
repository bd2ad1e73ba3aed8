//! Checks the settings against this machine: directories, file modes, addresses. Changes nothing.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::Access;
use serde_json::Value;

use super::super::address;
use super::{Config, Findings, Problem};
use crate::config::SmtpServer;
use crate::connectors::egress::special_name;

/// Time limit of asking whether the program at an address is a host.
const ASKING: Duration = Duration::from_secs(1);

/// Most bytes of that program's answer.
const ANSWER: u64 = 64 << 10;

/// Settings whose value is a secret if it stands in the file.
const SECRETS: [&str; 4] = [
    "store",
    "mail.smtp",
    "operator.key",
    "notifications.secrets_key",
];

pub(super) fn check(config: &Config, file: &Path, text: &str, found: &mut Findings) {
    addresses(config, found);
    directory("data", &config.data, found);
    if let Some(compiled) = &config.compiled {
        directory("compiled", compiled, found);
    }
    for (setting, file) in [
        ("notifications.secrets_key", config.data.join("secrets.key")),
        ("compiled", config.compiled_components().join("key")),
    ] {
        secret_file(setting, &file, found);
    }
    if let Some(secret) = SECRETS.iter().find(|name| is_written(name, config, text)) {
        secret_file(secret, file, found);
    }
    mail(config, found);
    let shared = config.store_url();
    if shared.starts_with("postgres") && config.notifications.secrets_key.is_none() {
        found.add("notifications.secrets_key", Problem::OwnSecretsKey);
    }
}

fn addresses(config: &Config, found: &mut Findings) {
    let operator = &config.operator;
    if operator.on && !operator.listen.ip().is_loopback() {
        found.add("operator.listen", Problem::PublicOperator(operator.listen));
    }
    let everyone = ["0.0.0.0/0", "::/0"];
    let proxies = config.connections.proxies.iter();
    for network in proxies.filter(|network| everyone.contains(&network.as_str())) {
        let problem = Problem::EveryoneIsProxy((*network).clone());
        found.add("connections.proxies", problem);
    }
    address_free("listen", config.listen, found);
    if operator.on {
        address_free("operator.listen", operator.listen, found);
    }
}

/// Listens on the address for a moment. If a host of Lustra holds it, it may be the one with these settings.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other cases are treated alike"
)]
fn address_free(setting: &str, address: SocketAddr, found: &mut Findings) {
    if address.port() == 0 {
        return;
    }
    let Err(error) = TcpListener::bind(address) else {
        return;
    };
    let problem = match error.kind() {
        ErrorKind::AddrInUse if is_answered_by_lustra(address) => Problem::HostListens(address),
        ErrorKind::AddrInUse => Problem::AddressInUse(address),
        _ => Problem::AddressUnusable {
            address,
            reason: error.to_string(),
        },
    };
    found.add(setting, problem);
}

/// Whether the program that listens on an address is a host of Lustra: its API answers with the state of the service or
/// with the one form of errors, and its operator address with the list of workers.
#[must_use]
pub fn is_answered_by_lustra(mut address: SocketAddr) -> bool {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let is_api = |body: &Value| body["status"].is_string() || body["error"].is_string();
    let is_operator = |body: &Value| body[0]["name"].is_string();
    answer(address, "/v1/health").is_some_and(|body| is_api(&body))
        || answer(address, "/workers").is_some_and(|body| is_operator(&body))
}

/// The answer of the program at an address, if it is JSON.
fn answer(address: SocketAddr, path: &str) -> Option<Value> {
    let asked = || -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&address, ASKING)?;
        stream.set_read_timeout(Some(ASKING))?;
        stream.set_write_timeout(Some(ASKING))?;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(ANSWER).read_to_end(&mut answer)?;
        Ok(answer)
    };
    let answer = String::from_utf8_lossy(&asked().ok()?).into_owned();
    let (_, body) = answer.split_once("\r\n\r\n")?;
    serde_json::from_str(body.trim()).ok()
}

/// A directory of the host, which it creates if it is missing.
fn directory(setting: &str, path: &Path, found: &mut Findings) {
    if let Some(problem) = unusable(path) {
        found.add(setting, problem);
    }
}

fn unusable(path: &Path) -> Option<Problem> {
    // Of a missing directory, the nearest one above it must be writable.
    let absolute = std::path::absolute(path).unwrap_or_else(|_unset| path.to_owned());
    let existing = absolute
        .ancestors()
        .find(|above| above.symlink_metadata().is_ok())?;
    if !existing.is_dir() {
        return Some(Problem::NotADirectory(existing.to_owned()));
    }
    let access = rustix::fs::access(existing, Access::WRITE_OK | Access::EXEC_OK);
    access.err().map(|error| Problem::NotWritable {
        path: existing.to_owned(),
        reason: io::Error::from(error).to_string(),
    })
}

/// A file with a secret: readable for this user and for no other.
fn secret_file(setting: &str, path: &Path, found: &mut Findings) {
    let path: PathBuf = path.to_owned();
    let mode = match path.metadata() {
        Ok(metadata) => mode(&metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => {
            let reason = error.to_string();
            found.add(setting, Problem::UnreadableFile { path, reason });
            return;
        }
    };
    if let Err(error) = std::fs::File::open(&path) {
        let reason = error.to_string();
        found.add(setting, Problem::UnreadableFile { path, reason });
    } else if mode & 0o077 != 0 {
        found.add(setting, Problem::ReadableByOthers { path, mode });
    }
}

#[cfg(unix)]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata) & 0o777
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> u32 {
    0
}

/// Whether the value of a secret setting stands in the file, and not in the environment.
fn is_written(setting: &str, config: &Config, text: &str) -> bool {
    if setting == "store" && !has_password(&config.store_url()) {
        return false;
    }
    let table = toml::from_str::<toml::Value>(text).ok();
    let value = table.and_then(|table| {
        let mut names = setting.split('.');
        names.try_fold(table, |value, name| value.get(name).cloned())
    });
    let value = value.as_ref().and_then(toml::Value::as_str);
    value.is_some_and(|value| !value.starts_with("env:"))
}

fn has_password(url: &str) -> bool {
    url.parse::<url::Url>()
        .is_ok_and(|url| url.password().is_some())
}

fn mail(config: &Config, found: &mut Findings) {
    let Some(url) = config.mail.smtp.as_ref().filter(|_| config.mail.on) else {
        return;
    };
    if SmtpServer::parse(url.reveal()).is_ok_and(|server| server.is_overheard()) {
        found.add("mail.smtp", Problem::UnencryptedMail);
    }
    if let Ok(sender) = address::sender(&config.mail.from)
        && special_name(sender.email.domain())
    {
        let domain = sender.email.domain().to_owned();
        found.add("mail.from", Problem::LocalSender(domain));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that answers every request with this JSON.
    fn answering(body: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (mut asked, mut client) = ([0; 1_024], client);
                let read = client.read(&mut asked);
                let answer = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{body}");
                drop(read.and_then(|_| client.write_all(answer.as_bytes())));
            }
        });
        address
    }

    #[test]
    fn address_of_another_host_is_a_note() {
        let mut found = Findings(Vec::new());
        let host = answering("{\"status\":\"ok\"}");
        let other = answering("hello");
        address_free("listen", host, &mut found);
        address_free("operator.listen", other, &mut found);
        let problems: Vec<&Problem> = found.0.iter().map(|finding| &finding.problem).collect();
        let expected = [&Problem::HostListens(host), &Problem::AddressInUse(other)];
        assert_eq!(problems, expected);
        assert!(problems[0].is_note() && !problems[0].is_fatal());
        assert!(!problems[1].is_note() && problems[1].is_fatal());
        let said = problems[0].to_string();
        assert!(said.contains("choose another port"), "{said}");
    }
}
