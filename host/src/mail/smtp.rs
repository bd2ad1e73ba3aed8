//! SMTP client with one connection that is reused for consecutive messages.
//!
//! A cancelled send closes its connection, because a late reply to it could be mistaken for a reply to the next
//! message.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lettre::transport::smtp;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailParameter};

use super::SendError;
use super::message::EmailMessage;
use crate::config::{Encryption, SmtpServer};

/// Timeout of `QUIT`. Nothing depends on its result.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Stage of a connection to the mail server before a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailStage {
    /// Connecting, TLS from the first byte, and the greeting (EHLO).
    Connection,
    /// STARTTLS.
    Encryption,
    /// Authentication.
    Password,
}

/// A mail server that accepts this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Name and port of the server.
    pub server: String,
    pub encrypted: bool,
    /// Whether the server accepted a password.
    pub authenticated: bool,
}

pub(super) struct Smtp {
    server: SmtpServer,
    tls: Option<TlsParameters>,
    /// The idle connection after a message, for the next one.
    open: Mutex<Option<AsyncSmtpConnection>>,
}

impl Smtp {
    pub fn new(server: SmtpServer) -> Result<Self, smtp::Error> {
        let tls = match server.encryption {
            Encryption::Never => None,
            Encryption::Offered | Encryption::Required | Encryption::Always => {
                Some(TlsParameters::new(server.host.clone())?)
            }
        };
        Ok(Self {
            server,
            tls,
            open: Mutex::default(),
        })
    }

    pub fn is_overheard(&self) -> bool {
        self.server.is_overheard()
    }

    pub async fn send(&self, message: &EmailMessage) -> Result<(), SendError> {
        let mut connection = match self.reused().await {
            Some(connection) => connection,
            None => {
                let connected = self.connect().await;
                connected.map_err(|(_stage, error)| SendError::Server(error))?
            }
        };
        let sent = transmit(&mut connection, message).await;
        if sent.as_ref().err().is_none_or(SendError::is_reply) {
            *self.open() = Some(connection);
        }
        sent
    }

    /// Closes the idle connection when no message follows.
    pub async fn close_idle(&self) {
        let connection = self.open().take();
        if let Some(mut connection) = connection {
            drop(tokio::time::timeout(QUIT_TIMEOUT, connection.quit()).await);
        }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, Option<AsyncSmtpConnection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the idle connection if the server still responds. `RSET` discards an unfinished message.
    async fn reused(&self) -> Option<AsyncSmtpConnection> {
        let mut connection = self.open().take()?;
        connection.command(Rset).await.ok()?;
        Some(connection)
    }

    /// Connects, encrypts and signs in as for a message, and closes the connection.
    pub async fn try_out(&self) -> Result<Accepted, (MailStage, smtp::Error)> {
        let mut connection = self.connect().await?;
        let accepted = Accepted {
            server: format!("{}:{}", self.server.host, self.server.port),
            encrypted: connection.is_encrypted(),
            authenticated: self.server.credentials.is_some(),
        };
        drop(tokio::time::timeout(QUIT_TIMEOUT, connection.quit()).await);
        Ok(accepted)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, (MailStage, smtp::Error)> {
        let SmtpServer {
            host,
            port,
            encryption,
            name,
            credentials,
        } = &self.server;
        let at_once = self
            .tls
            .clone()
            .filter(|_| *encryption == Encryption::Always);
        // The timeout of the whole attempt covers this too.
        let mut connection =
            AsyncSmtpConnection::connect_tokio1((host.as_str(), *port), None, name, at_once, None)
                .await
                .map_err(|error| (MailStage::Connection, error))?;
        let encrypt = match encryption {
            Encryption::Never | Encryption::Always => false,
            Encryption::Offered => connection.can_starttls(),
            // If the server lacks STARTTLS, this fails before a password or message is sent.
            Encryption::Required => true,
        };
        if let Some(tls) = self.tls.clone().filter(|_| encrypt) {
            let encrypted = connection.starttls(tls, name).await;
            encrypted.map_err(|error| (MailStage::Encryption, error))?;
        }
        if let Some(credentials) = credentials {
            let signed_in = connection.auth(DEFAULT_MECHANISMS, credentials).await;
            signed_in.map_err(|error| (MailStage::Password, error))?;
        }
        Ok(connection)
    }
}

async fn transmit(
    connection: &mut AsyncSmtpConnection,
    message: &EmailMessage,
) -> Result<(), SendError> {
    let ascii = message.from.to_string().is_ascii() && message.to.to_string().is_ascii();
    let parameters = if ascii {
        Vec::new()
    } else if connection
        .server_info()
        .supports_feature(Extension::SmtpUtfEight)
    {
        vec![MailParameter::SmtpUtfEight]
    } else {
        return Err(SendError::NotAscii);
    };
    // Before the recipient is sent, a rejection concerns this host: its address, password or sender.
    let begun = connection.command(Mail::new(Some(message.from.clone()), parameters));
    begun.await.map_err(SendError::Server)?;
    let recipient = connection.command(Rcpt::new(message.to.clone(), Vec::new()));
    recipient.await.map_err(SendError::Message)?;
    connection.command(Data).await.map_err(SendError::Message)?;
    let taken = connection.message(&message.bytes).await;
    taken.map(drop).map_err(SendError::Message)
}
