//! Changes of the settings file while the host serves.

use lustra_tests::World;
use lustra_tests::lustra::connectors::reload::ChangeKind;
use lustra_tests::lustra::store::testing::connector_id;
use reqwest::Method;

use super::{add_settings, file, only, put, said, shown, version, world_with};
use crate::guest_support::Log;

#[tokio::test]
async fn settings_reload_and_a_mistake_changes_nothing() {
    let world = world_with(|_| ()).await;
    let right = std::fs::read_to_string(world.settings_file()).expect("it is there");
    add_settings(&world, "[freshness]\nlive_budget = 3\n");
    let mistaken = world.reload().await;
    assert!(
        mistaken
            .settings_mistake
            .as_ref()
            .is_some_and(|mistake| mistake.contains("live_budget")),
        "{mistaken:?}"
    );
    assert!(mistaken.changes.is_empty());
    assert_eq!(said(&world).await, "answers");
    let later = format!("{right}[freshness]\nlive_budget_ms = 3000\n");
    std::fs::write(world.settings_file(), later).expect("a folder of our own");
    let reloaded = world.reload().await;
    assert!(
        reloaded.at_next_start.contains(&"freshness"),
        "{reloaded:?}"
    );
    let off = right.replace(
        "[connector.guest-versions]",
        "[connector.guest-versions]\nenabled = false",
    );
    std::fs::write(world.settings_file(), off).expect("a folder of our own");
    assert!(matches!(only(&world.reload().await), ChangeKind::Disabled));
    assert_eq!(world.company(&world.icos[0], "versions").await.status, 422);
    let narrow = right.replace(
        "[connector.guest-versions]",
        "[connector.guest-versions]\nconcurrent_calls = 3",
    );
    std::fs::write(world.settings_file(), narrow).expect("a folder of our own");
    assert!(matches!(only(&world.reload().await), ChangeKind::Loaded));
    assert_eq!(said(&world).await, "answers");
    world.end().await;
}

/// Reloads with these settings of the connector beside those of its entry, while the file in the directory is refused.
/// Returns how many calls at a time the serving version allows.
async fn concurrent_calls_with(world: &World, right: &str, own: &str) -> Option<usize> {
    let changed = right.replace(
        "[connector.guest-versions]\n",
        &format!("[connector.guest-versions]\n{own}\n"),
    );
    std::fs::write(world.settings_file(), changed).expect("a folder of our own");
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Refused { .. }),
        "{reloaded:?}"
    );
    assert!(world.reload().await.changes.is_empty(), "applied once");
    let catalogue = world.importer.companies().connectors().catalogue();
    let serving = catalogue.serving(&connector_id("guest-versions"));
    let serving = serving.expect("it serves");
    assert_eq!(serving.manifest.version, "0.1.0");
    serving.config.concurrent_calls
}

#[tokio::test]
async fn settings_apply_while_the_new_version_is_refused() {
    let world = world_with(|_| ()).await;
    assert_eq!(said(&world).await, "answers");
    let right = std::fs::read_to_string(world.settings_file()).expect("it is there");
    put(&file(&world), b"half a comp");
    world.reload().await;
    let unreadable = concurrent_calls_with(&world, &right, "concurrent_calls = 3").await;
    assert_eq!(unreadable, Some(3));
    put(&file(&world), &version("panics!", "0.2.0"));
    world.reload().await;
    assert_eq!(shown(&world).await["rejected"]["stage"], "shadow");
    let failing = concurrent_calls_with(&world, &right, "concurrent_calls = 4").await;
    assert_eq!(failing, Some(4));
    let unknown = "concurrent_calls = 5\nsettings = { no-such-setting = 1 }";
    let unaccepted = concurrent_calls_with(&world, &right, unknown).await;
    assert_eq!(unaccepted, Some(4), "it keeps its settings");
    let rejected = shown(&world).await["rejected"].clone();
    assert!(
        rejected["settings_reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("no-such-setting")),
        "{rejected}"
    );
    put(&file(&world), b"half a comp");
    world.reload().await;
    let off = right.replace(
        "[connector.guest-versions]\n",
        "[connector.guest-versions]\nenabled = false\n",
    );
    std::fs::write(world.settings_file(), off).expect("a folder of our own");
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Disabled),
        "an unreadable file is not a reason to serve on: {reloaded:?}"
    );
    assert_eq!(world.company(&world.icos[0], "versions").await.status, 422);
    assert!(world.reload().await.changes.is_empty());
    std::fs::write(world.settings_file(), &right).expect("a folder of our own");
    world.reload().await;
    assert_eq!(said(&world).await, "answers");
    world.end().await;
}

#[tokio::test]
async fn each_change_of_the_file_names_waiting_settings() {
    let (log, _guard) = Log::of_this_thread();
    let world = world_with(|_| ()).await;
    assert!(
        log.text()
            .contains("connector guest-versions loaded: version "),
        "{}",
        log.text()
    );
    let right = std::fs::read_to_string(world.settings_file()).expect("it is there");
    let logged = || {
        log.text()
            .matches("take effect at the next start: ")
            .count()
    };
    let before = logged();
    for (changes, millis) in [(1, 3_000), (2, 4_000)] {
        // No reloadable setting differs.
        let later = format!("{right}[freshness]\nlive_budget_ms = {millis}\n");
        std::fs::write(world.settings_file(), later).expect("a folder of our own");
        for _ in 0..2 {
            world.reload().await;
            assert_eq!(logged(), before + changes, "{}", log.text());
        }
    }
    world.end().await;
}

#[tokio::test]
async fn emptied_settings_file_keeps_connectors_running() {
    let world = world_with(|_| ()).await;
    let right = std::fs::read_to_string(world.settings_file()).expect("it is there");
    for emptied in ["", "listen = \"127.0.0.1:1\"\n"] {
        std::fs::write(world.settings_file(), emptied).expect("a folder of our own");
        let reloaded = world.reload().await;
        let mistake = reloaded.settings_mistake.clone().unwrap_or_default();
        assert!(mistake.starts_with("they enable none of the "), "{mistake}");
        assert!(reloaded.changes.is_empty(), "{reloaded:?}");
        assert_eq!(said(&world).await, "answers");
        let listed = world.operator(Method::GET, "/connectors", &[]).await;
        assert_eq!(listed.at("/0/settings_mistake"), mistake.as_str());
    }
    std::fs::write(world.settings_file(), right).expect("a folder of our own");
    let reloaded = world.reload().await;
    assert_eq!(reloaded.settings_mistake, None);
    assert!(shown(&world).await["settings_mistake"].is_null());
    std::fs::write(world.settings_file(), "").expect("a folder of our own");
    let header = [("x-lustra-operator", "1")];
    let odd = world
        .operator(Method::POST, "/connectors/reload?force=yes", &header)
        .await;
    assert_eq!(odd.status, 422, "{odd:?}");
    let forced = world
        .operator(Method::POST, "/connectors/reload?force=true", &header)
        .await;
    assert!(forced.at("/settings_mistake").is_null(), "{forced:?}");
    assert_eq!(forced.at("/changes/0/outcome"), "disabled", "{forced:?}");
    assert_eq!(world.company(&world.icos[0], "versions").await.status, 422);
    world.end().await;
}
