//! TLS of the host itself: what foreign clients negotiate, and certificates that are replaced.

use std::process::Command;
use std::time::Duration;

use lustra_tests::lustra::http_server::Replacement;
use reqwest::Method;
use time::macros::datetime;

use crate::command_line::{lustra, serve_with_log};
use crate::foreign::{runs, say};
use crate::tls_support::{LATER, Pair, with_tls};

/// Maximum time until something happens, also on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Negotiates with `ssl` of Python: the version and protocol, or the reason of the refusal.
const NEGOTIATE: &str = "
import socket, ssl, sys
port, ca, most, alpn = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
context = ssl.create_default_context(cafile=ca)
context.set_ciphers('DEFAULT:@SECLEVEL=0')
context.minimum_version = ssl.TLSVersion.TLSv1
context.maximum_version = getattr(ssl.TLSVersion, most)
context.set_alpn_protocols(alpn.split(','))
context.verify_flags &= ~ssl.VERIFY_X509_STRICT
try:
    with socket.create_connection(('localhost', port)) as plain:
        with context.wrap_socket(plain, server_hostname='localhost') as stream:
            print(stream.version(), stream.selected_alpn_protocol())
except ssl.SSLError as error:
    print(error.reason)
";

#[tokio::test(flavor = "multi_thread")]
async fn foreign_clients_negotiate_version_and_protocol() {
    if !runs("python3") || !runs("curl") {
        say("SKIPPED: the negotiation of TLS needs python3 and curl");
        return;
    }
    let (world, folder, _) = with_tls(|config| config.tls.operator = true).await;
    let port = world.address().port().to_string();
    let ca = folder.path().join("certificate.pem");
    for (most, alpn, expected) in [
        ("TLSv1_3", "h2,http/1.1", "TLSv1.3 h2"),
        ("TLSv1_2", "http/1.1", "TLSv1.2 http/1.1"),
        ("TLSv1_1", "http/1.1", "_ALERT_"),
    ] {
        let mut python = Command::new("python3");
        python
            .args(["-W", "ignore", "-c", NEGOTIATE, &port])
            .arg(&ca)
            .args([most, alpn]);
        let negotiated = tokio::task::spawn_blocking(move || python.output()).await;
        let negotiated = negotiated.expect("no panic").expect("it runs");
        let said = String::from_utf8_lossy(&negotiated.stdout).into_owned();
        assert!(said.contains(expected), "{negotiated:?}");
    }
    let operator = world.operator_url();
    let operator = operator.trim_start_matches("http://127.0.0.1");
    for (option, place, path, expected) in [
        ("--http2", format!(":{port}"), "/v1/health", "2 200"),
        ("--http1.1", format!(":{port}"), "/v1/health", "1.1 200"),
        ("--http2", operator.to_owned(), "/metrics", "2 200"),
    ] {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", option, "--cacert"])
            .arg(&ca);
        curl.args([
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_version} %{http_code}",
        ]);
        curl.arg(format!("https://localhost{place}{path}"));
        let asked = tokio::task::spawn_blocking(move || curl.output()).await;
        let asked = asked.expect("no panic").expect("it runs");
        let said = String::from_utf8_lossy(&asked.stdout).into_owned();
        assert_eq!(said, expected, "{asked:?}");
    }
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_usable_certificate_replaces_the_old_one() {
    let (world, folder, first) = with_tls(|_| {}).await;
    let (to, certificates) = (world.address(), world.certificates.clone());
    let certificates = certificates.expect("the world has one");
    assert_eq!(certificates.step(), Replacement::Unchanged);
    let other = Pair::new();
    let ended = Pair::valid(
        datetime!(2020-01-01 0:00 UTC),
        datetime!(2025-12-31 0:00 UTC),
    );
    let future = Pair::valid(datetime!(2040-01-01 0:00 UTC), LATER);
    for (certificate, key, mistake) in [
        ("", &*first.key, "certificate.pem: contains no certificate"),
        (&*first.certificate, "", "key.pem: contains no private key"),
        (
            &*first.key,
            &*first.key,
            "certificate.pem: contains no certificate",
        ),
        (
            &*other.certificate,
            &*first.key,
            "key.pem: the key does not belong to the certificate in",
        ),
        (
            &*ended.certificate,
            &*ended.key,
            "certificate.pem: the certificate ended at 2025-12-31",
        ),
        (
            &*future.certificate,
            &*future.key,
            "certificate.pem: the certificate is valid from 2040-01-01",
        ),
        (
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            &*first.key,
            "certificate.pem: the certificate cannot be read",
        ),
    ] {
        let wrong = Pair {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        };
        wrong.write(folder.path());
        let Replacement::Rejected(why) = certificates.step() else {
            panic!("accepted: {mistake}");
        };
        assert!(
            why.contains(mistake) && !why.contains("PRIVATE KEY-----\n"),
            "{why}"
        );
        let metrics = metrics(&world).await;
        assert!(
            metrics.contains("lustra_tls_certificate_rejected{} 1.0"),
            "{metrics}"
        );
        first.connect(to, &[]).await.expect("the first one serves");
    }
    std::fs::remove_file(folder.path().join("key.pem")).expect("it is there");
    assert!(
        matches!(certificates.step(), Replacement::Rejected(why) if why.contains("key.pem: No such file"))
    );
    other.write(folder.path());
    assert_eq!(certificates.step(), Replacement::Replaced);
    assert_eq!(certificates.step(), Replacement::Unchanged);
    other.connect(to, &[]).await.expect("the new one serves");
    assert!(
        first.connect(to, &[]).await.is_err(),
        "the first one is gone"
    );
    let metrics = metrics(&world).await;
    assert!(
        metrics.contains("lustra_tls_certificate_rejected{} 0.0"),
        "{metrics}"
    );
    world.end().await;
}

async fn metrics(world: &lustra_tests::World) -> String {
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    metrics.body.as_str().expect("a text").to_owned()
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

#[tokio::test(flavor = "multi_thread")]
async fn sighup_replaces_the_certificate() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let (first, second) = (Pair::new(), Pair::new());
    let (certificate, key) = first.write(folder.path());
    let (data, components) = (folder.path().join("data"), folder.path().join("components"));
    std::fs::create_dir_all(&components).expect("a folder of our own");
    let file = folder.path().join("lustra.toml");
    let text = format!(
        "listen = \"127.0.0.1:0\"\ndata = {data:?}\ncomponents = {components:?}\n\
         [operator]\nlisten = \"127.0.0.1:{}\"\n[imports]\nscheduled = false\n\
         [tls]\ncertificate = {certificate:?}\nkey = {key:?}\noperator = true\n",
        free_port()
    );
    std::fs::write(&file, text).expect("a folder of our own");
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let (host, url) = serve_with_log(&file, move |line| drop(sender.send(line))).await;
    let to = url
        .strip_prefix("https://")
        .and_then(|url| url.split('/').next());
    let to = to
        .and_then(|to| to.parse().ok())
        .expect("an address with TLS");
    first.connect(to, &[]).await.expect("the first one serves");
    second.write(folder.path());
    let hangup = Command::new("kill")
        .args(["-HUP", &host.id().expect("it runs").to_string()])
        .status();
    assert!(hangup.expect("kill is there").success());
    let replaced = async {
        let mut heard = false;
        while let Some(line) = lines.recv().await {
            heard |= line.contains("SIGHUP: reading settings");
            if heard && line.contains("TLS: certificate replaced") {
                return;
            }
        }
        panic!("the host ended");
    };
    let replaced = tokio::time::timeout(MAX_WAIT, replaced).await;
    replaced.expect("the log says that it was replaced");
    second.connect(to, &[]).await.expect("the new one serves");
    // The commands accept the certificate of the settings, whatever names it has.
    let config = file.display().to_string();
    let reloaded = lustra(&["connector", "reload", "--config", &config]).await;
    assert_eq!(reloaded.printed().trim(), "nothing changed");
    drop(host);
    std::fs::write(folder.path().join("key.pem"), &first.key).expect("a folder of our own");
    let refused = lustra(&["serve", "--config", &config]).await.refused();
    assert!(
        refused.contains("tls.certificate: TLS: ")
            && refused.contains("key.pem: the key does not belong"),
        "{refused}"
    );
}
