//! Reloading connectors and settings while the host serves.

mod probation;
mod settings;
mod taken_back;

use std::path::{Path, PathBuf};

use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::connectors::reload::ChangeKind;
use lustra_tests::lustra::reload::Reloaded;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{World, guests, repackaged, reworded};
use reqwest::Method;
use serde_json::Value;

/// The connector's component with another word in it and, optionally, another version number.
fn version(word: &str, number: &str) -> Vec<u8> {
    let bytes = std::fs::read(guests().join("guest-versions.wasm")).expect("it was built");
    let worded = reworded(&bytes, b"word:answers", format!("word:{word}").as_bytes());
    let number = format!("\"version\": \"{number}\"");
    reworded(&worded, b"\"version\": \"0.1.0\"", number.as_bytes())
}

fn file(world: &World) -> PathBuf {
    world.components().join("guest-versions.wasm")
}

/// Puts a file in place by renaming it, as deployments do.
fn put(file: &Path, bytes: &[u8]) {
    let temporary = file.with_extension("tmp");
    std::fs::write(&temporary, bytes).expect("a folder of our own");
    std::fs::rename(&temporary, file).expect("a folder of our own");
}

/// Adds to the settings file.
fn add_settings(world: &World, more: &str) {
    let text = std::fs::read_to_string(world.settings_file()).expect("it is there");
    std::fs::write(world.settings_file(), format!("{text}{more}")).expect("a folder of our own");
}

fn entry(world: &World) -> String {
    let simulator = world.simulator.url();
    format!(
        "[connector.guest-versions]\ngrants = [\"{simulator}\"]\n\
         [connector.guest-versions.upstreams]\n\
         register = {{ address = \"{simulator}\" }}\n"
    )
}

/// A world in which the connector serves as built.
async fn world_with(change: impl FnOnce(&mut Config) + Send + 'static) -> World {
    let world = World::new().changeable().settings(change).start().await;
    add_settings(&world, &entry(&world));
    put(&file(&world), &version("answers", "0.1.0"));
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Loaded),
        "{reloaded:?}"
    );
    world
}

fn only(reloaded: &Reloaded) -> &ChangeKind {
    let [change] = reloaded.changes.as_slice() else {
        panic!("one change: {reloaded:?}")
    };
    &change.kind
}

/// The answer of the serving version.
async fn said(world: &World) -> Value {
    said_of(world, &world.icos[0]).await
}

async fn said_of(world: &World, ico: &str) -> Value {
    let answer = world.company(ico, "versions").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data/versions/said").clone()
}

/// The connector as operators see it.
async fn shown(world: &World) -> Value {
    let answer = world
        .operator(Method::GET, "/connectors/guest-versions", &[])
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

async fn assert_refused(world: &World, bytes: &[u8], stage: &str, why: &str) {
    put(&file(world), bytes);
    let reloaded = world.reload().await;
    let ChangeKind::Refused {
        reason, serving, ..
    } = only(&reloaded)
    else {
        panic!("it was let in: {reloaded:?}")
    };
    assert!(reason.contains(why), "{reason}");
    assert!(serving.is_some(), "the old version still serves");
    let shown = shown(world).await;
    assert_eq!(shown["state"], "serving", "{shown}");
    assert_eq!(shown["rejected"]["stage"], stage, "{shown}");
    assert!(
        shown["rejected"]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains(why)),
        "{shown}"
    );
    assert_eq!(said(world).await, "answers");
    assert!(
        world.reload().await.changes.is_empty(),
        "a refused version is not retried automatically"
    );
}

#[tokio::test]
async fn new_component_adds_its_scope_without_a_restart() {
    let world = World::new().changeable().plan("starter").start().await;
    let ico = world.icos[0].clone();
    let before = world.company(&ico, "versions").await;
    assert_eq!(before.status, 422, "no such scope yet: {before:?}");
    add_settings(&world, &entry(&world));
    put(&file(&world), &version("answers", "0.1.0"));
    assert!(matches!(only(&world.reload().await), ChangeKind::Loaded));
    let beyond = world.company(&ico, "versions").await;
    assert_eq!(
        beyond.status, 403,
        "the plan does not include it: {beyond:?}"
    );
    let document = world.get("/v1/openapi.json").await;
    assert!(document.body.to_string().contains("What this version says"));
    add_settings(&world, "[plans.starter]\nscopes = [\"all\"]\n");
    assert_eq!(world.reload().await.settings_mistake, None);
    let all = world.company(&ico, "all").await;
    assert_eq!(all.at("/data/versions/said"), "answers", "{all:?}");
    world.end().await;
}

#[tokio::test]
async fn running_calls_finish_on_the_replaced_component() {
    let world = world_with(|_| ()).await;
    assert_eq!(said(&world).await, "answers");
    let connectors = world.importer.companies().connectors();
    let old = connectors
        .catalogue()
        .serving(&connector_id("guest-versions"))
        .cloned()
        .expect("it serves");
    put(&file(&world), &version("another", "0.2.0"));
    let reloaded = world.reload().await;
    let ChangeKind::Replaced { before, shadow } = only(&reloaded) else {
        panic!("{reloaded:?}")
    };
    assert_eq!(*before, old.digest);
    let shadow = shadow.as_ref().expect("one call was kept");
    assert_eq!(
        (shadow.replayed, shadow.differing, shadow.failed),
        (1, 1, 0),
        "{shadow:?}"
    );
    assert_eq!(said(&world).await, "another");
    let described = old.describe(&connectors.services).await;
    assert!(described.is_ok_and(|manifest| manifest.contains("0.1.0")));
    let shown_now = shown(&world).await;
    assert_eq!(shown_now["version"], "0.2.0");
    assert_eq!(shown_now["probation"]["previous"], old.digest.as_str());
    world.end().await;
}

#[tokio::test]
async fn invalid_new_version_keeps_the_old_one_serving() {
    let world = world_with(|_| ()).await;
    assert_eq!(said(&world).await, "answers");
    let good = version("another", "0.2.0");
    assert_refused(&world, b"text", "admit", "not a WebAssembly component").await;
    assert_refused(&world, &good[..good.len() / 2], "admit", "it is damaged").await;
    let greedy = reworded(
        &good,
        b"https://register.example",
        b"https://stranger.example",
    );
    let greedy = reworded(
        &greedy,
        b"\"register\": {\n      \"a",
        b"\"other\"   : {\n      \"a",
    );
    assert_refused(
        &world,
        &greedy,
        "admit",
        "upstreams.register: it has no such upstream",
    )
    .await;
    let lying = reworded(
        &good,
        b"One connector, many versions",
        b"One connector, many features",
    );
    let section_only = first_only(&lying, &good);
    assert_refused(
        &world,
        &section_only,
        "check",
        "it differs from the custom section",
    )
    .await;
    let panics = version("panics!", "0.2.0");
    assert_refused(
        &world,
        &panics,
        "shadow",
        "failed where 0 had: versions: trap",
    )
    .await;
    let unknown = version("unknown", "0.2.0");
    assert_refused(&world, &unknown, "shadow", "does not fit its schema").await;
    put(&file(&world), &good);
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    assert_eq!(said(&world).await, "another");
    assert!(shown(&world).await["rejected"].is_null());
    world.end().await;
}

/// A component with the changed bytes only at the last difference between the two.
fn first_only(changed: &[u8], original: &[u8]) -> Vec<u8> {
    // The digests at the end always differ.
    let end = original.len() - 80;
    let places: Vec<usize> = (0..end)
        .filter(|place| original[*place] != changed[*place])
        .collect();
    let (Some(first), Some(last)) = (places.first(), places.last()) else {
        panic!("they differ")
    };
    let middle = usize::midpoint(*first, *last);
    let mut bytes = original.to_vec();
    bytes[middle..end].copy_from_slice(&changed[middle..end]);
    repackaged(&bytes)
}

#[tokio::test]
async fn touched_renamed_copied_and_deleted_files_are_handled() {
    let world = world_with(|_| ()).await;
    let bytes = version("answers", "0.1.0");
    put(&file(&world), &bytes);
    assert!(
        world.reload().await.changes.is_empty(),
        "equal bytes are no change"
    );
    let renamed = world.components().join("renamed.wasm");
    std::fs::rename(file(&world), &renamed).expect("a folder of our own");
    assert!(
        world.reload().await.changes.is_empty(),
        "neither is a new name"
    );
    let shown_now = shown(&world).await;
    assert!(
        shown_now["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("renamed.wasm"))
    );
    let second = world.components().join("a-second.wasm");
    put(&second, &version("another", "0.2.0"));
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Refused { reason, .. } if reason.contains("says it is guest-versions too")),
        "{reloaded:?}"
    );
    assert_eq!(
        said(&world).await,
        "answers",
        "the one that serves is not pushed aside"
    );
    std::fs::remove_file(&renamed).expect("it is there");
    world.reload().await;
    assert_eq!(said(&world).await, "another", "now the other may");
    std::fs::remove_file(&second).expect("it is there");
    let (here, away) = (
        world.components(),
        world.components().with_extension("away"),
    );
    std::fs::rename(here, &away).expect("a folder of our own");
    assert!(
        world.reload().await.changes.is_empty(),
        "a directory out of reach is not an empty one"
    );
    assert_eq!(said(&world).await, "another");
    std::fs::rename(&away, here).expect("a folder of our own");
    assert!(matches!(only(&world.reload().await), ChangeKind::Retired));
    let gone = world.company(&world.icos[0], "versions").await;
    assert_eq!(gone.status, 422, "{gone:?}");
    assert!(world.reload().await.changes.is_empty());
    world.end().await;
}

#[tokio::test]
async fn partially_written_component_is_loaded_when_complete() {
    let world = World::new().watching().start().await;
    let mut changes = world.importer.companies().connectors().changes();
    add_settings(&world, &entry(&world));
    let bytes = version("answers", "0.1.0");
    // Written in two parts without a rename. The host loads the complete file, even if it saw the first part.
    std::fs::write(file(&world), &bytes[..bytes.len() / 3]).expect("a folder of our own");
    std::fs::write(file(&world), &bytes).expect("a folder of our own");
    let serves = |world: &World| {
        let catalogue = world.importer.companies().connectors().catalogue();
        catalogue
            .serving(&connector_id("guest-versions"))
            .map(|loaded| loaded.digest.clone())
    };
    while serves(&world).is_none() {
        changes.changed().await.expect("the host is there");
    }
    let first = serves(&world);
    assert_eq!(said(&world).await, "answers");
    for _ in 0..20 {
        put(&file(&world), &version("another", "0.2.0"));
        put(&file(&world), &version("answers", "0.3.0"));
    }
    while serves(&world) == first || said(&world).await != "answers" {
        changes.changed().await.expect("the host is there");
    }
    assert_eq!(shown(&world).await["version"], "0.3.0");
    world.end().await;
}

#[tokio::test]
async fn operators_see_metrics_and_reload_manually() {
    let world = world_with(|_| ()).await;
    assert_eq!(said(&world).await, "answers");
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    assert_eq!(metrics.status, 200, "{metrics:?}");
    let text = metrics.body.as_str().expect("a text");
    for line in [
        "lustra_connector_calls_total{connector=\"guest-versions\"} 1",
        "lustra_connector_call_seconds_count{connector=\"guest-versions\"} 1",
        "lustra_connector_breaker_open{connector=\"guest-versions\"} 0",
        "lustra_dataset_records{connector=\"rpo\",dataset=\"companies\"} 60",
        "lustra_search_ready{} 1.0",
        "lustra_search_companies{} 60.0",
        "lustra_search_behind{} 0.0",
        "lustra_batch_parts_unfinished{} 0.0",
        "lustra_mail_waiting{} 0.0",
        "# EOF",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    put(&file(&world), &version("another", "0.2.0"));
    let page = world
        .operator(Method::POST, "/connectors/reload", &[])
        .await;
    assert_eq!(page.status, 403, "a web page cannot do that: {page:?}");
    let header = [("x-lustra-operator", "1")];
    let reloaded = world
        .operator(Method::POST, "/connectors/reload", &header)
        .await;
    assert_eq!(
        reloaded.at("/changes/0/outcome"),
        "replaced",
        "{reloaded:?}"
    );
    assert_eq!(said(&world).await, "another");
    let public = world.get_with("/v1/status", &[]).await.body.to_string();
    assert!(
        !public.contains("target") && !public.contains(".wasm"),
        "no paths for clients"
    );
    world.end().await;
}

#[tokio::test]
async fn component_failing_its_own_cassettes_is_refused() {
    let world = World::new().changeable().start().await;
    add_settings(&world, "[connector.guest-record]\n");
    let original = std::fs::read(guests().join("guest-record.wasm")).expect("it was built");
    let file = world.components().join("guest-record.wasm");
    // Replaces every occurrence except the one in the fixture, which is packed as unescaped JSON.
    let place = original
        .windows(9)
        .position(|bytes| bytes == b"Vzorostav")
        .expect("the code comes first");
    let mut changed = original.clone();
    changed[place..place + 9].copy_from_slice(b"Vzorostax");
    put(&file, &repackaged(&changed));
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Refused { reason, .. } if reason.starts_with("its fixture record.toml: its result differs")),
        "{reloaded:?}"
    );
    put(&file, &original);
    assert!(matches!(only(&world.reload().await), ChangeKind::Loaded));
    world.end().await;
}
