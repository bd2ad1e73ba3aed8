//! The ledger of the account, as pages and as a CSV file.

use askama::Template;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

use super::frame::{AccountFrame, Tab};
use super::session::Session;
use super::shown::{date, number_at, text_at};
use super::texts::Texts;
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::reader::parameter;

/// Entries of a page.
const ENTRIES: u32 = 50;

struct Row {
    entry: String,
    booked: String,
    kind: &'static str,
    amount: String,
    balance: String,
    /// When the credits of the grant end; empty without an end.
    ends: String,
    about: String,
}

#[derive(Template)]
#[template(path = "account/ledger.html")]
struct LedgerPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    rows: Vec<Row>,
    is_first: bool,
    next: Option<String>,
}

/// `GET /account/ledger`; `cursor` is from the page with newer entries.
pub(super) async fn ledger(
    session: Session,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let cursor = parameter(&query.unwrap_or_default(), "cursor");
    let answer = session.get(&call(cursor.as_deref())).await?;
    let (t, language) = (session.texts(), session.reader.language);
    let row = |entry: &Value| Row {
        entry: number_at(entry, "/entry", language).unwrap_or_default(),
        booked: date(&session, entry["booked_at"].as_str()),
        kind: t.entry(text_at(entry, "/kind")),
        amount: number_at(entry, "/amount", language).unwrap_or_default(),
        balance: number_at(entry, "/balance", language).unwrap_or_default(),
        ends: date(
            &session,
            entry.pointer("/grant/expires_at").and_then(Value::as_str),
        ),
        about: text_at(entry, "/about").to_owned(),
    };
    let rows = answer["data"]
        .as_array()
        .map(|rows| rows.iter().map(row).collect());
    let next = answer.pointer("/meta/next_cursor").and_then(Value::as_str);
    let page = LedgerPage {
        frame: session.frame(t.tab_ledger),
        a: session.account_frame(Tab::Ledger),
        t,
        rows: rows.unwrap_or_default(),
        is_first: cursor.is_none(),
        next: next.map(|next| format!("/account/ledger?cursor={next}")),
    };
    Ok(session.page(StatusCode::OK, &page))
}

fn call(cursor: Option<&str>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("format", "json");
    query.append_pair("limit", &ENTRIES.to_string());
    if let Some(cursor) = cursor {
        query.append_pair("cursor", cursor);
    }
    format!("/v1/account/ledger?{}", query.finish())
}

/// `GET /account/ledger.csv`: the whole ledger.
pub(super) async fn csv(session: Session) -> Result<Response, Problem> {
    session.forward("/v1/account/ledger?format=csv").await
}
