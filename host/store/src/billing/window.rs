//! Request counts of rate limit windows.

use time::OffsetDateTime;

use crate::AccountId;
use crate::db::{Millis, text_enum};

/// Length of a rate limit window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WindowSpan {
    Minute,
    Day,
}

text_enum!(WindowSpan {
    Minute: "minute",
    Day: "day"
});

/// Requests of an account in one minute or one day.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Window {
    pub account_id: AccountId,
    #[sqlx(try_from = "String")]
    pub span: WindowSpan,
    #[sqlx(try_from = "Millis")]
    pub started_at: OffsetDateTime,
    pub used: i64,
}
