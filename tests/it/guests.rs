//! Components that misbehave, written as strangers would write them: what their code, answers and log cost is their own
//! section and no more.

use crate::faults_support::source;
use crate::guest_support::{Log, assert_contained, assert_others_operational, world_with};

#[tokio::test]
async fn code_that_fails_or_takes_too_much_costs_one_section() {
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
async fn an_answer_that_is_not_what_was_promised_costs_one_section() {
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
async fn a_connector_that_keeps_failing_is_left_alone_and_the_others_are_not() {
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
        "resting",
        "{}",
        answer.at("/meta")
    );
    assert_eq!(
        answer.at("/meta/scopes/crash_loop/reason"),
        "resting",
        "{}",
        answer.at("/meta")
    );
    assert_eq!(answer.at("/meta/scopes/erased_vat/state"), "fresh");
    assert_eq!(source(&world, "guest-crash").await["state"], "resting");
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn a_flood_of_log_lines_is_cut_off_and_counted() {
    let (log, _logging) = Log::of_this_thread();
    let world = world_with("guest-answers").await;
    let answer = world.company(&world.icos[0], "answers_log").await;
    assert_eq!(
        answer.at("/data/answers_log/fine"),
        true,
        "too many lines are no reason to answer nothing: {answer:?}"
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
