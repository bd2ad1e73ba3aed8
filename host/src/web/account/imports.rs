//! Reports on lists of companies that the account wanted to watch.

use askama::Template;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;

use super::frame::{AccountFrame, Tab};
use super::session::Session;
use super::shown::{date, items, number_at, text_at};
use super::texts::Texts;
use crate::web::frame::Frame;
use crate::web::problem::Problem;

const IMPORTS: &str = "/v1/notifications/imports";

/// Lines of the longest report that a page shows. A longer one is a CSV file.
const SHOWN_LINES: i64 = 2_000;

/// An import in the list of imports.
pub(super) struct ImportRow {
    id: String,
    pub(super) path: String,
    pub(super) created: String,
    pub(super) is_running: bool,
    pub(super) is_dry_run: bool,
    /// Each a label and a number.
    pub(super) counts: Vec<(&'static str, String)>,
    total: i64,
    has_created: bool,
}

struct Line {
    number: String,
    read: String,
    ico: String,
    outcome: &'static str,
    is_rejected: bool,
    /// The earlier line that this one repeats.
    repeats: String,
    candidates: String,
}

#[derive(Template)]
#[template(path = "account/import.html")]
struct ImportPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    import: ImportRow,
    /// `None` if the report is too long for a page.
    lines: Option<Vec<Line>>,
    secret: Option<String>,
}

fn import_row(session: &Session, meta: &Value) -> ImportRow {
    let (t, language) = (session.texts(), session.reader.language);
    let of = |member: &str| number_at(meta, &format!("/{member}"), language).unwrap_or_default();
    let id = text_at(meta, "/id");
    let counts = [
        (t.import_lines, "total"),
        (t.import_processed, "processed"),
        (t.import_created, "created"),
        (t.import_updated, "updated"),
        (t.import_unchanged, "unchanged"),
        (t.import_rejected, "rejected"),
    ];
    ImportRow {
        path: format!("/account/watching/imports/{id}"),
        id: id.to_owned(),
        created: date(session, meta["created_at"].as_str()),
        is_running: text_at(meta, "/status") == "processing",
        is_dry_run: meta["dry_run"] == true,
        counts: counts.map(|(label, member)| (label, of(member))).to_vec(),
        total: meta["total"].as_i64().unwrap_or_default(),
        has_created: meta["created"].as_i64().is_some_and(|created| created > 0),
    }
}

fn line(session: &Session, one: &Value) -> Line {
    let (t, language) = (session.texts(), session.reader.language);
    let candidates = one["candidates"].as_array().into_iter().flatten();
    let named = |one: &Value| format!("{} ({})", text_at(one, "/name"), text_at(one, "/ico"));
    Line {
        number: number_at(one, "/line", language).unwrap_or_default(),
        read: text_at(one, "/read").to_owned(),
        ico: text_at(one, "/ico").to_owned(),
        outcome: t.line_outcome(text_at(one, "/outcome"), text_at(one, "/reason")),
        is_rejected: text_at(one, "/outcome") == "rejected",
        repeats: number_at(one, "/duplicate_of", language).unwrap_or_default(),
        candidates: candidates.map(named).collect::<Vec<_>>().join(", "),
    }
}

/// The newest imports of the account.
pub(super) async fn newest(session: &Session) -> Result<Vec<ImportRow>, Problem> {
    let answer = session.get(IMPORTS).await?;
    let rows = items(&answer).iter().map(|meta| import_row(session, meta));
    Ok(rows.collect())
}

/// The report, with rejected lines first.
fn import_page(session: &Session, import: ImportRow, report: Option<&Value>) -> Response {
    let t = session.texts();
    let lines = report.map(|report| {
        let lines = items(report).iter().map(|one| line(session, one));
        let mut lines: Vec<Line> = lines.collect();
        lines.sort_by_key(|line| !line.is_rejected);
        lines
    });
    let secret = report.and_then(|report| report["secret"].as_str());
    // The secret of an import without new subscriptions signs nothing.
    let is_used = import.has_created || import.is_running;
    let page = ImportPage {
        frame: session.frame(t.import_title),
        a: session.account_frame(Tab::Watching),
        t,
        secret: secret.filter(|_| is_used).map(str::to_owned),
        lines: lines.filter(|_| import.total <= SHOWN_LINES),
        import,
    };
    session.page(StatusCode::OK, &page)
}

/// Answers the form of a new import. The secret of its webhooks is in this answer only.
pub(super) fn reported(session: &Session, report: &Value) -> Response {
    let import = import_row(session, &report["meta"]);
    if report["secret"].is_null() {
        return Redirect::to(&import.path).into_response();
    }
    import_page(session, import, Some(report))
}

pub(super) async fn show(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    let known = newest(&session).await?;
    let known = known.into_iter().find(|import| import.id == id);
    if let Some(import) = known
        && import.total > SHOWN_LINES
    {
        return Ok(import_page(&session, import, None));
    }
    let report = session.get(&call(&id, "json")?).await?;
    let import = import_row(&session, &report["meta"]);
    Ok(import_page(&session, import, Some(&report)))
}

pub(super) async fn csv(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    session.forward(&call(&id, "csv")?).await
}

fn call(id: &str, format: &str) -> Result<String, Problem> {
    let id = uuid::Uuid::try_parse(id).map_err(|_other| Problem::NoSuchPage)?;
    Ok(format!("{IMPORTS}/{id}?format={format}"))
}
