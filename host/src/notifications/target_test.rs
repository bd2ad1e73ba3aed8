//! Tests a target without a subscription: sends one signed example and returns the result.

use std::time::{Duration, Instant};

use super::email::{Announced, EmailBody, Links, email};
use super::limits::Target;
use super::payload::{example, example_wording};
use super::phrases::Phrases;
use super::sign::{self, Message};
use super::{Notifier, new_id, new_secret};
use crate::changes::{UPDATED, WebhookEvent};
use crate::config::Secret;
use crate::mail::{NewEmail, UnsubscribeFrom};
use crate::store::{AccountId, AttemptOutcome, StoreError};

/// One example that was sent to a target, and how it was answered.
#[derive(Debug)]
pub struct TargetTest {
    pub delivery_id: String,
    /// Webhooks only: the signing secret, which is used for this test alone.
    pub secret: Option<Secret>,
    /// Webhooks only: the request headers.
    pub headers: Vec<(String, String)>,
    pub body: String,
    pub delivered: bool,
    /// The outcome's name, as in recorded attempts.
    pub outcome: &'static str,
    pub status: Option<u16>,
    pub answer: Option<String>,
    pub took: Duration,
}

impl Notifier {
    /// Sends one example to a target. An e-mail is in the account's language.
    ///
    /// # Errors
    /// The store failed.
    pub async fn test_target(
        &self,
        account: AccountId,
        target: Target<'_>,
    ) -> Result<TargetTest, StoreError> {
        let now = self.now();
        let delivery_id = new_id("dlv");
        let event = example(&new_id("evt"), now);
        let body = event.to_json();
        Ok(match target {
            Target::Webhook(url) => {
                let secret = new_secret();
                let message = Message {
                    id: &delivery_id,
                    kind: UPDATED,
                    body: body.as_bytes(),
                    at: self.context().clock.elsewhere(now),
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
                TargetTest {
                    delivery_id,
                    secret: Some(secret),
                    headers: shown,
                    body,
                    delivered: reply.outcome == AttemptOutcome::Success,
                    outcome: reply.outcome.word(),
                    status: reply.status,
                    answer: reply.answer,
                    took: reply.took,
                }
            }
            Target::Email(address) => {
                let begun = Instant::now();
                let written = self.example_email(account, event).await?;
                let from = account.to_string();
                let from = UnsubscribeFrom::Account(&from);
                let message = NewEmail {
                    name: delivery_id.clone(),
                    recipient: address,
                    subject: written.subject,
                    text: written.text.clone(),
                    html: Some(written.html),
                    unsubscribe: self.mailer().consents().unsubscribe_page(from, address),
                };
                let sent = self.mailer().send_email(&message).await;
                let delivered = sent.is_ok();
                let (outcome, answer) = match sent {
                    Ok(()) => ("success", None),
                    Err((error, why)) if error.is_final() => ("refused", Some(why)),
                    Err((_, why)) => ("failed", Some(why)),
                };
                TargetTest {
                    delivery_id,
                    secret: None,
                    headers: Vec::new(),
                    body: written.text,
                    delivered,
                    outcome,
                    status: None,
                    answer,
                    took: begun.elapsed(),
                }
            }
        })
    }

    async fn example_email(
        &self,
        account: AccountId,
        event: WebhookEvent,
    ) -> Result<EmailBody, StoreError> {
        let language = self.language_of(account).await?;
        let event = Announced {
            event,
            wording: example_wording(),
        };
        let written = email(&event, &[], language, &Links::default());
        Ok(EmailBody {
            subject: format!("{}: {}", Phrases(language).trial(), written.subject),
            ..written
        })
    }
}
