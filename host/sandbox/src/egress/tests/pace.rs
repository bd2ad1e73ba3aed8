//! Concurrency, rate limits and cooldowns. The pure tests pass the time as an argument.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue};
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::time::Instant;

use super::super::hop::cooldown;
use super::super::pace::{Pace, QueueState, Step};
use super::super::{Allowance, EgressFailure, Limits};
use super::{allowance, egress, get, limits, serve, upstream};

const SECOND: Duration = Duration::from_secs(1);
const TIME: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

fn with_short_wait() -> Arc<Allowance> {
    Arc::new(Allowance::new(Limits {
        max_wait: Duration::from_millis(20),
        ..limits()
    }))
}

#[test]
fn requests_respect_rate_limit() {
    let (now, pace) = (Instant::now(), Pace::new(2.0, 9));
    let later = now + 10 * SECOND;
    let mut state = QueueState::default();
    assert_eq!(state.step(now, later, pace), Step::Go);
    assert_eq!(
        state.step(now, later, pace),
        Step::WaitUntil(now + SECOND / 2)
    );
    assert_eq!(state.step(now + SECOND / 2, later, pace), Step::Go);
    assert_eq!(state.under_way, 2);
    // An idle period does not permit a burst.
    assert_eq!(state.step(later, later, pace), Step::Go);
    assert_eq!(state.step(later, later, pace), Step::GiveUp(SECOND / 2));
}

#[test]
fn redirect_takes_next_slot() {
    let (now, pace) = (Instant::now(), Pace::new(1.0, 1));
    let later = now + 10 * SECOND;
    let mut state = QueueState::default();
    assert_eq!(state.step(now, later, pace), Step::Go);
    assert_eq!(state.again(now, later, pace), Step::WaitUntil(now + SECOND));
    assert_eq!(
        state.again(now, later, pace),
        Step::WaitUntil(now + 2 * SECOND)
    );
    assert_eq!(
        state.again(now, now + SECOND, pace),
        Step::GiveUp(3 * SECOND)
    );
    assert_eq!(state.next, Some(now + 3 * SECOND));
}

#[test]
fn concurrency_limit_is_respected() {
    let (now, pace) = (Instant::now(), Pace::new(f64::INFINITY, 2));
    let mut state = QueueState::default();
    assert_eq!(state.step(now, now, pace), Step::Go);
    assert_eq!(state.step(now, now, pace), Step::Go);
    assert_eq!(state.step(now, now, pace), Step::WaitForRoom);
    state.under_way -= 1;
    assert_eq!(state.step(now, now, pace), Step::Go);
}

#[test]
fn long_cooldown_fails_and_short_one_is_waited_for() {
    let (now, pace) = (Instant::now(), Pace::new(1000.0, 1));
    let later = now + 60 * SECOND;
    let mut state = QueueState::default();
    state.start_cooldown(now, TIME, 30 * SECOND);
    state.start_cooldown(now, TIME, SECOND);
    assert_eq!(state.step(now, later, pace), Step::GiveUp(30 * SECOND));
    let near_end = now + 29 * SECOND;
    assert_eq!(
        state.step(near_end, later, pace),
        Step::WaitUntil(now + 30 * SECOND)
    );
    assert_eq!(state.step(near_end, near_end, pace), Step::GiveUp(SECOND));
    assert_eq!(state.step(now + 30 * SECOND, later, pace), Step::Go);
    // A cooldown of years is capped at one hour.
    state.start_cooldown(now, TIME, Duration::MAX);
    assert_eq!(state.cooldown_until, Some(now + 3600 * SECOND));
}

#[test]
fn cooldown_ends_when_the_clock_is_advanced_past_it() {
    let (now, pace) = (Instant::now(), Pace::new(1000.0, 9));
    let mut state = QueueState::default();
    state.start_cooldown(now, TIME, 30 * SECOND);
    state.start_cooldown(now, TIME, SECOND);
    state.end_cooldown(TIME + 29 * SECOND);
    assert_eq!(state.step(now, now, pace), Step::GiveUp(30 * SECOND));
    state.end_cooldown(TIME + 30 * SECOND);
    assert_eq!(state.step(now, now, pace), Step::Go);
    // The former end does not shorten the next one.
    let later = now + SECOND;
    state.start_cooldown(later, TIME + 90 * SECOND, 30 * SECOND);
    state.end_cooldown(TIME + 119 * SECOND);
    assert_eq!(state.step(later, later, pace), Step::GiveUp(30 * SECOND));
}

#[test]
fn overlong_queue_fails_before_waiting() {
    let (now, pace) = (Instant::now(), Pace::new(1.0, 1));
    let state = QueueState {
        waiting: 5,
        ..QueueState::default()
    };
    assert_eq!(state.crowded(now, now + 4 * SECOND, pace), Some(5 * SECOND));
    assert_eq!(state.crowded(now, now + 5 * SECOND, pace), None);
}

#[test]
fn invalid_rate_counts_as_slowest() {
    for rate in [0.0, -1.0, f64::NAN, f64::MIN_POSITIVE] {
        assert_eq!(Pace::new(rate, 0).interval, 3600 * SECOND, "{rate}");
    }
    assert_eq!(Pace::new(1.0, 0).concurrent, 1);
}

#[test]
fn retry_after_is_seconds_or_date() {
    let now = datetime!(2026-11-21 10:00 UTC);
    let asked = |status, value: Option<&'static str>| {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        }
        cooldown(status, &headers, now).map(|wait| wait.as_secs())
    };
    let many = StatusCode::TOO_MANY_REQUESTS;
    assert_eq!(asked(many, Some("120")), Some(120));
    assert_eq!(asked(many, Some("Sat, 21 Nov 2026 10:01:00 GMT")), Some(60));
    assert_eq!(asked(many, Some("Sat, 21 Nov 2026 09:00:00 GMT")), Some(5));
    assert_eq!(asked(many, Some("soon")), Some(5));
    assert_eq!(asked(many, None), Some(5));
    assert_eq!(asked(StatusCode::SERVICE_UNAVAILABLE, Some("7")), Some(7));
    assert_eq!(asked(StatusCode::SERVICE_UNAVAILABLE, None), None);
    assert_eq!(asked(StatusCode::OK, Some("7")), None);
}

#[tokio::test]
async fn status_429_pauses_upstream_for_all_connectors() {
    let address = serve(|request| match request.uri().path() {
        "/busy" => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "30")]).into_response(),
        _ => "ok".into_response(),
    })
    .await;
    let (egress, upstream) = (egress(&[]), upstream(&address));
    let answer = egress.send(&upstream, get("/busy"), &allowance()).await;
    assert_eq!(answer.expect("an answer").status, 429);
    let other = allowance();
    let failure = egress
        .send(&upstream, get("/"), &other)
        .await
        .expect_err("throttled");
    assert_eq!(failure, EgressFailure::Throttled(Some(30)));
    assert_eq!(other.requests_made(), 0);
    let cooldown = egress.upstream_state(&upstream.address).cooldown;
    assert!(cooldown.is_some_and(|left| left > 29 * SECOND));
}

#[tokio::test]
async fn wait_beyond_deadline_fails_at_once() {
    let address = serve(|_| "ok").await;
    let (egress, mut upstream) = (egress(&[]), upstream(&address));
    upstream.requests_per_second = 0.1;
    let answer = egress.send(&upstream, get("/"), &with_short_wait()).await;
    assert!(answer.is_ok());
    let failure = egress
        .send(&upstream, get("/"), &with_short_wait())
        .await
        .expect_err("throttled");
    assert_eq!(failure, EgressFailure::Throttled(Some(10)));
}

#[tokio::test]
async fn unread_body_keeps_permit_until_read_or_dropped() {
    let address = serve(|_| "ok").await;
    let (egress, mut upstream) = (egress(&[]), upstream(&address));
    upstream.concurrent = 1;
    let first = egress
        .send(&upstream, get("/"), &allowance())
        .await
        .expect("an answer");
    assert_eq!(egress.upstream_state(&upstream.address).under_way, 1);
    let failure = egress
        .send(&upstream, get("/"), &with_short_wait())
        .await
        .expect_err("throttled");
    assert_eq!(failure, EgressFailure::Throttled(Some(1)));
    drop(first);
    let mut second = egress
        .send(&upstream, get("/"), &with_short_wait())
        .await
        .expect("an answer");
    second.body.read_all().await.expect("a body");
    let third = egress.send(&upstream, get("/"), &with_short_wait()).await;
    assert!(third.is_ok());
    let state = egress.upstream_state(&upstream.address);
    assert_eq!(
        (state.under_way, state.waiting, state.cooldown),
        (1, 0, None)
    );
}

#[tokio::test]
async fn queued_request_goes_when_permit_is_free() {
    let address = serve(|_| "ok").await;
    let (egress, mut upstream) = (Arc::new(egress(&[])), upstream(&address));
    upstream.concurrent = 1;
    let first = egress
        .send(&upstream, get("/"), &allowance())
        .await
        .expect("an answer");
    let second = tokio::spawn({
        let (egress, upstream) = (Arc::clone(&egress), upstream.clone());
        async move {
            egress
                .send(&upstream, get("/"), &allowance())
                .await
                .map(|answer| answer.status)
        }
    });
    tokio::task::yield_now().await;
    assert_eq!(egress.upstream_state(&upstream.address).waiting, 1);
    drop(first);
    assert_eq!(second.await.expect("no panic"), Ok(200));
}

#[tokio::test]
async fn attempts_are_counted_by_upstream() {
    let url = serve(|request| match request.uri().path() {
        "/failing" => StatusCode::BAD_GATEWAY.into_response(),
        "/moved" => axum::response::Redirect::to("/fine").into_response(),
        "/busy" => (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "60")]).into_response(),
        _ => "four".into_response(),
    })
    .await;
    let (egress, upstream) = (egress(&[]), upstream(&url));
    for path in ["/fine", "/failing", "/moved", "/busy"] {
        let answer = egress.send(&upstream, get(path), &allowance()).await;
        let mut answer = answer.expect("every status is an answer");
        answer.body.read_all().await.expect("it is complete");
    }
    let throttled = egress.send(&upstream, get("/fine"), &allowance()).await;
    assert!(matches!(throttled, Err(EgressFailure::Throttled(_))));
    let uses = egress.uses();
    let [used] = uses.as_slice() else {
        panic!("one address: {uses:?}");
    };
    assert_eq!(used.address, url.trim_end_matches('/'));
    let outcomes = used.counts.outcomes.iter();
    let outcomes: Vec<(&str, u64)> = outcomes
        .filter(|(_, count)| *count > 0)
        .map(|(outcome, count)| (outcome.word(), *count))
        .collect();
    assert_eq!(outcomes, [("2xx", 2), ("3xx", 1), ("4xx", 1), ("5xx", 3)]);
    assert_eq!(used.counts.retries, 2);
    assert_eq!(used.counts.latency.iter().sum::<u64>(), 7);
    assert_eq!(used.counts.received_bytes, 8);
    assert_eq!(used.counts.throttled_by_upstream, 1);
    assert_eq!(used.counts.throttled_by_host, 1);
}
