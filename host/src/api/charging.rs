//! Charging: errors and cached responses are free; any other response costs a credit, booked before the
//! response is sent.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};

use super::App;
use super::auth::{Caller, authenticate};
use super::error::{ApiError, Code};
use super::exchange::Exchange;
use crate::billing::{ChargeError, Customer, Ledger, Metering, end_of_day};
use crate::clock::rfc3339;
use crate::store::AccountId;

pub(super) const CHARGED: HeaderName = HeaderName::from_static("x-credits-charged");
pub(super) const OVERAGE: HeaderName = HeaderName::from_static("x-credits-overage");
pub(super) const REMAINING: HeaderName = HeaderName::from_static("x-credits-remaining");
pub(super) const LIMIT_MINUTE: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
pub(super) const REMAINING_MINUTE: HeaderName =
    HeaderName::from_static("x-ratelimit-remaining-minute");
pub(super) const LIMIT_DAILY: HeaderName = HeaderName::from_static("x-ratelimit-limit-daily");
pub(super) const REMAINING_DAILY: HeaderName =
    HeaderName::from_static("x-ratelimit-remaining-daily");

/// How long the `ETag` of a paid response is kept after its last use.
const PAID_TAG: Duration = Duration::from_secs(24 * 3_600);

/// Most `ETag`s that are kept. Each takes about half a kilobyte.
const MAX_PAID_TAGS: u64 = 20_000;

/// The newest `ETag`s of responses that accounts paid for on this host. A forgotten tag is still compared; it
/// only does not put the response into the cache.
#[derive(Clone)]
pub struct PaidTags(moka::sync::Cache<(AccountId, String), ()>);

impl Default for PaidTags {
    fn default() -> Self {
        let tags = moka::sync::Cache::builder().max_capacity(MAX_PAID_TAGS);
        Self(tags.time_to_idle(PAID_TAG).build())
    }
}

impl PaidTags {
    pub(super) fn insert(&self, account_id: AccountId, etag: &str) {
        self.0.insert((account_id, etag.to_owned()), ());
    }

    pub(super) fn contains(&self, account_id: AccountId, etag: &str) -> bool {
        self.0.get(&(account_id, etag.to_owned())).is_some()
    }
}

/// The name of a charged endpoint in the usage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endpoint(pub(super) &'static str);

/// The layer of a charged route. Its handler takes a [`Call`].
pub(super) fn charged_as(name: &'static str) -> Extension<Endpoint> {
    Extension(Endpoint(name))
}

/// A call of a charged endpoint (company, search, new batch). As an extractor it identifies the caller and counts
/// the call against the rate limits of the plan. It is the handler's first extractor, so that a call whose
/// parameters are wrong is counted too.
///
/// If it is dropped without being charged, it is counted in the usage and is free.
pub(super) struct Call {
    ledger: Ledger,
    caller: Caller,
    endpoint: &'static str,
    counted: bool,
}

/// Proof of a charged call.
pub(super) struct Receipt {
    ledger: Ledger,
    customer: Arc<Customer>,
    exchange: Exchange,
}

impl FromRequestParts<App> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let caller = authenticate(parts, app).await?;
        admit(app, &caller).await?;
        let Some(Endpoint(endpoint)) = parts.extensions.get::<Endpoint>().copied() else {
            tracing::error!("a charged route has no name in the usage");
            return Err(ApiError::internal());
        };
        Ok(Self {
            ledger: app.ledger.clone(),
            caller,
            endpoint,
            counted: false,
        })
    }
}

impl Call {
    pub(super) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Checks before the work starts that the account can pay.
    pub(super) async fn ensure_credit(&self) -> Result<(), ApiError> {
        if self.ledger.can_pay(&self.caller.customer).await? {
            return Ok(());
        }
        Err(self.exhausted().await)
    }

    /// The headers of this call's charge, for a charge that may be undone.
    pub(super) fn charge_headers(&self) -> ChargeHeaders {
        ChargeHeaders(Some(self.caller.exchange.clone()))
    }

    /// Records a response from the cache, which is free.
    pub(super) fn cached(mut self) {
        let account = self.caller.account_id;
        self.ledger.count(account, self.endpoint, true);
        self.counted = true;
        self.set_charged(0);
    }

    /// Records a free response.
    pub(super) fn free(self) {
        self.set_charged(0);
    }

    /// Books the charge. The response may be sent only afterwards.
    pub(super) async fn charge(mut self) -> Result<Receipt, ApiError> {
        let (customer, exchange) = (&self.caller.customer, &self.caller.exchange);
        let charged = self
            .ledger
            .charge(customer, exchange.id(), self.endpoint)
            .await;
        match charged {
            Ok(paid) => {
                if let Some(paid) = paid {
                    self.set_charged(paid.credits);
                    if paid.credits == 0 {
                        exchange.set_header(OVERAGE, HeaderValue::from(1));
                    }
                    if customer.metering == Metering::Credits {
                        exchange.set_header(REMAINING, HeaderValue::from(paid.remaining));
                    }
                }
                self.counted = true;
                Ok(Receipt {
                    ledger: self.ledger.clone(),
                    customer: Arc::clone(customer),
                    exchange: exchange.clone(),
                })
            }
            Err(ChargeError::Exhausted) => Err(self.exhausted().await),
            Err(ChargeError::Unavailable) => Err(ApiError::service_unavailable()),
        }
    }

    fn set_charged(&self, credits: i64) {
        if self.caller.customer.metering == Metering::Credits {
            let exchange = &self.caller.exchange;
            exchange.set_header(CHARGED, HeaderValue::from(credits));
        }
    }

    async fn exhausted(&self) -> ApiError {
        let customer = &self.caller.customer;
        match customer.metering {
            Metering::Credits | Metering::Unmetered => {
                self.set_charged(0);
                let exchange = &self.caller.exchange;
                exchange.set_header(REMAINING, HeaderValue::from(0));
                let what = "the credit balance is exhausted; add credits or enable overage billing";
                ApiError::new(Code::CreditsExhausted, what)
            }
            Metering::Quota => {
                let what = "the monthly quota is exhausted";
                let message = match self.ledger.state(customer).await {
                    Ok(state) => format!(
                        "{what}; it is reset at {}",
                        rfc3339(state.account.period_end)
                    ),
                    Err(_) => what.to_owned(),
                };
                ApiError::new(Code::CreditsExhausted, message)
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.counted {
            self.ledger
                .count(self.caller.account_id, self.endpoint, false);
        }
    }
}

impl Receipt {
    /// Refunds the call, because its response became an error.
    pub(super) async fn refund(self) {
        if self.customer.metering != Metering::Unmetered {
            self.ledger.refund(&self.customer, self.exchange.id()).await;
            forget_charge(&self.exchange);
        }
    }
}

/// Removes the headers of a charge when it is dropped. For a charge that is undone if its response does not come from
/// the handler, as after the time limit of requests.
pub(super) struct ChargeHeaders(Option<Exchange>);

impl ChargeHeaders {
    /// Keeps the headers, because the response comes from the handler.
    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for ChargeHeaders {
    fn drop(&mut self) {
        if let Some(exchange) = &self.0 {
            forget_charge(exchange);
        }
    }
}

fn forget_charge(exchange: &Exchange) {
    for header in [CHARGED, OVERAGE, REMAINING] {
        exchange.forget(&header);
    }
}

/// Counts a look-up against the plan's rate limits and sets the headers with the remaining calls.
async fn admit(app: &App, caller: &Caller) -> Result<(), ApiError> {
    let limits = caller.plan.limits();
    if !limits.are_set() {
        return Ok(());
    }
    let admission = app.ledger.admit(&caller.customer, limits).await;
    let admission = admission.map_err(|_unavailable| ApiError::service_unavailable())?;
    let allowances = [
        (admission.minute, LIMIT_MINUTE, REMAINING_MINUTE),
        (admission.day, LIMIT_DAILY, REMAINING_DAILY),
    ];
    for (allowance, limit, remaining) in allowances {
        if let Some(allowance) = allowance {
            let exchange = &caller.exchange;
            exchange.set_header(limit, HeaderValue::from(allowance.limit));
            exchange.set_header(remaining, HeaderValue::from(allowance.remaining));
        }
    }
    let Some(seconds) = admission.retry_after else {
        return Ok(());
    };
    let of_day = admission.day.is_some_and(|day| day.remaining == 0);
    let message = if of_day {
        let end = rfc3339(end_of_day(app.ledger.now()));
        format!("the plan's requests of this day are used up; the next day begins at {end}")
    } else {
        format!("too many requests in this minute; come back in {seconds} s")
    };
    Err(ApiError::new(Code::RateLimitExceeded, message).retry_after(seconds))
}
