//! `HEAD` requests: free, so they are answered from stored data only and reveal nothing that a paid response
//! contains.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::charging::Call;

/// A body of unknown length. A known length would set `Content-Length`, which reveals how much was found.
pub(super) fn without_body() -> Body {
    Body::from_stream(stream::empty::<Result<Bytes, std::convert::Infallible>>())
}

/// The response to a valid `HEAD` request of a search. No search is made.
pub(super) fn of_search(call: Call) -> Response {
    call.free();
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], without_body()).into_response()
}
