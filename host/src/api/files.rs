//! Lists of companies in request bodies, and tables in responses.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use utoipa::ToSchema;

use super::App;
use super::body::receive_file;
use super::error::{ApiError, Code};
use crate::tables::{FileError, Line, PreferredColumn, read_lines};

/// The media type of a workbook.
pub(super) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The media type of CSV files in responses.
pub(crate) const CSV: &str = "text/csv; charset=utf-8; header=present";

/// A form with a list of companies.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `receive_file` reads")]
pub(super) struct FileForm {
    /// A CSV file or XLSX workbook.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Reads a list of companies that is declared as CSV, XLSX or a form.
///
/// # Errors
/// 415, 413 and 408 as for other bodies; 422 if it is not a table, is too large or has no line.
pub(super) async fn lines_of(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    preferred: PreferredColumn,
) -> Result<Vec<Line>, ApiError> {
    let bytes = receive_file(headers, body, app.file_bounds()).await?;
    let lines = read_lines(bytes, app.config.files.bounds(), preferred).await?;
    if lines.is_empty() {
        return Err(ApiError::invalid("file", "it has a header and no line"));
    }
    Ok(lines)
}

/// A response that a browser saves as a file.
pub(crate) fn download(media_type: &'static str, name: &'static str, body: Body) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    let not_kept = HeaderValue::from_static("private, no-store");
    headers.insert(header::CACHE_CONTROL, not_kept);
    response
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error {
            FileError::TooLarge(_) => Self::new(Code::PayloadTooLarge, message),
            FileError::OtherFormat
            | FileError::Damaged
            | FileError::Empty
            | FileError::TooManyRows(_)
            | FileError::TooManyColumns(_)
            | FileError::TooManyCells(_) => Self::invalid("file", message),
        }
    }
}
