//! Conditional requests: whether the client already has the current answer.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The response with a JSON body and its tag, or 304.
pub(super) fn json_response(etag: &str, is_unchanged: bool, body: Body) -> Response {
    let mut response = if is_unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let json = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, json)], body).into_response()
    };
    let own = response.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(etag) {
        own.insert(header::ETAG, etag);
    }
    let control = HeaderValue::from_static("private, no-cache");
    own.insert(header::CACHE_CONTROL, control);
    response
}

/// Whether `If-None-Match` contains the current tag, by weak comparison (RFC 9110, 13.1.2). `*` matches
/// nothing, because it would also match responses that the client never received.
pub(super) fn has_current_tag(headers: &HeaderMap, etag: &str) -> bool {
    fn opaque(tag: &str) -> &str {
        tag.trim().trim_start_matches("W/")
    }
    let current = opaque(etag);
    let sent = headers.get_all(header::IF_NONE_MATCH).iter();
    sent.filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| opaque(tag) == current)
}
