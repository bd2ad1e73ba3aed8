//! Versions that an operator takes back and releases.

use lustra_tests::World;
use lustra_tests::lustra::connectors::reload::ChangeKind;
use lustra_tests::lustra::store::testing::connector_id;
use reqwest::Method;

use crate::operator_browser::looked_at;

use super::{add_settings, file, only, put, said, said_of, shown, version, world_with};

const HEADER: (&str, &str) = ("x-lustra-operator", "1");
const PAGE: (&str, &str) = ("sec-fetch-site", "same-origin");

async fn form(world: &World, action: &str, expected: u16) {
    let path = format!("/sources/guest-versions/version/{action}");
    let answer = world.operator(Method::POST, &path, &[PAGE]).await;
    assert_eq!(answer.status, expected, "{action}: {answer:?}");
}

async fn source(world: &World) -> String {
    let path = "/sources/guest-versions";
    let answer = world.operator(Method::GET, path, &[]).await;
    answer.body.as_str().expect("a page").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn version_taken_back_stays_until_it_is_released() {
    let world = world_with(|config| config.reload.probation_minutes = 0).await;
    form(&world, "take-back", 409).await;
    assert!(!source(&world).await.contains("version/take-back"));
    put(&file(&world), &version("changed", "0.2.0"));
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    assert_eq!(said(&world).await, "changed");
    form(&world, "release", 409).await;
    assert!(source(&world).await.contains("version/take-back"));
    let url = world.operator_url();
    let wrong = looked_at(url.clone(), &[("version", "/sources/guest-versions")]).await;
    assert!(wrong.is_empty(), "{wrong:#?}");
    form(&world, "take-back", 200).await;
    assert_eq!(said(&world).await, "answers", "the version before serves");
    let taken = shown(&world).await;
    assert_eq!(
        (&taken["version"], &taken["rejected"]["version"]),
        (&"0.1.0".into(), &"0.2.0".into())
    );
    assert!(source(&world).await.contains("version/release"));
    let wrong = looked_at(url, &[("version-held", "/sources/guest-versions")]).await;
    assert!(wrong.is_empty(), "{wrong:#?}");
    for path in ["/connectors/reload", "/connectors/reload?force=true"] {
        world.operator(Method::POST, path, &[HEADER]).await;
        assert_eq!(said(&world).await, "answers", "{path}");
    }
    let restarted = world.neighbour().await;
    let answer = restarted.company(&world.icos[2], "versions").await;
    assert_eq!(answer.at("/data/versions/said"), "answers", "after a start");
    form(&world, "release", 200).await;
    assert_eq!(said(&world).await, "changed");
    assert!(shown(&world).await["rejected"].is_null());
    world.end().await;
}

#[tokio::test]
async fn version_rolled_back_by_operator_outlives_deploys() {
    let world = world_with(|_| ()).await;
    // The shadow check would refuse the crashing version.
    add_settings(&world, "[reload]\nshadow = \"off\"\n");
    let path = "/connectors/guest-versions/take-back";
    let (wrong, crashing) = (version("changed", "0.2.0"), version("panics!", "0.3.0"));
    put(&file(&world), &wrong);
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    let kept = world.config().connectors().last_known_good;
    let away = kept.with_extension("away");
    std::fs::rename(&kept, &away).expect("a folder of our own");
    std::fs::write(&kept, b"in the way").expect("a folder of our own");
    let unsaved = world.operator(Method::POST, path, &[HEADER]).await;
    assert_eq!(unsaved.status, 507, "{unsaved:?}");
    assert_eq!(said(&world).await, "changed", "nothing has changed");
    std::fs::remove_file(&kept).expect("it is there");
    std::fs::rename(&away, &kept).expect("a folder of our own");
    let taken = world.operator(Method::POST, path, &[HEADER]).await;
    assert_eq!(taken.status, 200, "{taken:?}");
    put(&file(&world), &crashing);
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    for ico in &world.icos[1..6] {
        world.company(ico, "versions").await;
    }
    assert_eq!(shown(&world).await["version"], "0.1.0", "0.3.0 failed");
    put(&file(&world), &wrong);
    world.reload().await;
    assert_eq!(said_of(&world, &world.icos[6]).await, "answers");
    std::fs::remove_file(file(&world)).expect("it is there");
    assert!(matches!(only(&world.reload().await), ChangeKind::Retired));
    put(&file(&world), &wrong);
    world.reload().await;
    assert_eq!(said_of(&world, &world.icos[7]).await, "answers");
    assert!(source(&world).await.contains("version/release"));
    form(&world, "release", 200).await;
    assert_eq!(said_of(&world, &world.icos[8]).await, "changed");
    world.end().await;
}

#[tokio::test]
async fn other_version_replaces_the_one_taken_back() {
    let world = world_with(|_| ()).await;
    put(&file(&world), &version("changed", "0.2.0"));
    world.reload().await;
    let path = "/connectors/guest-versions/take-back";
    let refused = world.operator(Method::POST, path, &[]).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    let taken = world.operator(Method::POST, path, &[HEADER]).await;
    assert_eq!(taken.at("/previous_version"), "0.1.0", "{taken:?}");
    // Changed settings apply to the version that serves instead.
    add_settings(
        &world,
        "[connector.guest-versions.scopes.versions]\nmax_age_days = 3\n",
    );
    world.reload().await;
    let catalogue = world.importer.companies().connectors().catalogue();
    let loaded = catalogue
        .serving(&connector_id("guest-versions"))
        .expect("it serves");
    assert_eq!(loaded.manifest.version, "0.1.0");
    assert_eq!(loaded.config.scopes["versions"].max_age_days, Some(3.0));
    put(&file(&world), &version("another", "0.3.0"));
    assert!(matches!(
        only(&world.reload().await),
        ChangeKind::Replaced { .. }
    ));
    assert_eq!(said_of(&world, &world.icos[1]).await, "another");
    world.end().await;
}
