//! Requests, headers and retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use http::Method;

use super::super::{Allowance, Limits};
use super::{
    allowance, ask, egress, get, limits, post, refused, script, serve, unavailable, upstream,
};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const BAD_GATEWAY: &str = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n";

#[tokio::test]
async fn request_arrives_unchanged() {
    let address = serve(|request| {
        let headers = request.headers();
        let of = |name: &str| headers.get(name).cloned().map(|value| format!("{value:?}"));
        format!(
            "{} {} {:?} {:?} {:?}",
            request.method(),
            request.uri(),
            of("x-key"),
            of("user-agent"),
            of("cookie")
        )
    })
    .await;
    let mut outgoing = post("/hladaj?meno=%C5%BD");
    outgoing.headers = vec![("X-Key".to_owned(), "1".to_owned())];
    let answer = ask(&upstream(&format!("{address}/base")), outgoing).await;
    let text = answer
        .expect("an answer")
        .body
        .text(None)
        .await
        .expect("text");
    assert_eq!(
        text,
        r#"POST /base/hladaj?meno=%C5%BD Some("\"1\"") Some("\"Lustra/test\"") None"#
    );
}

#[tokio::test]
async fn range_request_asks_for_identity_encoding() {
    let address = serve(|request| format!("{:?}", request.headers().get("accept-encoding"))).await;
    let mut outgoing = get("/");
    outgoing.headers = vec![("range".to_owned(), "bytes=10-".to_owned())];
    let answer = ask(&upstream(&address), outgoing).await;
    let text = answer.expect("an answer").body.text(None).await;
    assert_eq!(text.as_deref(), Ok("Some(\"identity\")"));
}

#[tokio::test]
async fn headers_of_the_host_are_refused() {
    for name in [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "proxy-authorization",
        "connection",
        "keep-alive",
        "a b",
        "",
    ] {
        let mut outgoing = get("/");
        outgoing.headers = vec![(name.to_owned(), "secret".to_owned())];
        let failure = ask(&upstream("http://127.0.0.1:1"), outgoing)
            .await
            .expect_err(name);
        let text = refused(failure);
        assert!(
            text.starts_with("connectors may not send the header ") && !text.contains("secret"),
            "{text}"
        );
    }
    let mut outgoing = get("/");
    outgoing.headers = vec![("x-key".to_owned(), "a\r\nhost: evil".to_owned())];
    let failure = ask(&upstream("http://127.0.0.1:1"), outgoing).await;
    assert_eq!(
        refused(failure.expect_err("refused")),
        "connectors may not send the header x-key"
    );
}

#[tokio::test]
async fn other_methods_are_refused() {
    let mut outgoing = get("/");
    outgoing.method = Method::DELETE;
    let failure = ask(&upstream("http://127.0.0.1:1"), outgoing).await;
    assert_eq!(
        refused(failure.expect_err("refused")),
        "the method DELETE is not in the contract"
    );
}

#[tokio::test]
async fn cookies_are_passed_on_but_not_stored() {
    let address = serve(|request| {
        let sent = request.headers().contains_key("cookie");
        (
            [("set-cookie", "a=1"), ("Keep-Alive", "timeout=5")],
            sent.to_string(),
        )
    })
    .await;
    let egress = egress(&[]);
    for _ in 0..2 {
        let answer = egress
            .send(&upstream(&address), get("/"), &allowance())
            .await;
        let mut answer = answer.expect("an answer");
        let names: Vec<&str> = answer
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert!(
            names.contains(&"set-cookie") && !names.contains(&"keep-alive"),
            "{names:?}"
        );
        assert_eq!(answer.body.text(None).await.as_deref(), Ok("false"));
    }
}

#[tokio::test]
async fn error_status_is_a_response() {
    let address = serve(|_| (StatusCode::INTERNAL_SERVER_ERROR, "broken")).await;
    let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
    assert_eq!(answer.status, 500);
    assert_eq!(answer.body.text(None).await.as_deref(), Ok("broken"));
}

#[tokio::test]
async fn reset_and_bad_gateway_are_retried() {
    let (address, count) = script(&["", BAD_GATEWAY, OK]).await;
    let allowance = allowance();
    let answer = egress(&[])
        .send(&upstream(&address), get("/"), &allowance)
        .await;
    assert_eq!(answer.expect("an answer").status, 200);
    assert_eq!(
        (count.load(Ordering::SeqCst), allowance.requests_made()),
        (3, 3)
    );
}

#[tokio::test]
async fn last_response_is_returned_after_all_retries() {
    for retries in [0, 2, 5] {
        let (address, count) = script(&[BAD_GATEWAY]).await;
        let mut upstream = upstream(&address);
        upstream.retry_pauses = vec![Duration::from_millis(1); retries].into();
        let answer = ask(&upstream, get("/")).await;
        assert_eq!(answer.expect("an answer").status, 502);
        assert_eq!(count.load(Ordering::SeqCst), retries + 1);
    }
}

#[tokio::test]
async fn refused_connection_failure_omits_query() {
    let failure = ask(&upstream("http://127.0.0.1:1"), get("/a?key=secret")).await;
    let text = unavailable(failure.expect_err("unavailable"));
    assert!(
        text.starts_with("orsr /a: ") && text.contains("refused"),
        "{text}"
    );
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test]
async fn post_is_not_retried() {
    for first in ["", BAD_GATEWAY] {
        let (address, count) = script(Box::leak(Box::new([first, OK]))).await;
        let outcome = ask(&upstream(&address), post("/")).await;
        assert!(outcome.is_err() || outcome.is_ok_and(|answer| answer.status == 502));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn idempotent_post_is_retried() {
    let (address, count) = script(&["", OK]).await;
    let mut outgoing = post("/");
    outgoing.idempotent = true;
    assert_eq!(
        ask(&upstream(&address), outgoing)
            .await
            .expect("an answer")
            .status,
        200
    );
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn exhausted_allowance_returns_first_response() {
    let (address, count) = script(&[BAD_GATEWAY, OK]).await;
    let allowance = Arc::new(Allowance::new(Limits {
        requests: 1,
        ..limits()
    }));
    let answer = egress(&[])
        .send(&upstream(&address), get("/"), &allowance)
        .await;
    assert_eq!(answer.expect("an answer").status, 502);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn status_429_and_retry_after_are_not_retried() {
    for status in [429, 503] {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let address = serve(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            let status = StatusCode::from_u16(status).expect("a status");
            (status, [("retry-after", "30")]).into_response()
        })
        .await;
        let answer = ask(&upstream(&address), get("/")).await.expect("an answer");
        assert_eq!(answer.status, status);
        assert!(
            answer
                .headers
                .contains(&("retry-after".to_owned(), "30".to_owned()))
        );
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn response_timeout_is_unavailable_and_not_retried() {
    let (address, count) = script(&["…"]).await;
    let mut upstream = upstream(&address);
    upstream.timeout = Duration::from_millis(30);
    let text = unavailable(ask(&upstream, get("/")).await.expect_err("unavailable"));
    assert_eq!(text, "orsr /: no answer within 30ms");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn debug_output_of_outgoing_has_no_secrets() {
    let mut outgoing = get("/a?key=secret");
    outgoing.headers = vec![("authorization".to_owned(), "secret".to_owned())];
    let printed = format!("{outgoing:?}");
    assert!(
        printed.contains("authorization") && !printed.contains("secret"),
        "{printed}"
    );
}
