//! The shipped `lustra.toml`, `lustra config check` and `lustra config reference`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lustra::config::{Config, ConnectorConfig};
use lustra::connectors::build;
use lustra::connectors::manifest::Manifest;
use lustra::store::ConnectorId;
use lustra_tests::components;
use serde_json::Value;

use crate::command_line::lustra;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file() -> String {
    std::fs::read_to_string(repository().join("lustra.toml")).expect("the file is there")
}

fn read(text: &str) -> Config {
    Config::read(text, |_| None).expect("it is a configuration")
}

/// The manifests of the shipped connectors by their ids.
fn manifests() -> BTreeMap<ConnectorId, Manifest> {
    let crates =
        build::connectors_below(&repository().join("connectors")).expect("the folder is there");
    crates
        .iter()
        .map(|directory| {
            let text = std::fs::read_to_string(directory.join("manifest.json"))
                .expect("every connector has one");
            let manifest = Manifest::parse(&text).expect("it is of the form");
            (manifest.id.clone(), manifest)
        })
        .collect()
}

/// A manifest's hosts in the form of grants.
fn wanted(manifest: &Manifest) -> BTreeSet<String> {
    let addresses = manifest
        .upstreams
        .values()
        .filter_map(|upstream| upstream.address.as_deref());
    addresses
        .map(|address| address.split('/').take(3).collect::<Vec<_>>().join("/"))
        .collect()
}

/// All settings except those of the connectors.
fn general(mut config: Config) -> String {
    config.connector.clear();
    format!("{config:#?}")
}

#[test]
fn shipped_settings_only_enable_shipped_connectors() {
    let config = read(&file());
    let manifests = manifests();
    assert!(
        config.connector.keys().eq(manifests.keys()),
        "{:?}",
        config.connector.keys()
    );
    for (id, manifest) in &manifests {
        let mut own = config.connector[id].clone();
        let granted: BTreeSet<String> = own.grants.drain(..).collect();
        assert_eq!(granted, wanted(manifest), "{id}");
        assert_eq!(
            format!("{own:#?}"),
            format!("{:#?}", ConnectorConfig::default()),
            "{id}"
        );
    }
    assert_eq!(general(config), general(Config::default()));
}

#[test]
fn shipped_file_is_short() {
    let lines = file().lines().count();
    assert!(lines <= 80, "{lines} lines");
}

#[test]
fn connector_settings_stand_beside_its_grants() {
    let text = format!(
        "{}\n[connector.debtors.datasets.dovera]\non = true\n",
        file()
    );
    let config = read(&text);
    let debtors = &config.connector["debtors"];
    assert_eq!(debtors.datasets["dovera"].on, Some(true));
    assert!(!debtors.grants.is_empty());
}

/// The entries of `lustra config reference --json`, by setting.
async fn reference(arguments: &[&str]) -> BTreeMap<String, Value> {
    let arguments = [&["config", "reference", "--json"][..], arguments].concat();
    let printed = lustra(&arguments).await;
    assert!(printed.succeeded, "{}", printed.stderr);
    let lines = printed.stdout.lines().map(|line| {
        let setting: Value = serde_json::from_str(line).expect("JSON");
        (
            setting["setting"].as_str().expect("a path").to_owned(),
            setting,
        )
    });
    lines.collect()
}

#[tokio::test]
async fn reference_lists_settings_of_components() {
    let components = tokio::task::spawn_blocking(components)
        .await
        .expect("the connectors build");
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("lustra.toml");
    std::fs::write(&file, format!("components = {components:?}\n")).expect("a fresh folder");
    let file = file.display().to_string();
    let listed = reference(&["--config", &file]).await;
    assert_eq!(listed["pool.instances"]["default"], 128);
    for (id, manifest) in manifests() {
        for (name, upstream) in &manifest.upstreams {
            let pace = &listed[&format!("connector.{id}.upstreams.{name}.requests_per_second")];
            assert_eq!(pace["default"], upstream.requests_per_second, "{id} {name}");
        }
        let settings = manifest.settings.as_ref();
        let settings = settings.and_then(|schema| schema["properties"].as_object());
        for (name, schema) in settings.into_iter().flatten() {
            let setting = &listed[&format!("connector.{id}.settings.{name}")];
            let is_table = setting["kind"] == "table";
            assert!(
                is_table || setting["default"] == schema["default"],
                "{id} {name}"
            );
            assert!(
                setting["about"]
                    .as_str()
                    .is_some_and(|about| !about.is_empty()),
                "{id} {name}"
            );
        }
        for scope in &manifest.scopes {
            let age = &listed[&format!("connector.{id}.scopes.{}.max_age_days", scope.scope)];
            assert_eq!(age["default"], scope.max_age_days, "{id}");
        }
        for dataset in &manifest.datasets {
            let schedule = &listed[&format!("connector.{id}.datasets.{}.schedule", dataset.id)];
            assert_eq!(schedule["default"], dataset.schedule, "{id}");
        }
    }
    let own = reference(&["connector.orsr", "--config", &file]).await;
    assert!(
        own.keys().all(|path| path.starts_with("connector.orsr")),
        "{own:?}"
    );
    let unknown = lustra(&["config", "reference", "poool"]).await;
    assert!(
        !unknown.succeeded && unknown.stderr.contains("poool"),
        "{}",
        unknown.stderr
    );
}

#[tokio::test]
async fn settings_without_effect_are_found() {
    let components = tokio::task::spawn_blocking(components)
        .await
        .expect("the connectors build");
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("lustra.toml");
    let text = format!(
        "components = {components:?}\nbase_registers = [\"rpo\", \"nope\"]\n\
         [operator]\nlisten = \"0.0.0.0:8081\"\n[connector.orrsr]\n[connector.rpo]\n\
         [connector.ruz.limits]\nmemory_mib = 4096\n[plans.free]\nscopes = [\"tax\", \"taxx\", \"orsr\"]\n"
    );
    std::fs::write(&file, text).expect("a fresh folder");
    let file = file.display().to_string();
    let found = lustra(&["config", "check", "--config", &file]).await;
    assert!(!found.succeeded, "{}", found.stdout);
    for line in [
        "connector.orrsr: no component has this id; did you mean orsr?",
        "connector.rpo: it asks for https://",
        "connector.ruz.limits.memory_mib: 4096 MiB exceeds the maximum of an instance",
        "plans.free.scopes: no component provides the scope taxx; did you mean tax?",
        "base_registers: no component nope provides base records",
        "operator.listen: 0.0.0.0:8081 can be reached from other machines",
    ] {
        let is_there = |found: &str| found.starts_with("line ") && found.contains(line);
        assert!(
            found.stdout.lines().any(is_there),
            "{line}\n{}",
            found.stdout
        );
    }
    let json = lustra(&["config", "check", "--json", "--config", &file]).await;
    let lines = json.stdout.lines().map(serde_json::from_str::<Value>);
    assert_eq!(
        lines.filter(Result::is_ok).count(),
        found.stdout.lines().count()
    );
}

#[tokio::test]
async fn shipped_settings_have_no_findings() {
    let components = tokio::task::spawn_blocking(components)
        .await
        .expect("the connectors build");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../lustra.toml");
    let text = std::fs::read_to_string(shipped).expect("it is in the repository");
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("lustra.toml");
    // The usual ports may be in use on the machine of the test.
    let ports = "listen = \"127.0.0.1:0\"\noperator.listen = \"127.0.0.1:0\"\n";
    let text = format!("components = {components:?}\n{ports}{text}");
    std::fs::write(&file, text).expect("a fresh folder");
    let file = file.display().to_string();
    let found = lustra(&["config", "check", "--config", &file]).await;
    assert!(found.succeeded, "{}", found.stdout);
}
