//! Answers of the API to pages.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, StatusCode, header};
use serde_json::Value;

use crate::web::problem::Problem;

/// An answer of the API.
#[derive(Debug)]
pub(in crate::web) struct Answer {
    pub(in crate::web) status: StatusCode,
    pub(in crate::web) headers: HeaderMap,
    pub(in crate::web) body: Value,
}

/// Why the API refused a form.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Refusal {
    /// A sentence in English.
    pub(in crate::web) message: String,
    /// Mistakes by field, in English.
    pub(in crate::web) fields: BTreeMap<String, Vec<String>>,
}

impl Answer {
    /// The answer to a form: the body, or what to show beside the form.
    ///
    /// # Errors
    /// The page for an answer that no other input would change.
    pub(in crate::web) fn of_form(self) -> Result<Result<Value, Refusal>, Problem> {
        if self.status.is_success() {
            return Ok(Ok(self.body));
        }
        let is_about_input = matches!(
            self.status,
            StatusCode::UNPROCESSABLE_ENTITY
                | StatusCode::PAYMENT_REQUIRED
                | StatusCode::PAYLOAD_TOO_LARGE
        );
        if !is_about_input {
            return Err(self.problem());
        }
        Ok(Err(self.refusal()))
    }

    /// Like [`Self::of_form`] for a session that may do this: 403 then says that the account has reached a limit.
    ///
    /// # Errors
    /// The page for an answer that no other input would change.
    pub(in crate::web) fn of_limited_form(
        self,
        is_allowed: bool,
    ) -> Result<Result<Value, Refusal>, Problem> {
        if is_allowed && self.status == StatusCode::FORBIDDEN {
            return Ok(Err(self.refusal()));
        }
        self.of_form()
    }

    /// What the API says is wrong.
    fn refusal(&self) -> Refusal {
        let message = self.body["message"].as_str().unwrap_or_default();
        let fields = serde_json::from_value(self.body["errors"].clone());
        Refusal {
            message: message.to_owned(),
            fields: fields.unwrap_or_default(),
        }
    }

    /// The page for an answer that no other input would change.
    pub(super) fn problem(&self) -> Problem {
        let seconds = self.headers.get(header::RETRY_AFTER);
        let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok());
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => Problem::Busy(seconds.unwrap_or(60)),
            status => Problem::of_status(status),
        }
    }
}
