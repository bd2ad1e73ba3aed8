//! One attempt of a request: its result, what it says about the upstream, and whether another one follows.

use std::time::Duration;

use reqwest::{Client, Response};
use time::OffsetDateTime;
use url::Url;

use super::address::origin;
use super::counts::AttemptOutcome;
use super::failure::{EgressFailure, Refusal};
use super::hop::{Hop, cooldown, passing};
use super::resolver::special_in;
use super::source::root_cause;
use super::upstream_circuit::UpstreamOutcome;

/// Why one attempt got no response.
pub(super) enum Attempt {
    /// No response within the upstream's timeout.
    Timeout,
    Special(Refusal),
    Transport(reqwest::Error),
}

/// Sends a request once, without redirects.
pub(super) async fn attempt(
    client: &Client,
    hop: &Hop,
    timeout: Duration,
) -> Result<Response, Attempt> {
    let mut request = client
        .request(hop.method.clone(), hop.url.clone())
        .headers(hop.headers.clone());
    if let Some(body) = &hop.body {
        request = request.body(body.clone());
    }
    match tokio::time::timeout(timeout, request.send()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(match special_in(&error) {
            Some(special) => Attempt::Special(blocked(&hop.url, &special.address, special.range)),
            None => Attempt::Transport(error),
        }),
        Err(_elapsed) => Err(Attempt::Timeout),
    }
}

impl Attempt {
    /// The failure, with the upstream and path of the request as its label.
    pub(super) fn into_failure(self, label: &str, timeout: Duration) -> EgressFailure {
        match self {
            Self::Timeout => {
                EgressFailure::Unavailable(format!("{label}: no answer within {timeout:?}"))
            }
            Self::Special(refusal) => refusal.into(),
            Self::Transport(error) => {
                EgressFailure::Unavailable(format!("{label}: {}", root_cause(&error)))
            }
        }
    }
}

pub(super) fn outcome_of(outcome: &Result<Response, Attempt>) -> AttemptOutcome {
    match outcome {
        Ok(response) => AttemptOutcome::of_status(response.status().as_u16()),
        Err(Attempt::Timeout) => AttemptOutcome::Timeout,
        Err(Attempt::Special(_)) => AttemptOutcome::Blocked,
        Err(Attempt::Transport(_)) => AttemptOutcome::Transport,
    }
}

/// What a request's outcome means for the circuit breaker of its upstream.
pub(super) fn upstream_outcome(outcome: &Result<Response, EgressFailure>) -> UpstreamOutcome {
    match outcome {
        Ok(response) if !response.status().is_server_error() => UpstreamOutcome::Answered,
        Ok(response) => {
            let now = OffsetDateTime::now_utc();
            match cooldown(response.status(), response.headers(), now) {
                Some(_) => UpstreamOutcome::Neither,
                None => UpstreamOutcome::Failed,
            }
        }
        Err(EgressFailure::Unavailable(_)) => UpstreamOutcome::Failed,
        Err(
            EgressFailure::Throttled(_)
            | EgressFailure::Refused(_)
            | EgressFailure::Malformed { .. }
            | EgressFailure::Misconfigured(_),
        ) => UpstreamOutcome::Neither,
    }
}

/// Whether a failed attempt is retried. Timeouts are not, because the caller has already waited long enough.
pub(super) fn is_retryable(outcome: &Result<Response, Attempt>) -> bool {
    match outcome {
        Ok(response) => passing(response.status(), response.headers()),
        Err(Attempt::Transport(error)) => !error.is_timeout() && !error.is_builder(),
        Err(Attempt::Timeout | Attempt::Special(_)) => false,
    }
}

pub(super) fn blocked(url: &Url, address: &str, range: &'static str) -> Refusal {
    Refusal::BlockedAddress {
        host: url.host_str().unwrap_or_default().to_owned(),
        address: address.to_owned(),
        range,
        grant: origin(url),
    }
}
