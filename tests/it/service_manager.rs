//! The host under a service manager: sockets that it passes, its notifications, and a replacement without a failed
//! request.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixDatagram};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use crate::command_line::{lustra, program};

/// Bound of every wait for another process.
const PATIENCE: Duration = Duration::from_secs(60);

/// What systemd holds for a service: its socket, and the socket for its notifications.
struct Manager {
    folder: tempfile::TempDir,
    socket: TcpListener,
}

/// A process of the service.
struct Service {
    process: Child,
    notices: UnixDatagram,
}

impl Manager {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        std::fs::create_dir(folder.path().join("components")).expect("a fresh folder");
        let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let manager = Self { folder, socket };
        manager.configure(manager.address(), "");
        manager
    }

    fn address(&self) -> SocketAddr {
        self.socket.local_addr().expect("it is bound")
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("lustra.toml")
    }

    fn configure(&self, listen: SocketAddr, further: &str) {
        let (data, components) = (
            self.folder.path().join("data"),
            self.folder.path().join("components"),
        );
        let text = format!(
            "listen = \"{listen}\"\ndata = {data:?}\ncomponents = {components:?}\n{further}\n\
             [operator]\non = false\n[imports]\nscheduled = false\n"
        );
        std::fs::write(self.config(), text).expect("a folder of our own");
    }

    /// Starts a process of the service as systemd does: the socket is descriptor 3.
    fn start(&self, name: &str) -> Service {
        let notices = self.folder.path().join(name);
        let socket = self.socket.try_clone().expect("a descriptor is free");
        let mut shell = Command::new("sh");
        shell
            .args([
                "-c",
                "export LISTEN_PID=$$; exec \"$@\" 3<&0 </dev/null",
                "sh",
            ])
            .arg(program())
            .args(["serve", "--config"])
            .arg(self.config())
            .env("LISTEN_FDS", "1")
            .env("NOTIFY_SOCKET", &notices)
            .env("WATCHDOG_USEC", "300000")
            .env_remove("RUST_LOG")
            .stdin(Stdio::from(OwnedFd::from(socket)))
            .stderr(std::fs::File::create(self.log(name)).expect("a folder of our own"))
            .kill_on_drop(true);
        let notices = UnixDatagram::bind(notices).expect("a fresh name");
        let process = shell.spawn().expect("it was just built");
        Service { process, notices }
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    /// Write-ahead logs of SQLite in the data directory.
    fn write_ahead_logs(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path().join("data")).expect("it is there");
        let paths = entries.map(|entry| entry.expect("it is readable").path());
        let logs = paths.filter(|path| path.extension().is_some_and(|end| end == "db-wal"));
        logs.collect()
    }
}

impl Service {
    /// Waits for a notification with this line and returns its lines.
    async fn notified(&self, line: &str) -> Vec<String> {
        let waiting = async {
            loop {
                let mut text = vec![0; 4_096];
                let length = self.notices.recv(&mut text).await.expect("a datagram");
                let text = String::from_utf8_lossy(&text[..length]).into_owned();
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                if lines.iter().any(|other| other.starts_with(line)) {
                    return lines;
                }
            }
        };
        let notified = tokio::time::timeout(PATIENCE, waiting).await;
        notified.unwrap_or_else(|_| panic!("no notification {line}"))
    }

    async fn signal(&self, signal: &str) {
        let id = self.process.id().expect("it runs").to_string();
        let sent = Command::new("kill").args([signal, &id]).status().await;
        assert!(sent.expect("there is kill").success());
    }

    async fn ended(mut self) -> bool {
        let ended = tokio::time::timeout(PATIENCE, self.process.wait()).await;
        ended.expect("it ends").expect("it is ours").success()
    }
}

/// Sends requests on one connection until `stop`, and opens another when the host closed it. Returns the number of
/// requests without a complete answer.
async fn load(address: SocketAddr, stop: Arc<AtomicBool>, answered: Arc<AtomicU64>) -> u64 {
    let mut failed = 0;
    let mut connection = None;
    while !stop.load(Ordering::Relaxed) {
        let mut open = match connection.take() {
            Some(open) => open,
            None => TcpStream::connect(address)
                .await
                .expect("the socket listens"),
        };
        match ask(&mut open).await {
            Ok(keeps) => {
                answered.fetch_add(1, Ordering::Relaxed);
                connection = keeps.then_some(open);
            }
            Err(_) => failed += 1,
        }
    }
    failed
}

/// Sends a request and reads its answer. Returns whether the connection stays open.
async fn ask(connection: &mut TcpStream) -> std::io::Result<bool> {
    let request = b"GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    connection.write_all(request).await?;
    let mut answer = Vec::new();
    while !answer.ends_with(br#"{"status":"ok"}"#) {
        if connection.read_buf(&mut answer).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let answer = String::from_utf8_lossy(&answer).to_lowercase();
    Ok(!answer.contains("\r\nconnection: close\r\n"))
}

fn start_load(
    address: SocketAddr,
    stop: &Arc<AtomicBool>,
    answered: &Arc<AtomicU64>,
) -> Vec<JoinHandle<u64>> {
    let clients = std::iter::repeat_with(|| {
        tokio::spawn(load(address, Arc::clone(stop), Arc::clone(answered)))
    });
    clients.take(4).collect()
}

fn log(path: &Path) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

#[tokio::test(flavor = "multi_thread")]
async fn manager_learns_of_start_reload_and_end() {
    let manager = Manager::new();
    let other = SocketAddr::from(([127, 0, 0, 1], 9));
    manager.configure(other, "");
    let service = manager.start("service");
    let started = service.notified("STATUS=starting").await;
    assert!(!started.contains(&"READY=1".to_owned()), "{started:?}");
    let ready = service.notified("READY=1").await;
    let status = format!(
        "STATUS=serving on http://{} with 0 of 0 connectors",
        manager.address()
    );
    assert!(ready.contains(&status), "{ready:?}");
    let mut connection = TcpStream::connect(manager.address())
        .await
        .expect("it listens");
    assert!(ask(&mut connection).await.expect("it answers"));
    service.notified("WATCHDOG=1").await;
    // A file that names a connector without a component is accepted; one with a mistake is not.
    manager.configure(other, "base_registers = []");
    service.signal("-HUP").await;
    let reloading = service.notified("RELOADING=1").await;
    let has_time = |line: &String| line.starts_with("MONOTONIC_USEC=");
    assert!(reloading.iter().any(has_time), "{reloading:?}");
    service.notified("READY=1").await;
    manager.configure(other, "wrong = 1");
    service.signal("-HUP").await;
    service.notified("READY=1").await;
    service.signal("-TERM").await;
    service.notified("STOPPING=1").await;
    // An idle connection stays usable for a moment, until an answer closes it. The manager learns of the stop before
    // the connections do, so the first answers may keep the connection open.
    while ask(&mut connection).await.expect("it still answers") {}
    assert!(service.ended().await);
    let log = log(&manager.log("service"));
    for line in [
        "settings: listen is 127.0.0.1:9, but the service manager listens on",
        "SIGHUP: reloaded; 0 connectors changed",
        "SIGHUP: the settings have mistakes; kept the previous ones",
        "requests in progress get up to 30 s; a second signal cancels them",
    ] {
        assert!(log.contains(line), "{line}\n{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replacement_on_the_same_socket_fails_no_request() {
    let manager = Manager::new();
    let old = manager.start("old");
    old.notified("READY=1").await;
    let (stop, answered) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let clients = start_load(manager.address(), &stop, &answered);
    let config = manager.config().display().to_string();
    let healthy = lustra(&["health", "--config", &config]).await.printed();
    assert_eq!(healthy, "ok\n");
    let new = manager.start("new");
    new.notified("READY=1").await;
    old.signal("-TERM").await;
    assert!(old.ended().await);
    let before = answered.load(Ordering::Relaxed);
    new.notified("WATCHDOG=1").await;
    new.notified("WATCHDOG=1").await;
    stop.store(true, Ordering::Relaxed);
    let mut failed = 0;
    for client in clients {
        failed += client.await.expect("it only counts");
    }
    let after = answered.load(Ordering::Relaxed);
    assert_eq!(failed, 0, "of {after}");
    assert!(
        before > 0 && after > before,
        "{before} of {after} by the old process"
    );
    new.signal("-TERM").await;
    assert!(new.ended().await);
}

/// Searches with an unknown key until the task is aborted. The first requests read the database.
async fn search_with_unknown_key(address: SocketAddr, answered: mpsc::UnboundedSender<()>) {
    let request = b"GET /v1/search?q=vzor HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
        authorization: Bearer lus_live_000000000000000000000000\r\n\r\n";
    let send = async || {
        let mut connection = TcpStream::connect(address).await?;
        connection.write_all(request).await?;
        connection.read_to_end(&mut Vec::new()).await
    };
    // Requests fail while the host stops.
    while send().await.is_err() || answered.send(()).is_ok() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_under_load_leaves_no_write_ahead_log() {
    let manager = Manager::new();
    for name in ["first", "second"] {
        let service = manager.start(name);
        service.notified("READY=1").await;
        let (answered, mut answers) = mpsc::unbounded_channel();
        let mut clients = JoinSet::new();
        for _ in 0..8 {
            clients.spawn(search_with_unknown_key(manager.address(), answered.clone()));
        }
        drop(answered);
        for _ in 0..100 {
            answers.recv().await.expect("the clients run");
        }
        assert_ne!(manager.write_ahead_logs(), Vec::<PathBuf>::new());
        service.signal("-TERM").await;
        assert!(service.ended().await);
        assert_eq!(manager.write_ahead_logs(), Vec::<PathBuf>::new());
    }
}

#[tokio::test]
async fn second_signal_cancels_requests_in_progress() {
    let manager = Manager::new();
    let service = manager.start("service");
    service.notified("READY=1").await;
    // An accepted connection, and on it a request whose headers never end.
    let mut connection = TcpStream::connect(manager.address())
        .await
        .expect("it listens");
    assert!(ask(&mut connection).await.expect("it answers"));
    connection
        .write_all(b"GET /v1/health HTTP/1.1\r\n")
        .await
        .expect("it reads");
    service.signal("-TERM").await;
    service.notified("STOPPING=1").await;
    service.signal("-INT").await;
    assert!(service.ended().await);
    let log = log(&manager.log("service"));
    assert!(
        log.contains("SIGINT: requests in progress are cancelled"),
        "{log}"
    );
}

#[tokio::test]
async fn health_of_a_host_that_does_not_run_is_an_error() {
    let manager = Manager::new();
    let (config, address) = (manager.config().display().to_string(), manager.address());
    drop(manager.socket);
    let refused = lustra(&["health", "--config", &config]).await.refused();
    assert_eq!(refused, format!("error: no host answers at {address}\n"));
}

#[tokio::test]
async fn root_is_refused_on_the_data_of_another_user() {
    let manager = Manager::new();
    let data = manager.folder.path().join("data");
    std::fs::create_dir(&data).expect("a fresh folder");
    // Only root can give files away, and only root is refused.
    if std::os::unix::fs::chown(&data, Some(12_345), None).is_err() {
        return;
    }
    let config = manager.config().display().to_string();
    let refused = lustra(&["account", "list", "--config", &config])
        .await
        .refused();
    assert!(
        refused.contains("belongs to user 12345") && refused.contains("runuser"),
        "{refused}"
    );
    let files = std::fs::read_dir(&data).expect("it is there").count();
    assert_eq!(files, 0);
    let checked = lustra(&["config", "check", "--config", &config]).await;
    assert!(!checked.stderr.contains("runuser"), "{}", checked.stderr);
}
