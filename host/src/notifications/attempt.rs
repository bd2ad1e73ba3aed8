//! One attempt of a delivery: the webhook's request or the e-mail, and what follows from its result.

use std::time::Duration;

use tracing::Instrument;

use super::email::{Announced, Links, email};
use super::schedule::{self, Attempted, Next};
use super::sign::{self, Message};
use super::subscription_data::SubscriptionData;
use super::webhook::Reply;
use super::{Notifier, Stopping};
use crate::config::Secret;
use crate::language::Language;
use crate::mail::NewEmail;
use crate::store::{Attempt, AttemptOutcome, Channel, ClaimedDelivery, DeliveredEvent, State};

impl Notifier {
    /// Whether an e-mail exceeds the rate limits. If so, it is released until they allow it, and no attempt is
    /// counted.
    async fn is_postponed(&self, delivery: &ClaimedDelivery, data: &SubscriptionData) -> bool {
        let Some(account) = data.accounts.get(&delivery.subscription) else {
            return false;
        };
        let consents = self.mailer().consents();
        let counted = consents.count_email(account.account_id, &delivery.target);
        let postponed = match counted.await {
            Ok(None) => return false,
            Ok(Some(until)) => {
                let deliveries = self.store().deliveries();
                deliveries.postpone(delivery, until).await
            }
            // The claim expires by itself, and the e-mail is due again.
            Err(error) => Err(error),
        };
        if let Err(error) = postponed {
            tracing::error!(%error, delivery.id = %delivery.id, "rate limit of an e-mail could not be applied; retrying when its claim expires");
        }
        self.receivers()
            .end(&delivery.endpoint, AttemptOutcome::Unknown);
        true
    }

    /// Attempts one delivery. `None` if it is postponed.
    pub(super) async fn attempt(
        &self,
        delivery: ClaimedDelivery,
        data: &SubscriptionData,
    ) -> Option<Attempt> {
        if delivery.channel == Channel::Email && self.is_postponed(&delivery, data).await {
            return None;
        }
        Some(self.try_once(delivery, data).await)
    }

    async fn try_once(&self, delivery: ClaimedDelivery, data: &SubscriptionData) -> Attempt {
        let at = self.now();
        let waits = &self.settings().retry_seconds;
        let span = tracing::debug_span!("delivery", delivery.id = %delivery.id, attempt = delivery.attempts + 1);
        let sending = async {
            if schedule::is_exhausted(delivery.tried, waits) {
                not_sent("several attempts were started and none finished")
            } else if delivery.channel == Channel::Email {
                self.mail(&delivery, data).instrument(span).await
            } else {
                match data
                    .secrets
                    .get(&delivery.subscription)
                    .and_then(Option::as_deref)
                {
                    Some(secrets) => self.post(&delivery, secrets).instrument(span).await,
                    None => not_sent("this host cannot decrypt the signing secret"),
                }
            }
        };
        let begun = std::time::Instant::now();
        let (reply, next) = tokio::select! {
            reply = sending => {
                let attempted = Attempted {
                    outcome: reply.outcome,
                    status: reply.status,
                    before: delivery.tried,
                    asked: reply.retry_after,
                };
                let spread = rand::random_range(schedule::SPREAD);
                (reply, schedule::next(&attempted, waits, spread))
            }
            () = self.until_stopping(Stopping::Attempts) => {
                let mut reply = not_sent("the host stopped before there was an answer");
                reply.took = begun.elapsed();
                // As after a crash, another host repeats it without the delay of the schedule.
                (reply, Next::Again(Duration::ZERO))
            }
        };
        let (state, next_at) = match next {
            Next::Delivered => (State::Delivered, None),
            Next::Again(wait) => (State::Waiting, Some(self.now() + wait)),
            Next::Failed => (State::Failed, None),
        };
        Attempt {
            delivery,
            at,
            duration_ms: i64::try_from(reply.took.as_millis()).unwrap_or(i64::MAX),
            outcome: reply.outcome,
            status: reply.status,
            answer: reply.answer,
            state,
            next_at,
        }
    }

    async fn post(&self, delivery: &ClaimedDelivery, secrets: &[Secret]) -> Reply {
        let body = delivery.event.payload.as_bytes();
        let message = Message {
            id: &delivery.id,
            kind: &delivery.event.kind,
            body,
            at: self.context().clock.elsewhere(self.now()),
        };
        let headers = sign::headers(&message, secrets);
        self.webhooks()
            .post(&delivery.target, headers, body.to_vec())
            .await
    }

    async fn mail(&self, delivery: &ClaimedDelivery, data: &SubscriptionData) -> Reply {
        let begun = std::time::Instant::now();
        let account = data.accounts.get(&delivery.subscription);
        let language = account.and_then(|account| Language::parse(&account.language));
        let links = Links {
            company: self.company_page(&delivery.event.ico),
            unsubscribe: account
                .and_then(|account| self.unsubscribe_page(account.account_id, &delivery.target)),
        };
        // Earlier versions queued one e-mail per event.
        let events = match delivery.email_events.as_slice() {
            [] => std::slice::from_ref(&delivery.event),
            events => events,
        };
        let events: Vec<Announced> = events.iter().filter_map(readable).collect();
        let Some((first, others)) = events.split_first() else {
            return not_sent("the stored event is unreadable");
        };
        let language = language.unwrap_or(Language::Slovak);
        let written = email(first, others, language, &links);
        let message = NewEmail {
            name: delivery.id.clone(),
            recipient: &delivery.target,
            subject: written.subject,
            text: written.text,
            html: Some(written.html),
            unsubscribe: links.unsubscribe,
        };
        let (outcome, answer) = match self.mailer().send_email(&message).await {
            Ok(()) => (AttemptOutcome::Success, None),
            Err((error, why)) if error.is_final() => (AttemptOutcome::Refused, Some(why)),
            Err((error, why)) => (mail_outcome(&error), Some(why)),
        };
        Reply {
            outcome,
            status: None,
            answer,
            retry_after: None,
            took: begun.elapsed(),
        }
    }
}

/// The event of an e-mail. One that is unreadable does not hold back the others of the same e-mail.
fn readable(event: &DeliveredEvent) -> Option<Announced> {
    let read = Announced::read(event);
    let read = read.inspect_err(|error| {
        tracing::error!(%error, event.id = %event.id, "the payload of an event is unreadable; leaving it out of the e-mail");
    });
    read.ok()
}

/// The reply of an attempt that sent nothing.
fn not_sent(why: &str) -> Reply {
    Reply {
        outcome: AttemptOutcome::Unknown,
        status: None,
        answer: Some(why.to_owned()),
        retry_after: None,
        took: Duration::ZERO,
    }
}

fn mail_outcome(error: &crate::mail::SendError) -> AttemptOutcome {
    use crate::mail::SendError;
    match error {
        SendError::Late(_) => AttemptOutcome::Timeout,
        SendError::Server(_) => AttemptOutcome::Connect,
        SendError::Message(error) if error.status().is_none() => AttemptOutcome::Reset,
        SendError::Message(_) | SendError::File { .. } => AttemptOutcome::HttpError,
        SendError::Recipient(_)
        | SendError::Unwritable(_)
        | SendError::NotAscii
        // Bodies of events are not sealed.
        | SendError::Sealed(_) => AttemptOutcome::Refused,
    }
}
