//! The common form of all errors: `{"error": code, "message": sentence}`. A 422 adds `errors` by parameter.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::collections::CollectionError;
use crate::companies::{ProfileError, ScopeError};
use crate::search::SearchError;
use crate::store::StoreError;
use crate::warning_limiter::WarningLimiter;

/// Error codes for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The API key is missing or invalid.
    Unauthorized,
    /// No credits are left, or the monthly quota is used up.
    CreditsExhausted,
    /// The plan, the key or a limit of the account does not allow it.
    Forbidden,
    /// There is no such company or path.
    NotFound,
    /// The path does not support the method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// Events after the cursor have been deleted.
    CursorExpired,
    /// The request is not valid HTTP.
    BadRequest,
    /// The path and query are too long.
    UriTooLong,
    /// The headers are too large.
    HeadersTooLarge,
    /// The body is too large.
    PayloadTooLarge,
    /// The body is not declared as JSON, nor as a table where a file is expected.
    UnsupportedMediaType,
    /// A parameter or the body is invalid.
    ValidationError,
    /// A rate limit is exceeded.
    RateLimitExceeded,
    /// An error in this service.
    InternalError,
    /// The service or a register is temporarily unavailable.
    ServiceUnavailable,
}

impl Code {
    fn status(self) -> StatusCode {
        match self {
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::CreditsExhausted => StatusCode::PAYMENT_REQUIRED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::CursorExpired => StatusCode::GONE,
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::ValidationError => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimitExceeded => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::ServiceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// The body of every error response.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// Error code for programs.
    error: Code,
    /// What is wrong, as a sentence for people.
    message: String,
    /// With status 422: the mistakes by parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<BTreeMap<String, Vec<String>>>,
}

/// An error response: its body and what its headers state.
#[derive(Debug)]
pub struct ApiError {
    body: ErrorBody,
    retry_after: Option<u64>,
    closing: bool,
}

impl ApiError {
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            body: ErrorBody {
                error: code,
                message: message.into(),
                errors: None,
            },
            retry_after: None,
            closing: false,
        }
    }

    /// A 422 for a single parameter.
    #[must_use]
    pub fn invalid(parameter: &str, why: impl Into<String>) -> Self {
        Self::all_invalid(BTreeMap::from([(parameter.to_owned(), vec![why.into()])]))
    }

    /// A 422 for several parameters.
    #[must_use]
    pub fn all_invalid(errors: BTreeMap<String, Vec<String>>) -> Self {
        let sentences: Vec<String> = errors
            .iter()
            .flat_map(|(name, why)| why.iter().map(move |why| format!("{name}: {why}")))
            .collect();
        let mut error = Self::new(Code::ValidationError, sentences.join("; "));
        error.body.errors = Some(errors);
        error
    }

    /// Adds `Retry-After`, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Closes the connection, for a request that was not read completely.
    #[must_use]
    pub fn closing(mut self) -> Self {
        self.closing = true;
        self
    }

    /// Status and body as sent.
    #[must_use]
    pub fn as_sent(&self) -> (StatusCode, String) {
        let body = serde_json::to_string(&self.body).expect("texts always become JSON");
        (self.body.error.status(), body)
    }

    /// A 503 for a dependency that is temporarily unavailable.
    #[must_use]
    pub fn service_unavailable() -> Self {
        let message = "the service is temporarily unavailable";
        Self::new(Code::ServiceUnavailable, message).retry_after(5)
    }

    /// A 500. The caller logs what happened.
    #[must_use]
    pub fn internal() -> Self {
        let message = "an internal error occurred; the log has it under the request id";
        Self::new(Code::InternalError, message)
    }

    fn unavailable(error: &StoreError) -> Self {
        if error.is_unavailable() {
            tracing::error!(%error, "the store is unavailable");
            return Self::service_unavailable();
        }
        tracing::error!(%error, "the store failed");
        Self::internal()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.body.error.status(), Json(self.body)).into_response();
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.closing {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::unavailable(&error)
    }
}

/// Limits repeated log lines about failed look-ups.
static UNREAD: WarningLimiter = WarningLimiter::new();

impl From<ProfileError> for ApiError {
    fn from(error: ProfileError) -> Self {
        let message = error.to_string();
        match error {
            ProfileError::NoSuchCompany => Self::new(Code::NotFound, "company not found"),
            ProfileError::Ambiguous(_) => Self::invalid("orsr_id", message),
            ProfileError::Unread(failure) => {
                // Every look-up of a company meets a list that was never imported; logging each would fill the
                // log.
                let reason = failure.to_string();
                if let Some(times) = UNREAD.count(&reason) {
                    tracing::warn!(%failure, times, "company look-up failed; repetitions of this reason are only counted");
                }
                Self::new(Code::ServiceUnavailable, message).retry_after(30)
            }
            ProfileError::Store(error) => Self::unavailable(&error),
        }
    }
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Building(_) => {
                Self::new(Code::ServiceUnavailable, error.to_string()).retry_after(5)
            }
            SearchError::Store(error) => Self::unavailable(&error),
            // It was logged where it occurred.
            SearchError::Index(_) | SearchError::Folder(_) | SearchError::Stopped(_) => {
                Self::internal()
            }
        }
    }
}

impl From<CollectionError> for ApiError {
    fn from(error: CollectionError) -> Self {
        let message = error.to_string();
        match error {
            CollectionError::NoSuchItem => Self::new(Code::NotFound, message),
            CollectionError::Unread(_) | CollectionError::OtherForm | CollectionError::TooLarge => {
                Self::new(Code::ServiceUnavailable, message).retry_after(300)
            }
            CollectionError::Replaced => {
                Self::new(Code::ServiceUnavailable, message).retry_after(5)
            }
            CollectionError::Store(error) => Self::unavailable(&error),
            CollectionError::Stopped(why) => {
                tracing::error!(why, "a collection could not be indexed");
                Self::internal()
            }
        }
    }
}

impl From<ScopeError> for ApiError {
    fn from(error: ScopeError) -> Self {
        let message = error.to_string();
        match error {
            ScopeError::Unknown { .. } => Self::invalid("scope", message),
            ScopeError::NotInPlan(_) => Self::new(Code::Forbidden, message),
        }
    }
}
