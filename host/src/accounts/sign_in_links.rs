//! E-mails with a link that signs a person in: on request, and as an invitation.
//!
//! The store has only the digest of a link's token. The e-mail waits in the outbox, and its body is encrypted there.

use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::config::Config;
use crate::language::Language;
use crate::sealing::Sealer;
use crate::store::{LinkCreation, NewMail, SendLimit, Store, StoreError};

/// How long an invitation is valid.
const INVITATION: Duration = Duration::days(7);

/// The window of the limit of e-mails.
const WINDOW: std::time::Duration = std::time::Duration::from_secs(3_600);

/// A secret of a browser or a link: 32 random bytes, in hexadecimal digits.
pub struct Token {
    pub text: String,
    /// What the store has of it.
    pub digest: [u8; 32],
}

impl Token {
    #[must_use]
    pub fn random() -> Self {
        let bytes: [u8; 32] = rand::random();
        let text = crate::connectors::cache::hex(&bytes);
        let digest = digest(&text);
        Self { text, digest }
    }

    /// The digest of a token that a client sent. `None` if it does not have the form of one.
    #[must_use]
    pub fn digest_of(text: &str) -> Option<[u8; 32]> {
        let is_token = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_token.then(|| digest(text))
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// What an e-mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    SignIn,
    /// A person was invited to an account.
    Invitation,
}

/// What came of an e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendOutcome {
    Queued,
    /// The address got as many e-mails as allowed; the next one is possible at this time.
    TooMany(Option<OffsetDateTime>),
    /// The settings have no mail server or no public address, so no e-mail can be sent.
    NoMail,
}

/// The person to write to.
#[derive(Debug, Clone, Copy)]
pub struct Recipient<'a> {
    pub member_id: i64,
    pub email: &'a str,
    /// Name of the account.
    pub account: &'a str,
    /// Language of the e-mail.
    pub language: Language,
}

/// Whether e-mails with links can be sent: they need a mail server, and the public address for the link.
#[must_use]
pub fn can_send(config: &Config) -> bool {
    config.mail.smtp.is_some() && config.notifications.public_url.is_some()
}

/// The limit of e-mails to an address; the address is in lower case.
#[must_use]
pub fn limit(config: &Config, email: &str) -> SendLimit {
    SendLimit {
        key: format!("sign-in to {email}"),
        most: config.web.sign_in_emails,
        window: WINDOW,
    }
}

/// Queues an e-mail with a new link.
///
/// # Errors
/// The store failed.
pub async fn send(
    store: &Store,
    config: &Config,
    sealer: &Sealer,
    to: Recipient<'_>,
    occasion: Occasion,
    now: OffsetDateTime,
) -> Result<SendOutcome, StoreError> {
    let Some(base) = config.notifications.public_url.as_deref() else {
        return Ok(SendOutcome::NoMail);
    };
    if !can_send(config) {
        return Ok(SendOutcome::NoMail);
    }
    let valid = match occasion {
        Occasion::SignIn => Duration::minutes(config.web.link_minutes.into()),
        Occasion::Invitation => INVITATION,
    };
    let token = Token::random();
    let limit = limit(config, to.email);
    let sessions = store.sessions();
    let made = sessions.create_link(to.member_id, &token.digest, &limit, now + valid, now);
    if let LinkCreation::TooMany(until) = made.await? {
        return Ok(SendOutcome::TooMany(until));
    }
    let url = link(base, &token);
    let (subject, body) = match occasion {
        Occasion::SignIn => sign_in_text(to, &url, config.web.link_minutes),
        Occasion::Invitation => invitation_text(to, &url),
    };
    let email = NewMail {
        occasion: format!(
            "sign-in {}",
            crate::connectors::cache::hex(&token.digest[..8])
        ),
        recipient: to.email.to_owned(),
        subject,
        body: sealer.seal_email(body, to.email),
        sealed: true,
        account: None,
        created_at: now,
    };
    store.mail().add(&email).await?;
    Ok(SendOutcome::Queued)
}

/// The address of a link. `base` is the public address of the server.
#[must_use]
pub fn link(base: &str, token: &Token) -> String {
    let base = base.trim_end_matches('/');
    format!("{base}/account/sign-in/link?token={}", token.text)
}

fn sign_in_text(to: Recipient<'_>, url: &str, minutes: u32) -> (String, String) {
    to.language.pick(
        (
            "Prihlásenie do Lustry".to_owned(),
            format!(
                "Na prihlásenie otvorte túto adresu a stlačte tlačidlo na stránke:\n{url}\n\n\
                 Odkaz platí {minutes} min a dá sa použiť raz.\n\n\
                 Ak ste oň nežiadali, nemusíte robiť nič.\n"
            ),
        ),
        (
            "Sign in to Lustra".to_owned(),
            format!(
                "To sign in, open this address and press the button on the page:\n{url}\n\n\
                 The link is valid for {minutes} min and can be used once.\n\n\
                 If you did not request it, do nothing.\n"
            ),
        ),
    )
}

fn invitation_text(to: Recipient<'_>, url: &str) -> (String, String) {
    // A name may have any characters; an e-mail's line must not look like more than one.
    let account: String = to.account.chars().filter(|c| !c.is_control()).collect();
    to.language.pick(
        (
            "Pozvánka do účtu v Lustre".to_owned(),
            format!(
                "Pozývame vás do účtu „{account}“ v službe Lustra.\n\n\
                 Otvorte túto adresu a stlačte tlačidlo na stránke:\n{url}\n\n\
                 Odkaz platí 7 dní a dá sa použiť raz. Neskôr sa prihlásite touto e-mailovou adresou.\n"
            ),
        ),
        (
            "Invitation to an account of Lustra".to_owned(),
            format!(
                "You are invited to the account \"{account}\" of Lustra.\n\n\
                 Open this address and press the button on the page:\n{url}\n\n\
                 The link is valid for 7 days and can be used once. Later, sign in with this e-mail address.\n"
            ),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_and_checked_by_form() {
        let (one, other) = (Token::random(), Token::random());
        assert_ne!(one.text, other.text);
        assert_eq!(Token::digest_of(&one.text), Some(one.digest));
        for text in ["", "abc", &"g".repeat(64), &"a".repeat(65)] {
            assert_eq!(Token::digest_of(text), None, "{text}");
        }
    }

    #[test]
    fn account_name_stays_on_one_line_of_the_email() {
        let to = Recipient {
            member_id: 1,
            email: "eva@mlyn.example",
            account: "Mlyn\n\nhttp://other.example",
            language: Language::English,
        };
        let (_, body) = invitation_text(to, "http://lustra.example/x");
        assert!(!body.contains("\nhttp://other"), "{body}");
    }
}
