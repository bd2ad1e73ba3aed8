//! The program as users run it.

mod tests;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::OnceLock;

use lustra_demo as demo;
use lustra_tests::register_simulator::Simulator;
use lustra_tests::{START, components};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// The program under its real name.
pub fn program() -> &'static Path {
    static NAMED: OnceLock<PathBuf> = OnceLock::new();
    NAMED.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_lustra-under-test"));
        let named = built.with_file_name("under-test").join("lustra");
        std::fs::create_dir_all(named.parent().expect("a folder")).expect("tests can write there");
        match std::os::unix::fs::symlink(built, &named) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
            Ok(()) | Err(_) => named,
        }
    })
}

/// Result of a command.
pub struct Ran {
    pub succeeded: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            succeeded: output.status.success(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Output of a command that must succeed.
    pub fn printed(self) -> String {
        assert!(self.succeeded, "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Error output of a command that must fail.
    pub fn refused(self) -> String {
        assert!(!self.succeeded, "{}\n{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "standard output is for results");
        self.stderr
    }
}

pub async fn lustra(arguments: &[&str]) -> Ran {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .env_remove("LUSTRA_CONFIG")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    Ran::of(&command.output().await.expect("it was just built"))
}

/// Starts a host. Returns it and the address that it prints.
pub async fn serve(config: &Path) -> (Child, String) {
    // A host blocks if nothing reads its log.
    serve_with_log(config, drop).await
}

/// Like [`serve`]; `read` receives each further line of the host's log.
pub async fn serve_with_log(
    config: &Path,
    mut read: impl FnMut(String) + Send + 'static,
) -> (Child, String) {
    let mut serving = Command::new(program())
        .args(["serve", "--config"])
        .arg(config)
        .env("RUST_LOG", "lustra=info")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it was just built");
    let mut log = BufReader::new(serving.stderr.take().expect("it was asked for")).lines();
    let url = loop {
        let line = log
            .next_line()
            .await
            .expect("text")
            .expect("it says where it serves");
        if let Some((_, rest)) = line.split_once("serving on ") {
            break rest.split([',', ' ']).next().unwrap_or_default().to_owned();
        }
    };
    tokio::spawn(async move {
        while let Ok(Some(line)) = log.next_line().await {
            read(line);
        }
    });
    (serving, url)
}

/// Like [`serve`]; also returns the log until the host ends.
async fn serve_logged(config: &Path) -> (Child, String, JoinHandle<Vec<String>>) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let (serving, url) = serve_with_log(config, move |line| drop(sender.send(line))).await;
    let lines = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(line) = receiver.recv().await {
            lines.push(line);
        }
        lines
    });
    (serving, url, lines)
}

/// An operator's folder, with registers to import from.
pub struct Operator {
    pub folder: tempfile::TempDir,
    pub simulator: Simulator,
}

impl Operator {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (simulator, _) = demo::simulator(60, 1, START)
            .await
            .expect("the simulator starts");
        let operator = Self { folder, simulator };
        operator.configure("");
        operator
    }

    pub fn config(&self) -> String {
        self.folder.path().join("lustra.toml").display().to_string()
    }

    /// The settings of a host with one connector, and that connector's further lines.
    pub fn configure(&self, of_connector: &str) {
        let (data, url) = (self.folder.path().join("data"), self.simulator.url());
        let components = components();
        let compiled = components.join("../compiled-for-tests");
        let upstream = |name: &str| {
            format!("{name} = {{ address = \"{url}/{name}\", requests_per_second = 1000 }}\n")
        };
        let text = format!(
            "listen = \"127.0.0.1:0\"\ndata = {data:?}\ncomponents = {components:?}\ncompiled = {compiled:?}\n\
             [operator]\non = false\n[imports]\nscheduled = false\n\
             [connector.tax-authority]\n{of_connector}\n[connector.tax-authority.upstreams]\n{}{}{}",
            upstream("fs-reports"),
            upstream("fs-api"),
            upstream("vies"),
        );
        self.write(&text);
    }

    pub fn granted(&self) {
        self.granted_with("");
    }

    /// The settings of a host whose connector may reach the simulator, with that connector's further lines.
    pub fn granted_with(&self, of_connector: &str) {
        let url = self.simulator.url();
        self.configure(&format!("grants = [\"{url}\"]\n{of_connector}"));
    }

    pub fn write(&self, text: &str) {
        std::fs::write(self.folder.path().join("lustra.toml"), text)
            .expect("tests can write temporary files");
    }

    /// The settings of a host without connectors, on the database of the URL, with further lines.
    pub fn configure_on(&self, store: &str, further: &str) {
        let data = self.folder.path().join("data");
        self.write(&format!(
            "listen = \"127.0.0.1:0\"\ndata = {data:?}\nstore = {store:?}\n{further}"
        ));
    }

    pub async fn run(&self, arguments: &[&str]) -> Ran {
        let config = self.config();
        lustra(&[arguments, &["--config", &config]].concat()).await
    }
}

/// The only line of a command's result, as JSON.
pub fn json(printed: &str) -> Value {
    let lines = lines(printed);
    assert_eq!(lines.len(), 1, "{printed}");
    serde_json::from_str(lines[0]).expect("JSON")
}

/// The lines of a text that are not empty.
pub fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}
