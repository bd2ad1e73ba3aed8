//! Sending e-mail: what the store's outbox holds goes out, each message through one host at a time.
//!
//! Whoever wants something told writes it into the outbox, in the transaction that made it true; what it is about is
//! nothing to this folder. A message goes out at least once: a host that dies between the server's word and its own
//! note sends it again, and the `Message-ID` shows that it is the same.

mod files;
mod message;
mod smtp;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lettre::address::AddressError;
use lettre::message::Mailbox;
use tracing::Instrument;

use self::files::Files;
pub use self::message::NewLetter;
use self::message::{Letter, one_line};
use self::smtp::Smtp;
use crate::clock::{Clock, rfc3339};
use crate::config::{Mail as Settings, SmtpMistake, SmtpServer, address};
use crate::connectors::egress::special_name;
use crate::store::{ClaimedMail, MailOutcome, Store, StoreError};

/// How much longer than an attempt its claim holds: time to write down what became of it.
const MARGIN: Duration = Duration::from_secs(60);

/// Minutes until the next attempt; the last one stands for all that follow.
const PAUSES: [u64; 7] = [1, 5, 30, 2 * 60, 5 * 60, 10 * 60, 10 * 60];

/// The longest reason that is kept: characters. What a server says may be long.
const LONGEST_REASON: usize = 500;

/// Sends messages. Clones share everything.
#[derive(Clone)]
pub struct Mailer(Arc<Inner>);

struct Inner {
    store: Store,
    /// The store's id.
    identity: String,
    clock: Clock,
    settings: Settings,
    from: Mailbox,
    way: Way,
}

/// Where messages go.
enum Way {
    Server(Box<Smtp>),
    Files(Files),
}

/// Why nothing can be sent at all.
#[derive(Debug, thiserror::Error)]
pub enum MailSetupError {
    /// The server's URL is wrong.
    #[error("mail.smtp: {0}")]
    Server(#[from] SmtpMistake),
    /// The sender is no address.
    #[error("mail.from: {0}")]
    From(#[from] AddressError),
    /// TLS cannot be set up.
    #[error("TLS to the mail server cannot be set up: {0}")]
    Tls(#[from] lettre::transport::smtp::Error),
}

/// Why a message is not out.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The recipient is no address.
    #[error("the recipient is no address: {0}")]
    Recipient(AddressError),
    /// Its text cannot be written.
    #[error("the message cannot be written: {0}")]
    Unwritable(#[from] lettre::error::Error),
    /// The recipient's name has letters that the server cannot take.
    #[error("the recipient's name is not ASCII, and the mail server takes only ASCII")]
    Letters,
    /// The server cannot be reached, or will not talk to this host.
    #[error("the mail server: {0}")]
    Server(lettre::transport::smtp::Error),
    /// The server answered to the recipient or the message, or broke off there.
    #[error("the mail server about the message: {0}")]
    Message(lettre::transport::smtp::Error),
    /// The attempt took too long.
    #[error("the mail server had not taken it after {0} s")]
    Late(u64),
    /// The file cannot be written.
    #[error("the file {path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
}

impl SendError {
    /// Whether another attempt would end alike.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Recipient(_) | Self::Unwritable(_) | Self::Letters => true,
            Self::Message(error) => error.is_permanent(),
            // A wrong password is put right by the operator, and the messages are still wanted then.
            Self::Server(_) | Self::Late(_) | Self::File { .. } => false,
        }
    }

    /// Whether the server answered, so that the conversation can go on.
    fn is_reply(&self) -> bool {
        match self {
            Self::Server(error) | Self::Message(error) => error.status().is_some(),
            // Nothing had been said.
            Self::Letters => true,
            Self::Recipient(_) | Self::Unwritable(_) | Self::Late(_) | Self::File { .. } => false,
        }
    }
}

/// Whether a letter can be sent there over the internet: one address, whose domain is a public name, and whose local
/// part no mail program takes for an option.
#[must_use]
pub fn is_address(text: &str) -> bool {
    let is_public = |domain: &str| {
        let last = domain.rsplit_once('.').map(|(_, last)| last);
        !special_name(domain)
            && last.is_some_and(|last| last.bytes().any(|byte| byte.is_ascii_alphabetic()))
    };
    address::address(text)
        .is_ok_and(|address| !address.user().starts_with('-') && is_public(address.domain()))
}

impl Mailer {
    /// A mailer of the store with this id; `data` is the directory for messages where there is no server.
    ///
    /// # Errors
    /// A [`MailSetupError`].
    pub fn new(
        store: Store,
        identity: String,
        clock: Clock,
        settings: Settings,
        data: &Path,
    ) -> Result<Self, MailSetupError> {
        let way = match &settings.smtp {
            Some(url) => Way::Server(Box::new(Smtp::new(SmtpServer::parse(url.reveal())?)?)),
            None => Way::Files(Files(data.join("mail"))),
        };
        Ok(Self(Arc::new(Inner {
            store,
            identity,
            clock,
            from: address::sender(&settings.from)?,
            settings,
            way,
        })))
    }

    /// Claims the message that has been due the longest and tries to send it. False: none is due.
    ///
    /// # Errors
    /// The store failed; a message that was claimed is due again when its lease has ended.
    pub async fn step(&self) -> Result<bool, StoreError> {
        let (mails, lease) = (self.0.store.mail(), self.attempt() + MARGIN);
        let Some(mail) = mails.claim(lease, self.0.clock.now()).await? else {
            if let Way::Server(smtp) = &self.0.way {
                smtp.rest().await;
            }
            return Ok(false);
        };
        let span = tracing::info_span!("mail", mail.id, mail.attempt);
        self.deliver(&mail).instrument(span).await?;
        Ok(true)
    }

    async fn deliver(&self, mail: &ClaimedMail) -> Result<(), StoreError> {
        let outcome = self.outcome(mail).await;
        let (mails, now) = (self.0.store.mail(), self.0.clock.now());
        if !mails.finish(mail, &outcome, now).await? {
            tracing::warn!("another host has taken the message over");
            return Ok(());
        }
        match outcome {
            MailOutcome::Sent => tracing::debug!("the message is out"),
            MailOutcome::Later { at, why } => {
                let at = rfc3339(at);
                tracing::warn!("the message could not be sent and is tried again at {at}: {why}");
            }
            MailOutcome::Failed { why } => {
                tracing::warn!("the message will not be sent: {why}");
            }
        }
        Ok(())
    }

    async fn outcome(&self, mail: &ClaimedMail) -> MailOutcome {
        let attempts = i64::from(self.0.settings.attempts);
        if mail.attempt > attempts {
            let why = format!("it was begun {attempts} times and never finished");
            return MailOutcome::Failed { why };
        }
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

    /// Tries once to send a letter that is not from the outbox; whoever has it decides what follows.
    ///
    /// # Errors
    /// Why it is not out, and in words that do not name the recipient.
    pub async fn send_letter(&self, letter: &NewLetter<'_>) -> Result<(), (SendError, String)> {
        let sending = async {
            let letter = Letter::new(letter, &self.0.from, self.0.clock.now())?;
            self.hand_over(letter).await
        };
        let sent = tokio::time::timeout(self.attempt(), sending).await;
        let error = match sent {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error,
            Err(_elapsed) => SendError::Late(self.0.settings.seconds),
        };
        let why = reason(&error, letter.recipient);
        Err((error, why))
    }

    /// The domain that messages are from.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.from.email.domain()
    }

    async fn send(&self, mail: &ClaimedMail) -> Result<(), SendError> {
        let Inner {
            from,
            identity,
            clock,
            ..
        } = self.0.as_ref();
        let letter = Letter::write(mail, from, identity, clock.now())?;
        self.hand_over(letter).await
    }

    async fn hand_over(&self, letter: Letter) -> Result<(), SendError> {
        match &self.0.way {
            Way::Server(smtp) => smtp.send(&letter).await,
            Way::Files(files) => {
                let path = files.write(letter).await?;
                tracing::info!("the message is in {}", path.display());
                Ok(())
            }
        }
    }

    /// How long one may take.
    #[must_use]
    pub fn attempt(&self) -> Duration {
        Duration::from_secs(self.0.settings.seconds)
    }

    /// Sends messages in an endless loop.
    pub async fn run(self) {
        match &self.0.way {
            Way::Files(Files(directory)) => tracing::info!(
                "without mail.smtp, messages are not sent but written into {}",
                directory.display()
            ),
            Way::Server(smtp) if smtp.is_overheard() => tracing::warn!(
                "mail.smtp is without tls=required: others can read messages and password on their way to the server"
            ),
            Way::Server(_) => {}
        }
        let poll = Duration::from_secs(self.0.settings.poll_seconds);
        loop {
            match self.step().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::error!(%error, "a message could not be claimed, or not noted as sent");
                }
            }
            tokio::time::sleep(poll).await;
        }
    }
}

/// How long to wait after an attempt, counted from 1. `spread` keeps messages that failed together from coming back
/// together.
fn pause(attempt: i64, spread: f64) -> Duration {
    let number = usize::try_from(attempt.saturating_sub(1)).unwrap_or_default();
    let minutes = PAUSES[number.min(PAUSES.len() - 1)];
    let spread = Duration::from_secs(minutes * 60).mul_f64(spread);
    Duration::from_secs(spread.as_secs())
}

/// What is kept and logged of a failure. Servers like to repeat the address, which does not belong into the log.
fn reason(error: &SendError, recipient: &str) -> String {
    let mut text = one_line(&error.to_string());
    let written = address::address(recipient).map(|address| address.to_string());
    for address in [Some(recipient.to_owned()), written.ok()] {
        text = without(&text, &address.unwrap_or_default());
    }
    text.chars().take(LONGEST_REASON).collect()
}

/// A text in which an address, in capitals or not, is replaced.
fn without(text: &str, address: &str) -> String {
    if address.is_empty() {
        return text.to_owned();
    }
    // These two keep the length of what they change.
    let (lower, sought) = (text.to_ascii_lowercase(), address.to_ascii_lowercase());
    let (mut shown, mut copied) = (String::new(), 0);
    for (at, found) in lower.match_indices(&sought) {
        shown.push_str(&text[copied..at]);
        shown.push_str("(the recipient)");
        copied = at + found.len();
    }
    shown.push_str(&text[copied..]);
    shown
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

    #[test]
    fn addresses_of_people_are_told_from_other_texts() {
        for address in ["billing@example.com", "jan.novák@firma.sk", "a+b@kráľ.sk"] {
            assert!(is_address(address), "{address}");
        }
        for other in [
            "nobody",
            "a@b\r\nBcc: c@d.example",
            "a@localhost",
            "a@10.0.0.1",
            "a@[10.0.0.1]",
            "a@b.local",
            "a@B.Internal",
            "-oQ/x@b.sk",
            "a@[::ffff:10.0.0.1]",
            "A <a@b.sk>",
            "a@b.sk,c@d.sk",
        ] {
            assert!(!is_address(other), "{other}");
        }
    }

    #[test]
    fn the_recipient_is_taken_out_of_what_a_server_says() {
        let said = "550 <Jan@Kráľ.sk>: jan@kráľ.sk is not here";
        assert_eq!(
            without(said, "jan@Kráľ.sk"),
            "550 <(the recipient)>: (the recipient) is not here"
        );
        assert_eq!(without(said, ""), said);
        assert_eq!(without(said, "ja@kráľ.sk"), said);
    }
}
