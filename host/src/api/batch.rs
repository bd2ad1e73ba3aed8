//! Batch requests: `/batch/ico`, `/batch/names`, progress and results.

mod order;
mod shapes;

use std::collections::HashSet;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Instrument;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::auth::{Caller, LookUp};
use super::body::Fields;
use super::charging::Call;
use super::error::{ApiError, Code, ErrorBody};
use super::idempotency;
use super::query::Parameters;
use crate::batches::{Form, ResultsError};
use crate::companies::Ico;
use crate::names;
use crate::store::{Batch, BatchKind};
use order::{Order, internal_error};
use shapes::{BatchResults, BatchStatus, IcoBatch, NameBatch};

pub(super) const BATCH_ID: HeaderName = HeaderName::from_static("x-batch-id");

/// Maximum length of a searched name, in characters.
const MAX_NAME_CHARS: usize = 500;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(batch_by_ico))
        .routes(routes!(batch_by_names))
        .routes(routes!(batch_status))
        .routes(routes!(batch_results))
}

/// Many companies by their registration numbers.
#[utoipa::path(
    post,
    path = "/v1/batch/ico",
    tag = "Batches",
    params(("Idempotency-Key" = Option<String>, Header, description = "A text of the client's choice, 1 to 255 characters, for requests that may be sent again: within 24 hours (this deployment's setting) the same request with the same key finds the batch that the first one made and costs nothing. Without a key a batch whose request was answered with an error is deleted and not charged.")),
    request_body = IcoBatch,
    responses(
        (status = 200, description = "The results. With `Accept: application/x-ndjson` one line for each number as it is looked up, however large the batch, and a last line with `meta`.", content(
            (BatchResults = "application/json"),
            (String = "application/x-ndjson"),
        )),
        (status = 202, description = "The batch is too large to be answered at once and is a job now.", body = BatchStatus),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left.", body = ErrorBody),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 415, description = "The body is not declared as JSON.", body = ErrorBody),
        (status = 422, description = "The body is wrong, the batch larger than the plan allows, or the idempotency key was used for another request.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_by_ico(
    State(app): State<App>,
    caller: LookUp,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "batch/ico");
    let check = |text: &str| {
        let ico = Ico::parse(text).map_err(|error| error.to_string())?;
        Ok(ico.as_str().to_owned())
    };
    let keys = keys(
        &app,
        &caller,
        query.as_deref(),
        &headers,
        body,
        "icos",
        check,
    )
    .await?;
    pay(
        app,
        caller.into_caller(),
        call,
        BatchKind::Ico,
        keys,
        headers,
    )
    .await
}

/// Many companies by their names.
#[utoipa::path(
    post,
    path = "/v1/batch/names",
    tag = "Batches",
    params(("Idempotency-Key" = Option<String>, Header, description = "A text of the client's choice, 1 to 255 characters, for requests that may be sent again: within 24 hours (this deployment's setting) the same request with the same key finds the batch that the first one made and costs nothing. Without a key a batch whose request was answered with an error is deleted and not charged.")),
    request_body = NameBatch,
    responses(
        (status = 200, description = "The results; lines as for `/v1/batch/ico`.", content(
            (BatchResults = "application/json"),
            (String = "application/x-ndjson"),
        )),
        (status = 202, description = "The batch is too large to be answered at once and is a job now.", body = BatchStatus),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left.", body = ErrorBody),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 415, description = "The body is not declared as JSON.", body = ErrorBody),
        (status = 422, description = "The body is wrong, the batch larger than the plan allows, or the idempotency key was used for another request.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_by_names(
    State(app): State<App>,
    caller: LookUp,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "batch/names");
    let check = |text: &str| {
        if text.chars().nth(MAX_NAME_CHARS).is_some() {
            return Err(format!("a name has at most {MAX_NAME_CHARS} characters"));
        }
        if names::name_key(text).is_empty() {
            return Err("a name has a letter or a digit".to_owned());
        }
        Ok(text.to_owned())
    };
    let keys = keys(
        &app,
        &caller,
        query.as_deref(),
        &headers,
        body,
        "names",
        check,
    )
    .await?;
    pay(
        app,
        caller.into_caller(),
        call,
        BatchKind::Names,
        keys,
        headers,
    )
    .await
}

/// How far a batch is.
#[utoipa::path(
    get,
    path = "/v1/batch/{id}/status",
    tag = "Batches",
    params(("id" = String, Path, description = "The batch's id.")),
    responses(
        (status = 200, description = "How far it is.", body = BatchStatus),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
        (status = 404, description = "The account has no such batch, or it has expired.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_status(
    State(app): State<App>,
    caller: Caller,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let batch = find(&app, &caller, path, query.as_deref()).await?;
    Ok(progress(StatusCode::OK, &batch))
}

/// The results of a batch.
#[utoipa::path(
    get,
    path = "/v1/batch/{id}/results",
    tag = "Batches",
    params(("id" = String, Path, description = "The batch's id.")),
    responses(
        (status = 200, description = "The results, of a failed batch too; with `Accept: application/x-ndjson` a line for each item.", content(
            (BatchResults = "application/json"),
            (String = "application/x-ndjson"),
        )),
        (status = 202, description = "It has not ended; this is how far it is.", body = BatchStatus),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
        (status = 404, description = "The account has no such batch, or it has expired.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_results(
    State(app): State<App>,
    caller: Caller,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let batch = find(&app, &caller, path, query.as_deref()).await?;
    if batch.completed_at.is_none() {
        return Ok(progress(StatusCode::ACCEPTED, &batch));
    }
    let form = if wants_lines(&headers) {
        Form::Lines
    } else {
        Form::Object
    };
    written(&app, &caller, batch, form).await
}

fn in_plan(caller: &Caller) -> Result<(), ApiError> {
    if caller.plan.batch {
        return Ok(());
    }
    Err(ApiError::new(
        Code::Forbidden,
        "the plan does not include batches; they need the plan Starter or a higher one",
    ))
}

/// The requested keys without repetitions, in request order.
async fn keys(
    app: &App,
    caller: &Caller,
    query: Option<&str>,
    headers: &HeaderMap,
    body: Body,
    field: &str,
    check: impl Fn(&str) -> Result<String, String>,
) -> Result<Vec<String>, ApiError> {
    in_plan(caller)?;
    Parameters::read(query, &[])?;
    let mut fields = Fields::read(headers, body, app.body_bounds()).await?;
    let mut keys = fields.list(field, check);
    let mut seen = HashSet::with_capacity(keys.len());
    keys.retain(|key| seen.insert(key.clone()));
    let most = caller.plan.batch_items;
    if keys.len() > most {
        let sent = keys.len();
        fields.wrong(
            field,
            format!("at most {most} on this plan, and there are {sent}"),
        );
    }
    if keys.is_empty() && !fields.is_wrong(field) {
        fields.wrong(field, "at least one is wanted");
    }
    fields.end(&[field])?;
    Ok(keys)
}

/// Charges and starts the batch in a separate task. If the client disconnects or receives an error before it
/// knows the batch's id, the charge and the batch are undone. With an idempotency key both are kept, because
/// the client can find the batch by its key.
async fn pay(
    app: App,
    caller: Caller,
    call: Call,
    kind: BatchKind,
    keys: Vec<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let keyed = idempotency::key_of(&headers)?.map(|key| {
        let asked = keys.iter().map(String::as_str);
        let parts = std::iter::once(kind.word()).chain(asked);
        idempotency::keyed(&app, key, ["batch"].into_iter().chain(parts))
    });
    let order = Order {
        app,
        caller,
        kind,
        keys,
        headers,
        keyed,
        asked_at: Instant::now(),
    };
    if let Some(repeated) = order.repeated().await? {
        call.free();
        return Ok(repeated);
    }
    call.ensure_credit().await?;
    let (mut reply, delivery) = oneshot::channel();
    let carrying_out = async move {
        let delivery = order.execute(call, &mut reply).await;
        // If the client is gone, the delivery comes back and is dropped.
        drop(reply.send(delivery));
    };
    tokio::spawn(carrying_out.in_current_span());
    match delivery.await {
        Ok(delivery) => delivery.received(),
        Err(_panicked) => Err(internal_error()),
    }
}

/// The caller's batch. Every id that is not the caller's gets the same error.
async fn find(
    app: &App,
    caller: &Caller,
    path: Result<Path<String>, PathRejection>,
    query: Option<&str>,
) -> Result<Batch, ApiError> {
    in_plan(caller)?;
    Parameters::read(query, &[])?;
    let id = path.map(|Path(id)| id).unwrap_or_default();
    let batch = app.batches.find(caller.account_id, &id).await?;
    batch.ok_or_else(no_such_batch)
}

fn no_such_batch() -> ApiError {
    ApiError::new(Code::NotFound, "there is no such batch, or it has expired")
}

/// Whether the client accepts JSON lines and does not prefer a single JSON document.
fn wants_lines(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let accepted: Vec<&str> = accepted.filter_map(|value| value.to_str().ok()).collect();
    // RFC 9110, 12.5.1: media ranges with a weight, which defaults to 1.
    let weight = |wanted: &str| {
        let ranges = accepted.iter().flat_map(|value| value.split(','));
        let weights = ranges.filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            if !parts.next()?.eq_ignore_ascii_case(wanted) {
                return None;
            }
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            Some(weight.map_or(1.0, |weight| weight.parse::<f64>().unwrap_or(0.0)))
        });
        weights.fold(0.0, f64::max)
    };
    let lines = weight("application/x-ndjson");
    lines > 0.0 && lines >= weight("application/json")
}

fn progress(status: StatusCode, batch: &Batch) -> Response {
    of_batch(
        (status, Json(BatchStatus::of(batch))).into_response(),
        batch,
    )
}

/// Writes the results: a small batch at once, so that a failure gets an error status; a larger one as a stream.
async fn written(
    app: &App,
    caller: &Caller,
    batch: Batch,
    form: Form,
) -> Result<Response, ApiError> {
    let results = app.batches.results(caller.account_id, batch.clone(), form);
    let media_type = match form {
        Form::Object => "application/json",
        Form::Lines => "application/x-ndjson",
    };
    let is_small = usize::try_from(batch.total).is_ok_and(|items| app.batches.is_small(items));
    let body = if is_small && form == Form::Object {
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
    Ok(of_batch((content_type, body).into_response(), &batch))
}

/// Adds the headers of every batch response.
fn of_batch(mut response: Response, batch: &Batch) -> Response {
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
