//! Requests that schemathesis generates from the OpenAPI document, for every operation except the stream. No response
//! is a 5xx or outside the document, and no valid request is rejected.
//!
//! `LUSTRA_FUZZ_EXAMPLES=120 LUSTRA_FUZZ_SEED=2 cargo test --workspace --test it -- fuzzed --nocapture` makes about
//! 5,000 requests. `schemathesis` comes from `PyPI`; if it is unavailable, the test prints so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;

use lustra_tests::{DatabaseKind, Receiver, World};
use serde_json::{Value, json};

use crate::foreign::{python_with, say};
use crate::notifications_support::{deliveries, officer_replaced, text, watch_officers};

const PACKAGE: &str = "schemathesis==4.32.5";

/// Default number of generated requests per operation, besides those for the document's bounds.
/// `LUSTRA_FUZZ_EXAMPLES` overrides it.
const EXAMPLES: &str = "3";

const CHECKS: [&str; 7] = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "positive_data_acceptance",
    "negative_data_rejection",
];

/// Existing ids, by name of the path parameter.
async fn known_ids(world: &World) -> Value {
    let ico = world.icos[0].as_str();
    let company = world.company(ico, "").await;
    let receiver = Receiver::start().await;
    let subscription = watch_officers(world, ico, &receiver.url()).await;
    officer_replaced(world, ico).await;
    let delivery = deliveries(world, &subscription).await[0]["id"].clone();
    let small = json!({ "icos": [ico] });
    let batch = world.post("/v1/batch/ico", &small).await;
    json!({
        "ico": world.icos,
        "orsr_id": [company.at("/data/orsr_id")],
        "id": [company.at("/data/id")],
        // The document calls it `id` too.
        "batch_id": [text(&batch, "/meta/batch_id")],
        "subscription_id": [subscription],
        "delivery_id": [delivery],
    })
}

/// Runs schemathesis. Returns its output and whether it found nothing.
fn fuzz(python: &Path, url: &str, key: &str, known: &Value) -> (String, bool) {
    let setting =
        |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/fuzzed");
    let program: PathBuf = python.with_file_name("schemathesis");
    let output = Command::new(program)
        .args(["--no-color", "run", &format!("{url}/v1/openapi.json")])
        .args(["--header", &format!("X-API-Key: {key}")])
        .args(["--exclude-path", "/v1/notifications/stream"])
        .args(["--checks", &CHECKS.join(",")])
        .args(["--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", &setting("LUSTRA_FUZZ_EXAMPLES", EXAMPLES)])
        .args(["--seed", &setting("LUSTRA_FUZZ_SEED", "1")])
        .args(["--continue-on-failure", "--warnings", "off"])
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", hooks)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("LUSTRA_KNOWN_IDS", known.to_string())
        .output()
        .expect("schemathesis was installed");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    (printed + &errors, output.status.success())
}

/// The number of requests, from `N generated` in the summary.
fn generated(printed: &str) -> Option<u32> {
    let words: Vec<&str> = printed.split_whitespace().collect();
    let place = words
        .iter()
        .position(|word| word.starts_with("generated"))?;
    words.get(place.checked_sub(1)?)?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_requests_match_the_openapi_document() {
    let Some(python) = python_with("schemathesis", PACKAGE) else {
        return;
    };
    let world = World::new().on(DatabaseKind::Sqlite).start().await;
    let known = known_ids(&world).await;
    let (url, key) = (world.url(), world.key.clone());
    let fuzzing = tokio::task::spawn_blocking(move || fuzz(&python, &url, &key, &known));
    let (printed, is_clean) = fuzzing.await.expect("schemathesis runs");
    assert!(is_clean, "{printed}");
    let requests = generated(&printed).unwrap_or_default();
    say(&format!("schemathesis made {requests} requests"));
    assert!(requests > 500, "{printed}");
    world.end().await;
}
