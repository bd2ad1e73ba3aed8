//! The session of a page's request: who is signed in, and calls of the API with their rights.

use askama::Template;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header,
};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;
use time::{Duration, OffsetDateTime};

use super::answer::{Answer, Refusal};
use super::cookie::cookie;
use super::frame::{AccountFrame, Flash, Tab};
use super::texts::{Texts, texts};
use crate::accounts::sign_in_links::Token;
use crate::accounts::{Action, SignedIn, may};
use crate::config;
use crate::store::{self, Account, SessionOwner};
use crate::web::Web;
use crate::web::frame::{Frame, page};
use crate::web::problem::Problem;
use crate::web::reader::Reader;

const COOKIE: &str = "lustra_session";
const SECURE_COOKIE: &str = "__Host-lustra_session";
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The use of a session is stored at most this often.
const TOUCH_INTERVAL: Duration = Duration::minutes(1);

/// Largest answer of the API that a page takes, in bytes.
const MAX_ANSWER: usize = 32 << 20;

/// The session of a request. As an extractor it leads visitors without one to the sign-in.
pub(in crate::web) struct Session {
    pub(in crate::web) web: Web,
    pub(in crate::web) reader: Reader,
    pub(in crate::web) signed: SignedIn,
    pub(in crate::web) owner: SessionOwner,
    pub(in crate::web) account: Account,
    flash: Option<Flash>,
    /// Extensions of the page's request that calls of the API need.
    extensions: Extensions,
}

/// The body of a call.
enum Content<'a> {
    Nothing,
    Json(&'a Value),
    /// A CSV file or a workbook; the API finds out which.
    Table(Vec<u8>),
}

impl FromRequestParts<Web> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Problem> {
        let (session, digest) = find(web, &parts.headers)
            .await?
            .ok_or(Problem::SignInFirst)?;
        let keys = web.parts().context.store.keys();
        let account = keys.find_account_by_id(session.account_id).await?;
        Ok(Self {
            web: web.clone(),
            reader: Reader::of_request(parts),
            signed: SignedIn::of(&session, digest),
            owner: session.owner,
            account: account.ok_or(Problem::SignInFirst)?,
            flash: Flash::of(&parts.headers),
            extensions: parts.extensions.clone(),
        })
    }
}

impl Session {
    /// Whether the session may do something; the API decides in the same way.
    pub(in crate::web) fn may(&self, action: Action) -> bool {
        may(self.signed.actor, action)
    }

    pub(in crate::web) fn texts(&self) -> &'static Texts {
        texts(self.reader.language)
    }

    pub(in crate::web) fn now(&self) -> OffsetDateTime {
        self.web.parts().context.now()
    }

    /// Reads from the API.
    ///
    /// # Errors
    /// The page for the error of the API.
    pub(in crate::web) async fn get(&self, path: &str) -> Result<Value, Problem> {
        let answer = self.call(Method::GET, path, Content::Nothing, None).await?;
        if answer.status.is_success() {
            return Ok(answer.body);
        }
        Err(answer.problem())
    }

    /// Sends a JSON body to the API.
    ///
    /// # Errors
    /// The page for a failure of this server.
    pub(in crate::web) async fn send(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Answer, Problem> {
        self.call(method, path, Content::Json(body), None).await
    }

    /// Like [`Self::send`], with the token of the form as idempotency key.
    ///
    /// # Errors
    /// The page for a failure of this server.
    pub(in crate::web) async fn send_once(
        &self,
        path: &str,
        body: &Value,
        token: &str,
    ) -> Result<Answer, Problem> {
        self.call(Method::POST, path, Content::Json(body), Some(token))
            .await
    }

    /// Sends a CSV file or a workbook to the API, with the token of the form as idempotency key if the call takes one.
    ///
    /// # Errors
    /// The page for a failure of this server.
    pub(in crate::web) async fn send_table(
        &self,
        path: &str,
        table: Vec<u8>,
        token: Option<&str>,
    ) -> Result<Answer, Problem> {
        self.call(Method::POST, path, Content::Table(table), token)
            .await
    }

    /// Deletes something by the API.
    ///
    /// # Errors
    /// The page for an answer that no other input would change.
    pub(in crate::web) async fn delete(
        &self,
        path: &str,
    ) -> Result<Result<Value, Refusal>, Problem> {
        self.call(Method::DELETE, path, Content::Nothing, None)
            .await?
            .of_form()
    }

    /// Reads from the API, whatever the answer is.
    ///
    /// # Errors
    /// The page for a failure of this server.
    pub(in crate::web) async fn answer(&self, path: &str) -> Result<Answer, Problem> {
        self.call(Method::GET, path, Content::Nothing, None).await
    }

    /// Calls the API and keeps the answer as it is, such as a file.
    pub(in crate::web) async fn forward(&self, path: &str) -> Result<Response, Problem> {
        let request = self.request(Method::GET, path, Content::Nothing, None)?;
        Ok((self.web.parts().api)(request).await)
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Content<'_>,
        token: Option<&str>,
    ) -> Result<Answer, Problem> {
        let request = self.request(method, path, body, token)?;
        let answer = (self.web.parts().api)(request).await;
        let (parts, body) = answer.into_parts();
        let bytes = axum::body::to_bytes(body, MAX_ANSWER).await;
        let bytes = bytes.map_err(|error| {
            tracing::error!(%error, path, "an answer of the API could not be read for a page");
            Problem::Internal
        })?;
        Ok(Answer {
            status: parts.status,
            headers: parts.headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        })
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Content<'_>,
        token: Option<&str>,
    ) -> Result<Request<Body>, Problem> {
        let (content_type, content) = match body {
            Content::Nothing => (None, Body::empty()),
            Content::Json(body) => (Some("application/json"), Body::from(body.to_string())),
            Content::Table(table) => (Some("text/csv"), Body::from(table)),
        };
        let mut request = Request::builder().method(method).uri(path);
        if let Some(content_type) = content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        // A program that sends a form without a token wants no repetition recognised.
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            request = request.header(IDEMPOTENCY_KEY, format!("page-{token}"));
        }
        // A path with what a visitor typed may be no address.
        let mut request = request
            .body(content)
            .map_err(|_invalid| Problem::NoSuchPage)?;
        *request.extensions_mut() = self.extensions.clone();
        request.extensions_mut().insert(self.signed.clone());
        Ok(request)
    }

    /// The frame of a page; `title` is the page's heading too.
    pub(in crate::web) fn frame(&self, title: &str) -> Frame {
        Frame::new(&self.web, &self.reader, title)
    }

    /// The frame's part for accounts: navigation, who is signed in, and the message after a form.
    pub(in crate::web) fn account_frame(&self, tab: Tab) -> AccountFrame {
        let frame = AccountFrame::new(self.texts(), &self.account.name, &self.owner);
        let visible = |tab: &Tab| self.may(tab.action());
        frame.with_tabs(tab, visible).with_message(self.flash)
    }

    /// Answers with a page, which is stored nowhere.
    pub(in crate::web) fn page(&self, status: StatusCode, template: &impl Template) -> Response {
        let mut response = page(status, template, self.reader.cookie());
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.flash.is_some() {
            headers.append(header::SET_COOKIE, Flash::forgotten());
        }
        response
    }

    /// Answers a form with a redirect to a page that shows a message once.
    pub(in crate::web) fn redirect(&self, path: &str, flash: Flash) -> Response {
        let mut response = Redirect::to(path).into_response();
        response
            .headers_mut()
            .append(header::SET_COOKIE, flash.cookie());
        response
    }
}

/// A session is ended if it was not used since this time.
pub(super) fn used_since(settings: &config::Web, now: OffsetDateTime) -> OffsetDateTime {
    now - Duration::hours(settings.idle_hours.into())
}

/// When a new session ends in any case.
pub(super) fn ends_at(settings: &config::Web, now: OffsetDateTime) -> OffsetDateTime {
    now + Duration::days(settings.session_days.into())
}

/// Whether a request has a session.
///
/// # Errors
/// The store failed.
pub(in crate::web) async fn is_signed_in(web: &Web, headers: &HeaderMap) -> Result<bool, Problem> {
    Ok(find(web, headers).await?.is_some())
}

/// The session of a request, with the digest of its token. It is read from the store each time, so it ends on every
/// host at once.
async fn find(
    web: &Web,
    headers: &HeaderMap,
) -> Result<Option<(store::Session, [u8; 32])>, Problem> {
    let Some(digest) = digest(web, headers) else {
        return Ok(None);
    };
    let (store, now) = (&web.parts().context.store, web.parts().context.now());
    let since = used_since(&web.parts().settings, now);
    let session = store.sessions().find(&digest, since, now).await?;
    let Some(session) = session else {
        return Ok(None);
    };
    if now - session.last_seen_at >= TOUCH_INTERVAL {
        store.sessions().touch(&digest, now).await?;
    }
    Ok(Some((session, digest)))
}

/// The digest of the token in a request's cookie.
pub(super) fn digest(web: &Web, headers: &HeaderMap) -> Option<[u8; 32]> {
    cookie(headers, cookie_name(web)).and_then(Token::digest_of)
}

/// The header that signs a browser in.
pub(super) fn signed_in_cookie(web: &Web, token: &Token) -> HeaderValue {
    let seconds = Duration::days(web.parts().settings.session_days.into()).whole_seconds();
    session_cookie(web, &token.text, seconds)
}

/// The header that removes the token from a browser.
pub(super) fn signed_out_cookie(web: &Web) -> HeaderValue {
    session_cookie(web, "", 0)
}

fn session_cookie(web: &Web, value: &str, seconds: i64) -> HeaderValue {
    let name = cookie_name(web);
    let secure = if is_secure(web) { "; Secure" } else { "" };
    let cookie =
        format!("{name}={value}; Path=/; Max-Age={seconds}; SameSite=Lax; HttpOnly{secure}");
    HeaderValue::from_str(&cookie).expect("it is visible ASCII")
}

fn cookie_name(web: &Web) -> &'static str {
    if is_secure(web) {
        SECURE_COOKIE
    } else {
        COOKIE
    }
}

/// Whether browsers reach the server by TLS, its own or that of its public address.
fn is_secure(web: &Web) -> bool {
    let parts = web.parts();
    let url = parts.public_url.as_deref();
    parts.has_tls || url.is_some_and(|url| url.starts_with("https://"))
}
