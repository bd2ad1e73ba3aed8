//! A new connector from scratch: generated, tested, built and requested, as in the authors' guide.

mod guide;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use lustra_tests::{client, components};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::command_line::{Ran, lustra, program};

/// A folder outside this repository.
fn elsewhere() -> tempfile::TempDir {
    tempfile::tempdir().expect("tests can write temporary files")
}

/// A text of a path below a folder.
fn below(folder: &tempfile::TempDir, path: &str) -> String {
    folder.path().join(path).display().to_string()
}

async fn new_connector(folder: &tempfile::TempDir, name: &str) -> String {
    let path = below(folder, name);
    let printed = lustra(&["connector", "new", name, "--path", &path])
        .await
        .printed();
    assert!(printed.contains("src/lib.rs"), "{printed}");
    assert!(
        printed.contains(&format!("lustra demo --connector {path}")),
        "it says how to go on: {printed}"
    );
    path
}

/// A shared target directory for the crates that these tests compile.
fn target() -> PathBuf {
    components().join("../../new-connector")
}

async fn cargo(arguments: &[&str], directory: &str) -> Ran {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .stdin(Stdio::null());
    Ran::of(&cargo.output().await.expect("cargo is there"))
}

#[tokio::test]
async fn a_new_connector_passes_its_tests_and_serves() {
    let folder = elsewhere();
    let path = new_connector(&folder, "new-licences").await;
    let tested = cargo(&["test", "--offline"], &path).await.printed();
    for test in [
        "one_request_makes_a_section",
        "every_case_is_read_as_expected",
    ] {
        assert!(tested.contains(&format!("{test} ... ok")), "{tested}");
    }
    let formatted = cargo(&["fmt", "--check"], &path).await;
    formatted.printed();

    let output = below(&folder, "components");
    let built = lustra(&["connector", "build", &path, "--output", &output, "--json"])
        .await
        .printed();
    let built: Value = serde_json::from_str(&built).expect("JSON");
    assert_eq!(built["id"], "new-licences");
    let config = below(&folder, "lustra.toml");
    let data = below(&folder, "data");
    let text = format!(
        "data = {data:?}\ncomponents = {output:?}\n\
         [connector.new-licences]\ngrants = [\"https://register.example\"]\n"
    );
    std::fs::write(&config, text).expect("tests can write temporary files");
    let listed = lustra(&["connector", "list", "--config", &config, "--json"])
        .await
        .printed();
    let listed: Value = serde_json::from_str(&listed).expect("one connector");
    assert_eq!(
        (&listed["state"], &listed["reason"], &listed["scopes"][0]),
        (&"serving".into(), &Value::Null, &"new_licences".into())
    );
}

#[tokio::test]
async fn build_in_its_own_directory_needs_no_name() {
    let folder = elsewhere();
    let path = new_connector(&folder, "licences").await;
    let build = async |directory: &str| {
        let mut command = Command::new(program());
        command
            .args(["connector", "build"])
            .current_dir(directory)
            .stdin(Stdio::null());
        Ran::of(&command.output().await.expect("it was just built"))
    };
    build(&path).await.printed();
    assert!(Path::new(&path).join("components/licences.wasm").is_file());
    let said = build(&folder.path().display().to_string()).await.refused();
    assert!(
        said.contains("the current directory is not a connector"),
        "{said}"
    );
    // A directory argument selects all connectors in it.
    let (all, output) = (folder.path().display().to_string(), below(&folder, "all"));
    let built = lustra(&["connector", "build", &all, "--output", &output]).await;
    assert!(built.printed().contains("licences.wasm  (no cassettes)"));
    assert!(Path::new(&output).join("licences.wasm").is_file());
}

#[tokio::test]
async fn build_refuses_what_its_cassettes_contradict() {
    let folder = elsewhere();
    let path = new_connector(&folder, "taped").await;
    let output = below(&folder, "out");
    let component = Path::new(&output).join("taped.wasm");
    let cassette = |has: bool| {
        let text = format!(
            "format = 1\nconnector = \"taped\"\nversion = \"0.1.0\"\nnow = \"2026-01-15T08:00:00Z\"\n\
             [call]\nkind = \"enrich\"\nscope = \"taped\"\n[call.subject]\nico = \"99999994\"\nname = \"Vzor\"\n\
             [[exchange]]\nmethod = \"GET\"\nupstream = \"register\"\npath = \"?ico=99999994\"\nstatus = 200\n\
             headers = [[\"content-type\", \"application/json\"]]\n\
             body = '{{\"ico\":\"99999994\",\"holder\":\"Vzor\",\"licences\":[]}}'\n\
             [expected]\ngave = '{{ \"section\": {{ \"has_licence\": {has}, \"licences\": [] }}, \"unread\": {{}} }}'\n"
        );
        let cassettes = Path::new(&path).join("cassettes");
        std::fs::create_dir_all(&cassettes).expect("tests can write temporary files");
        std::fs::write(cassettes.join("one.toml"), text).expect("tests can write temporary files");
    };
    let build = ["connector", "build", path.as_str(), "--output", &output];
    cassette(true);
    let said = lustra(&build).await.refused();
    assert!(
        said.contains("1 of 1 cassette of taped failed") && said.contains("one.toml"),
        "{said}"
    );
    assert!(!component.exists(), "it was not put where a host looks");
    let skipped = lustra(&[&build[..], &["--skip-cassettes"]].concat()).await;
    assert!(skipped.printed().contains("(cassettes skipped)"));
    assert!(component.is_file());
    cassette(false);
    assert!(
        lustra(&build)
            .await
            .printed()
            .contains("(1 cassette passed)")
    );
}

#[tokio::test]
async fn invalid_name_or_directory_writes_nothing() {
    let folder = elsewhere();
    for (name, said) in [
        ("Licences", "hyphens"),
        ("two--hyphens", "hyphens"),
        ("7up", "hyphens"),
        ("a/b", "hyphens"),
        ("a\"b", "hyphens"),
        ("", "hyphens"),
        ("all", "no scope may be named all"),
        ("address", "base field"),
        ("sdk", "lustra-sdk"),
    ] {
        let path = below(&folder, "refused");
        let refused = lustra(&["connector", "new", name, "--path", &path])
            .await
            .refused();
        assert!(refused.contains(said), "{name}: {refused}");
        assert!(!Path::new(&path).exists(), "{name}");
    }
    let path = below(&folder, "mine");
    std::fs::create_dir(&path).expect("tests can write temporary files");
    let new = ["connector", "new", "licences", "--path", &path];
    let refused = lustra(&new).await.refused();
    assert!(
        refused.contains(&path) && refused.contains("already exists"),
        "{refused}"
    );
    let mine = std::fs::read_dir(&path).expect("it is there").count();
    assert_eq!(mine, 0, "nothing of mine was touched");
    let other = below(&folder, "other");
    let sdk = [&new[..4], &[other.as_str(), "--sdk", &path]].concat();
    let refused = lustra(&sdk).await.refused();
    assert!(
        refused.contains("lustra-sdk") && refused.contains("--sdk"),
        "{refused}"
    );
    assert!(!Path::new(&other).exists());
}

#[tokio::test]
async fn new_connector_joins_a_surrounding_workspace() {
    let folder = elsewhere();
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"taken/*\"]\n\
                     [workspace.lints.rust]\nunsafe_code = \"deny\"\n";
    std::fs::write(below(&folder, "Cargo.toml"), workspace).expect("tests can write");
    for (path, is_member) in [("taken/one", true), ("left/two", false)] {
        let path = below(&folder, path);
        let name = Path::new(&path).file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let written = lustra(&["connector", "new", &name, "--path", &path, "--json"])
            .await
            .printed();
        let written: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(written["workspace"].is_string(), is_member, "{written}");
        let manifest = std::fs::read_to_string(Path::new(&path).join("Cargo.toml"))
            .expect("it was just written");
        assert_eq!(manifest.contains("[workspace]"), !is_member, "{manifest}");
        assert_eq!(manifest.contains("[lints]"), is_member, "{manifest}");
        let metadata = [
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ];
        cargo(&metadata, &path).await.printed();
    }
}

/// A demo that runs until it is dropped, and its description of itself.
async fn demo(data: &str, arguments: &[&str]) -> (Child, Value) {
    let mut running = Command::new(program())
        .args(["demo", "--json", "--listen", "127.0.0.1:0"])
        // It is killed at the end and could not delete a data directory that it created.
        .args(["--companies", "12", "--data", data])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it was just built");
    let stdout = running.stdout.take().expect("it was asked for");
    let line = BufReader::new(stdout).lines().next_line().await;
    let line = line.expect("text").expect("it says that it is ready");
    (running, serde_json::from_str(&line).expect("JSON"))
}

#[tokio::test]
async fn a_new_connector_answers_in_the_demo() {
    let folder = elsewhere();
    let path = new_connector(&folder, "demo-licences").await;
    let pointed = "demo-licences.register=licences";
    let (_running, demo) = demo(
        &below(&folder, "data"),
        &["--connector", &path, "--upstream", pointed],
    )
    .await;
    let text = |name: &str| demo[name].as_str().unwrap_or_default().to_owned();
    assert!(
        Path::new(&text("components"))
            .join("demo-licences.wasm")
            .is_file(),
        "{demo}"
    );
    let client = client();
    // Two licences, none, and none for a dissolved company.
    for (place, count) in [(0, 2), (3, 0), (4, 0)] {
        let ico = demo["icos"][place].as_str().unwrap_or_default();
        let url = format!("{}/company/ico/{ico}?scope=demo_licences", text("base_url"));
        let answer = client.get(url).bearer_auth(text("api_key")).send().await;
        let answer = answer.expect("it answers").text().await.expect("a body");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let section = &answer["data"]["demo_licences"];
        let licences = section["licences"].as_array().map(Vec::len);
        assert_eq!(licences, Some(count), "{answer}");
        assert_eq!(section["has_licence"], count > 0, "{answer}");
    }
}

#[tokio::test]
async fn demo_refuses_unusable_connector_before_building() {
    let folder = elsewhere();
    let path = new_connector(&folder, "licences").await;
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../connectors/rpo");
    let shipped = shipped.display().to_string();
    let nothing = below(&folder, "nothing");
    for (arguments, said) in [
        (vec!["--connector", &nothing], "is not a connector"),
        (vec!["--connector", &shipped], "already has a connector rpo"),
        (
            vec!["--connector", &path, "--upstream", "list=licences"],
            "no upstream list; known: register",
        ),
        (
            vec!["--connector", &path, "--upstream", "register=licenses"],
            "no register \"licenses\"",
        ),
        (vec!["--upstream", "register=licences"], "--connector"),
    ] {
        let refused = lustra(&[&["demo", "--json"][..], &arguments].concat())
            .await
            .refused();
        assert!(refused.contains(said), "{arguments:?}: {refused}");
        assert!(!refused.contains("building"), "{refused}");
    }
}
