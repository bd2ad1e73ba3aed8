//! A register that changed its format: the correct answer with other names.
//!
//! Values stay. Members of JSON, elements of XML, columns of CSV and all visible text of a page are renamed, in
//! archives too.

use std::io::{self, Cursor, Read, Write};

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Maximum size in bytes. Larger answers fail, so that no test mistakes an unchanged answer for a changed one.
const LARGEST: usize = 64 << 20;

/// Renames a word by rotating each letter by thirteen places (ROT13).
fn other(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    name.iter().map(|byte| match byte {
        b'a'..=b'm' | b'A'..=b'M' => byte + 13,
        b'n'..=b'z' | b'N'..=b'Z' => byte - 13,
        _ => *byte,
    })
}

/// The answer with renamed members, elements and columns.
pub(super) async fn answer(answer: Response) -> Response {
    let (mut head, body) = answer.into_parts();
    let renamed = match axum::body::to_bytes(body, LARGEST).await {
        Ok(bytes) => renamed(&bytes),
        Err(error) => Err(io::Error::other(error)),
    };
    head.headers.remove(header::CONTENT_LENGTH);
    match renamed {
        Ok(bytes) => Response::from_parts(head, Body::from(bytes)),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

fn renamed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if bytes.starts_with(b"PK") {
        return in_archive(bytes);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(bytes).read_to_end(&mut plain)?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&renamed(&plain)?)?;
        return packed.finish();
    }
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(match first {
        Some(b'{' | b'[') => members(text),
        Some(b'<') if is_page(text) => labels(text),
        Some(b'<') => elements(text),
        Some(_) => columns(text),
        None => Vec::new(),
    })
}

fn in_archive(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut from = ZipArchive::new(Cursor::new(bytes)).map_err(io::Error::other)?;
    let mut into = ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..from.len() {
        let mut file = from.by_index(place).map_err(io::Error::other)?;
        let name = file.name().map_err(io::Error::other)?.into_owned();
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        let options = SimpleFileOptions::default();
        into.start_file(name, options).map_err(io::Error::other)?;
        into.write_all(&renamed(&content)?)?;
    }
    Ok(into.finish().map_err(io::Error::other)?.into_inner())
}

fn is_page(text: &[u8]) -> bool {
    let head = text.get(..1_000).unwrap_or(text).to_ascii_lowercase();
    let has = |what: &[u8]| head.windows(what.len()).any(|window| window == what);
    has(b"<html") || has(b"<!doctype html")
}

/// One document of JSON, or one in each line.
fn members(text: &[u8]) -> Vec<u8> {
    if let Ok(value) = serde_json::from_slice::<Value>(text) {
        return other_members(value).to_string().into_bytes();
    }
    let mut lines = Vec::with_capacity(text.len());
    for line in text.split(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => lines.extend(other_members(value).to_string().into_bytes()),
            Err(_) => lines.extend(line),
        }
        lines.push(b'\n');
    }
    lines
}

fn other_members(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let renamed = members.into_iter().map(|(name, value)| {
                let name: Vec<u8> = other(name.as_bytes()).collect();
                let name = String::from_utf8_lossy(&name).into_owned();
                (name, other_members(value))
            });
            Value::Object(renamed.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(other_members).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Every element gets another name; prefixes, attributes and texts stay.
fn elements(text: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(text.len() * 5 / 4);
    let mut rest = text;
    while let Some(place) = rest.iter().position(|byte| *byte == b'<') {
        let (before, tag) = rest.split_at(place);
        changed.extend(before);
        let opening = if tag.starts_with(b"</") { 2 } else { 1 };
        let is_element = tag.get(opening).is_some_and(u8::is_ascii_alphabetic);
        if is_element {
            let name = tag[opening..]
                .iter()
                .take_while(|byte| !matches!(**byte, b'>' | b'/') && !byte.is_ascii_whitespace());
            let end = opening + name.count();
            let prefix = tag[opening..end].iter().position(|byte| *byte == b':');
            let from = prefix.map_or(opening, |colon| opening + colon + 1);
            changed.extend(&tag[..from]);
            changed.extend(other(&tag[from..end]));
            rest = &tag[end..];
        } else {
            changed.push(b'<');
            rest = &tag[1..];
        }
    }
    changed.extend(rest);
    changed
}

/// Renames all visible text; tags and references stay.
fn labels(text: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(text.len());
    for piece in text.split_inclusive(|byte| *byte == b'>') {
        let (mut content, tag) = match piece.iter().position(|byte| *byte == b'<') {
            Some(place) => piece.split_at(place),
            None => (piece, &piece[piece.len()..]),
        };
        while let Some(place) = content.iter().position(|byte| *byte == b'&') {
            let (before, reference) = content.split_at(place);
            let end = reference.iter().position(|byte| *byte == b';');
            let (reference, behind) = reference.split_at(end.map_or(1, |end| end + 1));
            changed.extend(other(before));
            changed.extend(reference);
            content = behind;
        }
        changed.extend(other(content));
        changed.extend(tag);
    }
    changed
}

/// The columns of the first line.
fn columns(text: &[u8]) -> Vec<u8> {
    let end = text.iter().position(|byte| *byte == b'\n');
    let (header, rest) = text.split_at(end.unwrap_or(text.len()));
    other(header).chain(rest.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let bytes = renamed(text.as_bytes()).expect("it is small");
        String::from_utf8(bytes).expect("it was text")
    }

    #[test]
    fn names_change_and_values_stay() {
        assert_eq!(of(r#"{"a":[{"b":"a"}]}"#), r#"{"n":[{"o":"a"}]}"#);
        assert_eq!(of("{\"a\":1}\n{\"a\":2}"), "{\"n\":1}\n{\"n\":2}\n");
        assert_eq!(
            of("<?xml version=\"1.0\"?><d:a b=\"c\"><e>f &lt; g</e><h/></d:a>"),
            "<?xml version=\"1.0\"?><d:n b=\"c\"><r>f &lt; g</r><u/></d:n>"
        );
        assert_eq!(of("a;\"b\"\n1;2\n"), "n;\"o\"\n1;2\n");
        assert_eq!(
            of("<html><td class=\"a\">a:&nbsp;b</td><b>c 1</b></html>"),
            "<html><td class=\"a\">n:&nbsp;o</td><b>p 1</b></html>"
        );
        assert_eq!(of(""), "");
    }

    #[test]
    fn archives_are_changed_inside() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive
            .start_file("a.json", SimpleFileOptions::default())
            .expect("memory");
        archive.write_all(br#"{"a":1}"#).expect("memory");
        let bytes = archive.finish().expect("memory").into_inner();
        let changed = renamed(&bytes).expect("it is an archive");
        let mut changed = ZipArchive::new(Cursor::new(changed)).expect("it is one still");
        let mut text = String::new();
        let mut file = changed.by_name("a.json").expect("it is there");
        file.read_to_string(&mut text).expect("memory");
        assert_eq!(text, r#"{"n":1}"#);
    }
}
