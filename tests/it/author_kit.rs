//! The author's kit as a user runs it: recording, replaying, faults and the conformance suite.

use std::path::Path;
use std::process::Stdio;

use lustra_demo as demo;
use lustra_tests::register_simulator::Simulator;
use lustra_tests::{START, components, guests};
use serde_json::{Value, json};
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
async fn call_is_recorded_replayed_and_blessed() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let file = author.folder.path().join("one.toml");
    let text = std::fs::read_to_string(&file).expect("it was recorded");
    assert!(
        text.contains("Čučoriedka"),
        "pages in windows-1250 are readable: {text}"
    );
    assert!(
        author
            .test("orsr", &[])
            .await
            .printed()
            .contains("passed   one.toml")
    );
    // The cassette expects something other than the connector returns.
    change(
        &file,
        "\"court\": \"Okresný súd Trnava\"",
        "\"court\": \"Okresný súd Žilina\"",
    );
    let said = author.test("orsr", &[]).await.failed();
    for line in [
        "FAILED   one.toml",
        "-     \"court\": \"Okresný súd Žilina\"",
        "+     \"court\": \"Okresný súd Trnava\"",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(
        author
            .test("orsr", &["--bless"])
            .await
            .printed()
            .contains("blessed")
    );
    assert!(author.test("orsr", &[]).await.printed().contains("passed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unrecorded_and_unused_requests_are_named() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let file = author.folder.path().join("one.toml");
    change(
        &file,
        "path = \"/vypis.asp?ID=1000&SID=7&P=0\"",
        "path = \"/vypis.asp?ID=1000&SID=7&P=9\"",
    );
    let said = author.test("orsr", &[]).await.failed();
    assert!(
        said.contains("not recorded: GET orsr /vypis.asp?ID=1000&SID=7&P=0; the nearest is GET orsr /vypis.asp?ID=1000&SID=7&P=9"),
        "{said}"
    );
    assert!(
        said.contains("recorded but not requested: GET orsr /vypis.asp?ID=1000&SID=7&P=9"),
        "{said}"
    );
    let said = author.test("orsr", &["--bless"]).await.failed();
    assert!(said.contains("record the missing requests first"), "{said}");
    // The error names the place of a mistake in the file.
    change(&file, "charset = \"windows-1250\"", "charset = \"klingon\"");
    let said = author.test("orsr", &[]).await.failed();
    assert!(
        said.contains("one.toml: exchange 1: charset: there is no charset klingon"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cassette_without_secrets_still_replays() {
    let author = Author::new().await;
    let component = Author::component("tax-authority");
    let cassette = author.folder.path().join("tax.toml").display().to_string();
    let upstreams = ["fs-reports", "fs-api", "vies"].map(|name| author.upstream(name, name));
    let mut arguments = vec!["record", &component, "--ico", "99999994", "--scope", "tax"];
    arguments.extend(
        upstreams
            .iter()
            .flat_map(|upstream| ["--upstream", upstream]),
    );
    arguments.extend(["--setting", "api_key=demo-key", "--import", "reliability"]);
    arguments.extend(["--name", "Vzorostav", "--cassette", &cassette, "--json"]);
    let recorded = kit(&arguments).await;
    let objects = recorded.objects();
    recorded.printed();
    // The search key of the list, the row, and VIES.
    assert_eq!(objects[0]["requests"], 3, "{objects:?}");
    assert_eq!(objects[0]["secret"][0], "api_key");
    let text = std::fs::read_to_string(&cassette).expect("it was recorded");
    assert!(
        !text.contains("demo-key") && text.contains("***api_key***"),
        "{text}"
    );
    assert!(
        author
            .test("tax-authority", &[])
            .await
            .printed()
            .contains("passed")
    );
    let tested = author.test("tax-authority", &["--fault", "--json"]).await;
    let faults = tested.objects();
    tested.printed();
    assert!(faults.len() > 30, "{faults:?}");
    assert!(faults.iter().any(|fault| fault["made"] == "unread"));
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
async fn suite_numbers_findings_and_skips_unjudgeable_checks() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let (component, folder) = (Author::component("orsr"), author.folder());
    let checked = kit(&["check", &component, "--cassettes", &folder, "--json"]).await;
    let found = checked.objects();
    checked.printed();
    let numbers: Vec<u64> = found
        .iter()
        .filter_map(|check| check["number"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=24).collect::<Vec<_>>());
    assert_eq!(found[4]["result"], "skipped");
    assert!(
        found[4]["why"]
            .as_str()
            .is_some_and(|why| why.contains("register-id")),
        "{found:?}"
    );
    assert_eq!(
        (&found[5]["result"], &found[16]["result"]),
        (&"passed".into(), &"skipped".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn misbehaving_connector_fails_the_suite() {
    let guests = tokio::task::spawn_blocking(guests)
        .await
        .expect("they build");
    let component = guests.join("guest-answers.wasm").display().to_string();
    let said = kit(&["check", &component]).await.failed();
    assert!(
        said.contains("10 FAILED   hostile keys are handled"),
        "{said}"
    );
    assert!(said.contains("limit result too large"), "{said}");
    assert!(said.contains(" 6 skipped "), "{said}");
}

/// A recorded import of the three companies of a list.
fn rows_cassette(dataset: &str) -> String {
    let icos = ["99999978", "99999986", "99999994"];
    let rows: Vec<Value> = icos.iter().map(|ico| json!({ "ico": ico })).collect();
    let record = |ico: &&str| {
        json!({
            "key": ico, "ico": ico, "name": null, "city": null, "postal_code": null, "content": {}, "removed": false,
        })
    };
    let records: Vec<Value> = icos.iter().map(record).collect();
    let gave = json!({
        "list_date": null, "records": records, "companies": [], "notes": {}, "cursors": [],
    });
    format!(
        "format = 1\nconnector = \"guest-rows\"\nversion = \"0.1.0\"\nnow = \"2026-01-15T08:00:00Z\"\n\
         [call]\nkind = \"import\"\ndataset = \"{dataset}\"\n\
         [[exchange]]\nmethod = \"GET\"\nupstream = \"register\"\npath = \"/rows\"\nstatus = 200\n\
         headers = []\nbody = '{}'\n[expected]\ngave = '{gave}'\n",
        Value::from(rows)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn list_lost_for_one_odd_row_fails_the_suite() {
    let guests = tokio::task::spawn_blocking(guests)
        .await
        .expect("they build");
    let component = guests.join("guest-rows.wasm").display().to_string();
    for (dataset, expected) in [
        ("rows-refused", Some("the whole list is refused")),
        (
            "rows-dropped",
            Some("the odd row is neither kept nor counted"),
        ),
        ("rows-counted", None),
    ] {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        std::fs::write(folder.path().join("rows.toml"), rows_cassette(dataset))
            .expect("the folder is ours");
        let cassettes = folder.path().display().to_string();
        let checked = kit(&["check", &component, "--cassettes", &cassettes, "--json"]).await;
        let found = checked.objects();
        let check = found.last().expect("there are checks");
        let result = if expected.is_some() {
            "failed"
        } else {
            "passed"
        };
        assert_eq!(
            (&check["number"], &check["result"]),
            (&24.into(), &result.into()),
            "{check}"
        );
        let mistakes = check["mistakes"].as_array().map_or(&[][..], Vec::as_slice);
        for mistake in mistakes {
            let why = mistake["why"].as_str().unwrap_or_default();
            assert!(
                expected.is_some_and(|expected| why.contains(expected)),
                "{check}"
            );
        }
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn failed_cassette_shows_what_the_guest_logged() {
    let guests = tokio::task::spawn_blocking(guests)
        .await
        .expect("they build");
    let component = guests.join("guest-crash.wasm").display().to_string();
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let cassette = "format = 1\nconnector = \"guest-crash\"\nversion = \"0.1.0\"\n\
        now = \"2026-01-15T08:00:00Z\"\n[call]\nkind = \"enrich\"\nscope = \"crash_panic\"\n\
        [call.subject]\nico = \"99999994\"\nname = \"Vzor\"\n\
        [expected]\ngave = '{ \"section\": { \"fine\": true }, \"unread\": {} }'\n";
    std::fs::write(folder.path().join("panic.toml"), cassette).expect("the folder is ours");
    let cassettes = folder.path().display().to_string();
    let words = "the author did not think of this company";
    for command in ["test", "check"] {
        let said = kit(&[command, &component, "--cassettes", &cassettes])
            .await
            .failed();
        assert!(said.contains(words), "{command}: {said}");
    }
}
