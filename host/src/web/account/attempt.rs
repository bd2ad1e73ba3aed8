//! A call of the API that a page makes for its session, to try it. It is charged like any call of the account.

use askama::Template;
use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::response::Response;

use super::form::Form;
use super::frame::{AccountFrame, Tab};
use super::session::Session;
use super::shown::scopes;
use super::texts::Texts;
use crate::companies::Ico;
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::visitors::Client;

/// Longest answer that is shown, in characters.
const MAX_SHOWN: usize = 200_000;

#[derive(Template)]
#[template(path = "account/try.html")]
struct TryPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    ico: String,
    is_wrong: bool,
    /// Name, title and whether it is ticked.
    scopes: Vec<(String, String, bool)>,
    answer: Option<Shown>,
}

struct Shown {
    curl: String,
    status: u16,
    /// Credits that the call cost, if the plan has credits.
    charged: Option<String>,
    json: String,
    is_cut: bool,
}

fn try_page(session: &Session, form: &Form) -> TryPage {
    let t = session.texts();
    let chosen = form.all("scopes");
    let tick = |(name, title): (String, String)| {
        let is_ticked = chosen.contains(&name.as_str());
        (name, title, is_ticked)
    };
    TryPage {
        frame: session.frame(t.tab_try),
        a: session.account_frame(Tab::Try),
        t,
        ico: form.text("ico").to_owned(),
        is_wrong: false,
        scopes: scopes(session).into_iter().map(tick).collect(),
        answer: None,
    }
}

/// `GET /account/try`: the form.
pub(super) async fn form(session: Session) -> Response {
    session.page(StatusCode::OK, &try_page(&session, &Form::default()))
}

/// `POST /account/try`: makes the call. A form, so that no reload or prefetch is charged unasked.
pub(super) async fn call(
    session: Session,
    client: Client,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Problem> {
    let mut page = try_page(&session, &form);
    let compact: String = page.ico.chars().filter(|c| !c.is_whitespace()).collect();
    let Ok(ico) = Ico::parse(&compact) else {
        page.is_wrong = true;
        return Ok(session.page(StatusCode::UNPROCESSABLE_ENTITY, &page));
    };
    let mut path = format!("/v1/company/ico/{ico}");
    let names = page.scopes.iter().filter(|(_, _, is_ticked)| *is_ticked);
    let names: Vec<&str> = names.map(|(name, _, _)| name.as_str()).collect();
    if !names.is_empty() {
        path = format!("{path}?scope={}", names.join(","));
    }
    let answer = session.answer(&path).await?;
    let charged = answer.headers.get("x-credits-charged");
    let charged = charged.and_then(|value| value.to_str().ok());
    let whole = serde_json::to_string_pretty(&answer.body).unwrap_or_default();
    let json: String = whole.chars().take(MAX_SHOWN).collect();
    let base = session.web.parts().base_url(&headers, &client);
    page.answer = Some(Shown {
        curl: format!("curl -s -H \"X-API-Key: $KEY\" '{base}{path}'"),
        status: answer.status.as_u16(),
        charged: charged.map(str::to_owned),
        is_cut: json.len() < whole.len(),
        json,
    });
    Ok(session.page(StatusCode::OK, &page))
}
