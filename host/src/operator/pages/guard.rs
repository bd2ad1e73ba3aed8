//! Who may see the operator's pages: everybody who reaches a loopback address, otherwise those with the key.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::operator::OperatorState;

/// Longest header that is decoded.
const MAX_HEADER: usize = 2_000;

/// Checks the key of a request for a page.
pub(super) async fn check_key(
    State(state): State<OperatorState>,
    request: Request,
    next: Next,
) -> Response {
    let config = state.context.config();
    let settings = &config.operator;
    match &settings.key {
        Some(key) if has_key(request.headers(), key.reveal()) => next.run(request).await,
        Some(_) => {
            let challenge =
                HeaderValue::from_static("Basic realm=\"Lustra operator\", charset=\"UTF-8\"");
            (
                StatusCode::UNAUTHORIZED,
                [(header::WWW_AUTHENTICATE, challenge)],
                "the operator's pages need the key operator.key as password",
            )
                .into_response()
        }
        None if settings.listen.ip().is_loopback() => next.run(request).await,
        None => (
            StatusCode::FORBIDDEN,
            "operator.listen is not a loopback address: set operator.key to see the pages",
        )
            .into_response(),
    }
}

/// Whether the password of HTTP Basic authentication (RFC 7617) is the key. Digests are compared, so that the time says
/// nothing about the key.
fn has_key(headers: &HeaderMap, key: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok());
    let given = given.filter(|value| value.len() <= MAX_HEADER);
    let encoded = given.and_then(|value| {
        let (scheme, encoded) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("basic").then_some(encoded)
    });
    let decoded = encoded.and_then(|encoded| BASE64_STANDARD.decode(encoded.trim()).ok());
    let Some(decoded) = decoded else {
        return false;
    };
    let Some(colon) = decoded.iter().position(|byte| *byte == b':') else {
        return false;
    };
    let password = decoded.get(colon + 1..).unwrap_or_default();
    Sha256::digest(password) == Sha256::digest(key.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_of_basic_authentication_counts() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().expect("a value"));
            has_key(&headers, "a key: 16 characters")
        };
        let basic = |pair: &str| format!("Basic {}", BASE64_STANDARD.encode(pair));
        assert!(of(&basic("anyone:a key: 16 characters")));
        assert!(of(&basic(":a key: 16 characters").replace("Basic", "basic")));
        for other in [
            basic("anyone:another key"),
            basic("a key: 16 characters"),
            basic(""),
            "Basic %%%".to_owned(),
            "Bearer a key: 16 characters".to_owned(),
            "a".to_owned(),
        ] {
            assert!(!of(&other), "{other}");
        }
        assert!(!has_key(&HeaderMap::new(), "a key: 16 characters"));
    }
}
