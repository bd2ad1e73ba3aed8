//! Each limit of an allowance, tested separately.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Allowance, Limits};
use super::{
    allowance, ask, body_of, body_within, egress, get, gzip, limits, refused, script, serve,
    unavailable, upstream,
};

#[tokio::test]
async fn requests_are_counted() {
    let address = serve(|_| "ok").await;
    let egress = egress(&[]);
    let allowance = Arc::new(Allowance::new(Limits {
        requests: 2,
        ..limits()
    }));
    for _ in 0..2 {
        let answer = egress.send(&upstream(&address), get("/"), &allowance).await;
        assert!(answer.is_ok());
    }
    let failure = egress.send(&upstream(&address), get("/"), &allowance).await;
    assert_eq!(refused(failure.expect_err("refused")), "requests: limit 2");
    assert_eq!(
        (allowance.requests_made(), allowance.requests_left()),
        (2, 0)
    );
}

#[tokio::test]
async fn bytes_of_all_bodies_are_counted() {
    let address = serve(|_| vec![b'x'; 60]).await;
    let egress = egress(&[]);
    let allowance = Arc::new(Allowance::new(Limits {
        bytes: 100,
        ..limits()
    }));
    let mut first = egress
        .send(&upstream(&address), get("/"), &allowance)
        .await
        .expect("an answer")
        .body;
    let mut second = egress
        .send(&upstream(&address), get("/"), &allowance)
        .await
        .expect("an answer")
        .body;
    assert_eq!(first.read_all().await.map(|bytes| bytes.len()), Ok(60));
    assert_eq!(allowance.bytes_left(), 40);
    for _ in 0..2 {
        // A failure repeats, so that it is never mistaken for the end of the body.
        let failure = second.read(1000).await.expect_err("refused");
        assert_eq!(refused(failure), "bytes: limit 100");
    }
    assert_eq!(allowance.bytes_left(), 0);
}

#[tokio::test]
async fn body_over_its_limit_is_refused() {
    let mut body = body_within(
        vec![b'x'; 101],
        "text/plain",
        Limits {
            body: 100,
            ..limits()
        },
    )
    .await;
    assert_eq!(
        refused(body.read(1000).await.expect_err("refused")),
        "body: limit 100"
    );
}

#[tokio::test]
async fn unpacked_body_has_same_limit() {
    let limits = Limits {
        body: 100_000,
        ..limits()
    };
    let mut body = body_within(gzip(&[b'x'; 200_000]), "", limits).await;
    body.gunzip().await.expect("gzip");
    let failure = body.read_all().await.expect_err("refused");
    assert_eq!(refused(failure), "body: limit 100000");
}

#[tokio::test]
async fn oversized_piece_is_refused_and_body_stays_readable() {
    let mut body = body_within(
        vec![b'x'; 101],
        "",
        Limits {
            piece: 100,
            ..limits()
        },
    )
    .await;
    assert_eq!(
        refused(body.read_all().await.expect_err("refused")),
        "piece: limit 100"
    );
    assert_eq!(body.read(1000).await.map(|bytes| bytes.len()), Ok(101));
}

#[tokio::test]
async fn piece_of_unknown_length_has_limit() {
    let mut body = body_within(
        gzip(&[b'x'; 300_000]),
        "",
        Limits {
            piece: 100_000,
            ..limits()
        },
    )
    .await;
    body.gunzip().await.expect("gzip");
    let failure = body.text(None).await.expect_err("refused");
    assert_eq!(refused(failure), "piece: limit 100000");
}

#[tokio::test]
async fn an_archive_bomb_is_refused() {
    let mut body = body_of(gzip(&vec![0; 3 << 20]), "").await;
    body.gunzip().await.expect("gzip");
    let failure = body.read_all().await.expect_err("refused");
    assert_eq!(
        refused(failure),
        "archive_ratio: unpacked to more than 200 times its size"
    );
}

#[tokio::test]
async fn bomb_in_a_content_encoding_is_refused() {
    // Two mebibytes of zeros.
    let brotli = b"\x9b\xff\xff\x1f\xf8\x27\x00\xe2\xb1\x40\x20\xf7\xfe\x03".to_vec();
    for (encoding, bytes) in [("gzip", gzip(&vec![0; 3 << 20])), ("br", brotli)] {
        let address = serve(move |_| ([("content-encoding", encoding)], bytes.clone())).await;
        let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
        let failure = answer.body.read_all().await.expect_err("refused");
        assert_eq!(
            refused(failure),
            "archive_ratio: unpacked to more than 200 times its size"
        );
    }
}

#[tokio::test]
async fn encoded_body_that_unpacks_to_nothing_has_limit() {
    let empty = gzip(b"").repeat(10_000);
    let address = serve(move |_| ([("content-encoding", "gzip")], empty.clone())).await;
    let limits = Limits {
        body: 100_000,
        ..limits()
    };
    let allowance = Arc::new(Allowance::new(limits));
    let answer = egress(&[])
        .send(&upstream(&address), get("/"), &allowance)
        .await;
    let failure = answer.expect("an answer").body.read_all().await;
    assert_eq!(refused(failure.expect_err("refused")), "body: limit 100000");
}

#[tokio::test]
async fn decoders_are_counted() {
    let mut body = body_of(b"abc".to_vec(), "").await;
    for _ in 0..8 {
        body.decode(None).await.expect("text");
    }
    assert_eq!(
        refused(body.decode(None).await.expect_err("refused")),
        "decoders: limit 8"
    );
    assert_eq!(body.text(None).await.as_deref(), Ok("abc"));
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_unavailable() {
    let (address, _) = script(&["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"]).await;
    let mut answer = ask(&upstream(&address), get("/list?key=1"))
        .await
        .expect("an answer");
    assert_eq!(answer.body.read(3).await.as_deref(), Ok(&b"abc"[..]));
    for _ in 0..2 {
        let failure = answer.body.read(10).await.expect_err("unavailable");
        assert_eq!(
            unavailable(failure),
            "orsr /list: ended after 3 of 10 bytes"
        );
    }
}

#[tokio::test]
async fn a_chunked_body_that_breaks_off_is_unavailable() {
    let (address, _) =
        script(&["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"]).await;
    let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
    let failure = answer.body.read_all().await.expect_err("unavailable");
    assert_eq!(unavailable(failure), "orsr /: broke off after 3 bytes");
}

#[tokio::test]
async fn stalled_body_is_unavailable() {
    let (address, _) = script(&["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc…"]).await;
    let mut upstream = upstream(&address);
    upstream.idle = Duration::from_millis(30);
    let mut answer = egress(&[])
        .send(&upstream, get("/"), &allowance())
        .await
        .expect("an answer");
    let failure = answer.body.read_all().await.expect_err("unavailable");
    assert_eq!(
        unavailable(failure),
        "orsr /: no data for 30ms after 3 bytes"
    );
}
