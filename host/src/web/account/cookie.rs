//! Cookies of a request.

use axum::http::{HeaderMap, header};

/// The value of a cookie. `None` if it is missing or repeated, because another site may have set one of the two.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter();
    let mut found = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(given, _)| *given == name);
    let (_, value) = found.next()?;
    found.next().is_none().then_some(value)
}
