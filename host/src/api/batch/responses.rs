//! Responses about a batch: its progress and its results.

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;

use super::shapes::BatchStatus;
use crate::api::App;
use crate::api::accept::prefers;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, Code};
use crate::batches::{ResultsEncoding, ResultsError};
use crate::store::Batch;

pub(in crate::api) const BATCH_ID: HeaderName = HeaderName::from_static("x-batch-id");

pub(super) fn no_such_batch() -> ApiError {
    ApiError::new(Code::NotFound, "there is no such batch, or it has expired")
}

/// Whether the client accepts JSON lines and does not prefer a single JSON document.
pub(super) fn wants_lines(headers: &HeaderMap) -> bool {
    prefers(headers, "application/x-ndjson")
}

pub(super) fn progress(status: StatusCode, batch: &Batch) -> Response {
    with_batch_id(
        (status, Json(BatchStatus::of(batch))).into_response(),
        batch,
    )
}

/// Writes the results: a small batch at once, so that a failure gets an error status; a larger one as a stream.
pub(super) async fn written(
    app: &App,
    caller: &Caller,
    batch: Batch,
    form: ResultsEncoding,
) -> Result<Response, ApiError> {
    let results = app.batches.results(caller.account_id, batch.clone(), form);
    let media_type = match form {
        ResultsEncoding::Object => "application/json",
        ResultsEncoding::Lines => "application/x-ndjson",
    };
    let is_small = usize::try_from(batch.total).is_ok_and(|items| app.batches.is_small(items));
    let body = if is_small && form == ResultsEncoding::Object {
        let text = results.try_fold(Vec::new(), async |mut text, chunk| {
            text.extend_from_slice(&chunk);
            Ok(text)
        });
        Body::from(text.await?)
    } else {
        Body::from_stream(results.inspect_err(|error| {
            // The status has been sent, so ending the stream early is the only way to signal the failure.
            tracing::error!(%error, "writing batch results failed; the response ends early");
        }))
    };
    let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static(media_type))];
    Ok(with_batch_id((content_type, body).into_response(), &batch))
}

/// Adds the headers of every batch response: the id, and that it is not kept.
pub(super) fn with_batch_id(mut response: Response, batch: &Batch) -> Response {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&batch.id) {
        headers.insert(BATCH_ID, id);
    }
    let not_kept = HeaderValue::from_static("private, no-store");
    headers.insert(header::CACHE_CONTROL, not_kept);
    response
}

impl From<ResultsError> for ApiError {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Expired => no_such_batch(),
            ResultsError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_if_the_client_prefers_them() {
        for (accept, lines) in [
            ("application/x-ndjson", true),
            ("Application/X-NDJSON;q=0.5", true),
            ("application/json, application/x-ndjson", true),
            ("application/json;q=0.5, application/x-ndjson", true),
            ("application/json, application/x-ndjson;q=0.5", false),
            ("application/x-ndjson;q=0", false),
            ("application/json", false),
            ("*/*", false),
            ("", false),
        ] {
            let value = HeaderValue::from_static(accept);
            let headers = HeaderMap::from_iter([(header::ACCEPT, value)]);
            assert_eq!(wants_lines(&headers), lines, "{accept}");
        }
        assert!(!wants_lines(&HeaderMap::new()));
    }
}
