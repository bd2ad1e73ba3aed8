//! New versions on probation: the shadow check, rollback after failing calls, and the last good version.

use lustra_tests::World;
use lustra_tests::lustra::config::{Config, Shadow};
use lustra_tests::lustra::connectors::reload::ChangeKind;
use reqwest::Method;
use serde_json::Value;

use super::{
    add_settings, assert_refused, entry, file, only, put, said, said_of, shown, version, world_with,
};

#[tokio::test]
async fn shadow_warn_loads_failing_version_and_reports_it() {
    let world = world_with(|config| config.reload.shadow = Shadow::Warn).await;
    add_settings(&world, "[reload]\nshadow = \"warn\"\n");
    assert_eq!(said(&world).await, "answers");
    put(&file(&world), &version("panics!", "0.2.0"));
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Replaced { shadow: Some(shadow), .. } if shadow.failed == 1),
        "{reloaded:?}"
    );
    assert_eq!(shown(&world).await["shadow"]["failed"], 1);
    world.end().await;
}

#[tokio::test]
async fn version_failing_its_first_calls_is_rolled_back() {
    let world = world_with(|config| config.reload.sample_calls = 0).await;
    put(&file(&world), &version("panics!", "0.2.0"));
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    for ico in &world.icos[..5] {
        let answer = world.company(ico, "versions").await;
        assert_eq!(
            answer.at("/meta/scopes/versions/state"),
            "unread",
            "{answer:?}"
        );
    }
    let sixth = said_of(&world, &world.icos[5]).await;
    assert_eq!(sixth, "answers", "the version before serves again");
    let shown_now = shown(&world).await;
    assert_eq!(shown_now["rejected"]["stage"], "probation", "{shown_now}");
    assert_eq!(shown_now["rejected"]["version"], "0.2.0", "{shown_now}");
    assert!(
        world.reload().await.changes.is_empty(),
        "not again by itself"
    );
    let restarted = world.neighbour().await;
    let answer = restarted.company(&world.icos[6], "versions").await;
    assert_eq!(
        answer.at("/data/versions/said"),
        "answers",
        "a start does not serve it either: {answer:?}"
    );
    let header = [("x-lustra-operator", "1")];
    // Its failures are in the replay sample by now, so the shadow check would refuse it.
    add_settings(&world, "[reload]\nshadow = \"off\"\n");
    let forced = world
        .operator(Method::POST, "/connectors/reload", &header)
        .await;
    assert_eq!(
        forced.at("/changes/0/outcome"),
        "replaced",
        "a forced reload loads it: {forced:?}"
    );
    world.advance(1);
    world.reload().await;
    let now = shown(&world).await;
    assert_eq!(
        (&now["version"], &now["probation"]),
        (&"0.2.0".into(), &Value::Null)
    );
    let catalogue = world.importer.companies().connectors().catalogue();
    let serving = &catalogue.entries["guest-versions"];
    assert!(
        serving.probation.is_none(),
        "the previous version is dropped"
    );
    world.end().await;
}

#[tokio::test]
async fn failing_settings_are_rolled_back_without_the_component() {
    let world = world_with(|config| config.reload.sample_calls = 0).await;
    let right = std::fs::read_to_string(world.settings_file()).expect("it is there");
    let entry = entry(&world);
    let unreachable = "[connector.guest-versions]\ngrants = [\"http://127.0.0.1:1\"]\n\
         [connector.guest-versions.upstreams]\n\
         register = { address = \"http://127.0.0.1:1\", retry_pauses_ms = [] }\n";
    std::fs::write(world.settings_file(), right.replace(&entry, unreachable))
        .expect("a folder of our own");
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    for ico in &world.icos[..5] {
        let answer = world.company(ico, "versions").await;
        assert_eq!(
            answer.at("/meta/scopes/versions/state"),
            "unread",
            "{answer:?}"
        );
    }
    let sixth = said_of(&world, &world.icos[5]).await;
    assert_eq!(sixth, "answers", "the settings before apply again");
    let rejected = shown(&world).await["rejected"].clone();
    assert_eq!(rejected["stage"], "probation", "{rejected}");
    assert!(
        rejected["reason"]
            .as_str()
            .is_some_and(|reason| reason.starts_with("the changed settings were rolled back")),
        "{rejected}"
    );
    assert!(
        world.reload().await.changes.is_empty(),
        "not again by itself"
    );
    let restarted = world.neighbour().await;
    let loaded = restarted.company(&world.icos[6], "versions").await;
    assert_eq!(loaded.status, 200, "a start loads it: {loaded:?}");
    let corrected = entry.replace(
        "versions]\ngrants",
        "versions]\nconcurrent_calls = 6\ngrants",
    );
    std::fs::write(world.settings_file(), right.replace(&entry, &corrected))
        .expect("a folder of our own");
    let reloaded = world.reload().await;
    assert!(
        matches!(only(&reloaded), ChangeKind::Replaced { .. }),
        "{reloaded:?}"
    );
    assert_eq!(said_of(&world, &world.icos[7]).await, "answers");
    world.end().await;
}

/// Requests the serving version: companies with licences, and companies without.
async fn licensed(world: &World) -> (Vec<String>, Vec<String>) {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for ico in &world.icos {
        let answer = world.company(ico, "versions").await;
        match answer.at("/data/versions/licences").as_u64() {
            Some(0) => without.push(ico.clone()),
            Some(_) => with.push(ico.clone()),
            None => panic!("{answer:?}"),
        }
    }
    (with, without)
}

#[tokio::test]
async fn shadow_check_repeats_rare_answers_among_many() {
    let world = world_with(|_| ()).await;
    let (with, without) = licensed(&world).await;
    assert!(!with.is_empty() && !without.is_empty(), "{with:?}");
    for ico in without.iter().cycle().take(40) {
        said_of(&world, ico).await;
    }
    assert_refused(
        &world,
        &version("partial", "0.2.0"),
        "shadow",
        "does not fit its schema",
    )
    .await;
    world.end().await;
}

#[tokio::test]
async fn schema_failure_on_probation_rolls_back() {
    let world = world_with(|_| ()).await;
    let (with, without) = licensed(&world).await;
    add_settings(&world, "[reload]\nshadow = \"off\"\n");
    put(&file(&world), &version("partial", "0.2.0"));
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    assert_eq!(said_of(&world, &without[0]).await, "partial");
    let broken = world.company(&with[0], "versions").await;
    assert_eq!(
        broken.at("/meta/scopes/versions/state"),
        "stale",
        "the section before is shown: {broken:?}"
    );
    assert_eq!(said_of(&world, &without[0]).await, "answers");
    let shown_now = shown(&world).await;
    assert_eq!(shown_now["rejected"]["stage"], "probation", "{shown_now}");
    assert!(
        shown_now["rejected"]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("did not fit its schema")),
        "{shown_now}"
    );
    world.end().await;
}

#[tokio::test]
async fn start_after_bad_deploy_serves_last_good_version() {
    let world = world_with(|_| ()).await;
    std::fs::write(file(&world), b"half a comp").expect("a folder of our own");
    let mut settings = Config::read_file(&world.settings_file()).expect("they are right");
    settings.store.clone_from(&world.config().store);
    settings.compiled.clone_from(&world.config().compiled);
    settings.operator.on = false;
    let restarted = world.neighbour_with(settings).await;
    let answer = restarted.company(&world.icos[1], "versions").await;
    assert_eq!(answer.at("/data/versions/said"), "answers", "{answer:?}");
    world.end().await;
}
