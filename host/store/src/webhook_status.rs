//! The state of a subscription's webhook.

use super::UnknownWord;
use super::db::{MaybeWord, text_enum};

/// Whether a subscription's webhook receives events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookStatus {
    Active,
    /// Its deliveries are held: every attempt failed for days, or the account paused it.
    Paused,
    /// Nothing more is sent: the receiver responded with 410.
    Ended,
}

text_enum!(WebhookStatus {
    Active: "active",
    Paused: "paused",
    Ended: "ended",
});

impl TryFrom<MaybeWord> for Option<WebhookStatus> {
    type Error = UnknownWord;

    fn try_from(stored: MaybeWord) -> Result<Self, Self::Error> {
        stored.0.map(WebhookStatus::try_from).transpose()
    }
}
