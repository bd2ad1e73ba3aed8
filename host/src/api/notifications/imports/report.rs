//! Writes the report of an import part by part, so memory use does not grow with the file.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{TryStreamExt, stream};
use serde_json::Value;

use super::ImportMeta;
use crate::api::App;
use crate::api::accept::ReportForm;
use crate::api::files::{CSV, download};
use crate::store::{AccountId, StoreError, WatchImport};
use crate::tables::csv::{Cell, append_row};
use crate::watch_lists::WatchLists;

const COLUMNS: [&str; 9] = [
    "line",
    "read",
    "ico",
    "repaired",
    "outcome",
    "reason",
    "duplicate_of",
    "candidates",
    "subscription_id",
];

/// What is written next.
enum Next {
    Head,
    Part(i64),
    End,
    Nothing,
}

struct Report {
    lists: WatchLists,
    account: AccountId,
    import: WatchImport,
    form: ReportForm,
    secret: Option<String>,
}

/// The report of an import as CSV or JSON. A new import has a `secret`.
pub(super) fn response(
    app: &App,
    account: AccountId,
    import: WatchImport,
    form: ReportForm,
    secret: Option<String>,
) -> Response {
    let report = Arc::new(Report {
        lists: app.watch_lists.clone(),
        account,
        import,
        form,
        secret,
    });
    let chunks = stream::try_unfold(Next::Head, move |next| {
        let report = Arc::clone(&report);
        async move {
            Ok::<_, StoreError>(match next {
                Next::Head => Some((Bytes::from(report.head()), report.after(0))),
                Next::Part(part) => {
                    let text = report.part(part).await?;
                    Some((Bytes::from(text), report.after(part + 1)))
                }
                Next::End => Some((Bytes::from(report.end()), Next::Nothing)),
                Next::Nothing => None,
            })
        }
    });
    let chunks = chunks.inspect_err(|error| {
        // The status has been sent, so ending the stream early is the only way to signal the failure.
        tracing::error!(%error, "reading the report of an import failed; the response ends early");
    });
    let body = Body::from_stream(chunks);
    if form == ReportForm::Csv {
        return download(CSV, "import.csv", body);
    }
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "private, no-store"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    (headers, body).into_response()
}

impl Report {
    /// What follows the parts before this one.
    fn after(&self, part: i64) -> Next {
        if part < self.import.parts_finished {
            Next::Part(part)
        } else {
            Next::End
        }
    }

    fn head(&self) -> String {
        if self.form == ReportForm::Json {
            return "{\"data\":[".to_owned();
        }
        let mut table = String::new();
        append_row(&mut table, COLUMNS.map(Cell::Text));
        table
    }

    async fn part(&self, part: i64) -> Result<String, StoreError> {
        let results = self.lists.results(self.account, &self.import.id, part);
        let unreadable = |why: String| StoreError::Unreadable {
            table: "watch_import_part",
            why,
        };
        let results = results
            .await?
            .ok_or_else(|| unreadable(format!("part {part} is not there")))?;
        if self.form == ReportForm::Json {
            let inside = results.strip_prefix('[').unwrap_or(&results);
            let inside = inside.strip_suffix(']').unwrap_or(inside);
            let comma = if part > 0 { "," } else { "" };
            return Ok(format!("{comma}{inside}"));
        }
        let lines: Vec<Value> =
            serde_json::from_str(&results).map_err(|error| unreadable(error.to_string()))?;
        let mut table = String::new();
        for line in &lines {
            append_line(&mut table, line);
        }
        Ok(table)
    }

    fn end(&self) -> String {
        if self.form == ReportForm::Csv {
            return String::new();
        }
        let meta = serde_json::to_string(&ImportMeta::of(&self.import));
        let meta = meta.expect("texts and numbers always become JSON");
        match &self.secret {
            Some(secret) => format!(
                "],\"meta\":{meta},\"secret\":{}}}",
                Value::from(secret.as_str())
            ),
            None => format!("],\"meta\":{meta}}}"),
        }
    }
}

/// Appends a line of the report as stored.
fn append_line(table: &mut String, line: &Value) {
    let candidates = line["candidates"].as_array().into_iter().flatten();
    let candidates = candidates.map(|one| {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        format!("{} {}", text("ico"), text("name"))
    });
    let candidates = candidates.collect::<Vec<_>>().join("; ");
    let cells = COLUMNS.map(|column| match &line[column] {
        Value::String(text) => Cell::Text(text),
        Value::Bool(value) => Cell::Truth(*value),
        Value::Number(number) => number.as_i64().map_or(Cell::Empty, Cell::Number),
        Value::Array(_) => Cell::Text(&candidates),
        Value::Null | Value::Object(_) => Cell::Empty,
    });
    append_row(table, cells);
}
