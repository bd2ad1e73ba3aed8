//! Tries the mail server without sending a message, for diagnosis.

use std::time::Duration;

use super::Settings;
use super::message::one_line;
use super::smtp::{Accepted, MailStage, Smtp};
use crate::config::SmtpServer;
use crate::connectors::egress::root_cause;

/// Longest time of trying the server without a message.
const TRYING: Duration = Duration::from_secs(20);

/// Connects to the mail server of the settings and signs in, without sending a message. `None`: there is no server.
///
/// # Errors
/// The stage that failed, and the reason.
pub async fn try_server(settings: &Settings) -> Option<Result<Accepted, (MailStage, String)>> {
    let url = settings.smtp.as_ref()?;
    let failed = |error: &(dyn std::error::Error + 'static)| root_cause(error);
    let trying = async {
        let server = SmtpServer::parse(url.reveal())
            .map_err(|mistake| (MailStage::Connection, mistake.to_string()))?;
        let smtp = Smtp::new(server).map_err(|error| (MailStage::Encryption, failed(&error)))?;
        let tried = smtp.try_out().await;
        tried.map_err(|(stage, error)| (stage, one_line(&reply_or_cause(&error))))
    };
    let longest = Duration::from_secs(settings.seconds).min(TRYING);
    let tried = tokio::time::timeout(longest, trying).await;
    Some(tried.unwrap_or_else(|_elapsed| {
        let why = format!("no answer within {} s", longest.as_secs());
        Err((MailStage::Connection, why))
    }))
}

/// The server's reply, or the innermost cause of a failed connection.
fn reply_or_cause(error: &lettre::transport::smtp::Error) -> String {
    match error.status() {
        Some(_) => error.to_string(),
        None => root_cause(error),
    }
}
