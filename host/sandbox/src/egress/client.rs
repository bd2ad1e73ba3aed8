//! Sends one request: checks, circuit breaker, rate limit, retries and redirects.
//!
//! There are two clients that differ only in their resolver: one connects to public addresses only, the other serves
//! hosts that a grant names exactly. Their connection pools are separate, so a connection into a private network is
//! never reused for a connector that has only a wildcard grant. HTTP/1.1 and HTTP/2, rustls, 5 s connect timeout.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue};
use reqwest::{Client, Response};
use time::OffsetDateTime;
use tracing::Instrument;
use url::{Host, Url};

use super::address::{Address, join, origin};
use super::allowance::Allowance;
use super::attempt::{attempt, blocked, is_retryable, outcome_of, upstream_outcome};
use super::body::Body;
use super::failure::{EgressFailure, Refusal, without_query};
use super::file;
use super::grants::Grant;
use super::hop::{Hop, cooldown, passed_on};
use super::pace::Pace;
use super::rate_limits::{UpstreamPermit, UpstreamQueues, UpstreamState, UpstreamUse, WaitBudget};
use super::resolver::{Lookup, Reach, Resolver, system};
use super::roots::with_system_roots;
use super::source::ResponseStream;
use super::special::{special_name, special_range};
use super::unpack::ContentEncoding;
use super::{Answer, Outgoing, Upstream};
use crate::clock::Clock;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const POOL_IDLE: Duration = Duration::from_secs(60);

/// Why the clients could not be built: the user agent is not a valid header value, or the system's TLS roots are
/// unreadable.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client could not be set up")]
pub struct EgressSetupError(#[from] reqwest::Error);

/// The HTTP clients of the process. There is one instance, because all connectors share the rate limits.
pub struct Egress {
    public: Client,
    granted: Client,
    queues: UpstreamQueues,
    /// Number of hosts that share the upstreams' rate limits.
    hosts: AtomicU32,
}

/// What stays the same from a request's first attempt to its last redirect.
struct RequestContext<'a> {
    upstream: &'a Upstream,
    allowance: &'a Allowance,
    permit: &'a UpstreamPermit,
    /// Upstream and path, for failure messages.
    label: &'a str,
}

impl Egress {
    /// Builds the clients. A connector may override the user agent. The circuit breakers use the clock.
    pub fn new(user_agent: &str, clock: Clock) -> Result<Self, EgressSetupError> {
        Self::with_lookup(user_agent, &system(), clock)
    }

    /// Like [`Self::new`], with another resolver.
    pub(super) fn with_lookup(
        user_agent: &str,
        lookup: &Lookup,
        clock: Clock,
    ) -> Result<Self, EgressSetupError> {
        Ok(Self {
            public: client(user_agent, lookup, Reach::Public)?,
            granted: client(user_agent, lookup, Reach::Any)?,
            queues: UpstreamQueues::new(clock),
            hosts: AtomicU32::new(1),
        })
    }

    /// Load and cooldown of an upstream address. Files never have a cooldown.
    pub fn upstream_state(&self, address: &Address) -> UpstreamState {
        match address {
            Address::Http(url) => self.queues.state(&queue_key(url)),
            Address::File(_) | Address::Unset => UpstreamState::default(),
        }
    }

    /// The upstream addresses to which requests were sent, with load and counters.
    pub fn uses(&self) -> Vec<UpstreamUse> {
        self.queues.uses()
    }

    /// Sets the number of hosts that share the upstreams' rate limits.
    pub fn share_with(&self, hosts: u32) {
        self.hosts.store(hosts.max(1), Ordering::Relaxed);
    }

    /// Upstream addresses that rate-limited the host, each with its remaining cooldown.
    pub fn cooldowns(&self) -> Vec<(String, Duration)> {
        self.queues.cooldowns()
    }

    /// Starts a cooldown of an upstream address that rate-limited another host.
    pub fn start_cooldown(&self, address: &str, wait: Duration) {
        self.queues.queue(address).start_cooldown(wait);
    }

    /// Sends a request and returns the response head; the body is streamed.
    pub async fn send(
        &self,
        upstream: &Upstream,
        outgoing: Outgoing,
        allowance: &Arc<Allowance>,
    ) -> Result<Answer, EgressFailure> {
        match &upstream.address {
            Address::Unset => Err(Refusal::Unset {
                upstream: upstream.name.clone(),
            }
            .into()),
            Address::File(path) => file::open(upstream, path, &outgoing, allowance).await,
            Address::Http(base) => {
                let span = tracing::debug_span!(
                    target: "traces",
                    "egress",
                    otel.kind = "client",
                    upstream.name = %upstream.name,
                    server.address = base.host_str(),
                    http.request.method = %outgoing.method,
                    http.response.status_code = tracing::field::Empty,
                );
                let fetching = self.fetch(upstream, base, outgoing, allowance);
                let fetching = Box::pin(fetching.instrument(span.clone()));
                let answer = fetching.await;
                if let Ok(answer) = &answer {
                    span.record("http.response.status_code", answer.status);
                }
                answer
            }
        }
    }

    async fn fetch(
        &self,
        upstream: &Upstream,
        base: &Url,
        outgoing: Outgoing,
        allowance: &Arc<Allowance>,
    ) -> Result<Answer, EgressFailure> {
        let url = join(&upstream.name, base, &outgoing.path)?;
        let label = format!("{} {}", upstream.name, without_query(&outgoing.path));
        let label = label.trim_end().to_owned();
        let hop = Hop::first(url, outgoing)?;
        // Check the grant first, so that a missing grant is reported whatever the upstream's state.
        self.client_for(&upstream.grants, &hop)?;
        let pace = Pace::new(upstream.requests_per_second, upstream.concurrent)
            .shared_by(self.hosts.load(Ordering::Relaxed));
        let mut budget = WaitBudget::new(allowance.limits().max_wait);
        let queue = self.queues.queue(&queue_key(base));
        let circuit_open = |_: &EgressFailure| queue.counts.refused_by_circuit();
        queue
            .circuit
            .ensure_closed(&label)
            .inspect_err(circuit_open)?;
        let permit = queue.take_permit(pace, &mut budget).await?;
        let begun = queue
            .circuit
            .begin_request(&label, upstream.timeout / 2, budget.left());
        let request = begun.await.inspect_err(circuit_open)?;
        let context = RequestContext {
            upstream,
            allowance,
            permit: &permit,
            label: &label,
        };
        let outcome = self.follow(hop, &context, &mut budget).await;
        request.end(upstream_outcome(&outcome));
        let response = outcome?;
        let status = response.status();
        tracing::debug!(upstream.name = %upstream.name, status = status.as_u16(), "{label} answered {status}");
        let headers = passed_on(response.headers());
        let of_call = Arc::clone(allowance);
        let stream = ResponseStream::new(response, &label, upstream.idle, of_call, permit);
        let body = Body::from_stream(stream, label, &headers, Arc::clone(allowance));
        Ok(Answer {
            status: status.as_u16(),
            headers,
            body,
        })
    }

    /// Sends a request and follows its redirects.
    async fn follow(
        &self,
        mut hop: Hop,
        context: &RequestContext<'_>,
        budget: &mut WaitBudget,
    ) -> Result<Response, EgressFailure> {
        let mut client = self.client_for(&context.upstream.grants, &hop)?;
        let most = context.allowance.limits().redirects;
        let mut redirects = 0;
        loop {
            context.allowance.take_request()?;
            let response = self.attempts(client, &hop, context, budget).await?;
            let Some(next) = hop.redirected(response.status(), response.headers()) else {
                return Ok(response);
            };
            drop(response);
            redirects += 1;
            if redirects > most {
                return Err(Refusal::Limit {
                    name: "redirects",
                    limit: u64::from(most),
                }
                .into());
            }
            client = self
                .client_for(&context.upstream.grants, &next)
                .map_err(redirect)?;
            context.permit.again(budget).await?;
            hop = next;
        }
    }

    /// Sends one request with the host's retries. If a retry is not permitted, the outcome of the previous attempt is
    /// returned.
    async fn attempts(
        &self,
        client: &Client,
        hop: &Hop,
        context: &RequestContext<'_>,
        budget: &mut WaitBudget,
    ) -> Result<Response, EgressFailure> {
        let mut waits = context.upstream.retry_pauses.iter();
        loop {
            let counts = context.permit.counts();
            let began = Instant::now();
            let outcome = attempt(client, hop, context.upstream.timeout).await;
            counts.attempt(outcome_of(&outcome), began.elapsed());
            if let Ok(response) = &outcome {
                let now = OffsetDateTime::now_utc();
                if let Some(wait) = cooldown(response.status(), response.headers(), now) {
                    context.permit.start_cooldown(wait);
                    counts.throttled_by_upstream();
                    let label = context.label;
                    let seconds = wait.as_secs();
                    tracing::info!(upstream.name = %context.upstream.name, seconds, "upstream {label} rate-limited us; pausing requests for {seconds} s");
                }
            }
            let wait = waits
                .next()
                .filter(|_| hop.repeatable() && is_retryable(&outcome));
            let Some(wait) = wait else {
                return outcome
                    .map_err(|error| error.into_failure(context.label, context.upstream.timeout));
            };
            let jitter = wait.mul_f64(rand::random_range(0.0..0.5));
            tokio::time::sleep(*wait + jitter).await;
            let allowed = context.permit.again(budget).await;
            if allowed.is_err() || context.allowance.take_request().is_err() {
                return outcome
                    .map_err(|error| error.into_failure(context.label, context.upstream.timeout));
            }
            counts.retried();
        }
    }

    /// The client that may send this request. Checks the grants and literal IP addresses, which no resolver sees.
    fn client_for(&self, grants: &[Grant], hop: &Hop) -> Result<&Client, Refusal> {
        let url = &hop.url;
        if hop.has_userinfo() || !grants.iter().any(|grant| grant.allows_url(url)) {
            return Err(Refusal::NotGranted { what: origin(url) });
        }
        if grants.iter().any(|grant| grant.reaches_inside(url)) {
            return Ok(&self.granted);
        }
        let range = match url.host() {
            Some(Host::Ipv4(address)) => special_range(address.into()),
            Some(Host::Ipv6(address)) => special_range(address.into()),
            Some(Host::Domain(name)) => special_name(name).then_some("a local name"),
            None => Some("nowhere"),
        };
        match range {
            Some(range) => Err(blocked(url, url.host_str().unwrap_or_default(), range)),
            None => Ok(&self.public),
        }
    }
}

/// The same refusal for a redirect's target.
fn redirect(refusal: Refusal) -> Refusal {
    if let Refusal::NotGranted { what } = refusal {
        return Refusal::Redirect { to: what };
    }
    refusal
}

/// The key of a rate limit: scheme, host, port and base path.
fn queue_key(base: &Url) -> String {
    base.as_str().trim_end_matches('/').to_owned()
}

fn client(user_agent: &str, lookup: &Lookup, reach: Reach) -> Result<Client, reqwest::Error> {
    let resolver = Resolver {
        lookup: Arc::clone(lookup),
        reach,
    };
    let accepted = HeaderValue::from_static(ContentEncoding::ACCEPTED);
    with_system_roots(Client::builder())
        .default_headers(HeaderMap::from_iter([(ACCEPT_ENCODING, accepted)]))
        .user_agent(user_agent)
        .dns_resolver(Arc::new(resolver))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .http2_adaptive_window(true)
        .build()
}
