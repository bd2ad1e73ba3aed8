//! Builds a message for SMTP: plain text, optional HTML, and headers that recipients and subjects cannot
//! extend.

use std::time::SystemTime;

use lettre::Address;
use lettre::message::header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::SendError;
use crate::config::address::address;
use crate::store::ClaimedMail;

/// A message to build.
#[derive(Debug, Clone)]
pub struct NewEmail<'a> {
    /// Unique name, from which the `Message-ID` identifies repetitions: letters and digits.
    pub name: String,
    pub recipient: &'a str,
    pub subject: String,
    pub text: String,
    /// The same text as HTML, if any.
    pub html: Option<String>,
    /// URL that ends these messages on a `POST` (RFC 8058).
    pub unsubscribe: Option<String>,
}

/// A message ready to send.
pub(super) struct EmailMessage {
    /// The part of the `Message-ID` before the `@`; identifies repetitions.
    pub name: String,
    pub from: Address,
    pub to: Address,
    /// The message without the final line break.
    pub bytes: Vec<u8>,
}

impl EmailMessage {
    pub fn new(
        email: &NewEmail<'_>,
        from: &Mailbox,
        now: OffsetDateTime,
    ) -> Result<Self, SendError> {
        let to = address(email.recipient).map_err(SendError::Recipient)?;
        let name = &email.name;
        let mut message = Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to.clone()))
            .subject(one_line(&email.subject))
            .date(SystemTime::from(now))
            .message_id(Some(format!("<{name}@{}>", from.email.domain())))
            // Tells auto-responders not to reply.
            .raw_header(header("Auto-Submitted", "auto-generated".to_owned()))
            .header(MIME_VERSION_1_0);
        if let Some(url) = &email.unsubscribe {
            message = message
                .raw_header(header("List-Unsubscribe", format!("<{}>", one_line(url))))
                .raw_header(header(
                    "List-Unsubscribe-Post",
                    "List-Unsubscribe=One-Click".to_owned(),
                ));
        }
        // The transport adds the final line break.
        let text = email.text.trim_end().to_owned();
        let message = match &email.html {
            None => message.header(ContentType::TEXT_PLAIN).body(text)?,
            Some(html) => message.multipart(
                MultiPart::alternative()
                    // A fixed boundary gives every attempt the same bytes.
                    .boundary(format!("part-{name}"))
                    .singlepart(SinglePart::plain(text))
                    .singlepart(SinglePart::html(html.clone())),
            )?,
        };
        Ok(Self {
            name: name.clone(),
            from: from.email.clone(),
            to,
            bytes: message.formatted(),
        })
    }
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

/// The name of a message: equal for all its attempts, different from every other message's.
pub(super) fn name(mail: &ClaimedMail, store: &str) -> String {
    let digest = Sha256::digest(format!("{store}\n{}\n{}", mail.id, mail.occasion));
    let bytes = digest.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Replaces control characters, which could end a line or affect a terminal.
#[must_use]
pub fn one_line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn mail(recipient: &str, subject: &str) -> ClaimedMail {
        ClaimedMail {
            id: 7,
            occasion: "threshold:1".to_owned(),
            recipient: recipient.to_owned(),
            subject: subject.to_owned(),
            body: "Dobrý deň\n.\nBcc: b@firma.sk\n".to_owned(),
            sealed: false,
            account: None,
            attempt: 1,
        }
    }

    fn written(mail: &ClaimedMail) -> Result<EmailMessage, SendError> {
        let from = crate::config::address::sender("Ľustra <info@firma.sk>").expect("an address");
        let email = NewEmail {
            name: name(mail, "store"),
            recipient: &mail.recipient,
            subject: mail.subject.clone(),
            text: mail.body.clone(),
            html: None,
            unsubscribe: None,
        };
        EmailMessage::new(&email, &from, datetime!(2026-01-15 08:00 UTC))
    }

    #[test]
    fn only_one_address_is_a_recipient() {
        for hostile in [
            "",
            "lustra",
            "a@b.sk\r\nBcc: c@d.sk",
            "a@b.sk\nRCPT TO:<c@d.sk>",
            "a@b.sk>\r\nDATA",
            "a@b.sk, c@d.sk",
            "a@b.sk c@d.sk",
            "A <a@b.sk>",
            "<a@b.sk>",
            "a@b.sk> SIZE=1",
            "\"a\r\nb\"@c.sk",
            "a@b.sk\0",
        ] {
            let refused = written(&mail(hostile, "Subject")).err();
            assert!(
                matches!(refused, Some(SendError::Recipient(_))),
                "{hostile:?}: {refused:?}"
            );
        }
    }

    #[test]
    fn subject_cannot_add_a_header() {
        let email = written(&mail("a@firma.sk", "Hi\r\nBcc: b@firma.sk\r\n\r\nbody"));
        let text = String::from_utf8(email.expect("it is a message").bytes).expect("ASCII");
        let (headers, _) = text.split_once("\r\n\r\n").expect("headers end");
        assert!(
            headers.contains("Subject: Hi  Bcc: b@firma.sk"),
            "{headers}"
        );
        assert!(!headers.contains("\nBcc"), "{headers}");
    }

    #[test]
    fn international_domains_are_written_in_ascii() {
        let email = written(&mail("jan@kráľ.sk", "Subject")).expect("it is a message");
        assert_eq!(email.to.to_string(), "jan@xn--kr-nia68a.sk");
        assert!(email.bytes.is_ascii());
    }

    #[test]
    fn message_name_is_unique_and_stable() {
        let first = mail("a@firma.sk", "Subject");
        let again = ClaimedMail {
            attempt: 2,
            ..first.clone()
        };
        let other = ClaimedMail {
            id: 8,
            ..first.clone()
        };
        assert_eq!(name(&first, "store"), name(&again, "store"));
        assert_ne!(name(&first, "store"), name(&other, "store"));
        assert_ne!(name(&first, "store"), name(&first, "another"));
    }
}
