//! Batch requests: `/batch/ico`, `/batch/names`, progress and results.

mod request;
mod responses;
mod results;
mod shapes;
mod submission;
mod table;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Instrument;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};

use super::App;
use super::auth::Caller;
use super::charging::{Call, charged_as};
use super::error::{ApiError, Code, ErrorBody};
use super::files::FileForm;
use super::idempotency::IdempotencyKey;
use super::parameters::types::{Id, Text};
use super::parameters::{NoQuery, Path, Query, of_headers, parameters};
use super::search::ListMeta;
use crate::companies::AllowedScopes;
use crate::handlers::routes;
use crate::store::{Batch, BatchKind, ScopeName};
use request::BatchRequest;
pub(super) use responses::BATCH_ID;
use responses::{no_such_batch, progress};
use shapes::{BatchList, BatchResults, BatchStatus, BatchSummary, IcoBatch, NameBatch};
use submission::BatchSubmission;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(batch_by_ico).layer(charged_as("batch/ico")))
        .routes(routes!(batch_by_names).layer(charged_as("batch/names")))
        .routes(routes!(batches))
        .routes(routes!(batch_status))
        .merge(results::routes())
}

parameters! {
    struct BatchQuery in Query {
        /// Sections of every company: scope names separated by commas, or `all` for every scope of the plan. Without it,
        /// each company has base data and details.
        scope: Text,
    }
}

parameters! {
    struct BatchHeaders in Header {
        /// Idempotency key of the client's choice, 1 to 255 characters. Within 24 hours (configurable), the same
        /// request with the same key returns the batch that the first request created, free of charge. Without a key,
        /// a batch whose request fails is deleted and not charged.
        key as "Idempotency-Key": IdempotencyKey,
    }
}

parameters! {
    struct BatchPath in Path {
        /// Id of the batch, from the response that created it.
        id: Id,
    }
}

/// The result of the extractor [`NoQuery`]; the plan is checked before it.
type CheckedQuery = Result<NoQuery, ApiError>;

/// Look up many companies by registration number.
///
/// The numbers are a JSON list, or a column of a CSV file or XLSX workbook, which may be the field `file` of a form. A line
/// of a file that has no number fails by itself with `validation_error`.
#[utoipa::path(
    post,
    path = "/v1/batch/ico",
    tag = "Batches",
    params(BatchQuery, BatchHeaders),
    request_body(content(
        (IcoBatch = "application/json"),
        (String = "text/csv"),
        (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (FileForm = "multipart/form-data"),
    )),
    responses(
        (status = 200, description = "The results. With `Accept: application/x-ndjson`, one line per number as soon as it is looked up, for batches of any size, and a final line with `meta`.", content(
            (BatchResults = "application/json"),
            (String = "application/x-ndjson"),
        )),
        (status = 202, description = "The batch is too large for an immediate response and runs in the background.", body = BatchStatus),
        (status = 403, description = "The plan does not include batches or a requested scope.", body = ErrorBody),
        (status = 422, description = "The body is invalid, the batch is larger than the plan allows, or the idempotency key was used for another request.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_by_ico(
    State(app): State<App>,
    call: Call,
    query: Result<Query<BatchQuery>, ApiError>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    in_plan(call.caller())?;
    let kind = BatchKind::Ico;
    let request = BatchRequest::read(&app, call.caller(), query?, kind, &headers, body).await?;
    pay(app, call, request, headers).await
}

/// Look up many companies by name.
///
/// The names are a JSON list, or a column of a CSV file or XLSX workbook, which may be the field `file` of a form.
#[utoipa::path(
    post,
    path = "/v1/batch/names",
    tag = "Batches",
    params(BatchQuery, BatchHeaders),
    request_body(content(
        (NameBatch = "application/json"),
        (String = "text/csv"),
        (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (FileForm = "multipart/form-data"),
    )),
    responses(
        (status = 200, description = "The results. With `Accept: application/x-ndjson`, lines as for `/v1/batch/ico`.", content(
            (BatchResults = "application/json"),
            (String = "application/x-ndjson"),
        )),
        (status = 202, description = "The batch is too large for an immediate response and runs in the background.", body = BatchStatus),
        (status = 403, description = "The plan does not include batches or a requested scope.", body = ErrorBody),
        (status = 422, description = "The body is invalid, the batch is larger than the plan allows, or the idempotency key was used for another request.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_by_names(
    State(app): State<App>,
    call: Call,
    query: Result<Query<BatchQuery>, ApiError>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    in_plan(call.caller())?;
    let kind = BatchKind::Names;
    let request = BatchRequest::read(&app, call.caller(), query?, kind, &headers, body).await?;
    pay(app, call, request, headers).await
}

/// List the account's batches.
///
/// Newest first, at most 50. Batches are listed until their results expire. A key with limited scopes sees only batches
/// with these scopes.
#[utoipa::path(
    get,
    path = "/v1/batch",
    tag = "Batches",
    responses(
        (status = 200, description = "The newest batches.", body = BatchList),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batches(
    State(app): State<App>,
    caller: Caller,
    query: CheckedQuery,
) -> Result<Json<BatchList>, ApiError> {
    in_plan(&caller)?;
    query?;
    let mut found = app.batches.newest(caller.account_id).await?;
    found.retain(|batch| may_read(&caller, batch));
    Ok(Json(BatchList {
        meta: ListMeta::whole(found.len() as u64),
        data: found.iter().map(BatchSummary::of).collect(),
    }))
}

/// Get the progress of a batch.
#[utoipa::path(
    get,
    path = "/v1/batch/{id}/status",
    tag = "Batches",
    params(BatchPath),
    responses(
        (status = 200, description = "The progress.", body = BatchStatus),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
        (status = 404, description = "The account has no such batch, or it has expired.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_status(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<BatchPath>,
    query: CheckedQuery,
) -> Result<Response, ApiError> {
    let batch = find(&app, &caller, &path.id, query).await?;
    Ok(progress(StatusCode::OK, &batch))
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

/// Charges and starts the batch in a separate task. If the client disconnects or receives an error before it
/// knows the batch's id, the charge and the batch are undone. With an idempotency key both are kept, because
/// the client can find the batch by its key.
async fn pay(
    app: App,
    call: Call,
    request: BatchRequest,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let BatchHeaders { key } = of_headers(&headers)?;
    let keyed = key.map(|key| request.keyed(&app, key));
    let submission = BatchSubmission {
        app,
        caller: call.caller().clone(),
        request,
        headers,
        keyed,
        asked_at: Instant::now(),
    };
    if let Some(repeated) = submission.replayed().await? {
        call.free();
        return Ok(repeated);
    }
    call.ensure_credit().await?;
    let headers = submission.keyed.is_none().then(|| call.charge_headers());
    let (mut reply, response) = oneshot::channel();
    let execution = async move {
        let response = submission.execute(call, &mut reply).await;
        // If the client is gone, the response comes back and is dropped.
        drop(reply.send(response));
    };
    tokio::spawn(execution.in_current_span());
    let response = response.await;
    if let Some(headers) = headers {
        headers.keep();
    }
    match response {
        Ok(response) => response.delivered(),
        Err(_panicked) => Err(ApiError::internal()),
    }
}

/// Whether the caller's key may receive the sections of a batch.
fn may_read(caller: &Caller, batch: &Batch) -> bool {
    let scopes = batch.scopes.as_deref().map(AllowedScopes::of_key);
    let scopes = scopes.unwrap_or_default();
    caller.may_read(scopes.iter().map(ScopeName::as_str))
}

/// The caller's batch. Every id that is not the caller's, or has sections that its key may not receive, gets the same
/// error.
async fn find(
    app: &App,
    caller: &Caller,
    id: &str,
    query: CheckedQuery,
) -> Result<Batch, ApiError> {
    in_plan(caller)?;
    query?;
    let batch = app.batches.find(caller.account_id, id).await?;
    let batch = batch.filter(|batch| may_read(caller, batch));
    batch.ok_or_else(no_such_batch)
}
