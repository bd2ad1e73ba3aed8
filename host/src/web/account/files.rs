//! Lists of companies that become tables: upload, progress and results.

use askama::Template;
use axum::extract::{Path, RawQuery};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;

use super::form::Form;
use super::frame::{AccountFrame, Tab};
use super::session::Session;
use super::shown::{
    Mistake, date, items, mistakes, number_at, scopes, text_at, texts_at, with_query,
};
use super::texts::Texts;
use super::upload::Upload;
use crate::accounts::Action;
use crate::accounts::sign_in_links::Token;
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::reader::parameter;

const BATCHES: &str = "/v1/batch";
const BATCH_ID: HeaderName = HeaderName::from_static("x-batch-id");

/// A list that the account sent.
struct FileRow {
    id: String,
    kind: &'static str,
    state: &'static str,
    is_running: bool,
    created: String,
    expires: String,
    /// Titles of the chosen sections.
    sections: String,
    /// Each a label and a number.
    counts: Vec<(&'static str, String)>,
}

#[derive(Template)]
#[template(path = "account/files.html")]
struct FilesPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    files: Vec<FileRow>,
    list: String,
    /// Name and title of each scope of the plan, and whether it is ticked.
    scopes: Vec<(String, String, bool)>,
    /// Whether a scope is ticked.
    has_sections: bool,
    is_of_names: bool,
    token: String,
    mistakes: Vec<Mistake>,
    /// Whether the plan includes batches.
    is_in_plan: bool,
}

#[derive(Template)]
#[template(path = "account/file.html")]
struct FilePage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    file: FileRow,
}

fn file_row(session: &Session, one: &Value) -> FileRow {
    let (t, language) = (session.texts(), session.reader.language);
    let state = text_at(one, "/status");
    let counts = [
        (t.file_items, "/total"),
        (t.import_processed, "/processed"),
        (t.file_found, "/found"),
        (t.file_not_found, "/not_found"),
        (t.file_unread, "/failed"),
    ];
    let count = |(label, member): (&'static str, &str)| {
        number_at(one, member, language).map(|number| (label, number))
    };
    FileRow {
        id: text_at(one, "/id").to_owned(),
        kind: match text_at(one, "/kind") {
            "names" => t.files_names,
            _ => t.files_icos,
        },
        state: t.batch_state(state),
        is_running: matches!(state, "pending" | "processing"),
        created: date(session, one["created_at"].as_str()),
        expires: date(session, one["expires_at"].as_str()),
        sections: titles(session, &texts_at(one, "/scopes")),
        counts: counts.into_iter().filter_map(count).collect(),
    }
}

/// The titles of scopes, in the order of the titles.
fn titles(session: &Session, names: &[&str]) -> String {
    let chosen = scopes(session).into_iter();
    let chosen = chosen.filter(|(name, _)| names.contains(&name.as_str()));
    chosen
        .map(|(_, title)| title)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The scopes that the plan includes, with those of a form ticked.
async fn choices(session: &Session, form: &Form) -> Result<Vec<(String, String, bool)>, Problem> {
    let plan = session.get("/v1/account/plan").await?;
    let own = texts_at(&plan, "/plan/scopes");
    let ticked = form.all("scopes");
    // The full entry of the commercial register belongs to every plan.
    let is_own = |name: &str| name == "orsr" || own.contains(&"all") || own.contains(&name);
    let served = scopes(session).into_iter().filter(|(name, _)| is_own(name));
    let tick = |(name, title): (String, String)| {
        let is_ticked = ticked.contains(&name.as_str());
        (name, title, is_ticked)
    };
    Ok(served.map(tick).collect())
}

/// The account's lists. `None`: the plan does not include batches.
async fn newest(session: &Session) -> Result<Option<Vec<FileRow>>, Problem> {
    let answer = session.answer(BATCHES).await?;
    match answer.of_limited_form(session.may(Action::LookUp))? {
        Ok(list) => {
            let rows = items(&list).iter().map(|one| file_row(session, one));
            Ok(Some(rows.collect()))
        }
        Err(_not_in_plan) => Ok(None),
    }
}

async fn files_page(
    session: &Session,
    form: &Form,
    mistakes: Vec<Mistake>,
) -> Result<Response, Problem> {
    let t = session.texts();
    let files = newest(session).await?;
    let status = if mistakes.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let page = FilesPage {
        frame: session.frame(t.tab_files),
        a: session.account_frame(Tab::Files),
        t,
        is_in_plan: files.is_some(),
        files: files.unwrap_or_default(),
        list: form.text("list").to_owned(),
        scopes: choices(session, form).await?,
        has_sections: !form.all("scopes").is_empty(),
        is_of_names: form.text("kind") == "names",
        token: Token::random().text,
        mistakes,
    };
    Ok(session.page(status, &page))
}

pub(super) async fn list(session: Session) -> Result<Response, Problem> {
    files_page(&session, &Form::default(), Vec::new()).await
}

/// `POST /account/files`: sends a list as a batch. A form that is sent twice makes one batch.
pub(super) async fn send(session: Session, mut upload: Upload) -> Result<Response, Problem> {
    let t = session.texts();
    let table = upload.table();
    let form = upload.form;
    let table = match table {
        Some(table) if !upload.is_too_large => table,
        _ => {
            let wanted = if upload.is_too_large {
                t.wrong_file_size
            } else {
                t.wrong_no_list
            };
            let mistake = Mistake {
                label: t.list_of_companies,
                wanted,
                detail: String::new(),
            };
            return files_page(&session, &form, vec![mistake]).await;
        }
    };
    let kind = match form.text("kind") {
        "names" => "names",
        _ => "ico",
    };
    let chosen = form.all("scopes").join(",");
    let path = with_query(&format!("{BATCHES}/{kind}"), &[("scope", &chosen)]);
    let answer = session
        .send_table(&path, table, Some(form.text("token")))
        .await?;
    let id = answer.headers.get(BATCH_ID);
    let id = id.and_then(|id| id.to_str().ok()).map(str::to_owned);
    match answer.of_limited_form(session.may(Action::LookUp))? {
        Ok(_) => {
            let id = id.ok_or(Problem::Internal)?;
            Ok(Redirect::to(&format!("/account/files/{id}")).into_response())
        }
        Err(refusal) => files_page(&session, &form, mistakes(&refusal, t)).await,
    }
}

/// The call for a batch in a path.
fn call(id: &str) -> Result<String, Problem> {
    let id = uuid::Uuid::try_parse(id).map_err(|_other| Problem::NoSuchPage)?;
    Ok(format!("{BATCHES}/{id}"))
}

/// `GET /account/files/{batch_id}`: progress, and the form for the results.
pub(super) async fn show(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    let t = session.texts();
    let progress = session.get(&format!("{}/status", call(&id)?)).await?;
    let listed = newest(&session).await?.unwrap_or_default();
    let listed = listed.into_iter().find(|file| file.id == id);
    let page = FilePage {
        frame: session.frame(t.file_title),
        a: session.account_frame(Tab::Files),
        t,
        file: listed.unwrap_or_else(|| file_row(&session, &progress["data"])),
    };
    Ok(session.page(StatusCode::OK, &page))
}

/// `GET /account/files/{batch_id}/results`: the table as a file.
pub(super) async fn results(
    session: Session,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let query = query.unwrap_or_default();
    let of = |name: &str| parameter(&query, name).unwrap_or_default();
    let format = match of("format").as_str() {
        "csv" => "csv",
        _ => "xlsx",
    };
    let (columns, header) = (of("columns"), of("header"));
    let path = with_query(
        &format!("{}/results", call(&id)?),
        &[
            ("format", format),
            ("columns", &columns),
            ("header", &header),
        ],
    );
    let answer = session.forward(&path).await?;
    match answer.status() {
        StatusCode::OK => Ok(answer),
        StatusCode::ACCEPTED => Ok(Redirect::to(&format!("/account/files/{id}")).into_response()),
        status => Err(Problem::of_status(status)),
    }
}
