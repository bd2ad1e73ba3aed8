//! The failure modes of registers.

use std::time::Duration;

use axum::http::StatusCode;
use register_simulator::{Fault, Register, Simulator};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{Site, options};

#[tokio::test]
async fn each_mode_fails_in_its_own_way() {
    let site = Site::new(12);
    let path = "/vies/ms/SK/vat/2999999904";
    for (mode, status) in [
        ("error-500", 500),
        ("forbidden", 403),
        ("throttled", 429),
        ("html-200", 200),
        ("empty", 200),
        ("redirect-away", 302),
    ] {
        site.fault("vies", mode).await;
        let answer = site.get(path).await;
        assert_eq!(answer.status.as_u16(), status, "{mode}");
        match mode {
            "throttled" => assert_eq!(answer.header("retry-after"), "30"),
            "html-200" => assert!(answer.text().starts_with("<!DOCTYPE html>")),
            "empty" => assert!(answer.body.is_empty()),
            "redirect-away" => {
                assert_eq!(answer.header("location"), "http://127.0.0.1:9/elsewhere");
            }
            _ => {}
        }
    }
    site.fault("vies", "off").await;
    assert_eq!(site.get(path).await.json()["isValid"], true);
}

#[tokio::test]
async fn echo_answers_contain_the_other_number() {
    let site = Site::new(12);
    let search = "/orsr/hladaj_ico.asp?ICO=99999994&SID=0";
    for (mode, shown) in [("echo-other", "12345679"), ("denies", "99999994")] {
        site.fault("orsr", mode).await;
        let page = site.get(search).await.windows_1250();
        assert!(page.contains("žiadny záznam!"), "{mode}");
        assert!(page.contains(&format!("<b>{shown}</b>")), "{mode}: {page}");
    }
    site.fault("rpo", "echo-other").await;
    let found = site.get("/rpo/search?identifier=99999994").await;
    let found = found.text();
    assert!(found.contains("99999986") && !found.contains("99999994"));
}

#[tokio::test]
async fn truncated_and_garbage_archives_cannot_be_read() {
    let site = Site::new(200);
    let whole = site.get("/fs-reports/ds_dphs.zip").await.body.len();
    site.fault("all", "truncated").await;
    let half = site.get("/fs-reports/ds_dphs.zip").await;
    assert!(half.status == StatusCode::OK && half.body.len() < whole);
    site.fault("all", "garbage").await;
    let garbage = site
        .get("/rpo-dumps/batch-init/init_2026-01-03_001.json.gz")
        .await;
    assert_ne!(garbage.body[..2], [0x1f, 0x8b]);
    assert_eq!(garbage.header("content-type"), "application/gzip");
}

#[tokio::test]
async fn wrong_charset_contradicts_the_header() {
    let site = Site::new(12);
    site.fault("all", "wrong-charset").await;
    let page = site.get("/orsr/hladaj_ico.asp?ICO=99999994&SID=0").await;
    assert!(page.header("content-type").contains("windows-1250"));
    assert!(page.text().contains("Čučoriedka"));
    let json = site.get("/rpo/search?identifier=99999994").await;
    assert!(std::str::from_utf8(&json.body).is_err());
}

#[tokio::test]
async fn archive_bomb_is_small_and_matches_the_path() {
    let site = Site::new(12);
    site.fault("all", "archive-bomb").await;
    for (path, magic) in [
        ("/fs-reports/ds_dsrdp.zip", [0x50, 0x4b]),
        ("/socpoist/api/idsp/download/any", [0x50, 0x4b]),
        (
            "/rpo-dumps/batch-daily/actual_2026-01-15.json.gz",
            [0x1f, 0x8b],
        ),
    ] {
        let answer = site.get(path).await;
        assert_eq!(answer.body[..2], magic, "{path}");
        assert!(answer.body.len() < 8 << 20);
    }
    assert_eq!(
        site.get("/rpo/search?identifier=99999994")
            .await
            .header("content-encoding"),
        "gzip"
    );
}

#[tokio::test(start_paused = true)]
async fn slow_register_answers_after_30_seconds() {
    let site = Site::new(12);
    site.fault("vies", "slow").await;
    let asked = tokio::time::Instant::now();
    assert_eq!(site.get("/vies/check-status").await.status, StatusCode::OK);
    assert!(asked.elapsed() >= Duration::from_secs(30));
}

/// Sends one request over a socket and returns everything received until the connection closed.
async fn raw(simulator: &Simulator, path: &str) -> Vec<u8> {
    let address = simulator.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address)
        .await
        .expect("the simulator listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the request is sent");
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer).await {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    answer
}

#[tokio::test]
async fn down_register_closes_without_an_answer() {
    let simulator = Simulator::start(options(12)).await.expect("a free port");
    simulator.fault(Register::Vies, Fault::Down);
    assert!(raw(&simulator, "/vies/check-status").await.is_empty());
    simulator.fault(Register::Vies, Fault::Off);
    assert!(
        raw(&simulator, "/vies/check-status")
            .await
            .starts_with(b"HTTP/1.1 200 OK")
    );
    assert_eq!(
        (
            simulator.requests(Register::Vies),
            simulator.requests(Register::Rpo)
        ),
        (2, 0)
    );
    simulator.advance(2);
    assert_eq!(simulator.clock().day(), 2);
    simulator.shutdown().await;
}
