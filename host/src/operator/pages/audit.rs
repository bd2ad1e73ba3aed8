//! The audit log, as pages and as a CSV file.

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::texts::Texts;
use super::{Frame, Problem, page, time_of};
use crate::api::{CSV, download};
use crate::clock::rfc3339;
use crate::operator::OperatorState;
use crate::store::{RecordedAction, StoreError};
use crate::tables::csv::{Cell, append_row};
use crate::web::{Reader, number, parameter};

/// Actions of a page, and of a piece of the file.
const ACTIONS: u32 = 50;
const ACTIONS_OF_A_PIECE: u32 = 1_000;

const COLUMNS: [&str; 6] = ["time", "actor", "action", "object", "result", "details"];

struct Row {
    at: String,
    actor: String,
    action: String,
    object: String,
    result: String,
    is_done: bool,
    about: String,
}

#[derive(Template)]
#[template(path = "operator/audit.html")]
struct AuditPage {
    frame: Frame,
    t: &'static Texts,
    kept: String,
    rows: Vec<Row>,
    is_first: bool,
    next: Option<i64>,
}

/// `GET /audit`; `before` is the id of the oldest action of the page with newer ones.
pub(super) async fn audit(
    State(state): State<OperatorState>,
    RawQuery(query): RawQuery,
    reader: Reader,
) -> Result<Response, Problem> {
    let language = reader.language;
    let before = parameter(&query.unwrap_or_default(), "before");
    let before = before.and_then(|id| id.parse::<i64>().ok());
    let actions = state.context.store.operator_actions();
    // One more says whether there is another page.
    let mut found = actions.list(before, ACTIONS + 1).await?;
    let size = usize::try_from(ACTIONS).unwrap_or(usize::MAX);
    let has_more = found.len() > size;
    found.truncate(size);
    let next = found.last().map(|action| action.id).filter(|_| has_more);
    let frame = Frame::new(&state, &reader, super::texts(language).audit);
    let t = frame.t;
    let row = |action: RecordedAction| Row {
        at: time_of(action.at, language),
        actor: action.actor,
        action: t.action(&action.action),
        object: action.object,
        is_done: action.result == crate::store::ActionResult::Done.word(),
        result: t.result(&action.result),
        about: action.about,
    };
    let days = state.context.config().operator.audit_days;
    let template = AuditPage {
        kept: number(days.into(), language),
        rows: found.into_iter().map(row).collect(),
        is_first: before.is_none(),
        next,
        frame,
        t,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

/// `GET /audit.csv`: the whole log, newest first, read piece by piece as the client takes it.
pub(super) async fn csv(State(state): State<OperatorState>) -> Response {
    let mut head = String::new();
    append_row(&mut head, COLUMNS.map(Cell::Text));
    let store = state.context.store.clone();
    let pieces = stream::try_unfold(None, move |before| {
        let store = store.clone();
        async move {
            let actions = store.operator_actions();
            let found = actions.list(before, ACTIONS_OF_A_PIECE).await?;
            let Some(last) = found.last().map(|action| action.id) else {
                return Ok(None);
            };
            let mut table = String::new();
            for action in &found {
                append(&mut table, action);
            }
            Ok(Some((Bytes::from(table), Some(last))))
        }
    });
    let pieces = pieces.inspect_err(|error: &StoreError| {
        // The status has been sent, so ending the stream early is the only way to signal the failure.
        tracing::error!(%error, "reading the audit log failed; the CSV file ends early");
    });
    let table = stream::iter([Ok(Bytes::from(head))]).chain(pieces);
    download(CSV, "audit.csv", Body::from_stream(table))
}

fn append(table: &mut String, action: &RecordedAction) {
    let at = rfc3339(action.at);
    let texts = [
        at.as_str(),
        &action.actor,
        &action.action,
        &action.object,
        &action.result,
        &action.about,
    ];
    append_row(table, texts.map(Cell::Text));
}
