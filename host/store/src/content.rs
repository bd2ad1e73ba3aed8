//! The stored form of a record's content.
//!
//! In `SQLite` a content is a blob, packed with LZ4, if that makes it shorter, else a text. The type of the value tells
//! which, so lists that earlier versions imported are read as they are. `PostgreSQL` stores the text and compresses
//! long ones itself.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Encode, Type};
use sqlx_postgres::{PgArgumentBuffer, PgTypeInfo, Postgres};
use sqlx_sqlite::{Sqlite, SqliteArgumentsBuffer, SqliteTypeInfo};

use super::db::Db;

/// Shorter contents are not packed: the header and the copy cost more than they save.
const LEAST_BYTES: usize = 128;
/// Longest unpacked content. A damaged header must not allocate more. Connectors return far less.
const MAX_BYTES: usize = 64 << 20;
/// The first byte of a packed content: the version of the form.
const LZ4: u8 = 1;
/// The version and the unpacked size, in four bytes with the lowest first.
const HEADER: usize = 5;

/// A content to be written.
pub(super) struct NewContent<'a>(pub(super) &'a str);

/// A packed content in a form that this version does not write.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnreadableContent {
    #[error("a packed content of the unknown version {0}")]
    Version(u8),
    #[error("a packed content without its header")]
    Header,
    #[error("a packed content of {0} bytes; {MAX_BYTES} is the most")]
    Size(usize),
    #[error("a damaged packed content: {0}")]
    Block(#[from] lz4_flex::block::DecompressError),
    #[error("a content that is not UTF-8")]
    Text(#[from] std::string::FromUtf8Error),
}

/// The packed form, if it is shorter than the text.
fn packed(text: &str) -> Option<Vec<u8>> {
    let size = u32::try_from(text.len()).ok()?;
    if text.len() < LEAST_BYTES || text.len() > MAX_BYTES {
        return None;
    }
    let most = lz4_flex::block::get_maximum_output_size(text.len());
    let mut packed = vec![0; HEADER + most];
    packed[0] = LZ4;
    packed[1..HEADER].copy_from_slice(&size.to_le_bytes());
    let block = lz4_flex::block::compress_into(text.as_bytes(), &mut packed[HEADER..]).ok()?;
    packed.truncate(HEADER + block);
    (packed.len() < text.len()).then_some(packed)
}

/// SQL expression: 1 if the content is packed, else 0.
pub(super) fn is_packed(db: &Db, content: &str) -> String {
    match db {
        Db::Sqlite(_) => format!("typeof({content}) = 'blob'"),
        Db::Postgres(_) => "0".to_owned(),
    }
}

/// The text of a content as it is stored.
pub(super) fn unpack(stored: &[u8], is_packed: bool) -> Result<String, UnreadableContent> {
    if !is_packed {
        return Ok(String::from_utf8(stored.to_vec())?);
    }
    let mut text = vec![0; size_of(stored)?];
    let written = lz4_flex::block::decompress_into(&stored[HEADER..], &mut text)?;
    text.truncate(written);
    Ok(String::from_utf8(text)?)
}

fn size_of(packed: &[u8]) -> Result<usize, UnreadableContent> {
    let header = packed.first_chunk::<HEADER>();
    let [version, size @ ..] = header.ok_or(UnreadableContent::Header)?;
    if *version != LZ4 {
        return Err(UnreadableContent::Version(*version));
    }
    let size = u32::from_le_bytes(*size) as usize;
    if size > MAX_BYTES {
        return Err(UnreadableContent::Size(size));
    }
    Ok(size)
}

impl Type<Sqlite> for NewContent<'_> {
    fn type_info() -> SqliteTypeInfo {
        <str as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for NewContent<'_> {
    fn encode_by_ref(&self, arguments: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        match packed(self.0) {
            Some(packed) => Encode::<Sqlite>::encode(packed, arguments),
            None => Encode::<Sqlite>::encode_by_ref(&self.0, arguments),
        }
    }
}

impl Type<Postgres> for NewContent<'_> {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for NewContent<'_> {
    fn encode_by_ref(&self, arguments: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode_by_ref(&self.0, arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_content_unpacks_to_the_same_text() {
        let row = r#"{"type":"3","given":"Ján","family":"Vzorný","from":"2007-02-26"},"#;
        for text in ["ž".repeat(64), row.repeat(50)] {
            let packed = packed(&text).expect("it becomes shorter");
            assert!(packed.len() < text.len() / 2);
            assert_eq!(unpack(&packed, true).expect("it was packed here"), text);
        }
        assert!(packed(r#"{"short":true}"#).is_none());
    }

    #[test]
    fn damaged_content_is_an_error() {
        let whole = packed(&"abc".repeat(100)).expect("it becomes shorter");
        let size = |size: u32| [&[LZ4][..], &size.to_le_bytes(), &whole[HEADER..]].concat();
        for damaged in [
            Vec::new(),
            vec![LZ4, 1],
            [&[9][..], &whole[1..]].concat(),
            whole[..whole.len() - 1].to_vec(),
            size(u32::MAX),
            size(10),
        ] {
            assert!(unpack(&damaged, true).is_err(), "{damaged:?}");
        }
    }
}
