//! Filters, order, pages and look-ups.

use lustra_tests::World;
use serde_json::{Value, json};

use super::{LIST, List, ids, import, record, records};
use crate::faults_support::on_each_kind;

#[tokio::test]
async fn each_filter_selects_items() {
    let list = List::of(&records());
    let world = list.imported().await;
    for (query, expected) in [
        (
            "",
            &[
                "person", "agent-1", "nowhere", "agent-2", "bank", "foreign", "insurer",
            ][..],
        ),
        ("q=CUCO", &["agent-1"]),
        ("q=poistovna+zlt", &["insurer"]),
        ("q=ovna", &[]),
        ("category=banka", &["bank"]),
        ("category=POISTOVNA", &["foreign", "insurer"]),
        ("sector=uvery", &["person", "agent-1"]),
        ("parent_ico=35000002", &["agent-1"]),
        ("parent_id=id-35000001", &["person", "agent-1", "agent-2"]),
        // One licence must meet both.
        ("parent_ico=35000001&sector=poistenie", &["agent-2"]),
        ("country=at", &["foreign"]),
        ("country=foreign", &["foreign"]),
        ("person=1", &["person"]),
        ("person=true&status=all", &["person"]),
        ("person=0&q=agent", &["agent-1"]),
        ("status=ended", &["ended"]),
        ("status=all&q=agent", &["agent-1", "ended"]),
        ("limit=2", &["person", "agent-1"]),
        ("limit=2&offset=5", &["foreign", "insurer"]),
        ("offset=9223372036854775807", &[]),
    ] {
        let answer = world.get(&format!("{LIST}?{query}")).await;
        assert_eq!(ids(&answer), expected, "{query}");
        assert!(answer.at("/meta/unread").is_null(), "{answer:?}");
    }
    let first = world.get(&format!("{LIST}?limit=2")).await;
    assert_eq!(
        first.at("/meta"),
        &json!({"limit": 2, "offset": 0, "has_more": true})
    );
    let last = world.get(&format!("{LIST}?limit=2&offset=5")).await;
    assert_eq!(last.at("/meta/has_more"), false);
    let bank = world.get(&format!("{LIST}?q=fiktivna")).await;
    let summary = json!({
        "id": "bank", "ico": "35000001", "name": "Fiktívna banka, a. s.", "country": "SK", "is_person": false,
        "is_current": true, "categories": ["Banka", "Obchodník"],
    });
    assert_eq!(bank.at("/data"), &json!([summary]));
    let page = world.get(LIST).await;
    assert_eq!(page.at("/meta/limit"), 25);
    world.end().await;
}

#[tokio::test]
async fn items_of_a_company_have_their_ties() {
    let list = List::of(&records());
    let world = list.imported().await;
    let path = "/v1/company/ico/35000001/guest-agents";
    let answer = world.get(path).await;
    assert_eq!(ids(&answer), ["person", "agent-1", "agent-2"]);
    assert_eq!(
        answer.at("/data/1/licences"),
        &json!([super::tie("úvery", "35000001")])
    );
    assert_eq!(answer.at("/meta/parent/id"), "bank");
    assert!(answer.at("/meta/parent/licences").is_null(), "a summary");
    // The dataset of ties is off.
    let unread =
        json!([{"source": "ties", "since": null, "why": "off: switched off by the operator"}]);
    assert_eq!(answer.at("/meta/unread"), &unread);
    let narrowed = world
        .get(&format!("{path}?sector=poistenie&person=0&limit=1"))
        .await;
    assert_eq!(ids(&narrowed), ["agent-2"]);
    let ended = world.get(&format!("{path}?status=ended")).await;
    assert_eq!(ids(&ended), ["ended"]);
    let none = world.get("/v1/company/ico/35000009/guest-agents").await;
    assert_eq!(ids(&none), [""; 0]);
    assert!(
        none.body["meta"].get("parent").is_some_and(Value::is_null),
        "{none:?}"
    );
    world.end().await;
}

#[tokio::test]
async fn item_is_found_by_its_id() {
    let list = List::of(&records());
    let world = list.imported().await;
    let answer = world.get(&format!("{LIST}/agent-1")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body, json!({"data": records()[2]["content"]}));
    let encoded = world.get(&format!("{LIST}/agent%2D1")).await;
    assert_eq!(encoded.body, answer.body);
    for unknown in ["agent", "AGENT-1", "%00", "%25"] {
        let answer = world.get(&format!("{LIST}/{unknown}")).await;
        assert_eq!(
            (answer.status, answer.at("/error")),
            (404, &json!("not_found")),
            "{unknown}"
        );
    }
    world.end().await;
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let list = List::of(&records());
    let world = list.imported().await;
    let company = "/v1/company/ico/35000001/guest-agents";
    for (path, parameter) in [
        (format!("{LIST}?nam=x"), "nam"),
        (format!("{LIST}?q="), "q"),
        (format!("{LIST}?q=--"), "q"),
        (format!("{LIST}?sector="), "sector"),
        (format!("{LIST}?parent_ico=1"), "parent_ico"),
        (format!("{LIST}?parent_id="), "parent_id"),
        (format!("{LIST}?country=svk"), "country"),
        (format!("{LIST}?person=yes"), "person"),
        (format!("{LIST}?status=gone"), "status"),
        (format!("{LIST}?limit=101"), "limit"),
        (format!("{LIST}?limit=0"), "limit"),
        (format!("{LIST}?offset=-1"), "offset"),
        (format!("{LIST}?limit=1&limit=2"), "limit"),
        (format!("{LIST}/bank?limit=1"), "limit"),
        (format!("{company}?category=banka"), "category"),
        (format!("{company}?parent_ico=35000002"), "parent_ico"),
        ("/v1/company/ico/350/guest-agents".to_owned(), "ico"),
    ] {
        let answer = world.get(&path).await;
        assert_eq!(answer.status, 422, "{path}: {answer:?}");
        let errors = answer
            .at("/errors")
            .as_object()
            .expect("mistakes by parameter");
        assert_eq!(errors.keys().collect::<Vec<_>>(), [parameter], "{path}");
    }
    world.end().await;
}

/// Every page in turn lists each item once, on both databases and on every host.
#[tokio::test]
async fn pages_of_two_hosts_list_each_item_once() {
    let names = ["Beta", "alfa", "Álfa", "alfa", "Gama"];
    let numbered =
        (0..60).map(|number| record(&format!("{number:02}"), names[number % 5], &json!({})));
    let list = List::of(&numbered.collect::<Vec<_>>());
    on_each_kind(
        |kind| list.world(kind),
        async |world: &World| {
            import(world, "subjects").await;
            let neighbour = world.neighbour().await;
            let mut seen = Vec::new();
            for (turn, offset) in (0..60).step_by(7).enumerate() {
                let path = format!("{LIST}?limit=7&offset={offset}");
                let answer = if turn % 2 == 0 {
                    world.get(&path).await
                } else {
                    neighbour.get(&path).await
                };
                seen.extend(ids(&answer).into_iter().map(str::to_owned));
                assert_eq!(answer.at("/meta/has_more"), offset + 7 < 60, "{answer:?}");
            }
            let order = |id: &String| {
                let number: usize = id.parse().expect("a number");
                (
                    names[number % 5].to_lowercase().replace('á', "a"),
                    id.clone(),
                )
            };
            let mut expected = seen.clone();
            expected.sort_by_key(order);
            expected.dedup();
            assert_eq!(seen.len(), 60);
            assert_eq!(seen, expected);
        },
    )
    .await;
}
