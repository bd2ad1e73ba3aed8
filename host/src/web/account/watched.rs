//! One watched company: where its changes are sent, and what was sent.

use askama::Template;
use axum::extract::{Path, RawQuery};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::deliveries::{DeliveryRow, delivery_row};
use super::form::Form;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{Mistake, date, items, mistakes, text_at, texts_at, with_query};
use super::texts::Texts;
use super::watching::{Row, SUBSCRIPTIONS, TargetForm, addresses, row};
use crate::accounts::Action;
use crate::accounts::sign_in_links::Token;
use crate::companies::Ico;
use crate::config::Lookup;
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::reader::parameter;

/// Deliveries of a page.
const DELIVERIES: u64 = 50;

/// A subscription that the page shows.
struct Shown {
    id: String,
    is_active: bool,
    row: Row,
    webhook_url: String,
    /// State of the webhook, and why it is not active.
    webhook: Option<(&'static str, String)>,
    is_paused: bool,
    /// Addresses, and what is special about them.
    emails: Vec<(String, &'static str)>,
    ended: String,
}

/// A former subscription of the account to the company.
struct Former {
    path: String,
    since: String,
    ended: String,
}

#[derive(Template)]
#[template(path = "account/watched.html")]
struct WatchedPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    shown: Shown,
    others: Vec<Former>,
    target: TargetForm,
    mistakes: Vec<Mistake>,
    token: String,
    may_change: bool,
    has_company: bool,
    deliveries: Vec<DeliveryRow>,
    previous: Option<String>,
    next: Option<String>,
    is_missed: bool,
}

#[derive(Template)]
#[template(path = "account/webhook-secret.html")]
struct SecretPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    secret: String,
    back: String,
}

fn shown(session: &Session, one: &Value) -> Shown {
    let t = session.texts();
    let waiting = texts_at(one, "/unconfirmed_emails");
    let emails = texts_at(one, "/notification_emails").into_iter();
    let mut emails: Vec<(String, &'static str)> = emails
        .map(|email| {
            let is_waiting = waiting.contains(&email);
            (
                email.to_owned(),
                if is_waiting { t.unconfirmed } else { "" },
            )
        })
        .collect();
    let ended = one["ended_emails"].as_array().into_iter().flatten();
    emails.extend(ended.map(|email| (text_at(email, "/address").to_owned(), t.no_longer)));
    let state = text_at(one, "/webhook/state");
    Shown {
        id: text_at(one, "/id").to_owned(),
        is_active: text_at(one, "/status") == "active",
        row: row(session, one),
        webhook_url: text_at(one, "/webhook_url").to_owned(),
        webhook: (!state.is_empty()).then(|| {
            let why = text_at(one, "/webhook/reason").to_owned();
            (t.webhook_state(state), why)
        }),
        is_paused: state == "paused",
        emails,
        ended: date(session, one["ended_at"].as_str()),
    }
}

/// The account's subscriptions to a company, newest first.
async fn subscriptions(session: &Session, ico: &Ico) -> Result<Vec<Value>, Problem> {
    let path = with_query(SUBSCRIPTIONS, &[("ico", ico.as_str()), ("limit", "100")]);
    let answer = session.get(&path).await?;
    let found = items(&answer);
    if found.is_empty() {
        return Err(Problem::NoSuchPage);
    }
    Ok(found.to_vec())
}

async fn watched_page(
    session: &Session,
    ico: &Ico,
    query: &str,
    filled: Option<(&Form, &Refusal)>,
) -> Result<Response, Problem> {
    let t = session.texts();
    let found = subscriptions(session, ico).await?;
    let asked = PageQuery::of(query);
    let chosen = chosen(&found, asked.subscription.as_deref()).ok_or(Problem::NoSuchPage)?;
    let shown = shown(session, chosen);
    let (rows, has_more) = deliveries(session, &shown.id, &asked).await?;
    let former = |one: &Value| Former {
        path: with_query(
            &format!("/account/watching/{ico}"),
            &[("subscription", text_at(one, "/id"))],
        ),
        since: date(session, one["created_at"].as_str()),
        ended: date(session, one["ended_at"].as_str()),
    };
    let others = found.iter().filter(|one| text_at(one, "/id") != shown.id);
    let target = match filled {
        Some((form, _)) => TargetForm::of_form(session, form),
        None => TargetForm::new(
            session,
            &shown.webhook_url,
            &texts_at(chosen, "/notification_emails").join("\n"),
            &texts_at(chosen, "/events"),
        ),
    };
    let title = if shown.row.name.is_empty() {
        ico.as_str()
    } else {
        &shown.row.name
    };
    let offset = asked.offset;
    let page = WatchedPage {
        frame: session.frame(title),
        a: session.account_frame(Tab::Watching),
        t,
        others: others.map(former).collect(),
        target,
        mistakes: filled.map_or_else(Vec::new, |(_, refusal)| mistakes(refusal, t)),
        token: Token::random().text,
        may_change: session.may(Action::ChangeWatches) && shown.is_active,
        has_company: matches!(session.web.lookup(), Lookup::Public | Lookup::SignedIn),
        is_missed: rows.iter().any(DeliveryRow::is_missed),
        deliveries: rows,
        previous: (offset > 0).then(|| asked.path(ico, offset.saturating_sub(DELIVERIES))),
        next: has_more.then(|| asked.path(ico, offset + DELIVERIES)),
        shown,
    };
    let status = filled.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    Ok(session.page(status, &page))
}

/// What a reader asks of the page.
struct PageQuery {
    /// Id of the subscription; the active or newest one by default.
    subscription: Option<String>,
    /// State of the deliveries; all if it is empty.
    status: String,
    offset: u64,
}

impl PageQuery {
    fn of(query: &str) -> Self {
        let offset = parameter(query, "offset").and_then(|offset| offset.parse::<u32>().ok());
        Self {
            subscription: parameter(query, "subscription"),
            status: parameter(query, "status").unwrap_or_default(),
            offset: u64::from(offset.unwrap_or(0)),
        }
    }

    /// The path of the page with other deliveries.
    fn path(&self, ico: &Ico, offset: u64) -> String {
        with_query(
            &format!("/account/watching/{ico}"),
            &[
                (
                    "subscription",
                    self.subscription.as_deref().unwrap_or_default(),
                ),
                ("status", &self.status),
                ("offset", &offset.to_string()),
            ],
        )
    }
}

/// The subscription with this id, or else the active or the newest one.
fn chosen<'a>(found: &'a [Value], id: Option<&str>) -> Option<&'a Value> {
    match id {
        Some(id) => found.iter().find(|one| text_at(one, "/id") == id),
        None => {
            let active = found.iter().find(|one| text_at(one, "/status") == "active");
            active.or(found.first())
        }
    }
}

/// The deliveries of a subscription, and whether there are more behind them.
async fn deliveries(
    session: &Session,
    subscription: &str,
    asked: &PageQuery,
) -> Result<(Vec<DeliveryRow>, bool), Problem> {
    let call = with_query(
        &format!("{SUBSCRIPTIONS}/{subscription}/deliveries"),
        &[
            ("status", &asked.status),
            ("limit", &DELIVERIES.to_string()),
            ("offset", &asked.offset.to_string()),
        ],
    );
    let answer = session.get(&call).await?;
    let has_more = answer.pointer("/meta/more") == Some(&Value::Bool(true));
    let rows = items(&answer).iter();
    let rows = rows.map(|one| delivery_row(session, one)).collect();
    Ok((rows, has_more))
}

fn number(ico: &str) -> Result<Ico, Problem> {
    Ico::parse(ico).map_err(|_other| Problem::NoSuchPage)
}

/// `GET /account/watching/{ico}`; `subscription` shows a former one, `status` filters deliveries.
pub(super) async fn show(
    session: Session,
    Path(ico): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    watched_page(&session, &number(&ico)?, &query.unwrap_or_default(), None).await
}

/// `POST /account/watching/{ico}`: changes where and what is sent.
pub(super) async fn change(
    session: Session,
    Path(ico): Path<String>,
    form: Form,
) -> Result<Response, Problem> {
    let ico = number(&ico)?;
    let webhook = form.text("webhook_url");
    let body = json!({
        "ico": ico.as_str(),
        "webhook_url": (!webhook.is_empty()).then_some(webhook),
        "notification_emails": addresses(&form),
        "events": form.all("events"),
    });
    let answer = session
        .send_once(SUBSCRIPTIONS, &body, form.text("token"))
        .await?;
    match answer.of_form()? {
        Ok(stored) => Ok(saved(&session, &ico, &stored, Flash::WatchChanged)),
        Err(refusal) => watched_page(&session, &ico, "", Some((&form, &refusal))).await,
    }
}

/// The page with a new secret, or the company's page.
fn saved(session: &Session, ico: &Ico, stored: &Value, flash: Flash) -> Response {
    let back = format!("/account/watching/{ico}");
    let t = session.texts();
    match stored["secret"].as_str() {
        None => session.redirect(&back, flash),
        Some(secret) => {
            let page = SecretPage {
                frame: session.frame(t.webhook_secret_title),
                a: session.account_frame(Tab::Watching),
                t,
                secret: secret.to_owned(),
                back,
            };
            session.page(StatusCode::OK, &page)
        }
    }
}

pub(super) async fn end(session: Session, Path(ico): Path<String>) -> Result<Response, Problem> {
    let path = format!("{SUBSCRIPTIONS}/{}", number(&ico)?);
    match session.delete(&path).await? {
        Ok(_) => Ok(session.redirect("/account/watching", Flash::WatchEnded)),
        Err(_refusal) => Err(Problem::InvalidRequest),
    }
}

/// Calls the API for the company's active subscription.
async fn act(
    session: &Session,
    ico: &Ico,
    action: &str,
    body: &Value,
) -> Result<Result<Value, Refusal>, Problem> {
    let found = subscriptions(session, ico).await?;
    let active = found.iter().find(|one| text_at(one, "/status") == "active");
    let id = text_at(active.ok_or(Problem::NoSuchPage)?, "/id");
    let path = format!("{SUBSCRIPTIONS}/{id}/{action}");
    session.send(Method::POST, &path, body).await?.of_form()
}

/// `POST /account/watching/{ico}/pause` and `/resume`.
pub(super) async fn pause(session: Session, Path(ico): Path<String>) -> Result<Response, Problem> {
    switch(&session, &number(&ico)?, "pause", Flash::Paused).await
}

pub(super) async fn resume(session: Session, Path(ico): Path<String>) -> Result<Response, Problem> {
    switch(&session, &number(&ico)?, "resume", Flash::Resumed).await
}

async fn switch(
    session: &Session,
    ico: &Ico,
    action: &str,
    flash: Flash,
) -> Result<Response, Problem> {
    match act(session, ico, action, &Value::Null).await? {
        Ok(_) => Ok(session.redirect(&format!("/account/watching/{ico}"), flash)),
        Err(refusal) => refused(session, ico, &refusal).await,
    }
}

/// The company's page with what the API says is wrong. The form keeps the stored values.
async fn refused(session: &Session, ico: &Ico, refusal: &Refusal) -> Result<Response, Problem> {
    let found = subscriptions(session, ico).await?;
    let mut form = Form::default();
    if let Some(stored) = found.first() {
        let emails = texts_at(stored, "/notification_emails").join("\n");
        form.push(
            "webhook_url".to_owned(),
            text_at(stored, "/webhook_url").to_owned(),
        );
        form.push("emails".to_owned(), emails);
        for kind in texts_at(stored, "/events") {
            form.push("events".to_owned(), kind.to_owned());
        }
    }
    watched_page(session, ico, "", Some((&form, refusal))).await
}

/// `POST /account/watching/{ico}/secret`: replaces the signing secret and shows it.
pub(super) async fn rotate(
    session: Session,
    Path(ico): Path<String>,
    form: Form,
) -> Result<Response, Problem> {
    let ico = number(&ico)?;
    let hours = form.text("grace_hours");
    let hours = hours
        .parse::<u64>()
        .map_or_else(|_| json!(hours), |hours| json!(hours));
    let body = json!({ "grace_hours": hours });
    match act(&session, &ico, "secret", &body).await? {
        Ok(stored) => Ok(saved(&session, &ico, &stored, Flash::WatchChanged)),
        Err(refusal) => refused(&session, &ico, &refusal).await,
    }
}

/// `POST /account/watching/{ico}/resend`: resends the deliveries that did not arrive.
pub(super) async fn resend(session: Session, Path(ico): Path<String>) -> Result<Response, Problem> {
    let ico = number(&ico)?;
    match act(&session, &ico, "resend", &json!({})).await? {
        Ok(resent) => {
            let is_none = resent["resent"] == 0;
            let flash = if is_none {
                Flash::NothingMissed
            } else {
                Flash::Resent
            };
            Ok(session.redirect(&format!("/account/watching/{ico}"), flash))
        }
        Err(refusal) => refused(&session, &ico, &refusal).await,
    }
}
