//! `/v1/search/…` for pages of other origins, and without an index.

use lustra_tests::World;
use serde_json::json;

#[tokio::test]
async fn configured_origins_get_cors_headers() {
    let shop = "https://shop.example";
    let world = World::new()
        .settings(move |config| config.requests.origins = vec![shop.to_owned()])
        .start()
        .await;
    let preflight = [
        ("origin", shop),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "x-api-key"),
    ];
    let path = "/v1/search/autocomplete?q=vz";
    let allowed = world
        .request(reqwest::Method::OPTIONS, path, &preflight)
        .await;
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), Some(shop));
    let others = [("origin", "https://other.example"), preflight[1]];
    let refused = world.request(reqwest::Method::OPTIONS, path, &others).await;
    assert_eq!(refused.header("access-control-allow-origin"), None);
    let key = world.key.clone();
    let asked = [("origin", shop), ("x-api-key", key.as_str())];
    let answer = world.get_with(path, &asked).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(shop));
    let exposed = answer.header("access-control-expose-headers");
    let exposed = exposed.expect("pages may read headers");
    for name in [
        "etag",
        "retry-after",
        "x-request-id",
        "x-batch-id",
        "x-credits-charged",
        "x-credits-overage",
        "x-credits-remaining",
        "x-ratelimit-limit-minute",
        "x-ratelimit-remaining-minute",
        "x-ratelimit-limit-daily",
        "x-ratelimit-remaining-daily",
        "idempotency-replayed",
    ] {
        assert!(exposed.split(',').any(|one| one == name), "{name}");
    }
    world.end().await;
    let world = World::new().nothing_imported().start().await;
    let answer = world.get_with(path, &[("origin", shop)]).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
    world.end().await;
}

#[tokio::test]
async fn search_without_an_index_is_503() {
    let world = World::new()
        .settings(|config| {
            // A file in place of the folder prevents the index from being created.
            std::fs::write(config.data.join("search"), "").expect("a fresh folder");
        })
        .nothing_imported()
        .without_index()
        .start()
        .await;
    let answer = world.get("/v1/search/autocomplete?q=ab").await;
    assert_eq!(
        (answer.status, answer.at("/error")),
        (503, &json!("service_unavailable"))
    );
    assert_eq!(answer.header("retry-after"), Some("5"));
    // The rest of the API works without the index.
    assert_eq!(world.get("/v1/status").await.status, 200);
    world.end().await;
}
