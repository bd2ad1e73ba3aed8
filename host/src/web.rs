//! Pages for people: looking companies up, and the state of the service.
//!
//! Pages are rendered on the server and work without a script. They call the same functions as the API and load
//! nothing from other origins. What a company's page says comes from the manifests and schemas of the connectors.

mod account;
mod answer;
mod assets;
mod company;
mod facts;
mod frame;
mod home;
mod parts;
mod plot;
mod problem;
mod reader;
mod shown;
mod status;
mod texts;
mod texts_status;
mod visitors;
mod warnings;

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use time::OffsetDateTime;

use crate::accounts::ApiCalls;
use crate::companies::Companies;
use crate::config::{self, Lookup};
use crate::context::Context;
use crate::handlers::get;
use crate::sandbox_companies::Sandbox;
use crate::sealing::Sealer;
use crate::search::Search;
pub use account::sweep_sessions;
pub(crate) use account::{number, refuse_cross_site};
pub(crate) use assets::{ASSETS, asset};
pub(crate) use frame::page;
pub(crate) use reader::{Reader, parameter};
pub(crate) use texts::catalogue;
pub(crate) use visitors::Client;
use visitors::Visits;

/// Pages load resources only from this server, run no inline script and cannot be framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// What the pages are made from.
pub struct WebParts {
    pub context: Context,
    pub companies: Companies,
    pub search: Search,
    pub sandbox: Arc<Sandbox>,
    pub sealer: Arc<Sealer>,
    /// Calls of the API for sessions.
    pub api: ApiCalls,
    pub settings: config::Web,
    /// Public address of the API, if it is set.
    pub public_url: Option<String>,
    /// Whether this host serves its pages with TLS.
    pub has_tls: bool,
    pub started_at: OffsetDateTime,
}

impl WebParts {
    /// The address of the API as the visitor reaches it.
    fn base_url(&self, headers: &HeaderMap, client: &Client) -> String {
        if let Some(url) = &self.public_url {
            return url.trim_end_matches('/').to_owned();
        }
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let is_host = |host: &&str| {
            let of_host =
                |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
            !host.is_empty() && host.chars().all(of_host)
        };
        let scheme = if client.is_secure() { "https" } else { "http" };
        format!("{scheme}://{}", host.filter(is_host).unwrap_or("localhost"))
    }
}

/// The pages of one host. Clones share their state.
#[derive(Clone)]
pub struct Web(Arc<Inner>);

struct Inner {
    parts: WebParts,
    searches: Visits,
    visits: Visits,
    sign_ins: Visits,
}

impl Web {
    #[must_use]
    pub fn new(parts: WebParts) -> Self {
        Self(Arc::new(Inner {
            parts,
            searches: Visits::default(),
            visits: Visits::default(),
            sign_ins: Visits::default(),
        }))
    }

    fn parts(&self) -> &WebParts {
        &self.0.parts
    }

    fn lookup(&self) -> Lookup {
        self.0.parts.settings.lookup
    }
}

/// The routes of the pages.
pub fn routes<S: Clone + Send + Sync + 'static>(web: &Web) -> Router<S> {
    Router::new()
        .route("/", get(home::home))
        .route("/suggest", get(home::suggest))
        .route("/company/{ico}", get(home::company))
        .route("/status", get(status::status))
        .merge(account::routes())
        .layer(axum::middleware::map_response(with_headers))
        .route("/assets/{name}", get(asset))
        .with_state(web.clone())
}

/// Answers errors below the pages' addresses with pages.
pub fn with_error_pages(router: Router, web: &Web) -> Router {
    router.layer(axum::middleware::from_fn_with_state(
        web.clone(),
        problem::pages,
    ))
}

/// The headers of every page.
pub(crate) async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::VARY, "accept, accept-language, cookie"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let cached = headers.entry(header::CACHE_CONTROL);
    cached.or_insert(HeaderValue::from_static("private, no-cache"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    response
}
