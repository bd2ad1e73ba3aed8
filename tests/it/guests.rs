//! Misbehaving third-party components: the cost of their code, answers and logs affects only their own section.

use lustra_tests::lustra::connectors::catalogue::EntryState;

use crate::faults_support::source;
use crate::guest_support::{
    Log, assert_contained, assert_others_operational, world_where, world_with,
};

#[tokio::test]
async fn failing_or_greedy_code_affects_one_section() {
    let world = world_with("guest-crash").await;
    assert_contained(&world, "guest-crash", "crash_panic", "failed", "trap").await;
    assert_contained(
        &world,
        "guest-crash",
        "crash_loop",
        "limit",
        "limit cpu: 0.2 s used",
    )
    .await;
    assert_contained(
        &world,
        "guest-crash",
        "crash_memory",
        "limit",
        "limit memory: asked",
    )
    .await;
    assert_contained(&world, "guest-crash", "crash_stack", "limit", "limit stack").await;
    world.end().await;
}

#[tokio::test]
async fn invalid_answer_of_a_guest_affects_one_section() {
    let world = world_with("guest-answers").await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_giant",
        "limit",
        "limit result too large: more than 8 MiB",
    )
    .await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_schema",
        "failed",
        "does not fit its schema at \"/fine\"",
    )
    .await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_text",
        "failed",
        "it is not JSON",
    )
    .await;
    world.end().await;
}

#[tokio::test]
async fn duplicate_member_is_refused() {
    let world = world_with("guest-answers").await;
    let why = "does not fit its schema at \"/fine\": the member occurs twice";
    assert_contained(&world, "guest-answers", "answers_twice", "failed", why).await;
    world.end().await;
}

#[tokio::test]
async fn failure_text_cannot_forge_or_flood_the_log() {
    let (log, _logging) = Log::of_this_thread();
    let world = world_with("guest-answers").await;
    let forged = "unavailable: the register is closed ERROR lustra: the store was deleted";
    assert_contained(
        &world,
        "guest-answers",
        "answers_forged",
        "unavailable",
        forged,
    )
    .await;
    assert_contained(
        &world,
        "guest-answers",
        "answers_endless",
        "failed",
        "line line line",
    )
    .await;
    let reason = source(&world, "guest-answers").await["reason"].to_string();
    assert!(reason.len() < 1_000, "{} bytes", reason.len());
    let text = log.text();
    for line in text.lines() {
        assert!(line.len() < 4_000, "{} bytes in a line", line.len());
        assert!(!line.starts_with("ERROR"), "a failure cannot begin a line");
        assert!(!line.contains('\u{202e}'), "{line}");
    }
    assert!(text.contains("the store was deleted"), "it is logged");
    world.end().await;
}

#[tokio::test]
async fn oversized_guest_requests_are_refused() {
    let world = world_with("guest-names").await;
    for (scope, why) in [
        ("names_long", "bytes in a question; 1000 is the most"),
        ("names_key", "bytes in a question; 4096 is the most"),
        ("names_request", "request path: 1048576, limit 65536"),
    ] {
        assert_contained(&world, "guest-names", scope, "limit", why).await;
    }
    world.end().await;
}

#[tokio::test]
async fn endless_calls_are_charged_and_do_not_starve_others() {
    let world = world_with("guest-names").await;
    let flooded = std::cell::Cell::new(false);
    let flood = async {
        let answer = world.company(&world.icos[0], "names_flood").await;
        flooded.set(true);
        answer
    };
    let health = async {
        let mut answered = 0;
        while !flooded.get() {
            assert_eq!(world.get_with("/v1/health", &[]).await.status, 200);
            answered += 1;
        }
        answered
    };
    let (answer, answered) = tokio::join!(flood, health);
    assert_eq!(
        answer.at("/meta/scopes/names_flood/reason"),
        "limit",
        "{answer:?}"
    );
    let reason = source(&world, "guest-names").await["reason"].clone();
    assert_eq!(
        reason, "limit cpu: 0.2 s used",
        "the host's work is charged to the call"
    );
    // The host and the client share one thread with the flood.
    assert!(answered >= 10, "{answered} answers meanwhile");
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn circuit_opens_only_for_the_failing_connector() {
    let world = world_with("guest-crash").await;
    for ico in &world.icos[..5] {
        let answer = world.company(ico, "crash_panic").await;
        assert_eq!(
            answer.at("/meta/scopes/crash_panic/reason"),
            "failed",
            "{}",
            answer.at("/meta")
        );
    }
    let answer = world
        .company(&world.icos[5], "crash_panic,crash_loop,erased_vat")
        .await;
    assert_eq!(
        answer.at("/meta/scopes/crash_panic/reason"),
        "circuit_open",
        "{}",
        answer.at("/meta")
    );
    assert_eq!(
        answer.at("/meta/scopes/crash_loop/reason"),
        "circuit_open",
        "{}",
        answer.at("/meta")
    );
    assert_eq!(answer.at("/meta/scopes/erased_vat/state"), "fresh");
    assert_eq!(source(&world, "guest-crash").await["state"], "circuit_open");
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn open_circuit_closes_after_one_successful_call() {
    let world = world_with("guest-crash").await;
    for ico in &world.icos[..5] {
        world.company(ico, "crash_panic").await;
    }
    assert_eq!(source(&world, "guest-crash").await["state"], "circuit_open");
    world.advance(1);
    let failed = world.company(&world.icos[5], "crash_panic").await;
    assert_eq!(failed.at("/meta/scopes/crash_panic/reason"), "failed");
    let rests = world.company(&world.icos[6], "crash_not").await;
    assert_eq!(
        rests.at("/meta/scopes/crash_not/reason"),
        "circuit_open",
        "the single trial call failed: {rests:?}"
    );
    world.advance(1);
    for ico in &world.icos[7..9] {
        let serves = world.company(ico, "crash_not").await;
        assert_eq!(serves.at("/data/crash_not/fine"), true, "{serves:?}");
    }
    assert_eq!(source(&world, "guest-crash").await["state"], "operational");
    world.end().await;
}

#[tokio::test]
async fn throttled_probe_does_not_keep_the_circuit_open() {
    let world = world_with("guest-crash").await;
    for ico in &world.icos[..5] {
        world.company(ico, "crash_panic").await;
    }
    world.advance(1);
    let throttled = world.company(&world.icos[5], "crash_throttled").await;
    let reason = throttled.at("/meta/scopes/crash_throttled/reason");
    assert_eq!(reason, "throttled", "{throttled:?}");
    let serves = world.company(&world.icos[6], "crash_not").await;
    assert_eq!(serves.at("/data/crash_not/fine"), true, "{serves:?}");
    world.end().await;
}

#[tokio::test]
async fn component_with_oversized_tables_is_not_loaded() {
    let world = world_where("guest-crash", |connector| {
        connector.limits.table_elements = Some(2);
    });
    let world = world.await;
    let catalogue = world.importer.companies().connectors().catalogue();
    let EntryState::Refused(reason) = &catalogue.entries["guest-crash"].state else {
        panic!("its tables are larger")
    };
    assert!(
        reason.contains("limit table: asked ") && reason.ends_with(" elements, limit 2"),
        "not even `describe` can be called: {reason}"
    );
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn log_flood_is_cut_off_and_counted() {
    let (log, _logging) = Log::of_this_thread();
    let world = world_with("guest-answers").await;
    let answer = world.company(&world.icos[0], "answers_log").await;
    assert_eq!(
        answer.at("/data/answers_log/fine"),
        true,
        "too many log lines do not fail the call: {answer:?}"
    );
    let text = log.text();
    assert_eq!(text.matches("guest line").count(), 50);
    assert!(
        text.contains("4951 log lines suppressed"),
        "5,000 lines and one of a megabyte, less 50"
    );
    assert!(
        !text.lines().any(|line| line.starts_with("forged")),
        "a guest cannot begin a line"
    );
    world.end().await;
}
