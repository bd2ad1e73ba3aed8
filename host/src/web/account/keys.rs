//! Keys of the account: list, create, limit, rotate, revoke.
//!
//! A secret is only in the answer to the form that made it. The form's token is the idempotency key of the call, so
//! that a form that is sent twice makes one key and shows the same secret.

use askama::Template;
use axum::extract::Path;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::form::Form;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{Mistake, date, mistakes, scopes, text_at};
use super::texts::Texts;
use crate::accounts::Action;
use crate::accounts::sign_in_links::Token;
use crate::billing::MAX_OVERLAP_HOURS;
use crate::web::frame::Frame;
use crate::web::problem::Problem;

const KEYS: &str = "/v1/account/keys";

/// A key of the API's list.
#[derive(Debug, Deserialize)]
struct Key {
    id: i64,
    name: String,
    prefix: String,
    state: String,
    current: bool,
    manage: bool,
    limits: Limits,
    created_at: String,
    last_used_at: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Limits {
    scopes: Option<Vec<String>>,
    addresses: Option<Vec<String>>,
    last_day: Option<String>,
}

/// A key for people.
struct KeyRow {
    key: Key,
    state: &'static str,
    created: String,
    last_used: String,
    last_day: String,
    /// Whether this session may change the key.
    is_open: bool,
}

/// The form of a key, as it is filled in.
#[derive(Default)]
struct KeyForm {
    name: String,
    manage: bool,
    /// Name, title and whether it is ticked.
    scopes: Vec<(String, String, bool)>,
    addresses: String,
    last_day: String,
}

#[derive(Template)]
#[template(path = "account/keys.html")]
struct KeysPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    keys: Vec<KeyRow>,
    form: KeyForm,
    mistakes: Vec<Mistake>,
    token: String,
    may_manage: bool,
}

#[derive(Template)]
#[template(path = "account/key.html")]
struct KeyPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    row: KeyRow,
    form: KeyForm,
    mistakes: Vec<Mistake>,
    token: String,
    longest: u16,
}

#[derive(Template)]
#[template(path = "account/secret.html")]
struct SecretPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    name: String,
    /// `None` if another server made it, and this one cannot decrypt it.
    secret: Option<String>,
}

impl KeyRow {
    fn is_unlimited(&self) -> bool {
        let Limits {
            scopes,
            addresses,
            last_day,
        } = &self.key.limits;
        scopes.is_none() && addresses.is_none() && last_day.is_none()
    }
}

impl KeyForm {
    /// Whether the folded part of the form has something in it.
    fn has_limits(&self) -> bool {
        let is_ticked = self.scopes.iter().any(|(_, _, is_ticked)| *is_ticked);
        is_ticked || !self.addresses.is_empty() || !self.last_day.is_empty()
    }

    fn of_limits(session: &Session, name: &str, manage: bool, limits: &Limits) -> Self {
        let chosen = limits.scopes.as_deref().unwrap_or_default();
        let tick = |(name, title): (String, String)| {
            let is_ticked = chosen.contains(&name);
            (name, title, is_ticked)
        };
        let mut scopes: Vec<_> = scopes(session).into_iter().map(tick).collect();
        // A scope that the server no longer serves stays a limit; without it, the key would have every scope.
        for name in chosen {
            if !scopes.iter().any(|(known, _, _)| known == name) {
                scopes.push((name.clone(), name.clone(), true));
            }
        }
        Self {
            name: name.to_owned(),
            manage,
            scopes,
            addresses: limits.addresses.as_deref().unwrap_or_default().join("\n"),
            last_day: limits.last_day.clone().unwrap_or_default(),
        }
    }

    fn of_form(session: &Session, form: &Form) -> Self {
        let own = |items: Vec<&str>| items.into_iter().map(str::to_owned).collect();
        let limits = Limits {
            scopes: Some(own(form.all("scopes"))),
            addresses: Some(own(addresses(form))),
            last_day: Some(form.text("last_day").to_owned()),
        };
        Self::of_limits(
            session,
            form.text("name"),
            form.is_ticked("manage"),
            &limits,
        )
    }
}

/// Networks, separated by spaces, lines or commas.
fn addresses(form: &Form) -> Vec<&str> {
    let separated = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let parts = form.text("addresses").split(separated);
    parts.filter(|part| !part.is_empty()).collect()
}

/// The body of the call. What is left empty is no limit.
fn body(form: &Form) -> Value {
    let list = |items: Vec<&str>| {
        if items.is_empty() {
            Value::Null
        } else {
            json!(items)
        }
    };
    let last_day = form.text("last_day");
    json!({
        "name": form.text("name"),
        "scopes": list(form.all("scopes")),
        "addresses": list(addresses(form)),
        "last_day": (!last_day.is_empty()).then_some(last_day),
    })
}

async fn rows(session: &Session) -> Result<Vec<KeyRow>, Problem> {
    let answer = session.get(KEYS).await?;
    let keys: Vec<Key> = serde_json::from_value(answer["data"].clone()).map_err(|error| {
        tracing::error!(%error, "the keys of an account have an unknown form");
        Problem::Internal
    })?;
    let t = session.texts();
    let row = |key: Key| KeyRow {
        state: match key.state.as_str() {
            "valid" => t.key_valid,
            "expired" => t.key_expired,
            _ => t.key_revoked,
        },
        created: date(session, Some(&key.created_at)),
        last_used: date(session, key.last_used_at.as_deref()),
        last_day: date(session, key.limits.last_day.as_deref()),
        is_open: key.state == "valid" && (!key.manage || session.may(Action::ManageManagingKeys)),
        key,
    };
    Ok(keys.into_iter().map(row).collect())
}

async fn keys_page(
    session: &Session,
    form: KeyForm,
    refusal: Option<&Refusal>,
) -> Result<Response, Problem> {
    let t = session.texts();
    let mut keys = rows(session).await?;
    keys.sort_by_key(|row| (row.key.state != "valid", std::cmp::Reverse(row.key.id)));
    let page = KeysPage {
        frame: session.frame(t.tab_keys),
        a: session.account_frame(Tab::Keys),
        t,
        keys,
        form,
        mistakes: refusal.map_or_else(Vec::new, |refusal| mistakes(refusal, t)),
        token: Token::random().text,
        may_manage: session.may(Action::ManageManagingKeys),
    };
    Ok(session.page(status_of(refusal), &page))
}

fn status_of(refusal: Option<&Refusal>) -> StatusCode {
    refusal.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY)
}

pub(super) async fn list(session: Session) -> Result<Response, Problem> {
    let form = KeyForm::of_limits(&session, "", false, &Limits::default());
    keys_page(&session, form, None).await
}

/// `POST /account/keys`: creates a key and shows its secret.
pub(super) async fn create(session: Session, form: Form) -> Result<Response, Problem> {
    let mut body = body(&form);
    body["manage"] = Value::Bool(form.is_ticked("manage"));
    let answer = session.send_once(KEYS, &body, form.text("token")).await?;
    let action = if form.is_ticked("manage") {
        Action::ManageManagingKeys
    } else {
        Action::ManageKeys
    };
    match answer.of_limited_form(session.may(action))? {
        Ok(made) => Ok(secret_page(&session, &made)),
        Err(refusal) => {
            let form = KeyForm::of_form(&session, &form);
            keys_page(&session, form, Some(&refusal)).await
        }
    }
}

/// The only answer with the secret.
fn secret_page(session: &Session, made: &Value) -> Response {
    let t = session.texts();
    let page = SecretPage {
        frame: session.frame(t.secret_title),
        a: session.account_frame(Tab::Keys),
        t,
        name: text_at(made, "/data/name").to_owned(),
        secret: made["key"].as_str().map(str::to_owned),
    };
    session.page(StatusCode::OK, &page)
}

async fn key_page(
    session: &Session,
    id: i64,
    filled: Option<(KeyForm, Refusal)>,
) -> Result<Response, Problem> {
    let row = rows(session)
        .await?
        .into_iter()
        .find(|row| row.key.id == id);
    let row = row.ok_or(Problem::NoSuchPage)?;
    let t = session.texts();
    let (form, refusal) = filled.unzip();
    let key = &row.key;
    let form =
        form.unwrap_or_else(|| KeyForm::of_limits(session, &key.name, key.manage, &key.limits));
    let page = KeyPage {
        frame: session.frame(&key.name),
        a: session.account_frame(Tab::Keys),
        t,
        form,
        mistakes: refusal
            .as_ref()
            .map_or_else(Vec::new, |refusal| mistakes(refusal, t)),
        token: Token::random().text,
        longest: MAX_OVERLAP_HOURS,
        row,
    };
    Ok(session.page(status_of(refusal.as_ref()), &page))
}

/// The number of a key in a path.
fn number(id: &str) -> Result<i64, Problem> {
    id.parse().map_err(|_not_a_number| Problem::NoSuchPage)
}

pub(super) async fn show(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    key_page(&session, number(&id)?, None).await
}

/// `POST /account/keys/{key_id}`: changes name and limits.
pub(super) async fn change(
    session: Session,
    Path(id): Path<String>,
    form: Form,
) -> Result<Response, Problem> {
    let id = number(&id)?;
    let path = format!("{KEYS}/{id}");
    let answer = session.send(Method::PATCH, &path, &body(&form)).await?;
    match answer.of_form()? {
        Ok(_) => Ok(session.redirect("/account/keys", Flash::KeyChanged)),
        Err(refusal) => {
            let form = KeyForm::of_form(&session, &form);
            key_page(&session, id, Some((form, refusal))).await
        }
    }
}

/// `POST /account/keys/{key_id}/rotate`: replaces the secret and shows the new one.
pub(super) async fn rotate(
    session: Session,
    Path(id): Path<String>,
    form: Form,
) -> Result<Response, Problem> {
    let id = number(&id)?;
    let hours = form.text("overlap_hours");
    let hours = hours
        .parse::<u64>()
        .map_or_else(|_| json!(hours), |hours| json!(hours));
    let path = format!("{KEYS}/{id}/rotate");
    let body = json!({ "overlap_hours": hours });
    let answer = session.send_once(&path, &body, form.text("token")).await?;
    match answer.of_form()? {
        Ok(made) => Ok(secret_page(&session, &made)),
        Err(refusal) => {
            let row = rows(&session)
                .await?
                .into_iter()
                .find(|row| row.key.id == id);
            let key = row.ok_or(Problem::NoSuchPage)?.key;
            let form = KeyForm::of_limits(&session, &key.name, key.manage, &key.limits);
            key_page(&session, id, Some((form, refusal))).await
        }
    }
}

pub(super) async fn revoke(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    let path = format!("{KEYS}/{}", number(&id)?);
    match session.delete(&path).await? {
        Ok(_) => Ok(session.redirect("/account/keys", Flash::KeyRevoked)),
        Err(_refusal) => Err(Problem::InvalidRequest),
    }
}
