//! Watched companies: the list, watching more of them, and a test of a receiver.

use askama::Template;
use axum::extract::RawQuery;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::form::Form;
use super::frame::{AccountFrame, Tab};
use super::imports::{ImportRow, newest, reported};
use super::session::Session;
use super::shown::{
    Mistake, date, items, mistakes, number_at, pretty, text_at, texts_at, with_query,
};
use super::texts::Texts;
use super::texts_log::{kind_words, outcome_words};
use super::upload::Upload;
use crate::accounts::Action;
use crate::accounts::sign_in_links::Token;
use crate::changes::all_kinds;
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::reader::parameter;

pub(super) const SUBSCRIPTIONS: &str = "/v1/notifications";
const IMPORTS: &str = "/v1/notifications/imports";

/// Companies of a page.
const COMPANIES: u64 = 50;

pub(super) struct Row {
    pub(super) ico: String,
    pub(super) name: String,
    pub(super) targets: Vec<String>,
    /// State of the webhook if it is not active, or of an ended subscription.
    pub(super) state: Option<&'static str>,
    pub(super) kinds: String,
    pub(super) since: String,
}

/// Where and what to send, as it is filled in.
#[derive(Default)]
pub(super) struct TargetForm {
    pub(super) webhook_url: String,
    pub(super) emails: String,
    /// Kind of event, whether it is ticked, and what it means.
    pub(super) kinds: Vec<(String, bool, String)>,
}

#[derive(Template)]
#[template(path = "account/watching.html")]
struct WatchingPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    rows: Vec<Row>,
    total: String,
    ico: String,
    has_ended: bool,
    previous: Option<String>,
    next: Option<String>,
    may_change: bool,
    target: TargetForm,
    list: String,
    is_dry_run: bool,
    mistakes: Vec<Mistake>,
    imports: Vec<ImportRow>,
    test: String,
    /// Identifies the form, so that it makes one import even if it is sent twice.
    token: String,
}

#[derive(Template)]
#[template(path = "account/tested.html")]
struct TestedPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    target: String,
    is_delivered: bool,
    outcome: String,
    code: String,
    status: Option<i64>,
    duration: String,
    answer: String,
    headers: String,
    body: String,
    secret: String,
}

impl TargetForm {
    /// A form with these values; kinds that no connector has any more stay.
    pub(super) fn new(session: &Session, webhook_url: &str, emails: &str, kinds: &[&str]) -> Self {
        let catalogue = session.web.parts().companies.connectors().catalogue();
        let mut known = all_kinds(&catalogue);
        let chosen = kinds.iter().filter(|kind| **kind != "updated");
        known.extend(chosen.clone().map(|kind| (*kind).to_owned()));
        let tick = |kind: String| {
            let is_ticked = kinds.contains(&kind.as_str());
            let words = kind_words(&kind, session.reader.language);
            (kind, is_ticked, words)
        };
        Self {
            webhook_url: webhook_url.to_owned(),
            emails: emails.to_owned(),
            kinds: known
                .into_iter()
                .filter(|kind| kind != "updated")
                .map(tick)
                .collect(),
        }
    }

    pub(super) fn of_form(session: &Session, form: &Form) -> Self {
        Self::new(
            session,
            form.text("webhook_url"),
            form.text("emails"),
            &form.all("events"),
        )
    }

    /// Whether the folded part of the form has something in it.
    pub(super) fn has_kinds(&self) -> bool {
        self.kinds.iter().any(|(_, is_ticked, _)| *is_ticked)
    }
}

/// The addresses of a form, separated by spaces, lines, commas or semicolons.
pub(super) fn addresses(form: &Form) -> Vec<&str> {
    let separated = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let parts = form.text("emails").split(separated);
    parts.filter(|part| !part.is_empty()).collect()
}

/// A subscription of the API's list for people.
pub(super) fn row(session: &Session, one: &Value) -> Row {
    let t = session.texts();
    let webhook = text_at(one, "/webhook_url");
    let mut targets: Vec<String> = texts_at(one, "/notification_emails")
        .into_iter()
        .map(str::to_owned)
        .collect();
    if !webhook.is_empty() {
        targets.insert(0, webhook.to_owned());
    }
    let state = match (text_at(one, "/status"), text_at(one, "/webhook/state")) {
        ("historical", _) => Some(t.watch_ended),
        (_, "" | "active") => None,
        (_, state) => Some(t.webhook_state(state)),
    };
    let kinds = texts_at(one, "/events");
    Row {
        ico: text_at(one, "/ico").to_owned(),
        name: text_at(one, "/name").to_owned(),
        targets,
        state,
        kinds: if kinds == ["updated"] {
            t.every_kind.to_owned()
        } else {
            let words = kinds
                .iter()
                .map(|kind| kind_words(kind, session.reader.language));
            words.collect::<Vec<_>>().join(", ")
        },
        since: date(session, one["created_at"].as_str()),
    }
}

/// What is beside the list: forms with their mistakes.
#[derive(Default)]
struct Filled {
    form: Form,
    mistakes: Vec<Mistake>,
    test: String,
}

async fn watching_page(
    session: &Session,
    query: &str,
    filled: Filled,
) -> Result<Response, Problem> {
    let t = session.texts();
    let ico = parameter(query, "ico").unwrap_or_default();
    let digits: String = ico.chars().filter(char::is_ascii_digit).take(8).collect();
    let has_ended = parameter(query, "ended").is_some();
    let offset = parameter(query, "offset").and_then(|offset| offset.parse::<u32>().ok());
    let offset = u64::from(offset.unwrap_or(0));
    let path = |offset: u64, base: &str, is_call: bool| {
        let offset = offset.to_string();
        let ended = if has_ended { "1" } else { "" };
        let status = if has_ended { "" } else { "active" };
        let of_call = [("status", status), ("limit", "50")];
        let of_page = [("ended", ended), ("limit", "")];
        let [first, second] = if is_call { of_call } else { of_page };
        with_query(
            base,
            &[("ico", &digits), ("offset", &offset), first, second],
        )
    };
    let answer = session.get(&path(offset, SUBSCRIPTIONS, true)).await?;
    let has_more = answer.pointer("/meta/more") == Some(&Value::Bool(true));
    let may_change = session.may(Action::ChangeWatches);
    let status = if filled.mistakes.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let page = WatchingPage {
        frame: session.frame(t.tab_watching),
        a: session.account_frame(Tab::Watching),
        t,
        rows: items(&answer).iter().map(|one| row(session, one)).collect(),
        total: number_at(&answer, "/meta/total", session.reader.language).unwrap_or_default(),
        previous: (offset > 0)
            .then(|| path(offset.saturating_sub(COMPANIES), "/account/watching", false)),
        next: has_more.then(|| path(offset + COMPANIES, "/account/watching", false)),
        ico: digits.clone(),
        has_ended,
        may_change,
        target: TargetForm::of_form(session, &filled.form),
        list: filled.form.text("list").to_owned(),
        is_dry_run: filled.form.is_ticked("dry_run"),
        mistakes: filled.mistakes,
        imports: if may_change {
            newest(session).await?
        } else {
            Vec::new()
        },
        test: filled.test,
        token: Token::random().text,
    };
    Ok(session.page(status, &page))
}

/// `GET /account/watching`; `ico` filters by the beginning of the number.
pub(super) async fn list(session: Session, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    watching_page(&session, &query.unwrap_or_default(), Filled::default()).await
}

/// `POST /account/watching`: watches the companies of a list or a file.
pub(super) async fn watch(session: Session, mut upload: Upload) -> Result<Response, Problem> {
    let t = session.texts();
    let table = upload.table();
    let form = upload.form;
    let missing = match (&table, upload.is_too_large) {
        (_, true) => Some(t.wrong_file_size),
        (None, false) => Some(t.wrong_no_list),
        (Some(_), false) => None,
    };
    if let Some(wanted) = missing {
        let mistakes = vec![Mistake {
            label: t.list_of_companies,
            wanted,
            detail: String::new(),
        }];
        let filled = Filled {
            form,
            mistakes,
            test: String::new(),
        };
        return watching_page(&session, "", filled).await;
    }
    let dry_run = if form.is_ticked("dry_run") { "1" } else { "" };
    let parameters = [
        ("webhook_url", form.text("webhook_url")),
        ("notification_emails", &addresses(&form).join(",")),
        ("events", &form.all("events").join(",")),
        ("dry_run", dry_run),
        ("format", "json"),
    ];
    let path = with_query(IMPORTS, &parameters);
    let answer = session
        .send_table(&path, table.unwrap_or_default(), Some(form.text("token")))
        .await?;
    match answer.of_form()? {
        Ok(report) => Ok(reported(&session, &report)),
        Err(refusal) => {
            let mistakes = mistakes(&refusal, t);
            let filled = Filled {
                form,
                mistakes,
                test: String::new(),
            };
            watching_page(&session, "", filled).await
        }
    }
}

/// `POST /account/watching/test`: sends an example to a webhook or an address, and shows what came back.
pub(super) async fn test(session: Session, form: Form) -> Result<Response, Problem> {
    let t = session.texts();
    let target = form.text("target").to_owned();
    let is_address = target.contains('@') && !target.contains("://");
    let name = if is_address { "email" } else { "webhook_url" };
    let body = json!({ name: target });
    let answer = session
        .send(Method::POST, "/v1/notifications/test", &body)
        .await?;
    let result = match answer.of_form()? {
        Ok(result) => result,
        Err(refusal) => {
            let filled = Filled {
                mistakes: vec![wrong_target(&refusal, t)],
                test: target,
                ..Filled::default()
            };
            return watching_page(&session, "", filled).await;
        }
    };
    let duration = number_at(&result, "/received/duration_ms", session.reader.language);
    let page = TestedPage {
        frame: session.frame(t.test_title),
        a: session.account_frame(Tab::Watching),
        t,
        target,
        is_delivered: result["delivered"] == true,
        code: text_at(&result, "/received/outcome").to_owned(),
        outcome: outcome_words(
            text_at(&result, "/received/outcome"),
            session.reader.language,
        ),
        status: result.pointer("/received/status").and_then(Value::as_i64),
        duration: duration.unwrap_or_default(),
        answer: text_at(&result, "/received/answer").to_owned(),
        headers: headers(&result["sent"]["headers"]),
        body: text_at(&result, "/sent/body").to_owned(),
        secret: text_at(&result, "/sent/secret").to_owned(),
    };
    Ok(session.page(StatusCode::OK, &page))
}

/// The headers of an example, one per line.
fn headers(sent: &Value) -> String {
    let lines = sent.as_object().into_iter().flatten();
    let lines = lines.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {}", pretty(value)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The form has one field, whichever the API names.
fn wrong_target(refusal: &Refusal, t: &Texts) -> Mistake {
    let details: Vec<&str> = refusal
        .fields
        .values()
        .flatten()
        .map(String::as_str)
        .collect();
    Mistake {
        label: t.test_target,
        wanted: t.wrong_webhook,
        detail: if details.is_empty() {
            refusal.message.clone()
        } else {
            details.join("; ")
        },
    }
}
