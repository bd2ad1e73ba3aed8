//! Valid and hostile zip archives.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::super::{EgressFailure, Limits};
use super::{body_of, body_within, limits, malformed, refused};

fn zip_of(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, content) in files {
        if name.ends_with('/') {
            writer.add_directory(*name, options).expect("memory");
            continue;
        }
        writer.start_file(*name, options).expect("memory");
        writer.write_all(content).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

#[tokio::test]
async fn archive_files_are_listed_and_read() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let large = "12345678;Firma\n".repeat(100_000);
        let files: [(&str, &[u8]); 4] = [
            ("csv/", b""),
            ("csv/a.csv", large.as_bytes()),
            ("b.txt", b"b"),
            ("empty", b""),
        ];
        let mut body = body_of(zip_of(&files, method), "application/zip").await;
        assert_eq!(
            body.unzip().await.expect("names"),
            ["csv/a.csv", "b.txt", "empty"]
        );
        let mut first = body.entry("csv/a.csv").await.expect("an entry");
        let mut second = body.entry("b.txt").await.expect("an entry");
        assert_eq!(first.read(8).await.as_deref(), Ok(&b"12345678"[..]));
        assert_eq!(second.text(None).await.as_deref(), Ok("b"));
        assert_eq!(
            first.read_all().await.map(|rest| rest.len()),
            Ok(large.len() - 8)
        );
        let mut empty = body.entry("empty").await.expect("an entry");
        assert_eq!(empty.text(None).await.as_deref(), Ok(""));
        assert_eq!(second.evidence(), body.evidence());
        assert_eq!(body.read(10).await.as_deref(), Ok(&b""[..]));
    }
}

#[tokio::test]
async fn egress_types_are_send() {
    let read = tokio::spawn(async {
        let mut body = body_of(zip_of(&[("a", b"abc")], CompressionMethod::Stored), "").await;
        body.unzip().await?;
        let mut entry = body.entry("a").await?;
        entry.decode(None).await?;
        entry.text(None).await
    });
    assert_eq!(read.await.expect("no panic").as_deref(), Ok("abc"));
}

#[tokio::test]
async fn entry_requires_archive_and_existing_name() {
    let mut body = body_of(zip_of(&[("a.csv", b"a")], CompressionMethod::Stored), "").await;
    let failure = body.entry("a.csv").await.expect_err("refused");
    assert_eq!(
        refused(failure),
        "archive: no archive was opened, call unzip first"
    );
    body.unzip().await.expect("names");
    let failure = malformed(body.entry("b.csv").await.expect_err("malformed"));
    assert_eq!(
        failure,
        ("a file b.csv in the archive".to_owned(), "a.csv".to_owned())
    );
}

#[tokio::test]
async fn non_archive_is_malformed() {
    let whole = zip_of(&[("a.csv", &[b'a'; 5000])], CompressionMethod::Deflated);
    let cut = whole[..whole.len() - 30].to_vec();
    for bytes in [b"<html>".to_vec(), Vec::new(), b"PK\x05\x06".to_vec(), cut] {
        let mut body = body_of(bytes, "").await;
        let (expected, _) = malformed(body.unzip().await.expect_err("malformed"));
        assert_eq!(expected, "a zip archive");
    }
}

#[tokio::test]
async fn changed_entry_is_malformed() {
    let whole = zip_of(&[("a.csv", &[b'a'; 5000])], CompressionMethod::Stored);
    let mut wrong = whole.clone();
    wrong[2000] = b'b';
    let mut body = body_of(wrong, "").await;
    body.unzip().await.expect("names");
    let mut entry = body.entry("a.csv").await.expect("an entry");
    let (expected, found) = malformed(entry.read_all().await.expect_err("malformed"));
    assert!(expected.starts_with("5000 bytes with the checksum") && expected != found);
}

#[tokio::test]
async fn zip_bomb_entry_is_refused() {
    let bomb = zip_of(&[("zeros", &vec![0; 3 << 20])], CompressionMethod::Deflated);
    let mut body = body_of(bomb, "").await;
    body.unzip().await.expect("names");
    let mut entry = body.entry("zeros").await.expect("an entry");
    let failure = entry.read_all().await.expect_err("refused");
    assert_eq!(
        refused(failure),
        "archive_ratio: unpacked to more than 200 times its size"
    );
}

#[tokio::test]
async fn too_many_entries_are_refused() {
    let names: Vec<String> = (0..101).map(|number| number.to_string()).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let mut body = body_of(zip_of(&files, CompressionMethod::Stored), "").await;
    let failure = body.unzip().await.expect_err("refused");
    assert_eq!(refused(failure), "archive_entries: limit 100");
}

#[tokio::test]
async fn false_directory_size_is_refused_before_allocation() {
    let mut lie = b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff".to_vec();
    lie.extend_from_slice(&[0, 0]);
    let mut body = body_of(lie, "").await;
    let failure = body.unzip().await.expect_err("refused");
    assert_eq!(refused(failure), "archive_entries: limit 100");
}

#[tokio::test]
async fn spooling_respects_limits() {
    let archive = zip_of(&[("a.csv", &[b'a'; 5000])], CompressionMethod::Stored);
    let mut body = body_within(
        archive.clone(),
        "",
        Limits {
            body: 4000,
            ..limits()
        },
    )
    .await;
    assert_eq!(
        refused(body.unzip().await.expect_err("refused")),
        "body: limit 4000"
    );
    let nowhere = Limits {
        spool: "/nowhere".into(),
        ..limits()
    };
    let mut body = body_within(archive, "", nowhere).await;
    let failure = body.unzip().await.expect_err("unavailable");
    let text = "orsr /list: the host could not keep the archive".to_owned();
    assert_eq!(failure, EgressFailure::Unavailable(text));
}

#[tokio::test]
async fn nested_archives_share_spool_limit() {
    let inner = zip_of(&[("a", &[7; 60_000])], CompressionMethod::Stored);
    let outer = zip_of(&[("inner.zip", &inner)], CompressionMethod::Stored);
    let limits = Limits {
        bytes: 200_000,
        ..limits()
    };
    let mut body = body_within(outer, "application/zip", limits).await;
    body.unzip().await.expect("names");
    for _ in 0..2 {
        let mut entry = body.entry("inner.zip").await.expect("an entry");
        assert_eq!(entry.unzip().await.expect("names"), ["a"]);
    }
    let mut entry = body.entry("inner.zip").await.expect("an entry");
    let failure = entry.unzip().await.expect_err("it is one too many");
    assert_eq!(refused(failure), "archives: limit 200000");
}
