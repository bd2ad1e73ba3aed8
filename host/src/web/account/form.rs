//! Forms of the pages, and the check that they come from these pages.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::Url;

use crate::web::problem::Problem;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Most fields of a form.
const MAX_FIELDS: usize = 500;

/// The fields of a form in the order in which the browser sent them. Bytes that are not UTF-8 are replaced.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Form(Vec<(String, String)>);

impl Form {
    /// The first value of a field without spaces around it; empty if it was not sent.
    pub(in crate::web) fn text(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(given, _)| given == name);
        field.map_or("", |(_, value)| value.trim())
    }

    /// Adds a field, up to the maximum number of fields.
    pub(super) fn push(&mut self, name: String, value: String) {
        if self.0.len() < MAX_FIELDS {
            self.0.push((name, value));
        }
    }

    /// All values of a field, such as ticked boxes.
    pub(in crate::web) fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.0.iter().filter(|(given, _)| given == name);
        fields.map(|(_, value)| value.as_str()).collect()
    }

    /// Whether a box was ticked.
    pub(in crate::web) fn is_ticked(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|_too_large| Problem::InvalidRequest)?;
        let fields = url::form_urlencoded::parse(&bytes).into_owned();
        Ok(Self(fields.take(MAX_FIELDS).collect()))
    }
}

/// Refuses requests that change something and do not come from a page of this server.
pub(crate) async fn refuse_cross_site(request: Request, next: Next) -> Response {
    if request.method().is_safe() || is_same_origin(request.headers()) {
        return next.run(request).await;
    }
    Problem::OtherSite.into_response()
}

/// By `Sec-Fetch-Site`, which scripts cannot set; browsers omit it without TLS, and `Origin` is compared then.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    if let Some(site) = text(FETCH_SITE) {
        return site == "same-origin";
    }
    let (Some(origin), Some(host)) = (text(header::ORIGIN), text(header::HOST)) else {
        return false;
    };
    let Ok(origin) = Url::parse(origin) else {
        return false;
    };
    let Ok(own) = Url::parse(&format!("{}://{host}", origin.scheme())) else {
        return false;
    };
    origin.has_host() && origin.origin() == own.origin()
}

/// A path of this server to return to after signing in; the account's overview for anything else.
pub(in crate::web) fn local_path(given: &str) -> &str {
    let is_visible = given
        .bytes()
        .all(|byte| (0x21..0x7f).contains(&byte) && byte != b'\\');
    let is_local = given.starts_with('/') && !given.starts_with("//");
    let is_sign_in = given.starts_with("/account/sign-");
    if is_local && is_visible && !is_sign_in && given.len() <= 2_000 {
        given
    } else {
        "/account"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_of_own_pages_pass() {
        let cases: [(&[(&str, &str)], bool); 10] = [
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "http://lustra.example:8080")], true),
            (&[("origin", "http://lustra.example")], false),
            (
                &[("origin", "http://lustra.example.evil.example:8080")],
                false,
            ),
            (&[("origin", "null")], false),
            (&[], false),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://lustra.example:8080"),
                ],
                false,
            ),
        ];
        for (given, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert("host", "lustra.example:8080".parse().expect("a value"));
            for (name, value) in given {
                let name = HeaderName::from_static(name);
                headers.insert(name, value.parse().expect("a value"));
            }
            assert_eq!(is_same_origin(&headers), expected, "{given:?}");
        }
    }

    #[test]
    fn only_local_paths_are_returned_to() {
        for path in ["/account/keys?x=1", "/company/12345678"] {
            assert_eq!(local_path(path), path);
        }
        for other in [
            "",
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "/a\r\nb",
            "javascript:alert(1)",
            "/account/sign-in",
            "/account/sign-out",
        ] {
            assert_eq!(local_path(other), "/account", "{other}");
        }
    }
}
