//! Sends e-mail from the store's outbox. One host at a time holds a message.
//!
//! Other modules write messages into the outbox, in the transaction that causes them; this module does not know
//! what they are about. A message of an account to an address that it chose is sent only with the owner's consent and
//! within the rate limits. Delivery is at least once: a host that crashes between the server's acceptance and
//! recording it sends the message again, with the same `Message-ID`.

mod consent;
mod files;
mod message;
mod outbox;
mod smtp;
mod trial;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lettre::address::AddressError;
use lettre::message::Mailbox;

pub use self::consent::{Consents, Permission, UnsubscribeFrom};
use self::files::Files;
use self::message::EmailMessage;
pub use self::message::{NewEmail, one_line};
use self::smtp::Smtp;
pub use self::smtp::{Accepted, MailStage};
pub use self::trial::try_server;
use crate::clock::Clock;
use crate::config::{Mail as Settings, SmtpMistake, SmtpServer, address};
use crate::connectors::egress::special_name;
use crate::sealing::{Sealer, SecretError};
use crate::store::Store;

/// Maximum stored length of a failure's reason, in characters. Servers may answer at length.
const MAX_REASON_CHARS: usize = 500;

/// Sends messages. Clones share all state.
#[derive(Clone)]
pub struct Mailer(Arc<Inner>);

struct Inner {
    store: Store,
    /// Id of the store, part of every `Message-ID`.
    identity: String,
    clock: Clock,
    sealer: Arc<Sealer>,
    consents: Consents,
    settings: Settings,
    from: Mailbox,
    way: Way,
}

/// Where messages go: to a mail server, or into files.
enum Way {
    Server(Box<Smtp>),
    Files(Files),
}

/// Errors of the mail settings.
#[derive(Debug, thiserror::Error)]
pub enum MailSetupError {
    #[error("mail.smtp: {0}")]
    Server(#[from] SmtpMistake),
    #[error("mail.from: {0}")]
    From(#[from] AddressError),
    #[error("TLS to the mail server cannot be set up: {0}")]
    Tls(#[from] lettre::transport::smtp::Error),
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("invalid recipient address: {0}")]
    Recipient(AddressError),
    #[error("the message cannot be built: {0}")]
    Unwritable(#[from] lettre::error::Error),
    /// The local part is not ASCII, and the server lacks `SMTPUTF8`.
    #[error("the recipient's local part is not ASCII, and the mail server lacks SMTPUTF8")]
    NotAscii,
    /// The connection failed, or the server rejected this host.
    #[error("mail server: {0}")]
    Server(lettre::transport::smtp::Error),
    /// The server rejected the recipient or the message, or the connection failed at that point.
    #[error("sending the message to the mail server failed: {0}")]
    Message(lettre::transport::smtp::Error),
    #[error("the mail server did not accept the message within {0} s")]
    Late(u64),
    #[error("writing the file {path} failed: {error}")]
    File { path: String, error: io::Error },
    /// The body was encrypted by a host with another key, which can still send it.
    #[error(transparent)]
    Sealed(#[from] SecretError),
}

impl SendError {
    /// Whether a retry would fail in the same way.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Recipient(_) | Self::Unwritable(_) | Self::NotAscii => true,
            Self::Message(error) => error.is_permanent(),
            // The operator can correct a wrong password, and the messages are still wanted then.
            Self::Server(_) | Self::Late(_) | Self::File { .. } | Self::Sealed(_) => false,
        }
    }

    /// Whether the server replied, so that the connection can be reused.
    fn is_reply(&self) -> bool {
        match self {
            Self::Server(error) | Self::Message(error) => error.status().is_some(),
            // The session has not started a message yet.
            Self::NotAscii => true,
            Self::Recipient(_)
            | Self::Unwritable(_)
            | Self::Late(_)
            | Self::File { .. }
            | Self::Sealed(_) => false,
        }
    }
}

/// Whether an e-mail can be sent to this text over the internet: a single address with a public domain name,
/// and a local part that mail programs do not take for an option.
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
    /// Creates a mailer for the store with this id. Without a server, messages are written into the directory
    /// `data`.
    ///
    /// # Errors
    /// The settings are wrong, or TLS cannot be set up.
    pub fn new(
        store: Store,
        identity: String,
        clock: Clock,
        sealer: Arc<Sealer>,
        consents: Consents,
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
            sealer,
            consents,
            from: address::sender(&settings.from)?,
            settings,
            way,
        })))
    }

    /// Makes one attempt to send an e-mail that is not from the outbox. The caller decides about retries.
    ///
    /// # Errors
    /// The error, and its reason as text without the recipient.
    pub async fn send_email(&self, message: &NewEmail<'_>) -> Result<(), (SendError, String)> {
        let sending = async {
            let message = EmailMessage::new(message, &self.0.from, self.0.clock.now())?;
            self.dispatch(message).await
        };
        let sent = tokio::time::timeout(self.attempt(), sending).await;
        let error = match sent {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error,
            Err(_elapsed) => SendError::Late(self.0.settings.seconds),
        };
        let why = reason(&error, message.recipient);
        Err((error, why))
    }

    /// Consent of recipients, and rate limits of e-mails.
    #[must_use]
    pub fn consents(&self) -> &Consents {
        &self.0.consents
    }

    /// The domain of the sender's address.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.from.email.domain()
    }

    async fn dispatch(&self, message: EmailMessage) -> Result<(), SendError> {
        match &self.0.way {
            Way::Server(smtp) => smtp.send(&message).await,
            Way::Files(files) => {
                let path = files.write(message).await?;
                tracing::info!("message written to {}", path.display());
                Ok(())
            }
        }
    }

    /// Timeout of an attempt.
    #[must_use]
    pub fn attempt(&self) -> Duration {
        Duration::from_secs(self.0.settings.seconds)
    }

    /// Worker loop that sends messages.
    pub async fn run(self) {
        match &self.0.way {
            Way::Files(Files(directory)) => tracing::info!(
                "mail.smtp is not set: messages are written to {} instead of being sent",
                directory.display()
            ),
            Way::Server(smtp) if smtp.is_overheard() => tracing::warn!(
                "mail.smtp lacks tls=required: messages and the password may be sent unencrypted"
            ),
            Way::Server(_) => {}
        }
        let poll = Duration::from_secs(self.0.settings.poll_seconds);
        loop {
            match self.step().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::error!(%error, "claiming or recording a message failed; retrying");
                }
            }
            tokio::time::sleep(poll).await;
        }
    }
}

/// The reason to store and log. The recipient's address is removed, because servers often repeat it.
fn reason(error: &SendError, recipient: &str) -> String {
    let mut text = one_line(&error.to_string());
    let written = address::address(recipient).map(|address| address.to_string());
    for address in [Some(recipient.to_owned()), written.ok()] {
        text = without(&text, &address.unwrap_or_default());
    }
    text.chars().take(MAX_REASON_CHARS).collect()
}

/// Replaces every occurrence of an address, ignoring case.
fn without(text: &str, address: &str) -> String {
    if address.is_empty() {
        return text.to_owned();
    }
    // ASCII case conversion keeps byte positions.
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
    fn only_valid_addresses_are_accepted() {
        for address in ["billing@example.com", "jan.novák@firma.sk", "a+b@kráľ.sk"] {
            assert!(is_address(address), "{address}");
        }
        for other in [
            "lustra",
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
    fn recipient_is_removed_from_server_replies() {
        let said = "550 <Jan@Kráľ.sk>: jan@kráľ.sk is not here";
        assert_eq!(
            without(said, "jan@Kráľ.sk"),
            "550 <(the recipient)>: (the recipient) is not here"
        );
        assert_eq!(without(said, ""), said);
        assert_eq!(without(said, "ja@kráľ.sk"), said);
    }
}
