//! One delivery with its attempts, and the event log.

use askama::Template;
use axum::extract::{Path, RawQuery};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{Mistake, date, items, mistakes, number_at, pretty, text_at, with_query};
use super::texts::Texts;
use super::texts_log::{kind_words, outcome_words};
use crate::accounts::Action;
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::reader::parameter;

pub(super) const DELIVERIES: &str = "/v1/notifications/deliveries";

/// A delivery in a list.
pub(super) struct DeliveryRow {
    pub(super) path: String,
    /// Kind of the event in words.
    pub(super) event: String,
    pub(super) kind: String,
    pub(super) ico: String,
    pub(super) subscription: String,
    pub(super) target: String,
    pub(super) state: &'static str,
    word: String,
    pub(super) attempts: String,
    pub(super) created: String,
    pub(super) next: String,
}

impl DeliveryRow {
    /// Whether it can be resent because it did not arrive.
    pub(super) fn is_missed(&self) -> bool {
        matches!(self.word.as_str(), "failed" | "held")
    }
}

/// A delivery of the API for people.
pub(super) fn delivery_row(session: &Session, one: &Value) -> DeliveryRow {
    let word = text_at(one, "/status");
    DeliveryRow {
        path: format!("/account/deliveries/{}", text_at(one, "/id")),
        event: kind_words(text_at(one, "/event"), session.reader.language),
        kind: text_at(one, "/event").to_owned(),
        ico: text_at(one, "/ico").to_owned(),
        subscription: text_at(one, "/subscription_id").to_owned(),
        target: text_at(one, "/target").to_owned(),
        state: session.texts().delivery_state(word),
        word: word.to_owned(),
        attempts: number_at(one, "/attempts", session.reader.language).unwrap_or_default(),
        created: date(session, one["created_at"].as_str()),
        next: date(session, one["next_attempt_at"].as_str()),
    }
}

struct AttemptRow {
    number: String,
    at: String,
    duration: String,
    outcome: String,
    /// The outcome by the word of the API.
    code: String,
    status: String,
    answer: String,
}

#[derive(Template)]
#[template(path = "account/delivery.html")]
struct DeliveryPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    row: DeliveryRow,
    id: String,
    event_id: String,
    attempts: Vec<AttemptRow>,
    payload: Option<String>,
    mistakes: Vec<Mistake>,
    may_change: bool,
}

/// An event of the log.
struct EventRow {
    at: String,
    kind: String,
    /// The kind by the word of the API.
    code: String,
    ico: String,
    name: String,
    field: String,
    old: String,
    new: String,
    source: String,
}

#[derive(Template)]
#[template(path = "account/events.html")]
struct EventsPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    events: Vec<EventRow>,
    is_first: bool,
    next: Option<String>,
}

/// The call for a delivery in a path.
fn call(id: &str) -> Result<String, Problem> {
    let is_id = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    if id.is_empty() || !id.bytes().all(is_id) {
        return Err(Problem::NoSuchPage);
    }
    Ok(format!("{DELIVERIES}/{id}"))
}

async fn delivery_page(
    session: &Session,
    id: &str,
    refusal: Option<&Refusal>,
) -> Result<Response, Problem> {
    let (t, language) = (session.texts(), session.reader.language);
    let delivery = session.get(&call(id)?).await?;
    let attempt = |one: &Value| AttemptRow {
        number: number_at(one, "/attempt", language).unwrap_or_default(),
        at: date(session, one["at"].as_str()),
        duration: number_at(one, "/duration_ms", language).unwrap_or_default(),
        code: text_at(one, "/outcome").to_owned(),
        outcome: outcome_words(text_at(one, "/outcome"), language),
        status: one["status"]
            .as_i64()
            .map_or_else(String::new, |status| status.to_string()),
        answer: text_at(one, "/answer").to_owned(),
    };
    let attempts = delivery["attempt_log"].as_array().into_iter().flatten();
    let payload = &delivery["payload"];
    let row = delivery_row(session, &delivery);
    let page = DeliveryPage {
        frame: session.frame(&row.event),
        a: session.account_frame(Tab::Watching),
        t,
        id: id.to_owned(),
        event_id: text_at(&delivery, "/event_id").to_owned(),
        attempts: attempts.map(attempt).collect(),
        payload: (!payload.is_null()).then(|| pretty(payload)),
        mistakes: refusal.map_or_else(Vec::new, |refusal| mistakes(refusal, t)),
        may_change: session.may(Action::ChangeWatches),
        row,
    };
    let status = refusal.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    Ok(session.page(status, &page))
}

pub(super) async fn show(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    delivery_page(&session, &id, None).await
}

pub(super) async fn resend(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    let path = format!("{}/resend", call(&id)?);
    let answer = session.send(Method::POST, &path, &json!({})).await?;
    match answer.of_form()? {
        Ok(_) => Ok(session.redirect(&format!("/account/deliveries/{id}"), Flash::Resent)),
        Err(refusal) => delivery_page(&session, &id, Some(&refusal)).await,
    }
}

/// `GET /account/events`; `before` is from the page with newer events.
pub(super) async fn events(
    session: Session,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let t = session.texts();
    let before = parameter(&query.unwrap_or_default(), "before");
    let cursor = before.as_deref().unwrap_or("latest");
    let path = with_query(
        "/v1/notifications/events",
        &[("before", cursor), ("limit", "50")],
    );
    let answer = session.get(&path).await?;
    let row = |one: &Value| EventRow {
        at: date(
            &session,
            one.pointer("/payload/timestamp").and_then(Value::as_str),
        ),
        code: text_at(one, "/payload/event").to_owned(),
        kind: kind_words(text_at(one, "/payload/event"), session.reader.language),
        ico: text_at(one, "/payload/data/ico").to_owned(),
        name: text_at(one, "/payload/data/company/name").to_owned(),
        field: text_at(one, "/payload/data/field").to_owned(),
        old: text_at(one, "/payload/data/old_value").to_owned(),
        new: text_at(one, "/payload/data/new_value").to_owned(),
        source: text_at(one, "/payload/data/source").to_owned(),
    };
    let has_more = answer.pointer("/meta/more") == Some(&Value::Bool(true));
    let cursor = text_at(&answer, "/meta/cursor");
    let page = EventsPage {
        frame: session.frame(t.events_title),
        a: session.account_frame(Tab::Watching),
        t,
        events: items(&answer).iter().map(row).collect(),
        is_first: before.is_none(),
        next: has_more.then(|| with_query("/account/events", &[("before", cursor)])),
    };
    Ok(session.page(StatusCode::OK, &page))
}
