//! Receipt of a body: its media type, size and time.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, HeaderName, header};
use futures_util::StreamExt;

use super::{BodyBounds, form, too_large};
use crate::api::error::{ApiError, Code};

/// How much of a rejected body is read and discarded, and for how long. Most clients read the response only
/// after sending the whole request.
const MAX_DISCARDED_BYTES: usize = 64 << 20;
const DISCARDED_FOR: Duration = Duration::from_secs(5);

/// The media types of tables, and further ones that programs use for them.
const TABLES: [&str; 2] = [
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];
const OTHER_TABLES: [&str; 3] = [
    "text/tab-separated-values",
    "application/csv",
    "application/vnd.ms-excel",
];

/// The media type of a form with a file.
const FORM: &str = "multipart/form-data";

/// Receives a body that is declared as JSON.
///
/// # Errors
/// 415, 413 and 408, and 422 if the client ends it early.
pub(super) async fn receive(
    headers: &HeaderMap,
    body: Body,
    bounds: BodyBounds,
) -> Result<Vec<u8>, ApiError> {
    let refusal =
        "send JSON, with the header Content-Type: application/json and no Content-Encoding";
    receive_if(is_json(headers), refusal, headers, body, bounds).await
}

/// Like [`receive`], for an endpoint that takes files too.
///
/// # Errors
/// The same as of [`receive`].
pub(super) async fn receive_unless_file(
    headers: &HeaderMap,
    body: Body,
    bounds: BodyBounds,
) -> Result<Vec<u8>, ApiError> {
    let refusal = format!(
        "send JSON or a table, with the header Content-Type: application/json, {} or {FORM}, and no Content-Encoding",
        TABLES.join(", ")
    );
    receive_if(is_json(headers), &refusal, headers, body, bounds).await
}

/// Receives a body that is declared as a table or as a form with a file; see [`is_file`].
///
/// # Errors
/// The same as of [`receive`].
pub(in crate::api) async fn receive_file(
    headers: &HeaderMap,
    body: Body,
    bounds: BodyBounds,
) -> Result<Vec<u8>, ApiError> {
    if !is_form(headers) {
        return receive_table(headers, body, bounds).await;
    }
    let with_envelope = BodyBounds {
        bytes: bounds.bytes.saturating_add(form::MAX_ENVELOPE),
        ..bounds
    };
    let bytes = receive_if(true, "", headers, body, with_envelope).await?;
    let declared = text(headers, &header::CONTENT_TYPE).unwrap_or_default();
    form::file(declared, bytes, bounds.bytes).await
}

async fn receive_table(
    headers: &HeaderMap,
    body: Body,
    bounds: BodyBounds,
) -> Result<Vec<u8>, ApiError> {
    let refusal = format!(
        "send a table, with the header Content-Type: {} or {FORM}, and no Content-Encoding",
        TABLES.join(" or ")
    );
    receive_if(is_table(headers), &refusal, headers, body, bounds).await
}

/// Receives a body if its media type is accepted.
async fn receive_if(
    is_accepted: bool,
    refusal: &str,
    headers: &HeaderMap,
    body: Body,
    bounds: BodyBounds,
) -> Result<Vec<u8>, ApiError> {
    let waits = headers.contains_key(header::EXPECT);
    let mut stream = body.into_data_stream();
    let reading = async {
        if !is_accepted {
            return Err(ApiError::new(Code::UnsupportedMediaType, refusal));
        }
        bytes_of(headers, &mut stream, bounds.bytes).await
    };
    let Ok(read) = tokio::time::timeout(bounds.time, reading).await else {
        let seconds = bounds.time.as_secs();
        let why = format!("the body did not arrive within {seconds} s");
        return Err(ApiError::new(Code::RequestTimeout, why).closing());
    };
    // A client that sent `Expect: 100-continue` has not sent the body yet.
    if read.is_err() && !waits {
        discard(stream).await;
    }
    read
}

async fn bytes_of(
    headers: &HeaderMap,
    stream: &mut BodyDataStream,
    most: usize,
) -> Result<Vec<u8>, ApiError> {
    let too_large = || too_large(most);
    let length = text(headers, &header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    if length.is_some_and(|length: u64| length > most as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| {
            tracing::debug!(%error, "request body ended early");
            ApiError::invalid("body", "it ended early")
        })?;
        if bytes.len() + chunk.len() > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn discard(mut stream: BodyDataStream) {
    let discarding = async {
        let mut left = MAX_DISCARDED_BYTES;
        while let Some(Ok(chunk)) = stream.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                break;
            }
        }
    };
    // A slower client may miss the response.
    drop(tokio::time::timeout(DISCARDED_FOR, discarding).await);
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|media_type| {
        media_type == "application/json"
            || (media_type.starts_with("application/") && media_type.ends_with("+json"))
    })
}

/// Whether a body is declared as a table, or as a form that has one.
pub(in crate::api) fn is_file(headers: &HeaderMap) -> bool {
    is_table(headers) || is_form(headers)
}

fn is_form(headers: &HeaderMap) -> bool {
    media_type(headers).as_deref() == Some(FORM)
}

/// Whether a body is declared as CSV or XLSX. The content decides which of them it is, because some programs declare CSV
/// as an Excel file.
fn is_table(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|media_type| {
        TABLES.contains(&media_type.as_str()) || OTHER_TABLES.contains(&media_type.as_str())
    })
}

/// The declared media type in lower case. `None` if the body is encoded.
fn media_type(headers: &HeaderMap) -> Option<String> {
    let encoding = text(headers, &header::CONTENT_ENCODING).unwrap_or("identity");
    let declared = text(headers, &header::CONTENT_TYPE).unwrap_or_default();
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    let is_plain = encoding.trim().eq_ignore_ascii_case("identity");
    is_plain.then(|| media_type.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn declared(content_type: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(content_type))])
    }

    #[test]
    fn json_is_known_by_its_media_type() {
        for json in [
            "application/json",
            "application/json; charset=utf-8",
            "Application/JSON;charset=UTF-8",
            "application/vnd.api+json",
        ] {
            assert!(is_json(&declared(json)), "{json}");
        }
        for other in ["", "text/plain", "text/json", "application/jsonx", "json"] {
            assert!(!is_json(&declared(other)), "{other}");
        }
        let mut packed = declared("application/json");
        packed.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(!is_json(&packed));
        assert!(!is_json(&HeaderMap::new()));
    }

    #[test]
    fn files_are_tables_or_forms() {
        for file in ["text/csv", "Multipart/Form-Data; boundary=x"] {
            assert!(is_file(&declared(file)), "{file}");
        }
        let mut packed = declared("multipart/form-data; boundary=x");
        packed.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(!is_file(&packed) && !is_file(&declared("application/json")));
    }
}
