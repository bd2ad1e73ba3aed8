//! The plan of the account, and its move from calls a month to credits.

use askama::Template;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::form::Form;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{number_at, text_at};
use super::texts::Texts;
use crate::accounts::Action;
use crate::web::frame::Frame;
use crate::web::problem::Problem;

/// A line of terms: what it is, the present plan's, and the other plan's.
struct Term {
    label: &'static str,
    now: String,
    then: String,
}

#[derive(Template)]
#[template(path = "account/plan.html")]
struct PlanPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    plan: String,
    /// The plan to which the account can move.
    target: Option<String>,
    terms: Vec<Term>,
    /// Calls left of the month, which end with the move.
    left: Option<String>,
    may_change: bool,
    /// Whether the page compares both plans and confirms the move.
    is_comparing: bool,
}

async fn plan_page(session: &Session, is_comparing: bool) -> Result<Response, Problem> {
    let answer = session.get("/v1/account/plan").await?;
    let (t, language) = (session.texts(), session.reader.language);
    let target = answer.pointer("/credits_plan/plan").and_then(Value::as_str);
    if is_comparing && target.is_none() {
        return Ok(Redirect::to("/account/plan").into_response());
    }
    let quota = session.get("/v1/account/quota").await?;
    let of = |plan: &str, member: &str| {
        let value = answer
            .pointer(&format!("/{plan}/{member}"))
            .unwrap_or(&Value::Null);
        match value {
            Value::Bool(true) => t.yes.to_owned(),
            Value::Bool(false) => t.no.to_owned(),
            Value::String(word) => t.metering(word).to_owned(),
            Value::Array(items) => {
                let items = items.iter().filter_map(Value::as_str);
                let items = items.map(|item| if item == "all" { t.all_scopes } else { item });
                items.collect::<Vec<_>>().join(", ")
            }
            Value::Null | Value::Number(_) | Value::Object(_) => {
                number_at(value, "", language).unwrap_or_else(|| t.no_limit.to_owned())
            }
        }
    };
    let labels = [
        ("metering", t.metering),
        ("monthly", t.monthly),
        ("rollover", t.rollover),
        ("overage", t.overage),
        ("requests_per_minute", t.per_minute),
        ("requests_per_day", t.per_day),
        ("batch_items", t.batch_items),
        ("watched_companies", t.watched),
        ("scopes", t.scopes),
    ];
    let term = |(member, label)| Term {
        label,
        now: of("data", member),
        then: if is_comparing {
            of("credits_plan", member)
        } else {
            String::new()
        },
    };
    let page = PlanPage {
        frame: session.frame(if is_comparing {
            t.move_title
        } else {
            t.tab_plan
        }),
        a: session.account_frame(Tab::Plan),
        t,
        plan: text_at(&answer, "/data/plan").to_owned(),
        target: target.map(str::to_owned),
        terms: labels.into_iter().map(term).collect(),
        left: number_at(&quota, "/data/remaining_monthly", language),
        may_change: session.may(Action::ChangePlan),
        is_comparing,
    };
    Ok(session.page(StatusCode::OK, &page))
}

pub(super) async fn plan(session: Session) -> Result<Response, Problem> {
    plan_page(&session, false).await
}

/// `GET /account/plan/credits`: both plans side by side, and the form that confirms the move.
pub(super) async fn compare(session: Session) -> Result<Response, Problem> {
    if !session.may(Action::ChangePlan) {
        return Err(Problem::Forbidden);
    }
    plan_page(&session, true).await
}

/// `POST /account/plan/credits`: moves the account; repeating it changes nothing.
pub(super) async fn move_to_credits(session: Session, form: Form) -> Result<Response, Problem> {
    let body = json!({ "plan": form.text("plan") });
    let answer = session
        .send(Method::POST, "/v1/account/plan/credits", &body)
        .await?;
    match answer.of_limited_form(session.may(Action::ChangePlan))? {
        Ok(_) => Ok(session.redirect("/account/plan", Flash::PlanChanged)),
        // The operator offers another plan since the page was shown.
        Err(_refusal) => Ok(session.redirect("/account/plan", Flash::PlanNotOffered)),
    }
}
