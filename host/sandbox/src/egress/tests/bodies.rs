//! Reading, charsets and gzip.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::serve::ListenerExt;
use bytes::Bytes;
use encoding_rs::WINDOWS_1250;
use tokio::net::TcpListener;

use super::{allowance, ask, body_of, egress, get, gzip, malformed, refused, serve, upstream};

const LINE: &str = "Žltý kôň, s.r.o.;Čadca\n";

#[tokio::test]
async fn body_is_read_in_pieces_to_its_end() {
    let mut body = body_of(b"abcde".to_vec(), "").await;
    assert_eq!(body.read(0).await.as_deref(), Ok(&b""[..]));
    assert_eq!(body.read(2).await.as_deref(), Ok(&b"ab"[..]));
    assert_eq!(body.read(2).await.as_deref(), Ok(&b"cd"[..]));
    assert_eq!(body.read(9).await.as_deref(), Ok(&b"e"[..]));
    assert_eq!(body.read(9).await.as_deref(), Ok(&b""[..]));
    assert_eq!(body.read_all().await.as_deref(), Ok(&b""[..]));
}

#[tokio::test]
async fn evidence_is_digest_of_received_bytes() {
    let mut body = body_of(b"abc".to_vec(), "").await;
    let before = body.evidence();
    assert!(before.digest.starts_with("e3b0c44298fc1c14"));
    body.read_all().await.expect("a body");
    let after = body.evidence();
    assert_eq!(
        after.digest,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!((after.id, after.fetched_at), (before.id, before.fetched_at));
}

#[tokio::test]
async fn charset_is_chosen_by_caller_bom_header_or_utf8() {
    let old = WINDOWS_1250.encode(LINE).0.into_owned();
    let marked = [b"\xef\xbb\xbf", LINE.as_bytes()].concat();
    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(LINE.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for (bytes, content_type, asked) in [
        (old.clone(), "text/csv", Some("windows-1250")),
        (old.clone(), "text/csv; charset=utf-8", Some("cp1250")),
        (
            old,
            "text/csv; header=present; Charset=\"Windows-1250\"",
            None,
        ),
        (marked.clone(), "text/csv; charset=windows-1250", None),
        (marked, "text/csv", Some("utf-8")),
        (wide, "text/csv; charset=utf-8", None),
        (LINE.as_bytes().to_vec(), "text/csv", None),
    ] {
        let mut body = body_of(bytes, content_type).await;
        assert_eq!(
            body.text(asked).await.as_deref(),
            Ok(LINE),
            "{content_type} {asked:?}"
        );
    }
}

#[tokio::test]
async fn bytes_outside_the_charset_are_malformed() {
    let mut body = body_of(b"ico;meno\n1;\xc8adca".to_vec(), "text/csv").await;
    let failure = malformed(body.text(None).await.expect_err("malformed"));
    assert_eq!(
        failure,
        (
            "text in UTF-8".to_owned(),
            "the bytes [c8] at offset 11".to_owned()
        )
    );
    let mut cut = body_of(b"ab\xc5".to_vec(), "text/csv").await;
    let failure = malformed(cut.text(None).await.expect_err("malformed"));
    assert_eq!(failure.1, "a character that is cut short at offset 2");
}

#[tokio::test]
async fn an_unknown_charset_is_refused_or_malformed() {
    let mut body = body_of(b"abc".to_vec(), "text/csv; charset=kamenicky").await;
    let failure = body.text(Some("klingon")).await.expect_err("refused");
    assert_eq!(refused(failure), "the charset klingon is unknown");
    let failure = malformed(body.text(None).await.expect_err("malformed"));
    assert_eq!(
        failure,
        ("a known charset".to_owned(), "kamenicky".to_owned())
    );
    assert_eq!(body.text(Some("utf-8")).await.as_deref(), Ok("abc"));
}

#[tokio::test]
async fn decoders_can_be_stacked() {
    let text = LINE.repeat(20_000);
    let packed = gzip(&WINDOWS_1250.encode(&text).0);
    let mut body = body_of(packed.clone(), "application/gzip").await;
    body.gunzip().await.expect("gzip");
    body.decode(Some("windows-1250")).await.expect("text");
    let mut whole = Vec::new();
    loop {
        let piece = body.read(1 << 20).await.expect("a piece");
        if piece.is_empty() {
            break;
        }
        assert!(piece.len() <= 64 * 1024);
        whole.extend_from_slice(&piece);
    }
    assert!(whole == text.as_bytes());
    let mut raw = body_of(packed, "").await;
    raw.read_all().await.expect("a body");
    assert_eq!(body.evidence().digest, raw.evidence().digest);
}

#[tokio::test]
async fn multi_member_gzip_is_unpacked_byte_by_byte() {
    let packed: Vec<u8> = [gzip(b"first,"), gzip(b""), gzip(b"second")].concat();
    let stream = move |_| {
        let bytes: Vec<_> = packed
            .iter()
            .map(|byte| Ok::<_, std::io::Error>(Bytes::copy_from_slice(&[*byte])))
            .collect();
        Body::from_stream(futures_util::stream::iter(bytes))
    };
    let mut answer = ask(&upstream(&serve(stream).await), get("/"))
        .await
        .expect("an answer");
    answer.body.gunzip().await.expect("gzip");
    assert_eq!(answer.body.text(None).await.as_deref(), Ok("first,second"));
}

#[tokio::test]
async fn empty_gzip_members_yield_to_other_tasks() {
    let nothing = gzip(b"").repeat(50_000);
    let mut body = body_of(gzip(&nothing), "application/gzip").await;
    body.gunzip().await.expect("it begins as gzip");
    body.gunzip().await.expect("and so does what is in it");
    let mut turns = 0;
    let reading = body.read(1);
    let mut reading = std::pin::pin!(reading);
    let read = loop {
        tokio::select! {
            biased;
            read = &mut reading => break read,
            () = std::future::ready(()) => turns += 1,
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(read.as_deref(), Ok(&b""[..]));
    assert!(turns > 5, "{turns} turns of others");
}

#[tokio::test]
async fn page_instead_of_gzip_is_malformed_and_readable() {
    let page = format!("<html>Údržba{}", "x".repeat(500));
    let mut body = body_of(page.clone().into_bytes(), "text/html").await;
    let (expected, found) = malformed(body.gunzip().await.expect_err("malformed"));
    assert_eq!(expected, "a gzip stream");
    assert!(found.starts_with("<html>Údržba") && found.chars().count() == 200);
    assert_eq!(body.text(None).await, Ok(page));
    let mut empty = body_of(Vec::new(), "").await;
    assert_eq!(
        malformed(empty.gunzip().await.expect_err("malformed")).1,
        "nothing"
    );
}

#[tokio::test]
async fn broken_gzip_is_malformed() {
    let packed = gzip(LINE.repeat(1000).as_bytes());
    for cut in [4, packed.len() / 2, packed.len() - 4] {
        let mut body = body_of(packed[..cut].to_vec(), "").await;
        body.gunzip().await.expect("the beginning of gzip");
        let (expected, found) = malformed(body.read_all().await.expect_err("malformed"));
        assert_eq!(expected, "a whole gzip stream");
        assert!(found.starts_with("its end after"), "{found}");
    }
    let mut wrong = packed.clone();
    let checksum = wrong.len() - 6;
    wrong[checksum] ^= 1;
    let mut body = body_of(wrong, "").await;
    body.gunzip().await.expect("gzip");
    assert!(
        malformed(body.read_all().await.expect_err("malformed"))
            .1
            .contains("corrupt")
    );
}

#[tokio::test]
async fn content_encoding_is_decoded_transparently() {
    let address = serve(|request| {
        let accepts = request.headers().get("accept-encoding").cloned();
        assert!(accepts.is_some_and(|value| value == "gzip, br" || value == "gzip,br"));
        ([("content-encoding", "gzip")], gzip(LINE.as_bytes()))
    })
    .await;
    let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
    assert!(
        answer
            .headers
            .iter()
            .all(|(name, _)| name != "content-encoding")
    );
    assert_eq!(answer.body.text(None).await.as_deref(), Ok(LINE));
}

/// Forty times [`LINE`], packed by the encoder of Node.js.
const BROTLI: [u8; 57] = [
    0x1b, 0x5f, 0x04, 0xf8, 0x2d, 0x0f, 0xb8, 0x33, 0xad, 0x03, 0xa1, 0x36, 0x4c, 0x0c, 0xdc, 0x06,
    0x38, 0x41, 0xf9, 0xb2, 0x38, 0x8c, 0x25, 0x41, 0xd6, 0xd8, 0x1a, 0x91, 0x91, 0xb6, 0x57, 0x2b,
    0x90, 0xcd, 0x11, 0xcb, 0x9d, 0x37, 0xb9, 0x74, 0xa1, 0x1b, 0xce, 0xb0, 0xb1, 0xe1, 0xe8, 0x30,
    0x56, 0x90, 0x7f, 0xdf, 0xeb, 0x90, 0x2c, 0x76, 0x03,
];

#[tokio::test]
async fn brotli_arriving_byte_by_byte_is_decoded() {
    let address = serve(|_| {
        let bytes = BROTLI.map(|byte| Ok::<_, std::io::Error>(Bytes::from(vec![byte])));
        let body = Body::from_stream(futures_util::stream::iter(bytes));
        ([("content-encoding", "br")], body)
    })
    .await;
    let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
    assert_eq!(answer.body.text(None).await, Ok(LINE.repeat(40)));
}

#[tokio::test]
async fn connection_is_used_again_after_an_encoded_body() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound socket");
    let listener = listener.tap_io(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let router = Router::new().fallback(|request: Request| async move {
        let (encoding, bytes) = match request.uri().path() {
            "/brotli" => ("br", BROTLI.to_vec()),
            _ => ("gzip", gzip(LINE.as_bytes())),
        };
        let chunk = futures_util::stream::iter([Ok::<_, std::io::Error>(bytes)]);
        ([("content-encoding", encoding)], Body::from_stream(chunk))
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    let (egress, upstream) = (egress(&[]), upstream(&format!("http://{address}")));
    for path in ["/brotli", "/gzip", "/brotli"] {
        let answer = egress.send(&upstream, get(path), &allowance()).await;
        let text = answer.expect("an answer").body.text(None).await;
        assert!(text.expect("it is decoded").starts_with(LINE));
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn encoded_body_without_bytes_is_empty() {
    let address = serve(|_| [("content-encoding", "gzip")]).await;
    let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
    assert_eq!(answer.body.text(None).await.as_deref(), Ok(""));
}

#[tokio::test]
async fn unknown_content_encoding_is_passed_on() {
    let address = serve(|_| ([("content-encoding", "zstd")], "packed")).await;
    let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
    let declared = ("content-encoding".to_owned(), "zstd".to_owned());
    assert!(answer.headers.contains(&declared));
    assert_eq!(answer.body.text(None).await.as_deref(), Ok("packed"));
}

#[tokio::test]
async fn broken_content_encoding_is_malformed() {
    let cut = gzip(LINE.as_bytes());
    let bodies = [
        ("gzip", b"no gzip at all".to_vec(), "a whole gzip stream"),
        ("gzip", cut[..cut.len() - 9].to_vec(), "a whole gzip stream"),
        ("br", BROTLI[..50].to_vec(), "a whole Brotli stream"),
        ("br", b"no Brotli at all".to_vec(), "a whole Brotli stream"),
    ];
    for (encoding, bytes, expected) in bodies {
        let address = serve(move |_| ([("content-encoding", encoding)], bytes.clone())).await;
        let mut answer = ask(&upstream(&address), get("/")).await.expect("an answer");
        let failure = answer.body.read_all().await.expect_err("malformed");
        assert_eq!(malformed(failure).0, expected);
    }
}
