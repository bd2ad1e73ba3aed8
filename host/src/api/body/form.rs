//! The file in a body of `multipart/form-data`.
//!
//! The body has been received within its bounds, so that a form fails with the same errors as the bare file.

use std::collections::BTreeMap;
use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use multer::Multipart;

use super::{shortened, too_large};
use crate::api::error::ApiError;

/// The field with the file.
const FIELD: &str = "file";

/// Maximum bytes of a form beside its file: boundaries, and the headers of the parts.
pub(super) const MAX_ENVELOPE: usize = 16 << 10;

/// Most fields that an error names.
const MAX_NAMED: usize = 20;

/// The file of a form. `declared` is the header with the boundary, `most` the maximum size of the file in bytes.
///
/// # Errors
/// 422 if it is no form, or has other fields than one file; 413 if the file is too large.
pub(super) async fn file(declared: &str, body: Vec<u8>, most: usize) -> Result<Vec<u8>, ApiError> {
    let no_form = |error: multer::Error| {
        // The error names the place and does not quote the body.
        ApiError::invalid("body", format!("it is not multipart/form-data: {error}"))
    };
    let boundary = multer::parse_boundary(declared).map_err(no_form)?;
    let body = stream::iter([Ok::<_, Infallible>(Bytes::from(body))]);
    let mut parts = Multipart::new(body, boundary);
    let mut file = None;
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(part) = parts.next_field().await.map_err(no_form)? {
        let name = part.name().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.map_err(no_form)?;
        let why = if name != FIELD {
            format!("unknown field; accepted: {FIELD}")
        } else if file.is_some() {
            "given more than once".to_owned()
        } else {
            file = Some(bytes);
            continue;
        };
        if wrong.len() < MAX_NAMED {
            wrong.insert(shortened(&name), vec![why]);
        }
    }
    if file.is_none() {
        let why = "it is missing; a form has the list in this field".to_owned();
        wrong.insert(FIELD.to_owned(), vec![why]);
    }
    match file {
        Some(bytes) if wrong.is_empty() && bytes.len() > most => Err(too_large(most)),
        Some(bytes) if wrong.is_empty() => Ok(bytes.into()),
        _ => Err(ApiError::all_invalid(wrong)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = "multipart/form-data; boundary=x";

    fn form(fields: &[(&str, &str)]) -> Vec<u8> {
        let part = |(name, value): &(&str, &str)| {
            format!(
                "--x\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\n{value}\r\n"
            )
        };
        let parts: String = fields.iter().map(part).collect();
        format!("{parts}--x--\r\n").into_bytes()
    }

    #[tokio::test]
    async fn form_has_one_file_and_nothing_else() {
        let read = async |fields: &[(&str, &str)]| file(DECLARED, form(fields), 3).await;
        assert_eq!(read(&[("file", "abc")]).await.expect("a file"), b"abc");
        for wrong in [
            &[][..],
            &[("list", "a")],
            &[("file", "a"), ("file", "b")],
            &[("file", "a"), ("scope", "tax")],
            &[("file", "abcd")],
        ] {
            assert!(read(wrong).await.is_err(), "{wrong:?}");
        }
    }

    #[tokio::test]
    async fn damaged_form_is_refused() {
        let whole = form(&[("file", "abc")]);
        for end in 0..whole.len() - 4 {
            let cut = whole[..end].to_vec();
            assert!(file(DECLARED, cut, 100).await.is_err(), "{end}");
        }
        assert!(file("multipart/form-data", whole, 100).await.is_err());
    }
}
