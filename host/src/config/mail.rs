//! Settings of e-mail.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Secret, SmtpServer, address};

/// Settings of outgoing e-mail.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mail {
    /// Whether this host sends e-mail. At least one host on the database must.
    pub on: bool,
    /// Mail server: `smtps://user:password@host:465` (TLS), or `smtp://user:password@host:587?tls=required`. Special
    /// characters of user and password are percent-encoded. A path is the name for the greeting (EHLO). If not set,
    /// messages are written as files into `mail` in `data`. Never logged.
    pub smtp: Option<Secret>,
    /// Sender; the mail server must allow it.
    pub from: String,
    /// Time limit of one attempt, 1 to 600.
    pub seconds: u64,
    /// Attempts before a message fails; 8 take about 28 hours. A permanent rejection is not retried. At least 1.
    pub attempts: u32,
    /// Poll interval for new messages. At least 1.
    pub poll_seconds: u64,
}

impl Default for Mail {
    fn default() -> Self {
        Self {
            on: true,
            smtp: None,
            from: "Lustra <lustra@localhost>".to_owned(),
            seconds: 30,
            attempts: 8,
            poll_seconds: 5,
        }
    }
}

impl Mail {
    /// Mistakes in these settings. They never repeat the server's URL, which contains a password.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let server = self
            .smtp
            .as_ref()
            .map(|url| SmtpServer::parse(url.reveal()).map(drop));
        let server = server.and_then(Result::err).map(|mistake| {
            format!(
                "mail.smtp: {mistake}; expected smtps://user:password@host:465 or \
                smtp://user:password@host:587?tls=required"
            )
        });
        let right = [
            (
                address::sender(&self.from).is_ok(),
                "mail.from: must be an address such as Lustra <lustra@company.example>",
            ),
            ((1..=600).contains(&self.seconds), "mail.seconds: 1 to 600"),
            (self.attempts > 0, "mail.attempts: at least 1"),
            (self.poll_seconds > 0, "mail.poll_seconds: at least 1"),
        ];
        let mistakes = right.into_iter().filter(|(holds, _)| !holds);
        let mistakes = mistakes.map(|(_, mistake)| mistake.to_owned());
        server.into_iter().chain(mistakes).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn mistakes_do_not_show_the_password() {
        let text = "[mail]\nsmtp = \"smtp://lustra:hush@mail.example?tls=yes\"\nfrom = \"lustra\"\nseconds = 0\n\
            attempts = 0\npoll_seconds = 0\n";
        let mistakes = Config::read(text, |_| None).expect_err("all of them are wrong");
        assert_eq!(mistakes.0.len(), 5, "{mistakes}");
        assert!(!mistakes.to_string().contains("hush"), "{mistakes}");
        let whole = "[mail]\nsmtp = \"env:SMTP\"\nfrom = \"Ľustra <info@firma.sk>\"\n";
        let config = Config::read(whole, |_| {
            Some("smtps://lustra:hush@mail.example".to_owned())
        });
        let config = config.expect("nothing is wrong");
        assert!(!format!("{config:?}").contains("hush"), "{config:?}");
    }
}
