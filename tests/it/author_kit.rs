//! The author's kit as a user runs it: developing, packaging, recordings and the conformance suite.

mod cassettes;
mod suite;

use std::path::Path;
use std::process::Stdio;

use lustra_demo as demo;
use lustra_tests::register_simulator::Simulator;
use lustra_tests::{START, components};
use serde_json::Value;
use tokio::process::Command;

use crate::command_line::program;

/// Result of a command.
struct Ran {
    succeeded: bool,
    stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn printed(self) -> String {
        assert!(self.succeeded, "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Output of a command that reported findings.
    #[track_caller]
    fn failed(self) -> String {
        assert!(!self.succeeded, "{}\n{}", self.stdout, self.stderr);
        self.stdout + &self.stderr
    }

    fn objects(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("an object a line"))
            .collect()
    }
}

async fn kit(arguments: &[&str]) -> Ran {
    let compiled = components().join("../compiled-for-tests");
    let output = Command::new(program())
        .arg("connector")
        .args(arguments)
        .arg("--compiled")
        .arg(compiled)
        .env_remove("LUSTRA_CONFIG")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .await
        .expect("it was just built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        succeeded: output.status.success(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// A folder for cassettes, and registers to record from.
struct Author {
    folder: tempfile::TempDir,
    simulator: Simulator,
}

impl Author {
    async fn new() -> Self {
        tokio::task::spawn_blocking(components)
            .await
            .expect("it builds");
        let (simulator, _) = demo::simulator(12, 1, START)
            .await
            .expect("the simulator starts");
        Self {
            folder: tempfile::tempdir().expect("tests can write temporary files"),
            simulator,
        }
    }

    fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    fn component(name: &str) -> String {
        components()
            .join(format!("{name}.wasm"))
            .display()
            .to_string()
    }

    fn upstream(&self, name: &str, path: &str) -> String {
        format!("{name}={}/{path}", self.simulator.url())
    }

    /// Records the commercial register's answer about a company.
    async fn record_orsr(&self, ico: &str, file: &str) {
        let cassette = self.folder.path().join(file).display().to_string();
        let upstream = self.upstream("orsr", "orsr");
        let component = Self::component("orsr");
        let arguments = [
            "record",
            &component,
            "--ico",
            ico,
            "--upstream",
            &upstream,
            "--cassette",
            &cassette,
        ];
        let printed = kit(&arguments).await.printed();
        assert!(printed.contains("2 requests"), "{printed}");
    }

    async fn test(&self, component: &str, more: &[&str]) -> Ran {
        let (component, folder) = (Self::component(component), self.folder());
        kit(&[&["test", &component, "--cassettes", &folder], more].concat()).await
    }
}

fn change(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).expect("it was recorded");
    assert!(text.contains(from), "{text}");
    std::fs::write(file, text.replace(from, to)).expect("the folder is ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn dev_shows_the_result_and_cost_of_a_call() {
    let author = Author::new().await;
    let component = Author::component("orsr");
    let upstream = author.upstream("orsr", "orsr");
    let arguments = [
        "dev",
        &component,
        "--ico",
        "99999994",
        "--upstream",
        &upstream,
        "--once",
    ];
    let shown = kit(&arguments).await;
    let said = shown.stderr.clone();
    let answer: Value =
        serde_json::from_str(&shown.printed()).expect("standard output is the answer");
    assert_eq!(answer["ico"], "99999994");
    assert!(
        said.contains("called in") && said.contains("memory"),
        "{said}"
    );
    assert!(
        said.contains("GET orsr /hladaj_ico.asp?ICO=99999994&SID=0  200  "),
        "{said}"
    );
    let round = kit(&[&arguments[..], &["--json"]].concat())
        .await
        .objects()
        .remove(0);
    assert_eq!(round["requests"].as_array().map(Vec::len), Some(2));
    assert!(
        round["memory_bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes > 100_000),
        "{round}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn crate_that_does_not_build_fails_a_single_round() {
    let author = Author::new().await;
    std::fs::write(author.folder.path().join("Cargo.toml"), "[package\n")
        .expect("the folder is ours");
    std::fs::write(author.folder.path().join("manifest.json"), "{}").expect("the folder is ours");
    let said = kit(&["dev", &author.folder(), "--ico", "99999994", "--once"])
        .await
        .failed();
    assert!(said.contains("Cargo.toml"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn package_refuses_components_that_hosts_refuse() {
    let author = Author::new().await;
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../connectors/orsr/manifest.json");
    let (manifest, output) = (shipped.display().to_string(), author.folder());
    // A component without exports, although the manifest offers companies.
    let empty = author.folder.path().join("empty.wasm");
    std::fs::write(&empty, b"\0asm\x0d\0\x01\0").expect("the folder is ours");
    let package = async |component: &str| {
        let arguments = ["package", component, "--manifest", &manifest];
        kit(&[&arguments[..], &["--output", &output]].concat()).await
    };
    let said = package(&empty.display().to_string()).await.failed();
    assert!(
        said.contains("empty.wasm: a host would refuse it"),
        "{said}"
    );
    let packaged = author.folder.path().join("orsr.wasm");
    assert!(!packaged.exists(), "nothing is written");
    package(&Author::component("orsr")).await.printed();
    assert!(packaged.is_file());
}
