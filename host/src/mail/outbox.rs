//! One message of the outbox: claims it, decides whether it may be sent, sends it and records the outcome.

use std::time::Duration;

use tracing::Instrument;

use super::consent::{Permission, UnsubscribeFrom};
use super::message::{self, EmailMessage, NewEmail};
use super::{Inner, Mailer, SendError, Way, reason};
use crate::clock::rfc3339;
use crate::store::{ClaimedMail, MailOutcome, StoreError};

/// Time for recording the result: a claim lasts this much longer than the attempt's timeout.
const MARGIN: Duration = Duration::from_secs(60);

/// Minutes until the next attempt. The last value repeats.
const PAUSES: [u64; 7] = [1, 5, 30, 2 * 60, 5 * 60, 10 * 60, 10 * 60];

impl Mailer {
    /// Claims the message that is due the longest and tries to send it. Returns `false` if none is due.
    ///
    /// # Errors
    /// The store failed. A claimed message becomes due again when its lease expires.
    pub async fn step(&self) -> Result<bool, StoreError> {
        let (mails, lease) = (self.0.store.mail(), self.attempt() + MARGIN);
        let Some(mail) = mails.claim(lease, self.0.clock.now()).await? else {
            if let Way::Server(smtp) = &self.0.way {
                smtp.close_idle().await;
            }
            return Ok(false);
        };
        let span = tracing::info_span!("mail", mail.id, mail.attempt);
        self.deliver(&mail).instrument(span).await?;
        Ok(true)
    }

    async fn deliver(&self, mail: &ClaimedMail) -> Result<(), StoreError> {
        let outcome = self.outcome(mail).await?;
        let (mails, now) = (self.0.store.mail(), self.0.clock.now());
        if !mails.finish(mail, &outcome, now).await? {
            tracing::warn!("another host has taken over the message");
            return Ok(());
        }
        match outcome {
            MailOutcome::Sent => tracing::debug!("message sent"),
            MailOutcome::Later { at, why } => {
                let at = rfc3339(at);
                tracing::warn!("sending a message failed: {why}; retrying at {at}");
            }
            MailOutcome::Failed { why } => {
                tracing::warn!("sending a message failed permanently: {why}");
            }
        }
        Ok(())
    }

    async fn outcome(&self, mail: &ClaimedMail) -> Result<MailOutcome, StoreError> {
        let attempts = i64::from(self.0.settings.attempts);
        if mail.attempt > attempts {
            let why = format!("{attempts} attempts were started and none finished");
            return Ok(MailOutcome::Failed { why });
        }
        if let Some(account) = mail.account {
            match self.0.consents.permission(account, &mail.recipient).await? {
                Permission::Granted => {}
                Permission::Refused => {
                    let why = "the recipient has unsubscribed or has not confirmed".to_owned();
                    return Ok(MailOutcome::Failed { why });
                }
                Permission::From(at) => {
                    let why = "the limits of e-mails are reached".to_owned();
                    return Ok(MailOutcome::Later { at, why });
                }
            }
        }
        Ok(self.attempt_once(mail, attempts).await)
    }

    async fn attempt_once(&self, mail: &ClaimedMail, attempts: i64) -> MailOutcome {
        let sent = tokio::time::timeout(self.attempt(), self.send(mail)).await;
        let error = match sent {
            Ok(Ok(())) => return MailOutcome::Sent,
            Ok(Err(error)) => error,
            Err(_elapsed) => SendError::Late(self.0.settings.seconds),
        };
        let why = reason(&error, &mail.recipient);
        if error.is_final() {
            MailOutcome::Failed { why }
        } else if mail.attempt == attempts {
            let why = format!("given up after {attempts} attempts: {why}");
            MailOutcome::Failed { why }
        } else {
            let at = self.0.clock.now() + pause(mail.attempt, rand::random_range(0.8..1.2));
            MailOutcome::Later { at, why }
        }
    }

    async fn send(&self, mail: &ClaimedMail) -> Result<(), SendError> {
        let Inner {
            from,
            identity,
            clock,
            sealer,
            consents,
            ..
        } = self.0.as_ref();
        let mut body = if mail.sealed {
            sealer.open_email(&mail.body, &mail.recipient)?
        } else {
            mail.body.clone()
        };
        let unsubscribe = mail.account.and_then(|account| {
            let account = account.to_string();
            let from = UnsubscribeFrom::Account(&account);
            consents.unsubscribe_page(from, &mail.recipient)
        });
        if let Some(url) = &unsubscribe {
            body = format!("{}\n\nOdhlásiť / Unsubscribe: {url}\n", body.trim_end());
        }
        let email = NewEmail {
            name: message::name(mail, identity),
            recipient: &mail.recipient,
            subject: mail.subject.clone(),
            text: body,
            html: None,
            unsubscribe,
        };
        let message = EmailMessage::new(&email, from, clock.now())?;
        self.dispatch(message).await
    }
}

/// Delay after an attempt, counted from 1. `spread` is a jitter factor that keeps messages that failed together
/// apart.
fn pause(attempt: i64, spread: f64) -> Duration {
    let number = usize::try_from(attempt.saturating_sub(1)).unwrap_or_default();
    let minutes = PAUSES[number.min(PAUSES.len() - 1)];
    let spread = Duration::from_secs(minutes * 60).mul_f64(spread);
    Duration::from_secs(spread.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_ten_hours_and_stay_there() {
        let minutes = |attempt| pause(attempt, 1.0).as_secs() / 60;
        let all: Vec<u64> = (1..=9).map(minutes).collect();
        assert_eq!(all, [1, 5, 30, 120, 300, 600, 600, 600, 600]);
        assert_eq!(pause(1, 1.2), Duration::from_secs(72));
        assert_eq!(pause(i64::MAX, 0.8), Duration::from_secs(8 * 3_600));
    }
}
