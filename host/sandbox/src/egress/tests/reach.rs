//! Which destinations a connector reaches, over real sockets.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use std::sync::Arc;
use url::Url;

use super::super::{Address, Allowance, EgressFailure};
use super::{allowance, ask, egress, get, limits, post, refused, serve, upstream, upstream_with};

async fn hello() -> String {
    serve(|_| "hello").await
}

fn port(address: &str) -> u16 {
    let url = Url::parse(address).expect("a URL");
    url.port().expect("a port")
}

#[tokio::test]
async fn an_explicit_grant_reaches_the_loopback() {
    let mut answer = ask(&upstream(&hello().await), get("/"))
        .await
        .expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body.text(None).await.as_deref(), Ok("hello"));
}

#[tokio::test]
async fn missing_grant_is_refused_with_line_to_add() {
    let address = hello().await;
    let failure = ask(&upstream_with(&address, &["https://orsr.sk"]), get("/")).await;
    assert_eq!(
        refused(failure.expect_err("refused")),
        format!("{address} is not granted")
    );
}

#[tokio::test]
async fn loopback_spellings_need_same_grant() {
    let port = port(&hello().await);
    for host in [
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::ffff:127.0.0.1]",
    ] {
        let address = format!("http://{host}:{port}");
        let failure = ask(&upstream_with(&address, &["https://orsr.sk"]), get("/")).await;
        assert!(refused(failure.expect_err(host)).ends_with("is not granted"));
    }
    let granted = format!("http://127.0.0.1:{port}");
    let address = format!("http://0x7f000001:{port}");
    let answer = ask(&upstream_with(&address, &[&granted]), get("/")).await;
    assert_eq!(answer.expect("an answer").status, 200);
}

#[tokio::test]
async fn wildcard_name_must_not_resolve_to_private_address() {
    for special in [
        "127.0.0.1",
        "10.0.0.1",
        "8.8.8.8 169.254.169.254",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
    ] {
        let egress = egress(&[("www.orsr.sk", special)]);
        let upstream = upstream_with("http://www.orsr.sk", &["http://*.orsr.sk"]);
        let failure = egress.send(&upstream, get("/"), &allowance()).await;
        let text = refused(failure.expect_err(special));
        assert!(
            text.ends_with("only the explicit grant http://www.orsr.sk allows that"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn only_local_names_may_resolve_to_private_address() {
    let port = port(&hello().await);
    let egress = egress(&[
        ("mirror.lustra.internal", "127.0.0.1"),
        ("mirror.firma.sk", "127.0.0.1"),
    ]);
    let upstream = upstream(&format!("http://mirror.lustra.internal:{port}"));
    let answer = egress.send(&upstream, get("/"), &allowance()).await;
    assert_eq!(answer.expect("an answer").status, 200);
    // A public name that resolves to a private address is refused even with an exact grant.
    let public = super::upstream(&format!("http://mirror.firma.sk:{port}"));
    let failure = egress.send(&public, get("/"), &allowance()).await;
    assert!(refused(failure.expect_err("refused")).contains("127.0.0.1 (loopback)"));
    // A wildcard grant must not reuse the connection that was just opened.
    let mut other = upstream.clone();
    other.grants = upstream_with(
        "http://x.sk",
        &[&format!("http://*.lustra.internal:{port}")],
    )
    .grants;
    let failure = egress.send(&other, get("/"), &allowance()).await;
    assert!(failure.is_err(), "a wildcard reaches no local name");
}

#[tokio::test]
async fn local_name_needs_exact_grant() {
    let upstream = upstream_with("http://db.firma.internal", &["http://*.firma.internal"]);
    let failure = ask(&upstream, get("/")).await.expect_err("refused");
    assert!(refused(failure).contains("a local name"));
}

#[tokio::test]
async fn a_redirect_within_the_grants_is_followed() {
    let target = serve(|request| request.uri().to_string()).await;
    let location = format!("{target}/new?id=1#top");
    let start = serve(move |_| (StatusCode::FOUND, [("location", location.clone())])).await;
    let upstream = upstream_with(&start, &[&start, &target]);
    let allowance = allowance();
    let answer = egress(&[]).send(&upstream, get("/old"), &allowance).await;
    let text = answer.expect("an answer").body.text(None).await;
    assert_eq!(text.as_deref(), Ok("/new?id=1"));
    assert_eq!(allowance.requests_made(), 2);
}

#[tokio::test]
async fn redirect_outside_grants_is_refused() {
    for target in [
        "http://127.0.0.1:1/secret?key=1",
        "https://evil.sk/",
        "//evil.sk/",
        "file:///etc/passwd",
    ] {
        let start = serve(move |_| (StatusCode::MOVED_PERMANENTLY, [("location", target)])).await;
        let failure = ask(&upstream(&start), get("/")).await.expect_err(target);
        let text = refused(failure);
        assert!(
            text.starts_with("redirect to ") && text.ends_with(" not granted"),
            "{text}"
        );
        assert!(!text.contains("key"), "{text}");
    }
}

#[tokio::test]
async fn a_redirect_with_userinfo_is_refused() {
    let target = hello().await;
    let location = target.replace("http://", "http://me:pw@");
    let start = serve(move |_| (StatusCode::FOUND, [("location", location.clone())])).await;
    let failure = ask(&upstream_with(&start, &[&start, &target]), get("/")).await;
    let text = refused(failure.expect_err("refused"));
    assert_eq!(text, format!("redirect to {target} not granted"));
}

#[tokio::test]
async fn a_redirect_into_the_loopback_needs_an_exact_grant() {
    let port = port(&hello().await);
    let location = format!("http://a.firma.sk:{port}/");
    let start = serve(move |_| (StatusCode::FOUND, [("location", location.clone())])).await;
    let grant = format!("http://*.firma.sk:{port}");
    let egress = egress(&[("a.firma.sk", "127.0.0.1")]);
    let failure = egress
        .send(
            &upstream_with(&start, &[&start, &grant]),
            get("/"),
            &allowance(),
        )
        .await;
    assert!(refused(failure.expect_err("refused")).contains("(loopback)"));
}

#[tokio::test]
async fn redirect_loop_ends_after_five_redirects() {
    let address = serve(|_| (StatusCode::FOUND, [("location", "/again")])).await;
    let allowance = allowance();
    let failure = egress(&[])
        .send(&upstream(&address), get("/"), &allowance)
        .await;
    assert_eq!(refused(failure.expect_err("refused")), "redirects: limit 5");
    assert_eq!(allowance.requests_made(), 6);
}

#[tokio::test]
async fn cross_host_redirect_drops_secret_headers() {
    let target = serve(|request| {
        let names = request.headers().keys();
        let sent: Vec<&str> = names.map(http::HeaderName::as_str).collect();
        sent.join(" ")
    })
    .await;
    let location = target.clone();
    let start = serve(move |_| {
        (
            StatusCode::TEMPORARY_REDIRECT,
            [("location", location.clone())],
        )
    })
    .await;
    let mut outgoing = get("/");
    let header = |name: &str| (name.to_owned(), "key".to_owned());
    let sent = ["Authorization", "Cookie", "X-Api-Key", "Ocp-Key", "Accept"];
    outgoing.headers = sent.map(header).to_vec();
    let answer = ask(&upstream_with(&start, &[&start, &target]), outgoing).await;
    let text = answer.expect("an answer").body.text(None).await;
    let text = text.expect("the names of headers");
    let mut arrived: Vec<&str> = text.split(' ').collect();
    arrived.sort_unstable();
    assert_eq!(arrived, ["accept", "accept-encoding", "host", "user-agent"]);
}

#[tokio::test]
async fn redirect_within_origin_keeps_all_headers() {
    let address = serve(|request| {
        if request.uri().path() == "/first" {
            return (StatusCode::FOUND, [("location", "/second")]).into_response();
        }
        let key = request.headers().get("x-api-key");
        format!("{key:?}").into_response()
    })
    .await;
    let mut outgoing = get("/first");
    outgoing.headers = vec![("X-Api-Key".to_owned(), "key".to_owned())];
    let answer = ask(&upstream(&address), outgoing).await;
    let text = answer.expect("an answer").body.text(None).await;
    assert_eq!(text.as_deref(), Ok("Some(\"key\")"));
}

#[tokio::test]
async fn post_becomes_get_after_303_and_stays_post_after_307() {
    for (status, expected) in [(303, "GET"), (302, "GET"), (307, "POST"), (308, "POST")] {
        let address = serve(move |request| {
            if request.uri().path() == "/form" {
                let status = StatusCode::from_u16(status).expect("a status");
                return (status, [("location", "/done")]).into_response();
            }
            request.method().to_string().into_response()
        })
        .await;
        let answer = ask(&upstream(&address), post("/form")).await;
        let text = answer.expect("an answer").body.text(None).await;
        assert_eq!(text.as_deref(), Ok(expected), "{status}");
    }
}

#[tokio::test]
async fn an_upstream_without_address_is_misconfigured() {
    let mut upstream = upstream("http://127.0.0.1:1");
    upstream.address = Address::Unset;
    let failure = ask(&upstream, get("/")).await.expect_err("misconfigured");
    let text = "the upstream orsr has no address".to_owned();
    assert_eq!(failure, EgressFailure::Misconfigured(text));
}

#[tokio::test]
async fn granted_file_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dovera.csv");
    std::fs::write(&path, "ico;amount\n").expect("a file");
    let address = format!("file:{}", path.display());
    let allowance = allowance();
    let answer = egress(&[])
        .send(&upstream(&address), get(""), &allowance)
        .await;
    let mut answer = answer.expect("an answer");
    let names: Vec<&str> = answer
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        (answer.status, names),
        (200, vec!["content-length", "last-modified"])
    );
    assert!(answer.headers[1].1.ends_with(" GMT"));
    assert_eq!(answer.body.text(None).await.as_deref(), Ok("ico;amount\n"));
    assert_eq!(allowance.bytes_left(), limits().bytes - 11);

    let other = upstream_with(&address, &["file:/srv/lists/dovera.csv"]);
    assert!(refused(ask(&other, get("")).await.expect_err("refused")).ends_with("is not granted"));
    for outgoing in [get("/x"), post("")] {
        let failure = ask(&upstream(&address), outgoing)
            .await
            .expect_err("refused");
        assert!(refused(failure).ends_with("is a file; request it with GET and an empty path"));
    }
}

#[tokio::test]
async fn a_missing_file_and_a_folder_are_misconfigured() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = format!("file:{}/dovera.csv", folder.path().display());
    let failure = ask(&upstream(&missing), get(""))
        .await
        .expect_err("misconfigured");
    let text = "the file dovera.csv of the upstream orsr is missing".to_owned();
    assert_eq!(failure, EgressFailure::Misconfigured(text));
    let failure = ask(
        &upstream(&format!("file:{}", folder.path().display())),
        get(""),
    )
    .await;
    assert!(
        matches!(failure, Err(EgressFailure::Misconfigured(text)) if text.ends_with("is not a regular file"))
    );
}

#[tokio::test]
async fn refused_request_uses_no_allowance() {
    let allowance = Arc::new(Allowance::new(limits()));
    let upstream = upstream_with("http://10.0.0.1", &["https://orsr.sk"]);
    let answer = egress(&[]).send(&upstream, get("/"), &allowance).await;
    assert!(answer.is_err());
    assert_eq!(allowance.requests_left(), limits().requests);
}
