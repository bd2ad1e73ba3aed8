//! Who may see the operator's pages: everybody who reaches a loopback address, otherwise those with the key.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::Problem;
use crate::http_server::network;
use crate::operator::OperatorState;
use crate::warning_limiter::WarningLimiter;
use crate::web::Client;

static WRONG: WarningLimiter = WarningLimiter::new();

/// Longest header that is decoded.
const MAX_HEADER: usize = 2_000;

/// Checks the key of a request for a page. A client address that has sent too many wrong keys in this minute waits,
/// even with the right one: otherwise it could go on guessing.
pub(super) async fn check_key(
    State(state): State<OperatorState>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    let config = state.context.config();
    let settings = &config.operator;
    let Some(key) = &settings.key else {
        if settings.listen.ip().is_loopback() {
            return next.run(request).await;
        }
        return Problem::PagesOff.into_response();
    };
    let now = state.context.now();
    let (wrong, most) = (&state.memory.wrong_keys, settings.wrong_keys_per_minute);
    let is_given = request.headers().contains_key(header::AUTHORIZATION);
    let network = client.counted().map(network);
    // Browsers ask without a key first; that is no attempt.
    let network = network.filter(|_| is_given);
    if let Some(network) = &network
        && let Err(seconds) = wrong.check(network, most, now)
    {
        return Problem::TooManyKeys(seconds).into_response();
    }
    if has_key(request.headers(), key.reveal()) {
        return next.run(request).await;
    }
    if let Some(network) = network {
        if let Some(times) = WRONG.count(&network.to_string()) {
            tracing::warn!(client = %network, times, "a wrong operator.key was sent from {network}; repetitions are only counted");
        }
        if let Err(seconds) = wrong.admit(network, most, now) {
            return Problem::TooManyKeys(seconds).into_response();
        }
    }
    Problem::KeyNeeded.into_response()
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
