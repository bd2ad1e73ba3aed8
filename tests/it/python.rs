//! The Python example: built by another language's tools, packaged, loaded, and requested over HTTP.
//!
//! Needs `python3` with `venv` and, on the first run, `PyPI`. If they are unavailable, the test prints so and passes.
//! Build results are kept below `target`, by the digest of their inputs.

use std::path::{Path, PathBuf};
use std::process::Command;

use lustra_tests::lustra::config::{ConnectorConfig, LimitsConfig, UpstreamConfig};
use lustra_tests::lustra::connectors::package;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{Rogue, World};
use sha2::{Digest, Sha256};

use crate::faults_support::source;
use crate::guest_support::{Log, assert_others_operational};

const ID: &str = "python-licences";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[expect(
    clippy::print_stderr,
    reason = "shown to the person who runs the tests"
)]
fn say(line: &str) {
    eprintln!("· {line}");
}

/// Runs a command. Returns the end of its output if it fails.
fn run(command: &mut Command) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(words.lines().rev().take(4).collect::<Vec<_>>().join(" | "))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The tool that builds components, in its own environment. `None` if it is unavailable.
fn tool(folder: &Path, example: &Path) -> Option<PathBuf> {
    let environment = folder.join("venv");
    let tool = environment.join("bin/componentize-py");
    let installed = environment.join("requirements.txt");
    let wanted = std::fs::read(example.join("requirements.txt")).expect("it is there");
    if tool.is_file() && std::fs::read(&installed).is_ok_and(|there| there == wanted) {
        return Some(tool);
    }
    say("installing componentize-py for the example in Python (once)");
    let made = run(Command::new("python3")
        .args(["-m", "venv"])
        .arg(&environment));
    let outcome = made.and_then(|()| {
        run(Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(["--retries", "1", "--timeout", "15", "--requirement"])
            .arg(example.join("requirements.txt")))
    });
    match outcome {
        Ok(()) => {
            std::fs::write(&installed, wanted).expect("a folder of our own");
            Some(tool)
        }
        Err(why) => {
            say(&format!(
                "SKIPPED: the example in Python, because componentize-py is not to be had: {why}"
            ));
            None
        }
    }
}

/// The example as a packaged component.
fn component() -> Option<PathBuf> {
    let example = repository().join("examples/python");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    let contract = repository().join("wit/connector.wit");
    let sources = ["app.py", "world.wit", "manifest.json", "requirements.txt"];
    let mut digest = Sha256::new();
    for path in sources
        .map(|name| example.join(name))
        .iter()
        .chain([&contract])
    {
        digest.update(std::fs::read(path).expect("it is there"));
    }
    let digest: String = digest.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let output = folder.join(digest);
    let packaged = output.join(format!("{ID}.wasm"));
    if packaged.is_file() {
        return Some(packaged);
    }
    let tool = tool(&folder, &example)?;
    say("making a component of the example in Python");
    let made = folder.join(format!("made-{}.wasm", std::process::id()));
    let built = run(Command::new(tool)
        .current_dir(&example)
        .args(["-d", "../../wit", "-d", "world.wit"])
        .args([
            "-w",
            "example:licences/licences",
            "componentize",
            "app",
            "-o",
        ])
        .arg(&made));
    built.expect("the example is right");
    let built = package::package(&made, &example.join("manifest.json"), &output)
        .expect("the manifest is right");
    std::fs::remove_file(made).expect("it was just made");
    Some(built.file)
}

#[tokio::test]
async fn python_connector_answers_and_logs_its_traceback() {
    let Some(component) = component() else {
        return;
    };
    let rogue = Rogue::start().await;
    let (log, _logging) = Log::of_this_thread();
    let url = rogue.url();
    let world = World::new()
        .with_guests()
        .settings(move |config| {
            let place = config.components.join(format!("{ID}.wasm"));
            std::fs::copy(component, place).expect("a folder of our own");
            let upstream = UpstreamConfig {
                address: Some(url.clone()),
                requests_per_second: Some(1_000.0),
                ..UpstreamConfig::default()
            };
            let connector = ConnectorConfig {
                grants: vec![url],
                upstreams: [("register".to_owned(), upstream)].into(),
                limits: LimitsConfig {
                    memory_mib: Some(256),
                    ..LimitsConfig::default()
                },
                ..ConnectorConfig::default()
            };
            config.connector.insert(connector_id(ID), connector);
        })
        .start()
        .await;
    assert_eq!(
        source(&world, ID).await["state"],
        "unknown",
        "not asked yet"
    );
    // The register's answer depends on the number's last digit.
    let population = world.simulator.population();
    let icos: Vec<String> = (0..60).map(|index| population.ico(index)).collect();
    let ending = |digit| {
        let found = icos.iter().find(|ico| ico.ends_with(digit));
        found.unwrap_or_else(|| panic!("no number of {icos:?} ends in {digit}"))
    };
    let answer = world
        .company(ending('9'), "python_licences,erased_vat")
        .await;
    assert_eq!(
        answer.at("/data/python_licences"),
        &serde_json::json!({
            "has_licence": true,
            "licences": [{
                "number": "L-7", "kind": "Chov rýb", "valid_from": "2025-01-31", "valid_to": null
            }]
        }),
        "{answer:?}"
    );
    assert_eq!(answer.at("/meta/scopes/python_licences/connector"), ID);
    for digit in ['0', '1'] {
        let none = world.company(ending(digit), "python_licences").await;
        assert_eq!(
            none.at("/data/python_licences/has_licence"),
            false,
            "{none:?}"
        );
    }
    // An unknown format, a 404 that says nothing about the number, and answers for another number.
    for digit in ['2', '4', '5', '6', '7'] {
        let unread = world.company(ending(digit), "python_licences").await;
        assert_eq!(
            unread.at("/meta/scopes/python_licences/reason"),
            "malformed",
            "{unread:?}"
        );
    }
    let broken = world
        .company(ending('3'), "python_licences,erased_vat")
        .await;
    assert_eq!(
        broken.at("/meta/scopes/python_licences/reason"),
        "failed",
        "{broken:?}"
    );
    assert_eq!(broken.at("/meta/scopes/erased_vat/state"), "fresh");
    let text = log.text();
    assert!(text.contains("Traceback (most recent call last)"), "{text}");
    assert!(
        text.contains("AttributeError: 'int' object has no attribute 'strip'"),
        "{text}"
    );
    assert_others_operational(&world).await;
    world.end().await;
}
