//! Hosts behind a reverse proxy: whose address counts, and the guide's configurations with real proxies.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lustra_tests::World;
use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::foreign::{done, runs, say};
use crate::owner_keys::{managing_key, send};
use crate::tls_support::Pair;

/// Maximum time until a proxy listens, also on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(30);

const GUIDE: &str = include_str!("../../host/docs/deployment.md");

/// A block of the guide in a language.
fn block(language: &str) -> &'static str {
    let after = GUIDE.split(&format!("```{language}\n")).nth(1);
    let block = after.and_then(|rest| rest.split("```").next());
    block.expect("the guide has it")
}

/// A world that trusts a proxy on the loopback address.
async fn behind_a_proxy(most_each_address: usize) -> World {
    let world = World::new()
        .connectors(&[])
        .companies(12)
        .nothing_imported();
    let world = world.without_index().settings(move |config| {
        config.connections.proxies = vec!["127.0.0.1".to_owned()];
        config.connections.most_each_address = most_each_address;
    });
    world.start().await
}

/// Begins a request of a client whose handler waits for the body.
async fn waiting(world: &World, client: &str) -> TcpStream {
    let mut stream = TcpStream::connect(world.address())
        .await
        .expect("it listens");
    let request = format!(
        "POST /v1/batch/ico HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {}\r\nX-Forwarded-For: {client}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
        world.key
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it is read");
    // The handler asks for the body, so the request is in progress.
    let mut answer = [0; 12];
    stream
        .read_exact(&mut answer)
        .await
        .expect("it is answered");
    assert_eq!(&answer, b"HTTP/1.1 100");
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_limited_by_the_forwarded_address() {
    let world = behind_a_proxy(2).await;
    let mut held = Vec::new();
    // All of them are connections of one proxy.
    for client in ["192.0.2.1", "192.0.2.1", "192.0.2.2"] {
        held.push(waiting(&world, client).await);
    }
    for (client, status) in [
        ("192.0.2.1", 429),
        ("198.51.100.9, 192.0.2.1", 429),
        ("192.0.2.2", 200),
    ] {
        let by = [("x-forwarded-for", client)];
        let answer = world.get_with("/v1/health", &by).await;
        assert_eq!(answer.status, status, "{client}: {answer:?}");
        if status == 429 {
            assert_eq!(answer.body["error"], "rate_limit_exceeded");
            assert!(answer.header("retry-after").is_some());
        }
    }
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let metrics = metrics.body.as_str().expect("a text");
    let refused = "lustra_http_requests_refused_total{listener=\"api\",reason=\"client_limit\"} 2";
    assert!(metrics.contains(refused), "{metrics}");
    drop(held);
    world.end().await;
}

/// A proxy that runs until it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

/// Writes the guide's configuration of nginx for this world into a folder. Returns its port.
fn configure_nginx(world: &World, folder: &Path) -> u16 {
    let (port, upstream) = (free_port(), world.address());
    let mut server = block("nginx").to_owned();
    for (of_guide, here) in [
        (
            "listen 443 ssl http2;",
            format!("listen 127.0.0.1:{port} ssl http2;"),
        ),
        ("    listen [::]:443 ssl http2;\n", String::new()),
        (
            "/etc/letsencrypt/live/api.example.com/fullchain.pem",
            format!("{}/certificate.pem", folder.display()),
        ),
        (
            "/etc/letsencrypt/live/api.example.com/privkey.pem",
            format!("{}/key.pem", folder.display()),
        ),
        ("http://127.0.0.1:8080", format!("http://{upstream}")),
    ] {
        assert!(server.contains(of_guide), "{of_guide}");
        server = server.replace(of_guide, &here);
    }
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary
        .map(|name| format!("{name}_temp_path {name};\n"))
        .concat();
    let text = format!(
        "pid nginx.pid;\nerror_log stderr;\ndaemon off;\nmaster_process off;\nevents {{}}\n\
         http {{\naccess_log off;\n{temporary}{server}\n}}\n"
    );
    std::fs::write(folder.join("nginx.conf"), text).expect("a folder of our own");
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn guide_for_nginx_passes_the_clients_address_on() {
    // Debian installs it where only root looks.
    let nginx = ["nginx", "/usr/sbin/nginx"].into_iter();
    let nginx = nginx
        .into_iter()
        .find(|path| Command::new(path).arg("-v").output().is_ok());
    let Some(nginx) = nginx.filter(|_| runs("curl")) else {
        say("SKIPPED: the guide for nginx needs nginx and curl");
        return;
    };
    let world = behind_a_proxy(64).await;
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    Pair::new().write(folder.path());
    let port = configure_nginx(&world, folder.path());
    let command = |more: &[&str]| {
        let mut command = Command::new(nginx);
        command
            .arg("-p")
            .arg(folder.path())
            .args(["-e", "stderr", "-c", "nginx.conf"])
            .args(more);
        command
    };
    let tested = command(&["-t"]).output().expect("it runs");
    assert!(
        tested.status.success(),
        "{}",
        String::from_utf8_lossy(&tested.stderr)
    );
    let running = command(&[]).stderr(Stdio::null()).spawn();
    let _running = Running(running.expect("it runs"));
    let listens = async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(MAX_WAIT, listens)
        .await
        .expect("nginx listens");
    let manager = managing_key(&world).await;
    let body = json!({ "name": "office", "addresses": ["127.0.0.2/32"] });
    let created = send(
        &world.url(),
        &manager,
        Method::POST,
        "/v1/account/keys",
        &body,
    )
    .await;
    let secret = created.at("/key").as_str().expect("a key").to_owned();
    for (from, forged, expected) in [
        ("127.0.0.2", "192.0.2.7", "2 200"),
        ("127.0.0.3", "127.0.0.2", "2 403"),
    ] {
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--show-error",
            "--http2",
            "--ipv4",
            "--interface",
            from,
            "--cacert",
        ]);
        curl.arg(folder.path().join("certificate.pem"));
        curl.args(["--header", &format!("X-API-Key: {secret}")]);
        curl.args(["--header", &format!("X-Forwarded-For: {forged}")]);
        curl.args([
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_version} %{http_code}",
        ]);
        curl.arg(format!("https://localhost:{port}/v1/account/usage"));
        let asked = tokio::task::spawn_blocking(move || curl.output()).await;
        let asked = asked.expect("no panic").expect("it runs");
        let said = String::from_utf8_lossy(&asked.stdout).into_owned();
        assert_eq!(said, expected, "{from}: {asked:?}");
    }
    world.end().await;
}

#[test]
fn guide_for_caddy_is_valid() {
    let is_there = Command::new("caddy").arg("version").output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        say("SKIPPED: the guide for Caddy needs caddy");
        return;
    }
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("Caddyfile");
    std::fs::write(&file, block("caddyfile")).expect("a folder of our own");
    let mut caddy = Command::new("caddy");
    // It keeps its state below the home directory.
    caddy
        .args(["validate", "--adapter", "caddyfile", "--config"])
        .arg(&file);
    caddy
        .env("HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path());
    caddy.env("XDG_CONFIG_HOME", folder.path());
    assert!(done("the configuration of Caddy", &mut caddy));
}
