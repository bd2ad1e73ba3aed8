//! Plans, charges, conditional requests, reloads, metrics and the OpenAPI document.

use lustra_tests::lustra::config::Plan;
use lustra_tests::lustra::connectors::reload::{ChangeKind, ConnectorChange};
use lustra_tests::{DatabaseKind, World, guests};
use reqwest::Method;
use serde_json::json;

use super::{ID, LIST, List, ids, import, record, records};
use crate::batch_limited_keys::limited_key;
use crate::guest_support::Log;

const COMPANY: &str = "/v1/company/ico/35000001/guest-agents";

#[tokio::test]
async fn plan_without_the_feature_is_forbidden() {
    let list = List::of(&records());
    for (features, expected) in [
        (Some(vec![]), 403),
        (Some(vec!["guest_subjects".to_owned()]), 200),
        (None, 403),
    ] {
        let limited = list
            .world(DatabaseKind::Sqlite)
            .plan("own")
            .settings(move |config| {
                let plan = Plan {
                    scopes: vec!["tax".to_owned()],
                    features,
                    ..Plan::default()
                };
                config.plans.insert("own".to_owned(), plan);
            });
        let world = limited.start().await;
        import(&world, "subjects").await;
        let item = format!("{LIST}/bank");
        for path in [LIST, COMPANY, &item] {
            let answer = world.get(path).await;
            assert_eq!(answer.status, expected, "{path}: {answer:?}");
            if expected == 403 {
                let message = answer.at("/message").as_str().unwrap_or_default();
                assert!(message.contains("guest_subjects"), "{message}");
            }
        }
        world.end().await;
    }
}

#[tokio::test]
async fn key_limited_to_other_scopes_is_forbidden() {
    let list = List::of(&records());
    let world = list.imported().await;
    let item = format!("{LIST}/bank");
    for (scopes, expected) in [("tax", 403), ("tax guest_subjects", 200)] {
        let key = limited_key(&world, scopes).await;
        for path in [LIST, COMPANY, &item] {
            let answer = world.get_with(path, &[("x-api-key", &key)]).await;
            assert_eq!(answer.status, expected, "{scopes} {path}: {answer:?}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn answers_are_charged_like_look_ups() {
    let list = List::of(&records());
    let metered = list
        .world(DatabaseKind::Sqlite)
        .plan("own")
        .settings(|config| {
            let plan = Plan {
                credits: Some(4),
                ..Plan::default()
            };
            config.plans.insert("own".to_owned(), plan);
        });
    let world = metered.start().await;
    import(&world, "subjects").await;
    let key = world.key.clone();
    let item = format!("{LIST}/bank");
    let mut left = 4;
    for path in [LIST, COMPANY, &item] {
        let paid = world.get(path).await;
        left -= 1;
        assert_eq!(
            paid.header("x-credits-charged"),
            Some("1"),
            "{path}: {paid:?}"
        );
        assert_eq!(
            paid.header("x-credits-remaining"),
            Some(left.to_string().as_str())
        );
        let etag = paid.header("etag").expect("it has a tag").to_owned();
        let known = [
            ("x-api-key", key.as_str()),
            ("if-none-match", etag.as_str()),
        ];
        let unchanged = world.request(Method::GET, path, &known).await;
        assert_eq!(unchanged.status, 304, "{path}: {unchanged:?}");
        assert_eq!(unchanged.header("x-credits-charged"), Some("0"), "{path}");
        let head = world.request(Method::HEAD, path, &known[..1]).await;
        assert_eq!(
            (head.status, head.header("x-credits-charged")),
            (200, Some("0")),
            "{path}"
        );
    }
    let unknown = world.get(&format!("{LIST}/unknown")).await;
    let charged = unknown.header("x-credits-charged");
    assert_eq!((unknown.status, charged), (404, None));
    assert_eq!(
        world.get(LIST).await.header("x-credits-remaining"),
        Some("0")
    );
    assert_eq!(world.get(LIST).await.status, 402);
    let usage = world.get("/v1/account/usage").await.body.to_string();
    for endpoint in [
        "\"collection\"",
        "\"collection/id\"",
        "\"company/collection\"",
    ] {
        assert!(usage.contains(endpoint), "{usage}");
    }
    world.verify_ledgers().await;
    world.end().await;
}

#[tokio::test]
async fn other_methods_and_callers_are_refused() {
    let list = List::of(&records());
    let world = list.imported().await;
    for path in [LIST, COMPANY, &format!("{LIST}/bank")] {
        assert_eq!(world.get_with(path, &[]).await.status, 401, "{path}");
        let posted = world.post(path, &json!({})).await;
        assert_eq!(
            (posted.status, posted.header("allow")),
            (405, Some("GET,HEAD")),
            "{path}"
        );
    }
    for path in [
        "/v1/guest-subjects",
        "/v1/guest-subjects/others",
        "/v1/guest-subjects/subjects/bank/more",
        "/v1/guest-subjects/subjects/",
        "/v1/rpo/companies",
        "/v1/company/ico/35000001/others",
        "/v1/company/ico/35000001/guest-agents/more",
    ] {
        let answer = world.get(path).await;
        assert_eq!(
            (answer.status, answer.at("/error")),
            (404, &json!("not_found")),
            "{path}"
        );
    }
    world.end().await;
}

/// A new list, also one that another host imported, is served at once and whole.
#[tokio::test]
async fn published_list_replaces_the_index_on_all_hosts() {
    let list = List::of(&records());
    let world = list.imported().await;
    let neighbour = world.neighbour().await;
    assert_eq!(ids(&neighbour.get(LIST).await).len(), 7);
    for turn in 0..4 {
        let id = format!("new-{turn}");
        list.write(&[record(&id, "Nový", &json!({}))]);
        import(&world, "subjects").await;
        assert_eq!(ids(&neighbour.get(LIST).await), [id.as_str()]);
        assert_eq!(ids(&world.get(LIST).await), [id.as_str()]);
    }
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let metrics = metrics.body.as_str().unwrap_or_default();
    let labels = "{connector=\"guest-subjects\",collection=\"subjects\"}";
    assert!(
        metrics.contains(&format!("lustra_collection_items{labels} 1.0")),
        "{metrics}"
    );
    assert!(
        metrics.contains(&format!("lustra_collection_age_seconds{labels} ")),
        "{metrics}"
    );
    assert!(
        metrics.contains("route=\"/v1/guest-subjects/subjects\""),
        "{metrics}"
    );
    world.end().await;
}

#[tokio::test]
async fn reload_adds_and_removes_a_collection() {
    let list = List::of(&records());
    let world = World::new()
        .connectors(&["rpo"])
        .companies(12)
        .without_index()
        .nothing_imported()
        .changeable()
        .start()
        .await;
    assert_eq!(world.get(LIST).await.status, 404);
    let address = list.address();
    let settings = std::fs::read_to_string(world.settings_file()).expect("it is there");
    let more = format!(
        "\n[connector.{ID}]\ngrants = [\"{address}\"]\n\
         [connector.{ID}.upstreams]\nlist = {{ address = \"{address}\" }}\n"
    );
    std::fs::write(world.settings_file(), settings + &more).expect("a folder of our own");
    let component = world.components().join("guest-subjects.wasm");
    std::fs::copy(guests().join("guest-subjects.wasm"), &component).expect("a folder of our own");
    let reloaded = world.reload().await;
    let is_loaded = |change: &ConnectorChange| matches!(change.kind, ChangeKind::Loaded);
    assert!(reloaded.changes.iter().any(is_loaded), "{reloaded:?}");
    assert_eq!(world.get(LIST).await.status, 503, "it is not imported yet");
    import(&world, "subjects").await;
    assert_eq!(ids(&world.get(LIST).await).len(), 7);
    let document = world.get("/v1/openapi.json").await;
    let parameters = &document.body["paths"][LIST]["get"]["parameters"];
    assert!(
        parameters.to_string().contains("parent_ico"),
        "{parameters}"
    );
    std::fs::remove_file(&component).expect("a folder of our own");
    world.reload().await;
    assert_eq!(world.get(LIST).await.status, 404);
    let document = world.get("/v1/openapi.json").await;
    assert!(document.body["paths"].get(LIST).is_none());
    world.end().await;
}

#[tokio::test]
async fn collection_answers_fit_the_document() {
    let list = List::of(&records());
    let world = list.imported().await;
    let document = world.get("/v1/openapi.json").await.body;
    let item = format!("{LIST}/agent-1");
    for (path, template) in [
        (LIST, LIST.to_owned()),
        (&item, format!("{LIST}/{{id}}")),
        (COMPANY, COMPANY.replace("35000001", "{ico}")),
    ] {
        let answer = world.get(path).await;
        let operation = &document["paths"][&template]["get"];
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        let mut described = document.clone();
        described["allOf"] = json!([schema]);
        let described = jsonschema::options().build(&described).expect("a schema");
        let wrong: Vec<String> = described
            .iter_errors(&answer.body)
            .map(|wrong| wrong.to_string())
            .collect();
        assert_eq!(wrong, Vec::<String>::new(), "{path}");
        assert!(
            described.iter_errors(&json!({"data": 1})).count() > 0,
            "{template}"
        );
        for status in ["402", "403", "404", "422", "429", "503"] {
            let is_there = operation["responses"].get(status).is_some();
            assert!(is_there || status == "404", "{template}: {status}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn concurrent_first_requests_share_one_index() {
    let numbered = (0..3_000).map(|number| record(&format!("{number:04}"), "Subjekt", &json!({})));
    let list = List::of(&numbered.collect::<Vec<_>>());
    let world = list.imported().await;
    let (log, _guard) = Log::of_this_thread();
    let asked = (0..12).map(|page| {
        let path = format!("{LIST}?limit=100&offset={}", page * 100);
        let world = &world;
        async move { ids(&world.get(&path).await).len() }
    });
    let found = futures_util::future::join_all(asked).await;
    assert_eq!(found, [100; 12]);
    let text = log.text();
    assert_eq!(text.matches("indexed a collection").count(), 1, "{text}");
    world.end().await;
}
