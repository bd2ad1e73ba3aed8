//! What a request says about its reader: the language, and the page that is read.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Uri, header};

use super::texts::{Texts, texts};
use crate::language::Language;

/// The cookie that remembers the chosen language.
const COOKIE: &str = "lustra_language";

/// The parameter that chooses a language.
const PARAMETER: &str = "lang";

/// The reader of a page.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    pub(crate) language: Language,
    /// Whether the request chose the language, so that it is remembered.
    pub(super) is_chosen: bool,
    /// The page in the other language: path and query, escaped as in a URI.
    pub(crate) switch: String,
}

impl Reader {
    pub(super) fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let query = uri.query().unwrap_or_default();
        let chosen = parameter(query, PARAMETER).and_then(|code| Language::parse(&code));
        let language = chosen
            .or_else(|| remembered(headers))
            .unwrap_or_else(|| preferred(headers));
        let other = language.pick(Language::English, Language::Slovak);
        let mut switched = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            if name != PARAMETER {
                switched.append_pair(&name, &value);
            }
        }
        switched.append_pair(PARAMETER, other.code());
        Self {
            language,
            is_chosen: chosen.is_some(),
            switch: format!("?{}", switched.finish()),
        }
    }

    /// The reader of an answer to a request. The answer to a form leads to the form's page in the other language, since
    /// most addresses of forms have no page.
    pub(super) fn of_request(parts: &Parts) -> Self {
        let reader = Self::of(&parts.uri, &parts.headers);
        if parts.method.is_safe() {
            return reader;
        }
        let page = match parts.uri.path().split('/').nth(2) {
            Some("alerts" | "language") | None => "/account".to_owned(),
            Some(name) => format!("/account/{name}"),
        };
        Self {
            switch: format!("{page}{}", reader.switch),
            ..reader
        }
    }

    pub(super) fn texts(&self) -> &'static Texts {
        texts(self.language)
    }

    /// The header that remembers a chosen language.
    pub(crate) fn cookie(&self) -> Option<HeaderValue> {
        let code = self.language.code();
        let cookie = format!("{COOKIE}={code}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly");
        HeaderValue::from_str(&cookie)
            .ok()
            .filter(|_| self.is_chosen)
    }
}

impl<S: Sync> FromRequestParts<S> for Reader {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Self::of_request(parts))
    }
}

/// The first value of a query's parameter. Bytes that are not UTF-8 are replaced.
pub(crate) fn parameter(query: &str, name: &str) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let pair = pairs.find(|pair| pair.0 == name)?;
    Some(pair.1.into_owned())
}

/// Whether the client wants a page and not JSON.
pub(super) fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("text/html"))
}

fn remembered(headers: &HeaderMap) -> Option<Language> {
    let cookies = headers.get_all(header::COOKIE).iter();
    cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == COOKIE)
        .and_then(|(_, code)| Language::parse(code))
}

/// The language that the browser prefers. Czech readers understand Slovak better than English. Without a known language
/// it is English, and without the header the default language.
fn preferred(headers: &HeaderMap) -> Language {
    let Some(value) = headers.get(header::ACCEPT_LANGUAGE) else {
        return Language::default();
    };
    let mut best = (0.0, Language::English);
    for range in value.to_str().unwrap_or_default().split(',').take(32) {
        let mut parts = range.trim().split(';');
        let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q="));
        let weight = weight.map_or(Some(1.0), |weight| weight.parse::<f32>().ok());
        let language = match tag.split('-').next().unwrap_or_default() {
            "sk" | "cs" => Language::Slovak,
            "en" => Language::English,
            _ => continue,
        };
        if let Some(weight) = weight.filter(|weight| *weight > best.0) {
            best = (weight, language);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(uri: &str, accepted: Option<&str>, cookie: Option<&str>) -> (&'static str, bool) {
        let mut headers = HeaderMap::new();
        let put = |headers: &mut HeaderMap, name, value: Option<&str>| {
            if let Some(value) = value {
                headers.insert(name, value.parse().expect("a header's value"));
            }
        };
        put(&mut headers, header::ACCEPT_LANGUAGE, accepted);
        put(&mut headers, header::COOKIE, cookie);
        let reader = Reader::of(&uri.parse().expect("an address"), &headers);
        (reader.language.code(), reader.is_chosen)
    }

    #[test]
    fn choice_comes_before_cookie_and_browser() {
        for (uri, accepted, cookie, expected) in [
            ("/", None, None, ("sk", false)),
            ("/", Some("de-DE,de;q=0.9"), None, ("en", false)),
            ("/", Some("en;q=0.5, cs-CZ;q=0.8"), None, ("sk", false)),
            ("/", Some("en-GB,en;q=0.9,sk;q=0.8"), None, ("en", false)),
            ("/", Some("sk;q=nan, en;q=0.1"), None, ("en", false)),
            (
                "/",
                Some("en"),
                Some("a=b; lustra_language=sk"),
                ("sk", false),
            ),
            ("/", Some("sk"), Some("lustra_language=xx"), ("sk", false)),
            (
                "/?lang=en",
                Some("sk"),
                Some("lustra_language=sk"),
                ("en", true),
            ),
            ("/?lang=de", Some("sk"), None, ("sk", false)),
        ] {
            assert_eq!(
                language(uri, accepted, cookie),
                expected,
                "{uri} {accepted:?}"
            );
        }
    }

    #[test]
    fn switch_keeps_the_other_parameters() {
        let uri: Uri = "/?q=%22%3E%3Cb&lang=sk&page=2".parse().expect("an address");
        let reader = Reader::of(&uri, &HeaderMap::new());
        assert_eq!(reader.switch, "?q=%22%3E%3Cb&page=2&lang=en");
    }
}
