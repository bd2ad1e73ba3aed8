//! The cache and ETags of company responses.

use lustra_tests::World;
use serde_json::json;

use super::company;
use crate::support::reading_each;

#[test]
fn second_answer_is_cached_and_marked() {
    reading_each(async |world| {
        let ico = company(world, 40).ico;
        let (first, second) = (
            world.company(&ico, "all").await,
            world.company(&ico, "all").await,
        );
        assert_eq!(first.at("/meta/source"), "live");
        assert_eq!(
            (second.at("/meta/source"), second.at("/meta/cached")),
            (&json!("cache"), &json!(true))
        );
        assert_eq!(second.at("/data"), first.at("/data"));
        for time in [
            "rpo_updated_at",
            "orsr_synced_at",
            "enriched_at",
            "profile_built_at",
        ] {
            assert_eq!(
                second.body["meta"][time], first.body["meta"][time],
                "{time}"
            );
        }
        assert_eq!(second.header("etag"), first.header("etag"));
    });
}

#[test]
fn unchanged_answer_is_304() {
    reading_each(async |world| {
        let path = format!("/v1/company/ico/{}?scope=tax", company(world, 41).ico);
        let etag = world
            .get(&path)
            .await
            .header("etag")
            .expect("an ETag")
            .to_owned();
        for same in [etag.clone(), format!("W/\"another\", {etag}")] {
            let headers = [("x-api-key", world.key.as_str()), ("if-none-match", &same)];
            let answer = world.get_with(&path, &headers).await;
            assert_eq!((answer.status, &answer.body), (304, &json!("")), "{same}");
            assert_eq!(answer.header("etag"), Some(etag.as_str()));
        }
        for other in ["W/\"another\"", "*"] {
            let headers = [("x-api-key", world.key.as_str()), ("if-none-match", other)];
            assert_eq!(world.get_with(&path, &headers).await.status, 200, "{other}");
        }
    });
}

#[tokio::test]
async fn a_changed_fact_changes_the_etag() {
    let world = World::new().start().await;
    let path = format!("/v1/company/ico/{}", world.icos[1]);
    let before = world.get(&path).await;
    // On the second day company 1 moves.
    world.advance(2);
    assert!(world.import_due().await > 0);
    let etag = before.header("etag").expect("an ETag");
    let headers = [("x-api-key", world.key.as_str()), ("if-none-match", etag)];
    let after = world.get_with(&path, &headers).await;
    assert_eq!(after.status, 200, "{after:?}");
    assert_ne!(after.at("/data/address"), before.at("/data/address"));
    world.end().await;
}
