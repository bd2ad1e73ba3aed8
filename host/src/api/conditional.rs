//! Conditional requests: whether the client already has the current answer.

use axum::http::{HeaderMap, header};

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
