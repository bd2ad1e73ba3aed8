//! Error pages: what went wrong, in the reader's language, with the id of the request.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::frame::{Frame, page};
use super::reader::{Reader, wants_page};
use super::texts::Texts;
use super::{Web, with_headers};
use crate::companies::ProfileError;
use crate::search::SearchError;
use crate::store::StoreError;
use crate::warning_limiter::WarningLimiter;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Paths whose errors stay as they are: those of the API and of its documentation.
const NO_PAGES: [&str; 2] = ["/v1", "/docs"];

/// Limits repeated log lines about failed look-ups.
static UNREAD: WarningLimiter = WarningLimiter::new();

/// Why there is no page. A handler returns it; [`pages`] turns it into a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    InvalidIco,
    TextTooLong,
    NoSuchCompany,
    NoSuchInvented,
    /// The base register could not be read.
    Unread,
    /// The name index is being built; the progress in percent.
    Building(u8),
    /// Too many requests; seconds until the next one is answered.
    Busy(u64),
    NoSuchPage,
    WrongMethod,
    InvalidRequest,
    /// The page needs a session; the answer leads to the sign-in and back.
    SignInFirst,
    /// The session may not do this.
    Forbidden,
    /// A form was sent from a page of another site.
    OtherSite,
    /// A sign-in link is unknown, was used or has expired.
    LinkEnded,
    Unavailable,
    Internal,
}

impl Problem {
    fn of_store(error: &StoreError) -> Self {
        if error.is_unavailable() {
            tracing::error!(%error, "the store is unavailable");
            return Self::Unavailable;
        }
        tracing::error!(%error, "the store failed");
        Self::Internal
    }

    pub(super) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::NoSuchPage,
            StatusCode::METHOD_NOT_ALLOWED => Self::WrongMethod,
            StatusCode::FORBIDDEN => Self::Forbidden,
            StatusCode::UNAUTHORIZED => Self::SignInFirst,
            StatusCode::SERVICE_UNAVAILABLE => Self::Unavailable,
            _ if status.is_server_error() => Self::Internal,
            _ => Self::InvalidRequest,
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::InvalidIco | Self::TextTooLong | Self::InvalidRequest => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::NoSuchCompany | Self::NoSuchInvented | Self::NoSuchPage => StatusCode::NOT_FOUND,
            Self::SignInFirst => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::OtherSite => StatusCode::FORBIDDEN,
            Self::LinkEnded => StatusCode::GONE,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unread | Self::Building(_) | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn retry_after(self) -> Option<u64> {
        match self {
            Self::Unread => Some(30),
            Self::Building(_) | Self::Unavailable => Some(5),
            Self::Busy(seconds) => Some(seconds),
            Self::InvalidIco
            | Self::TextTooLong
            | Self::NoSuchCompany
            | Self::NoSuchInvented
            | Self::NoSuchPage
            | Self::WrongMethod
            | Self::InvalidRequest
            | Self::SignInFirst
            | Self::Forbidden
            | Self::OtherSite
            | Self::LinkEnded
            | Self::Internal => None,
        }
    }

    /// What happened, and what it means for the reader.
    fn texts(self, t: &Texts) -> (&'static str, String) {
        let (title, why) = match self {
            Self::InvalidIco => (t.problem_ico, t.problem_ico_why),
            Self::TextTooLong => (t.problem_request, t.too_long),
            Self::NoSuchCompany => (t.problem_company, t.problem_company_why),
            Self::NoSuchInvented => (t.problem_sandbox, t.problem_sandbox_why),
            Self::Unread => (t.problem_unread, t.problem_unread_why),
            Self::Building(percent) => {
                let why = format!("{} ({percent} %)", t.problem_building_why);
                return (t.problem_building, why);
            }
            Self::Busy(_) => (t.problem_busy, t.problem_busy_why),
            Self::NoSuchPage => (t.problem_page, t.problem_page_why),
            Self::WrongMethod => (t.problem_method, t.problem_method_why),
            Self::InvalidRequest => (t.problem_request, t.problem_request_why),
            Self::SignInFirst | Self::Forbidden => (t.problem_forbidden, t.problem_forbidden_why),
            Self::OtherSite => (t.problem_other_site, t.problem_other_site_why),
            Self::LinkEnded => (t.problem_link, t.problem_link_why),
            Self::Unavailable => (t.problem_service, t.problem_service_why),
            Self::Internal => (t.problem_internal, t.problem_internal_why),
        };
        (title, why.to_owned())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::of_store(&error)
    }
}

impl From<ProfileError> for Problem {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::NoSuchCompany => Self::NoSuchCompany,
            ProfileError::Ambiguous(_) => Self::InvalidRequest,
            ProfileError::Unread(failure) => {
                if let Some(times) = UNREAD.count(&failure.to_string()) {
                    tracing::warn!(%failure, times, "a visitor's look-up failed; repetitions of this reason are only counted");
                }
                Self::Unread
            }
            ProfileError::Store(error) => Self::of_store(&error),
        }
    }
}

impl From<SearchError> for Problem {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Building(percent) => Self::Building(percent),
            SearchError::Store(error) => Self::of_store(&error),
            // It was logged where it occurred.
            SearchError::Index(_) | SearchError::Folder(_) | SearchError::Stopped(_) => {
                Self::Internal
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(seconds) = self.retry_after() {
            let seconds = HeaderValue::from(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage {
    frame: Frame,
    t: &'static Texts,
    title: &'static str,
    why: String,
    request_id: String,
}

/// Whether an answer is a page already, such as a form with its mistakes.
fn is_page(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

/// The sign-in page that leads back to the page of a request; after a form, to the overview.
fn sign_in_for(request: &Request) -> String {
    let asked = request.uri().path_and_query().map(PathAndQuery::as_str);
    let asked = asked.filter(|_| request.method().is_safe());
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("next", asked.unwrap_or("/account"));
    format!("/account/sign-in?{}", query.finish())
}

/// Replaces errors by pages: those of the pages' handlers, and for browsers also those of unknown paths, timeouts and
/// panics.
pub(super) async fn pages(State(web): State<Web>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_apart = NO_PAGES.iter().any(|prefix| {
        let rest = path.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if is_apart {
        return next.run(request).await;
    }
    let reader = Reader::of(request.uri(), request.headers());
    let is_browser = wants_page(request.headers());
    let sign_in = sign_in_for(&request);
    let response = next.run(request).await;
    let own = response.extensions().get::<Problem>().copied();
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let problem = match own {
        Some(problem) => problem,
        None if is_error && is_browser && !is_page(&response) => Problem::of_status(status),
        None => return response,
    };
    if problem == Problem::SignInFirst && (own.is_some() || is_browser) {
        return with_headers(Redirect::to(&sign_in).into_response()).await;
    }
    let kept = response.headers();
    let request_id = kept.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let (title, why) = problem.texts(reader.texts());
    let frame = Frame::new(&web, &reader, title);
    let cookie = frame.cookie();
    let template = ProblemPage {
        t: frame.t,
        frame,
        title,
        why,
        request_id: request_id.unwrap_or_default().to_owned(),
    };
    let mut shown = with_headers(page(status, &template, cookie)).await;
    for name in [
        REQUEST_ID,
        header::RETRY_AFTER,
        header::ALLOW,
        header::CONNECTION,
    ] {
        if let Some(value) = response.headers().get(&name) {
            shown.headers_mut().insert(name, value.clone());
        }
    }
    shown
}
