//! The results of a batch: JSON, JSON lines, or a table.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;

use super::responses::{progress, wants_lines, written};
use super::shapes::{BatchResults, BatchStatus};
use super::table::{HeaderForm, Table};
use super::{BatchPath, find, in_plan};
use crate::api::App;
use crate::api::accept::prefers;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, ErrorBody};
use crate::api::files::XLSX;
use crate::api::parameters::types::{OneOf, Text, Words};
use crate::api::parameters::{NoQuery, Path, Query, parameters};
use crate::batches::ResultsEncoding;
use crate::handlers::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(batch_results))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultsForm {
    Json,
    Lines,
    Csv,
    Xlsx,
}

impl Words for ResultsForm {
    type Value = Self;
    const WORDS: &'static [(&'static str, Self)] = &[
        ("json", Self::Json),
        ("ndjson", Self::Lines),
        ("csv", Self::Csv),
        ("xlsx", Self::Xlsx),
    ];
}

parameters! {
    pub(super) struct ResultsQuery in Query {
        /// `json`, `ndjson`, `csv` or `xlsx`. By default, the header `Accept` decides.
        format: OneOf<ResultsForm>,
        /// Columns of a table, comma-separated, such as `ico,name,address.city`; a name of an object means all columns
        /// in it. By default all. The columns about the request, such as `requested`, are always first.
        columns: Text,
        /// Scopes whose sections are columns of a table, comma-separated, among those that the batch was created with. By
        /// default all of them.
        scope: Text,
        /// Header of a table: `names`, the `titles` in the account's language, or `both` in two rows. Default `names`.
        header: OneOf<HeaderForm>,
    }
}

/// Get the results of a batch.
///
/// As a table, each item is a row and each member of the base data, the details and the sections of the batch's scopes
/// a column, such as `address.city` or `tax.dic`. The columns `meta.scopes.….state`, `as_of` and `unread` say whether and
/// when a section was read, and which of its sources could not be read. Lists of texts are joined with `; `, lists of
/// objects by their names or activities, and others are counted; former items, such as officers who left, are left out.
/// In CSV, texts that a spreadsheet would calculate begin with an apostrophe; in a workbook, numbers and dates have their
/// types. `columns`, `scope` and `header` are for tables only.
#[utoipa::path(
    get,
    path = "/v1/batch/{id}/results",
    tag = "Batches",
    params(BatchPath, ResultsQuery),
    responses(
        (status = 200, description = "The results, also of a failed batch. With `Accept: application/x-ndjson`, one line per item; as CSV or XLSX, one row per item.", content(
            (BatchResults = "application/json"),
            (String = "application/x-ndjson"),
            (String = "text/csv"),
            (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        (status = 202, description = "The batch has not ended; its progress.", body = BatchStatus),
        (status = 403, description = "The plan does not include batches.", body = ErrorBody),
        (status = 404, description = "The account has no such batch, or it has expired.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn batch_results(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<BatchPath>,
    query: Result<Query<ResultsQuery>, ApiError>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    in_plan(&caller)?;
    let Query(query) = query?;
    let batch = find(&app, &caller, &path.id, Ok(NoQuery)).await?;
    let form = query.format.unwrap_or_else(|| accepted(&headers));
    if matches!(form, ResultsForm::Json | ResultsForm::Lines) {
        ensure_no_table(&query)?;
    }
    let table = match form {
        ResultsForm::Csv | ResultsForm::Xlsx => {
            let scope = query.scope.as_deref();
            Some(Table::of(&app, &caller, &batch, scope, query.columns, query.header).await?)
        }
        ResultsForm::Json | ResultsForm::Lines => None,
    };
    if batch.completed_at.is_none() {
        return Ok(progress(StatusCode::ACCEPTED, &batch));
    }
    match (form, table) {
        (ResultsForm::Csv, Some(table)) => Ok(table.csv(&app, &caller, &batch)),
        (_, Some(table)) => table.xlsx(&app, &caller, &batch).await,
        (ResultsForm::Lines, None) => written(&app, &caller, batch, ResultsEncoding::Lines).await,
        (_, None) => written(&app, &caller, batch, ResultsEncoding::Object).await,
    }
}

/// # Errors
/// 422 for parameters that only tables have.
fn ensure_no_table(query: &ResultsQuery) -> Result<(), ApiError> {
    let chooses = "it chooses columns of a table";
    let given = [
        ("columns", query.columns.is_some(), chooses),
        ("scope", query.scope.is_some(), chooses),
        (
            "header",
            query.header.is_some(),
            "only a table has a header",
        ),
    ];
    let given = given.into_iter().filter(|(_, is_given, _)| *is_given);
    let errors = given.map(|(name, _, why)| (name.to_owned(), vec![why.to_owned()]));
    let errors: BTreeMap<String, Vec<String>> = errors.collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::all_invalid(errors))
}

/// The form of the results that the client accepts.
fn accepted(headers: &HeaderMap) -> ResultsForm {
    if wants_lines(headers) {
        ResultsForm::Lines
    } else if prefers(headers, XLSX) {
        ResultsForm::Xlsx
    } else if prefers(headers, "text/csv") {
        ResultsForm::Csv
    } else {
        ResultsForm::Json
    }
}
