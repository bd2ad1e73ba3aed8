//! Trying a target without subscribing to anything: a signed example is sent, and what came back is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::letter::notice;
use super::payload::example;
use super::sign::{self, Message};
use super::{Notifier, new_id, new_secret};
use crate::changes::UPDATED;
use crate::config::Secret;
use crate::mail::NewLetter;

/// How often an account may try targets: the service must not be made to pester somebody.
const TRIALS: u32 = 10;
const OF: Duration = Duration::from_secs(60);

pub(super) fn remembered() -> moka::sync::Cache<i64, Arc<AtomicU32>> {
    moka::sync::Cache::builder()
        .max_capacity(100_000)
        .time_to_live(OF)
        .build()
}

/// What is tried.
#[derive(Debug, Clone, Copy)]
pub enum TrialTarget<'a> {
    /// An address that a webhook is posted to.
    Webhook(&'a str),
    /// An address of e-mail.
    Email(&'a str),
}

/// What was sent and what came back.
#[derive(Debug)]
pub struct Trial {
    pub delivery_id: String,
    /// Of a webhook: what was signed with, which is used for nothing else.
    pub secret: Option<Secret>,
    /// Of a webhook: the headers that it had.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// A word, as in the attempts of deliveries.
    pub outcome: &'static str,
    pub status: Option<u16>,
    pub answer: Option<String>,
    pub took: Duration,
}

impl Notifier {
    /// Whether an account may try another target now.
    #[must_use]
    pub fn may_try(&self, account: i64) -> bool {
        let tried = self.0.trials.get_with(account, Arc::default);
        tried.fetch_add(1, Ordering::Relaxed) < TRIALS
    }

    /// Sends an example to a target, once.
    pub async fn try_target(&self, target: TrialTarget<'_>) -> Trial {
        let now = self.now();
        let delivery_id = new_id("dlv");
        let body = example(&new_id("evt"), now);
        match target {
            TrialTarget::Webhook(url) => {
                let secret = new_secret();
                let message = Message {
                    id: &delivery_id,
                    kind: UPDATED,
                    body: body.as_bytes(),
                    at: now,
                };
                let headers = sign::headers(&message, std::slice::from_ref(&secret));
                let shown = headers
                    .iter()
                    .map(|(name, value)| {
                        let value = value.to_str().unwrap_or_default();
                        (name.to_string(), value.to_owned())
                    })
                    .collect();
                let sent = body.clone().into_bytes();
                let reply = self.webhooks().post(url, headers, sent).await;
                Trial {
                    delivery_id,
                    secret: Some(secret),
                    headers: shown,
                    body,
                    outcome: reply.outcome.word(),
                    status: reply.status,
                    answer: reply.answer,
                    took: reply.took,
                }
            }
            TrialTarget::Email(address) => {
                let begun = Instant::now();
                let payload: Value = serde_json::from_str(&body).unwrap_or_default();
                let written = notice(UPDATED, &payload, None);
                let letter = NewLetter {
                    name: delivery_id.clone(),
                    recipient: address,
                    subject: format!("Test: {}", written.subject),
                    text: written.text.clone(),
                    html: Some(written.html),
                    unsubscribe: None,
                };
                let sent = self.mailer().send_letter(&letter).await;
                let (outcome, answer) = match sent {
                    Ok(()) => ("success", None),
                    Err((error, why)) if error.is_final() => ("refused", Some(why)),
                    Err((_, why)) => ("failed", Some(why)),
                };
                Trial {
                    delivery_id,
                    secret: None,
                    headers: Vec::new(),
                    body: written.text,
                    outcome,
                    status: None,
                    answer,
                    took: begun.elapsed(),
                }
            }
        }
    }
}
