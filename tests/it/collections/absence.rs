//! What could not be read is never an absence.

use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{DatabaseKind, World};
use serde_json::{Value, json};

use super::{ID, LIST, List, ids, import, record, records};
use crate::support::at;

async fn assert_unavailable(world: &World, path: &str, why: &str) {
    let answer = world.get(path).await;
    assert_eq!(answer.status, 503, "{path}: {answer:?}");
    assert_eq!(answer.at("/error"), "service_unavailable");
    let message = answer.at("/message").as_str().unwrap_or_default();
    assert!(message.contains(why), "{path}: {message}");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
    assert_eq!(answer.header("x-credits-charged"), None, "{answer:?}");
}

#[tokio::test]
async fn list_that_was_never_read_is_unavailable() {
    let list = List::of(&records());
    let world = list.world(DatabaseKind::Sqlite).start().await;
    let company = "/v1/company/ico/35000001/guest-agents";
    let item = format!("{LIST}/bank");
    for path in [LIST, company, &item] {
        assert_unavailable(&world, path, "subjects was not read: never imported").await;
    }
    import(&world, "subjects").await;
    for path in [LIST, company, &item] {
        let answer = world.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
    }
    world.end().await;
    let off = list.world(DatabaseKind::Sqlite).settings(|config| {
        let connector = config.connector.get_mut(ID).expect("it is enabled");
        connector
            .datasets
            .entry("subjects".to_owned())
            .or_default()
            .on = Some(false);
    });
    let world = off.start().await;
    for path in [LIST, company, &item] {
        assert_unavailable(&world, path, "off: switched off by the operator").await;
    }
    world.end().await;
}

#[tokio::test]
async fn unread_source_of_a_listing_is_named() {
    let list = List::of(&records());
    let on = list.world(DatabaseKind::Sqlite).settings(|config| {
        let connector = config.connector.get_mut(ID).expect("it is enabled");
        connector.datasets.entry("ties".to_owned()).or_default().on = Some(true);
    });
    let world = on.start().await;
    import(&world, "subjects").await;
    let path = "/v1/company/ico/35000001/guest-agents";
    let before = world.get(path).await;
    let unread = json!([{"source": "ties", "since": null, "why": "never imported"}]);
    assert_eq!(before.at("/meta/unread"), &unread);
    import(&world, "ties").await;
    let after = world.get(path).await;
    assert!(after.at("/meta/unread").is_null(), "{after:?}");
    assert_eq!(ids(&after), ids(&before));
    world.end().await;
}

#[tokio::test]
async fn unreadable_row_is_named_and_costs_no_other() {
    let mut with_odd = records();
    with_odd.push(json!({"key": "odd", "ico": "35000003", "content": {"unreadable_row": true}}));
    let list = List::of(&with_odd);
    let world = list.imported().await;
    let answer = world.get(LIST).await;
    assert_eq!(ids(&answer).len(), 7);
    let why = at(answer.at("/meta"), "/unread/0/why")
        .as_str()
        .unwrap_or_default();
    assert_eq!(why, "malformed: 1 rows of the list could not be read");
    assert_unavailable(&world, &format!("{LIST}/odd"), "stored in another form").await;
    world.end().await;
}

#[tokio::test]
async fn record_outside_the_schema_fails_its_import() {
    let list = List::of(&records());
    let world = list.imported().await;
    let before = world.get(LIST).await;
    let mut other_key = record("bank", "Banka", &json!({}));
    other_key["key"] = json!("insurer");
    for (odd, why) in [
        (
            record("bank", "Banka", &json!({"is_person": null})),
            "the record bank",
        ),
        (
            record("bank", "Banka", &json!({"extra": 1})),
            "the record bank",
        ),
        (other_key, "its id is not its key"),
    ] {
        list.write(&[record("agent", "Agent", &json!({})), odd]);
        let imported = world
            .importer
            .run(&connector_id(ID), "subjects", &|_| {})
            .await;
        let failure = imported.expect_err("it is refused").to_string();
        assert!(failure.contains(why), "{failure}");
        let after = world.get(LIST).await;
        assert_eq!(after.body, before.body, "the list that was read stays");
    }
    world.end().await;
}

#[tokio::test]
async fn list_above_the_limit_is_unavailable() {
    let list = List::of(&records());
    for (items, mib) in [(7, 256), (8, 256)] {
        let bounded = list.world(DatabaseKind::Sqlite).settings(move |config| {
            config.collections.max_items = items;
            config.collections.max_mib = mib;
        });
        let world = bounded.start().await;
        import(&world, "subjects").await;
        if items < 8 {
            assert_unavailable(&world, LIST, "larger than this service can offer").await;
            let item = world.get(&format!("{LIST}/bank")).await;
            assert_eq!(item.status, 200, "a look-up needs no index: {item:?}");
        } else {
            assert_eq!(world.get(LIST).await.status, 200);
        }
        world.end().await;
    }
}

#[tokio::test]
async fn index_above_its_memory_is_refused() {
    let long = "dlhé slovo ".repeat(60_000);
    let list = List::of(&[
        record("a", &long, &json!({})),
        record("b", &long, &json!({})),
    ]);
    let world = list
        .world(DatabaseKind::Sqlite)
        .settings(|config| config.collections.max_mib = 1)
        .start()
        .await;
    import(&world, "subjects").await;
    assert_unavailable(&world, LIST, "larger than this service can offer").await;
    world.end().await;
}

#[tokio::test]
async fn empty_list_has_no_items() {
    let list = List::of(&[]);
    let world = list.imported().await;
    let answer = world.get(LIST).await;
    assert_eq!(answer.at("/data"), &Value::Array(Vec::new()), "{answer:?}");
    let item = world.get(&format!("{LIST}/bank")).await;
    assert_eq!(item.status, 404, "{item:?}");
    world.end().await;
}
