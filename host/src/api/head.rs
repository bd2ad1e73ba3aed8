//! `HEAD`: answered from what is stored, without a cost, so without anything that an answer would be paid for.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::charging::Call;

/// A body of unknown length. A known one would be announced as `Content-Length`, which tells how much was found.
pub(super) fn without_body() -> Body {
    Body::from_stream(stream::empty::<Result<Bytes, std::convert::Infallible>>())
}

/// The answer to `HEAD` of a search whose parameters are right. Nothing is looked for.
pub(super) fn of_search(call: Call) -> Response {
    call.for_nothing();
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], without_body()).into_response()
}
