//! `lustra.toml` in the repository says what settings there are, what they are by default, and what the shipped
//! connectors ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lustra::config::{
    Config, ConnectorConfig, DatasetConfig, LimitsConfig, ScopeConfig, UpstreamConfig,
};
use lustra::connectors::build;
use lustra::connectors::limits::Limits;
use lustra::connectors::manifest::Manifest;
use lustra_tests::components;

use crate::command_line::lustra;

/// What stands for every `env:` value.
const FROM_ENVIRONMENT: &str = "from the environment";

/// And for one that must have a form.
/// 32 bytes.
const SECRETS_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

const MAIL_SERVER: &str = "smtps://user:password@host";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file() -> String {
    std::fs::read_to_string(repository().join("lustra.toml")).expect("the file is there")
}

/// The file with every setting that is left out put in: `#key` becomes `key`, while `# remark` stays one.
fn with_everything(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| match line.trim_start().strip_prefix('#') {
            Some(setting) if setting.starts_with(|c: char| !c.is_whitespace()) => setting,
            _ => line,
        })
        .collect();
    lines.join("\n")
}

fn read(text: &str) -> Config {
    let environment = |name: &str| match name {
        "LUSTRA_SMTP" => Some(MAIL_SERVER.to_owned()),
        "LUSTRA_SECRETS_KEY" => Some(SECRETS_KEY.to_owned()),
        _ => Some(FROM_ENVIRONMENT.to_owned()),
    };
    Config::read(text, environment).expect("it is a configuration")
}

/// The manifests of the shipped connectors by their ids.
fn manifests() -> BTreeMap<String, Manifest> {
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

/// The hosts of a manifest, as grants.
fn wanted(manifest: &Manifest) -> BTreeSet<String> {
    let addresses = manifest
        .upstreams
        .values()
        .filter_map(|upstream| upstream.address.as_deref());
    addresses
        .map(|address| address.split('/').take(3).collect::<Vec<_>>().join("/"))
        .collect()
}

/// Every setting but those of the connectors, to be compared.
fn general(mut config: Config) -> String {
    config.connector.clear();
    format!("{config:#?}")
}

#[test]
fn the_file_enables_the_shipped_connectors_and_changes_nothing_else() {
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
fn what_is_left_out_is_shown_with_its_default() {
    let mut config = read(&with_everything(&file()));
    let defaults = Config::default();
    // These follow `data` and the manifests where they are not given.
    assert_eq!(config.store_url(), defaults.store_url());
    config.store = None;
    config.reload.compiler = None;
    config.mail.smtp = None;
    config.notifications.public_url = None;
    config.notifications.company_url = None;
    config.notifications.secrets_key = None;
    assert_eq!(config.compiled.take(), Some(defaults.data.join("compiled")));
    for plan in config.plans.values_mut() {
        // Shown with a value, since the default is none.
        plan.requests_per_minute = None;
        plan.requests_per_day = None;
    }
    let details_days = config.freshness.details_days.take();
    for manifest in manifests().values() {
        if let Some(source) = &manifest.company_source {
            assert_eq!(details_days, Some(source.max_age_days), "{}", manifest.id);
        }
    }
    assert_eq!(general(config), general(defaults));
}

#[test]
fn what_is_left_out_of_a_connector_is_what_its_manifest_says() {
    let config = read(&with_everything(&file()));
    for (id, manifest) in &manifests() {
        let own = &config.connector[id];
        assert!(own.enabled.unwrap_or(true), "{id}");
        assert_eq!(own.concurrent_calls.unwrap_or(16), 16, "{id}");
        assert_eq!(own.limits.apply(Limits::lookup()), Limits::lookup(), "{id}");
        assert_eq!(
            own.import_limits.apply(Limits::import()),
            Limits::import(),
            "{id}"
        );
        check_upstreams(id, own, manifest);
        check_settings(id, own, manifest);
        for (name, shown) in &own.scopes {
            let scope = manifest
                .scope(name)
                .unwrap_or_else(|| panic!("{id} has no scope {name}"));
            assert_eq!(
                shown.max_age_days.unwrap_or(scope.max_age_days),
                scope.max_age_days,
                "{id} {name}"
            );
        }
        for (name, shown) in &own.datasets {
            let dataset = manifest
                .dataset(name)
                .unwrap_or_else(|| panic!("{id} has no dataset {name}"));
            assert_eq!(
                shown.schedule.as_ref().unwrap_or(&dataset.schedule),
                &dataset.schedule,
                "{id} {name}"
            );
            let shrink = shown
                .max_shrink_percent
                .unwrap_or(dataset.max_shrink_percent);
            assert_eq!(shrink, dataset.max_shrink_percent, "{id} {name}");
        }
    }
}

/// Manners and addresses as in the manifest; an upstream without an address shows one, which is granted too.
fn check_upstreams(id: &str, own: &ConnectorConfig, manifest: &Manifest) {
    let mut asked = wanted(manifest);
    for (name, shown) in &own.upstreams {
        let upstream = manifest
            .upstreams
            .get(name)
            .unwrap_or_else(|| panic!("{id} has no upstream {name}"));
        match &upstream.address {
            Some(address) => assert_eq!(
                shown.address.as_ref().unwrap_or(address),
                address,
                "{id} {name}"
            ),
            None => asked.extend(shown.address.clone()),
        }
        let pace = shown
            .requests_per_second
            .unwrap_or(upstream.requests_per_second);
        assert_eq!(pace, upstream.requests_per_second, "{id} {name}");
        assert_eq!(
            shown.concurrent.unwrap_or(upstream.concurrent),
            upstream.concurrent,
            "{id} {name}"
        );
        let timeout = shown.timeout_seconds.unwrap_or(upstream.timeout_seconds);
        assert_eq!(timeout, upstream.timeout_seconds, "{id} {name}");
    }
    let granted: BTreeSet<String> = own.grants.iter().cloned().collect();
    assert_eq!(granted, asked, "{id}");
}

/// Settings that the manifest has, with its defaults; what comes from the environment has none to be shown.
fn check_settings(id: &str, own: &ConnectorConfig, manifest: &Manifest) {
    for (name, shown) in own.settings.reveal() {
        let schema = manifest
            .settings
            .as_ref()
            .and_then(|schema| schema.get("properties")?.get(name));
        let schema = schema.unwrap_or_else(|| panic!("{id} has no setting {name}"));
        if shown.as_str() != Some(FROM_ENVIRONMENT) {
            assert_eq!(Some(shown), schema.get("default"), "{id} {name}");
        }
    }
}

#[test]
fn every_setting_is_documented() {
    let text = with_everything(&file());
    let mut documented = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[') {
            Some(table) => documented.extend(table.trim_end_matches(']').split('.')),
            None => documented.extend(line.split_once(" = ").map(|(name, _)| name)),
        }
    }
    // What `Debug` names is what there is.
    let all = [
        format!("{:#?}", Config::default()),
        format!("{:#?}", ConnectorConfig::default()),
        format!("{:#?}", UpstreamConfig::default()),
        format!("{:#?}", ScopeConfig::default()),
        format!("{:#?}", DatasetConfig::default()),
        format!("{:#?}", LimitsConfig::default()),
    ];
    let names = all
        .iter()
        .flat_map(|shown| shown.lines())
        .filter_map(|line| Some(line.trim_start().split_once(": ")?.0))
        .filter(|name| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        });
    for name in names {
        assert!(
            documented.contains(name),
            "lustra.toml does not say what {name} is"
        );
    }
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
        "connector.ruz.limits.memory_mib: 4096 MiB is more than an instance may have",
        "plans.free.scopes: no component gives the scope taxx; did you mean tax?",
        "base_registers: no component nope gives base records",
        "operator.listen: 0.0.0.0:8081 can be reached from other machines",
    ] {
        let is_there = found.stdout.lines().any(|found| found.starts_with(line));
        assert!(is_there, "{line}\n{}", found.stdout);
    }
    let json = lustra(&["config", "check", "--json", "--config", &file]).await;
    let lines = json
        .stdout
        .lines()
        .map(serde_json::from_str::<serde_json::Value>);
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
    std::fs::write(&file, format!("components = {components:?}\n{text}")).expect("a fresh folder");
    let file = file.display().to_string();
    let found = lustra(&["config", "check", "--config", &file]).await;
    assert!(found.succeeded, "{}", found.stdout);
}
