//! Error pages for operators.

use std::sync::Arc;

use askama::Template;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::texts::{Texts, texts};
use super::{Frame, page};
use crate::connectors::reload::TakeBackError;
use crate::store::StoreError;
use crate::web::Reader;

/// Why there is no page, or an action was not done.
#[derive(Debug)]
pub(super) enum Problem {
    NoSuchPage,
    NoSuchSource,
    NoSuchWorker,
    NoSuchAccount,
    /// The list is not supplied by the operator, or the settings grant it no file.
    NoSuchList,
    /// The request does not have the form of the page's forms.
    Invalid,
    OtherSite,
    KeyNeeded,
    /// The address is not loopback, and there is no key.
    PagesOff,
    /// Seconds until the next attempt.
    TooManyKeys(u64),
    /// Another file is being received or checked.
    ListBusy,
    NoFile,
    /// The largest size in MiB.
    TooLarge(u64),
    DiskLow,
    /// The file could not be written, in English.
    NotStored(String),
    /// The file was not taken, in English.
    NotTaken(String),
    /// No accepted file waits.
    NotChecked,
    Version(TakeBackError),
    ClockDisagrees,
    LedgerBusy,
    ReloadFailed,
    Internal,
    /// The store failed; it was logged.
    Unavailable,
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "a page for operators failed: the store is unavailable");
        Self::Unavailable
    }
}

impl From<TakeBackError> for Problem {
    fn from(error: TakeBackError) -> Self {
        Self::Version(error)
    }
}

impl Problem {
    fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::NoSuchPage,
            StatusCode::FORBIDDEN => Self::OtherSite,
            StatusCode::SERVICE_UNAVAILABLE => Self::Unavailable,
            _ if status.is_server_error() => Self::Internal,
            _ => Self::Invalid,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::NoSuchPage
            | Self::NoSuchSource
            | Self::NoSuchWorker
            | Self::NoSuchAccount
            | Self::NoSuchList => StatusCode::NOT_FOUND,
            Self::Invalid | Self::NoFile => StatusCode::UNPROCESSABLE_ENTITY,
            Self::OtherSite | Self::PagesOff => StatusCode::FORBIDDEN,
            Self::KeyNeeded => StatusCode::UNAUTHORIZED,
            Self::TooManyKeys(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::DiskLow | Self::NotStored(_) | Self::Version(TakeBackError::NotSaved) => {
                StatusCode::INSUFFICIENT_STORAGE
            }
            Self::ListBusy
            | Self::NotTaken(_)
            | Self::NotChecked
            | Self::Version(_)
            | Self::ClockDisagrees
            | Self::LedgerBusy => StatusCode::CONFLICT,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ReloadFailed | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What happened, what to do, and details in English.
    fn texts(&self, t: &'static Texts) -> (&'static str, String, String) {
        let plain = |title, why: &str| (title, why.to_owned(), String::new());
        match self {
            Self::NoSuchPage => plain(t.no_page, ""),
            Self::NoSuchSource => plain(t.no_source, ""),
            Self::NoSuchWorker => plain(t.no_worker, ""),
            Self::NoSuchAccount => plain(t.no_account, ""),
            Self::NoSuchList => plain(t.no_list, t.no_list_why),
            Self::Invalid => plain(t.request, ""),
            Self::OtherSite => plain(t.other_site, t.other_site_why),
            Self::KeyNeeded => plain(t.key_needed, t.key_needed_why),
            Self::PagesOff => plain(t.pages_off, t.pages_off_why),
            Self::TooManyKeys(seconds) => {
                plain(t.too_many, &format!("{} {seconds}", t.too_many_why))
            }
            Self::ListBusy => plain(t.list_busy, t.list_busy_why),
            Self::NoFile => plain(t.no_file, t.no_file_why),
            Self::TooLarge(mib) => plain(t.too_large, &format!("{} {mib}", t.too_large_why)),
            Self::DiskLow => plain(t.disk_full, ""),
            Self::NotStored(why) => (t.not_stored, String::new(), why.clone()),
            Self::NotTaken(why) => (t.not_taken, String::new(), why.clone()),
            Self::NotChecked => plain(t.not_taken, t.not_checked),
            Self::Version(error) => (t.no_version, String::new(), error.to_string()),
            Self::ClockDisagrees => plain(t.clock_refused, t.clock_refused_why),
            Self::LedgerBusy => plain(t.ledger_busy, ""),
            Self::ReloadFailed => plain(t.reload_failed, t.see_log),
            Self::Internal => plain(t.request, t.see_log),
            Self::Unavailable => plain(t.unavailable, t.unavailable_why),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        let headers = response.headers_mut();
        if let Self::TooManyKeys(seconds) = &self {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
        }
        if matches!(self, Self::KeyNeeded) {
            let challenge = "Basic realm=\"Lustra operator\", charset=\"UTF-8\"";
            let challenge = HeaderValue::from_static(challenge);
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

#[derive(Template)]
#[template(path = "operator/problem.html")]
struct ProblemPage {
    frame: Frame,
    t: &'static Texts,
    why: String,
    /// In English.
    detail: String,
}

/// Whether an answer is for people or programs already.
fn has_body(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| !kind.as_bytes().starts_with(b"text/plain"))
}

/// Replaces errors by pages in the reader's language.
pub(super) async fn pages(reader: Reader, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let own = response.extensions().get::<Arc<Problem>>().cloned();
    let is_error = status.is_client_error() || status.is_server_error();
    let problem = match own {
        Some(problem) => problem,
        None if is_error && !has_body(&response) => Arc::new(Problem::of_status(status)),
        None => return response,
    };
    let (title, why, detail) = problem.texts(texts(reader.language));
    let frame = Frame::bare(&reader, title);
    let template = ProblemPage {
        t: frame.t,
        frame,
        why,
        detail,
    };
    let mut shown = page(&reader, status, &template);
    for name in [header::RETRY_AFTER, header::WWW_AUTHENTICATE, header::ALLOW] {
        if let Some(value) = response.headers().get(&name) {
            shown.headers_mut().insert(name, value.clone());
        }
    }
    shown
}

/// Answers addresses without a page.
pub(super) async fn no_such_page() -> Problem {
    Problem::NoSuchPage
}
