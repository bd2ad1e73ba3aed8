//! The guides of `host/docs`, served at `/docs`.
//!
//! The Markdown files are part of the program and are rendered once, when the first page is requested. Pages are
//! static: they load nothing from other origins and contain no inline script or style. The API reference at
//! [`REFERENCE`] belongs to [`super::openapi`].

mod layout;
mod render;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::handlers::get;
use render::Page;

/// The address of the API reference.
pub(super) const REFERENCE: &str = "/docs/reference/";

/// Pages load resources only from this server, run no inline script and cannot be framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// A guide as it is in the source tree.
struct Guide {
    /// The last part of its address; empty for the first page.
    slug: &'static str,
    /// The heading above it in the navigation.
    group: &'static str,
    /// Its file, relative to `host/docs`.
    file: &'static str,
    markdown: &'static str,
}

macro_rules! guides {
    ($($group:literal: $($slug:literal => $file:literal),+;)+) => {
        &[$($(Guide {
            slug: $slug,
            group: $group,
            file: $file,
            markdown: include_str!(concat!("../../docs/", $file)),
        }),+),+]
    };
}

/// All guides in the order of the navigation.
const GUIDES: &[Guide] = guides! {
    "": "" => "index.md";
    "API": "getting-started" => "getting-started.md",
        "companies" => "companies.md",
        "freshness" => "freshness.md",
        "search" => "search.md",
        "collections" => "collections.md",
        "batch" => "batch.md",
        "credits" => "credits.md",
        "account" => "account.md",
        "notifications" => "notifications.md",
        "webhooks" => "webhooks.md",
        "conditional-requests" => "conditional-requests.md",
        "errors" => "errors.md",
        "sandbox" => "sandbox.md";
    "Operation": "install" => "install.md",
        "operating" => "operating.md",
        "deployment" => "deployment.md",
        "monitoring" => "monitoring.md",
        "pages" => "pages.md",
        "configuration" => "configuration.md",
        "connectors" => "connectors.md",
        "imports" => "imports.md",
        "billing" => "billing.md",
        "backup" => "backup.md",
        "upgrade" => "upgrade.md",
        "scaling" => "scaling.md",
        "benchmarks" => "benchmarks.md";
    "Project": "development" => "development.md",
        "changelog" => "../../CHANGELOG.md";
};

/// A file that is served, with its entity tag.
struct File {
    content_type: HeaderValue,
    etag: String,
    body: Vec<u8>,
}

impl File {
    fn new(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let digest = crate::connectors::cache::digest(&body);
        Self {
            content_type: HeaderValue::from_static(content_type),
            etag: format!("\"{}\"", &digest[..32]),
            body,
        }
    }

    /// The answer to a request: 304 if the client has this version.
    fn answer(&self, request: &HeaderMap) -> Response {
        let sent = request.get_all(header::IF_NONE_MATCH).iter();
        let is_known = sent
            .filter_map(|tags| tags.to_str().ok())
            .flat_map(|tags| tags.split(','))
            .any(|tag| tag.trim().trim_start_matches("W/") == self.etag);
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            (
                [(header::CONTENT_TYPE, self.content_type.clone())],
                self.body.clone(),
            )
                .into_response()
        };
        if let Ok(etag) = HeaderValue::from_str(&self.etag) {
            response.headers_mut().insert(header::ETAG, etag);
        }
        response
    }
}

/// All files below `/docs` except the reference.
struct Docs {
    /// By the part of the address behind `/docs/`.
    files: BTreeMap<&'static str, File>,
    not_found: File,
}

static DOCS: LazyLock<Docs> = LazyLock::new(Docs::rendered);

/// The guides as pages, in the order of the navigation.
fn pages() -> Vec<Page> {
    GUIDES.iter().map(render::page).collect()
}

impl Docs {
    fn rendered() -> Self {
        const HTML: &str = "text/html; charset=utf-8";
        let pages = pages();
        let mut files = BTreeMap::from([
            (
                "style.css",
                File::new("text/css; charset=utf-8", include_str!("docs/style.css")),
            ),
            (
                "search.js",
                File::new(
                    "text/javascript; charset=utf-8",
                    include_str!("docs/search.js"),
                ),
            ),
            (
                "search.json",
                File::new("application/json", layout::search_index(&pages)),
            ),
        ]);
        for (at, page) in pages.iter().enumerate() {
            files.insert(page.slug, File::new(HTML, layout::document(&pages, at)));
        }
        let not_found = File::new(HTML, layout::not_found(&pages));
        Self { files, not_found }
    }
}

/// The routes of the guides.
pub(super) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let first = |headers: HeaderMap| async move { page("", &headers) };
    Router::new()
        .route("/docs", get(first))
        .route("/docs/", get(first))
        .route(
            "/docs/{page}",
            get(
                |Path(name): Path<String>, headers: HeaderMap| async move { page(&name, &headers) },
            ),
        )
        .layer(axum::middleware::map_response(with_headers))
}

/// The answer for an address below `/docs`.
fn page(name: &str, request: &HeaderMap) -> Response {
    if let Some(file) = DOCS.files.get(name) {
        return file.answer(request);
    }
    if was_of_the_reference(name) {
        return Redirect::permanent(&format!("{REFERENCE}{name}")).into_response();
    }
    let accepts = request
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    if accepts.is_some_and(|accept| accept.contains("text/html")) {
        let mut response = DOCS.not_found.answer(&HeaderMap::new());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    }
    super::unknown_path().into_response()
}

/// Whether a name belongs to the reference, which was at `/docs` in earlier versions.
fn was_of_the_reference(name: &str) -> bool {
    name.starts_with("swagger-")
        || name.starts_with("favicon-")
        || matches!(name, "index.html" | "index.css" | "oauth2-redirect.html")
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
