//! The account's first page: plan, credits or quota, usage, and the alerts.

use std::collections::BTreeMap;

use askama::Template;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::form::Form;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{Mistake, date, mistakes, number, number_at, text_at};
use super::texts::Texts;
use crate::accounts::Action;
use crate::changes::Writer;
use crate::language::Language;
use crate::web::frame::Frame;
use crate::web::plot::Plot;
use crate::web::problem::Problem;

/// Days of the plots.
const DAYS: u32 = 30;

struct EndpointRow {
    name: String,
    requests: String,
    cached: String,
    credits: String,
}

struct GrantRow {
    kind: &'static str,
    remaining: String,
    granted: String,
    ends: String,
}

#[derive(Template)]
#[template(path = "account/overview.html")]
struct OverviewPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    /// Label and value of each fact.
    facts: Vec<(&'static str, String)>,
    grants: Vec<GrantRow>,
    plots: Vec<Plot>,
    endpoints: Vec<EndpointRow>,
    thresholds: String,
    emails: String,
    mistakes: Vec<Mistake>,
    may_change_alerts: bool,
    /// Whether the account's e-mails are in Slovak.
    is_slovak: bool,
}

pub(super) async fn overview(session: Session) -> Result<Response, Problem> {
    overview_page(&session, None).await
}

async fn overview_page(
    session: &Session,
    refused: Option<(&Form, &Refusal)>,
) -> Result<Response, Problem> {
    let quota = session.get("/v1/account/quota").await?;
    let usage = session.get("/v1/account/usage").await?;
    let history = session
        .get(&format!("/v1/account/history?days={DAYS}"))
        .await?;
    let alerts = session.get("/v1/account/thresholds").await?;
    let language = session.get("/v1/account/language").await?;
    let t = session.texts();
    let list = |member: &str, separator: &str| {
        let items = alerts[member].as_array().into_iter().flatten();
        let items = items.map(|item| item.as_str().map_or(item.to_string(), str::to_owned));
        items.collect::<Vec<_>>().join(separator)
    };
    let (thresholds, emails) = match refused {
        Some((form, _)) => (
            form.text("thresholds").to_owned(),
            form.text("emails").to_owned(),
        ),
        None => (list("thresholds", ", "), list("emails", "\n")),
    };
    let page = OverviewPage {
        frame: session.frame(t.tab_overview),
        a: session.account_frame(Tab::Overview),
        t,
        facts: facts(session, &quota, &usage),
        grants: grants(session, &quota),
        plots: plots(&history, t, session.reader.language),
        endpoints: endpoints(&usage, session.reader.language),
        thresholds,
        emails,
        mistakes: refused.map_or_else(Vec::new, |(_, refusal)| mistakes(refusal, t)),
        may_change_alerts: session.may(Action::ChangeAlerts),
        is_slovak: text_at(&language, "/language") == "sk",
    };
    let status = refused.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    Ok(session.page(status, &page))
}

fn facts(session: &Session, quota: &Value, usage: &Value) -> Vec<(&'static str, String)> {
    let (t, language) = (session.texts(), session.reader.language);
    let metering = text_at(quota, "/data/metering");
    let mut facts = vec![
        (t.plan, text_at(quota, "/data/plan").to_owned()),
        (t.metering, t.metering(metering).to_owned()),
    ];
    let left = if metering == "credits" {
        t.credits_left
    } else {
        t.calls_left
    };
    let numbers = [
        (left, quota, "/data/remaining_monthly"),
        (t.used, usage, "/data/credits_used"),
        (t.overage_used, usage, "/data/overage_used"),
        (t.calls_of_period, usage, "/data/requests_month"),
        (t.calls_today, usage, "/data/requests_today"),
        (t.left_today, quota, "/data/remaining_daily"),
    ];
    for (label, answer, pointer) in numbers {
        if let Some(number) = number_at(answer, pointer, language) {
            facts.push((label, number));
        }
    }
    let next = quota.pointer("/data/reset_monthly").and_then(Value::as_str);
    if next.is_some() {
        facts.push((t.next_period, date(session, next)));
    }
    facts
}

fn grants(session: &Session, quota: &Value) -> Vec<GrantRow> {
    let (t, language) = (session.texts(), session.reader.language);
    let grants = quota.pointer("/data/grants").and_then(Value::as_array);
    let row = |grant: &Value| GrantRow {
        kind: t.grant(text_at(grant, "/kind")),
        remaining: number_at(grant, "/remaining", language).unwrap_or_default(),
        granted: number_at(grant, "/granted", language).unwrap_or_default(),
        ends: date(session, grant["expires_at"].as_str()),
    };
    grants.into_iter().flatten().map(row).collect()
}

/// Calls and credits by day, oldest first.
fn plots(history: &Value, t: &Texts, language: Language) -> Vec<Plot> {
    let days: Vec<&Value> = history["data"]
        .as_array()
        .into_iter()
        .flatten()
        .rev()
        .collect();
    let plot = |title: &'static str, member: &str| {
        let bar = |day: &&Value| {
            let value = day[member].as_i64().unwrap_or_default();
            let label = Writer { language }.date(text_at(day, "/date"));
            (label.unwrap_or_default(), value, number(value, language))
        };
        Plot::of_days(title.to_owned(), days.iter().map(bar).collect())
    };
    let plots = [
        plot(t.calls_by_day, "requests"),
        plot(t.cached_by_day, "cached"),
        plot(t.credits_by_day, "credits"),
    ];
    plots.into_iter().flatten().collect()
}

fn endpoints(usage: &Value, language: Language) -> Vec<EndpointRow> {
    let by_endpoint = usage
        .pointer("/data/by_endpoint")
        .and_then(Value::as_object);
    let sorted: BTreeMap<&String, &Value> = by_endpoint.into_iter().flatten().collect();
    let number = |value: &Value, pointer| number_at(value, pointer, language).unwrap_or_default();
    let row = |(name, value): (&String, &Value)| EndpointRow {
        name: name.clone(),
        requests: number(value, "/requests"),
        cached: number(value, "/cached"),
        credits: number(value, "/credits"),
    };
    sorted.into_iter().map(row).collect()
}

/// `POST /account/alerts`: replaces the thresholds and their recipients.
pub(super) async fn set_alerts(session: Session, form: Form) -> Result<Response, Problem> {
    let parts = |name: &str| {
        let separated = |c: char| c.is_whitespace() || c == ',' || c == ';' || c == '%';
        let parts = form.text(name).split(separated);
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let percent = |text: String| {
        text.parse::<u64>()
            .map_or_else(|_| json!(text), |n| json!(n))
    };
    let percents: Vec<Value> = parts("thresholds").into_iter().map(percent).collect();
    let body = json!({ "thresholds": percents, "emails": parts("emails") });
    let answer = session
        .send(Method::POST, "/v1/account/thresholds", &body)
        .await?;
    match answer.of_form()? {
        Ok(_) => Ok(session.redirect("/account", Flash::AlertsChanged)),
        Err(refusal) => overview_page(&session, Some((&form, &refusal))).await,
    }
}

/// `POST /account/language`: sets the language of the account's e-mails.
pub(super) async fn set_language(session: Session, form: Form) -> Result<Response, Problem> {
    let body = json!({ "language": form.text("language") });
    let answer = session
        .send(Method::POST, "/v1/account/language", &body)
        .await?;
    match answer.of_form()? {
        Ok(_) => Ok(session.redirect("/account", Flash::LanguageChanged)),
        Err(_refusal) => Err(Problem::InvalidRequest),
    }
}
