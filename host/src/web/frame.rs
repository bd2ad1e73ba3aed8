//! What all pages have in common: language, title, navigation.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Web;
use super::assets::{ASSETS, Assets};
use super::reader::Reader;
use super::texts::Texts;
use crate::config::Lookup;
use crate::language::Language;

/// The frame of a page.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) language: Language,
    pub(super) t: &'static Texts,
    pub(super) title: String,
    /// Address of the page in the other language.
    pub(super) switch: String,
    pub(super) has_lookup: bool,
    cookie: Option<HeaderValue>,
}

impl Frame {
    pub(super) fn new(web: &Web, reader: &Reader, title: &str) -> Self {
        Self {
            language: reader.language,
            t: reader.texts(),
            title: title.to_owned(),
            switch: reader.switch.clone(),
            has_lookup: web.lookup() != Lookup::Off,
            cookie: reader.cookie(),
        }
    }

    pub(super) fn titled(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    pub(super) fn assets(&self) -> &'static Assets {
        &ASSETS
    }

    /// The header that remembers the language, if the reader chose one.
    pub(super) fn cookie(&self) -> Option<HeaderValue> {
        self.cookie.clone()
    }
}

pub(crate) fn page(
    status: StatusCode,
    template: &impl Template,
    cookie: Option<HeaderValue>,
) -> Response {
    let html = match template.render() {
        Ok(html) => html,
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let content_type = HeaderValue::from_static("text/html; charset=utf-8");
    let mut response = (status, [(header::CONTENT_TYPE, content_type)], html).into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
