//! Operator commands beside a running host: enable, list, inspect, reload.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use lustra_tests::{components, guests, repackaged};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::command_line::{lustra, program};
use crate::workers::until;

/// Log lines of a host.
type Log = Arc<Mutex<Vec<String>>>;

/// An operator's folder: a settings file and a directory of components.
struct Deployment {
    folder: tempfile::TempDir,
}

impl Deployment {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (data, own) = (folder.path().join("data"), folder.path().join("components"));
        std::fs::create_dir_all(&own).expect("a fresh folder");
        let compiled = components().join("../compiled-for-tests");
        let text = format!(
            "# Kept as it is.\nlisten = \"127.0.0.1:0\"\ndata = {data:?}\ncomponents = {own:?}\ncompiled = {compiled:?}\n\
             [operator]\nlisten = \"127.0.0.1:{}\"\n[imports]\nscheduled = false\n",
            free_port()
        );
        let deployment = Self { folder };
        std::fs::write(deployment.settings(), text).expect("a fresh folder");
        deployment
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("lustra.toml")
    }

    fn component(&self, name: &str) -> PathBuf {
        self.folder.path().join("components").join(name)
    }

    async fn run(&self, arguments: &[&str]) -> crate::command_line::Ran {
        let settings = self.settings().display().to_string();
        lustra(&[arguments, &["--config", &settings]].concat()).await
    }

    /// Starts a host with these settings and waits until it responds. Returns it and its log.
    async fn serve(&self) -> (Child, Log) {
        let mut host = Command::new(program())
            .args(["serve", "--config"])
            .arg(self.settings())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("it was just built");
        let errors = host.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(errors).lines();
        loop {
            let line = lines.next_line().await.expect("text").expect("it starts");
            if line.contains("operators: metrics on") {
                break;
            }
        }
        // Read the pipe to the end: a process that writes to a closed pipe would stop.
        let log = Log::default();
        let written = log.clone();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let mut log = written.lock().unwrap_or_else(PoisonError::into_inner);
                log.push(line);
            }
        });
        (host, log)
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

#[tokio::test]
async fn enable_shows_requested_grants_and_writes_entry() {
    let deployment = Deployment::new();
    let component = components().join("orsr.wasm").display().to_string();
    let before = text(&deployment.settings());
    let refused = deployment.run(&["connector", "enable", &component]).await;
    assert!(
        !refused.succeeded,
        "a test has no terminal for the confirmation"
    );
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    let shown = deployment
        .run(&["connector", "enable", &component, "--dry-run"])
        .await
        .printed();
    for part in ["https://www.orsr.sk", "[connector.orsr]", "company source"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert_eq!(text(&deployment.settings()), before);
    deployment
        .run(&["connector", "enable", &component, "--yes"])
        .await
        .printed();
    let written = text(&deployment.settings());
    assert!(written.starts_with("# Kept as it is."), "{written}");
    assert!(deployment.component("orsr.wasm").is_file(), "it was copied");
    let listed = deployment
        .run(&["connector", "list", "--json"])
        .await
        .printed();
    let listed: Value = serde_json::from_str(listed.trim()).expect("one line of JSON");
    assert_eq!(listed["state"], "serving", "{listed}");
    let again = deployment
        .run(&["connector", "enable", &component, "--yes"])
        .await;
    assert!(again.succeeded, "{}", again.stderr);
    assert_eq!(
        text(&deployment.settings()),
        written,
        "nothing is written twice"
    );
}

#[tokio::test]
async fn running_host_is_listed_inspected_and_reloaded() {
    let deployment = Deployment::new();
    let guest = std::fs::read(guests().join("guest-versions.wasm")).expect("it was built");
    std::fs::write(deployment.component("guest-versions.wasm"), &guest).expect("a fresh folder");
    let file = deployment
        .component("guest-versions.wasm")
        .display()
        .to_string();
    deployment
        .run(&["connector", "enable", &file, "--yes"])
        .await
        .printed();
    let (host, log) = deployment.serve().await;
    let listed = deployment.run(&["connector", "list"]).await;
    assert!(
        listed.stderr.contains("reported by the host at"),
        "{}",
        listed.stderr
    );
    assert!(listed.printed().contains("serving"));
    let checked = deployment.run(&["config", "check", "--json"]).await;
    let in_use = checked.stdout.contains("address_in_use");
    assert!(!in_use, "the host itself listens there: {}", checked.stdout);
    let doctor = deployment.run(&["doctor", "--offline", "--json"]).await;
    for code in ["host_runs", "connectors_serve"] {
        let is_found = doctor.stdout.contains(&format!("{code:?}"));
        assert!(is_found, "no {code}: {}", doctor.stdout);
    }
    let inspect = &["connector", "inspect", "guest-versions", "--json"];
    let before: Value =
        serde_json::from_str(deployment.run(inspect).await.printed().trim()).expect("JSON");
    // A version that was never compiled on this machine; separate processes compile it, the second with optimizations.
    let mut changed = guest;
    let place = changed
        .windows(12)
        .position(|bytes| bytes == b"word:answers")
        .expect("its word");
    let word = format!("word:{:07}", std::process::id() % 10_000_000);
    changed[place..place + 12].copy_from_slice(word.as_bytes());
    let temporary = deployment.component("new.tmp");
    std::fs::write(&temporary, repackaged(&changed)).expect("a folder of our own");
    std::fs::rename(&temporary, deployment.component("guest-versions.wasm"))
        .expect("a folder of our own");
    let reloaded = deployment
        .run(&["connector", "reload", "--json"])
        .await
        .printed();
    let reloaded: Value = serde_json::from_str(reloaded.trim()).expect("JSON");
    // The host follows the directory too and may have been faster.
    let changes = reloaded["changes"].as_array().expect("a list");
    assert!(
        changes.is_empty() || changes[0]["outcome"] == "replaced",
        "{reloaded}"
    );
    let inspected = || async {
        let printed = deployment.run(inspect).await.printed();
        serde_json::from_str::<Value>(printed.trim()).expect("JSON")
    };
    let code = inspected().await["code"].clone();
    assert!(code == "single-pass" || code == "compiled", "{code}");
    let inspected = until(inspected, |inspected| inspected["code"] == "compiled").await;
    assert_ne!(inspected["digest"], before["digest"], "{inspected}");
    let lines = log.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("compiling in the host process")),
        "separate processes compiled it: {lines:?}"
    );
    std::fs::write(deployment.component("guest-versions.wasm"), b"nothing")
        .expect("a folder of our own");
    let refused = deployment.run(&["connector", "reload"]).await;
    assert!(
        !refused.succeeded || refused.stdout.contains("nothing changed"),
        "{}",
        refused.stdout
    );
    let page = deployment
        .run(&["connector", "inspect", "guest-versions"])
        .await
        .printed();
    for part in [
        "refused at admit",
        "breaker",
        "closed",
        "register: https://register.example",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let unknown = deployment
        .run(&["connector", "inspect", "unknown"])
        .await
        .refused();
    assert!(unknown.contains("there are guest-versions"), "{unknown}");
    drop(host);
}
