//! Pages on which the owner of an e-mail address allows or stops an account's e-mails, and the e-mail that asks
//! for permission.

use url::Url;

use super::Notifier;
use crate::html::escaped;
use crate::language::Language;
use crate::mail::UnsubscribeFrom;
use crate::store::{AccountId, NewMail, StoreError};

/// Parameters of a confirmation page, as they stand in its link.
#[derive(Debug, Clone, Copy)]
pub struct Confirming<'a> {
    /// The account's number, as text.
    pub account: &'a str,
    pub address: &'a str,
    pub token: &'a str,
}

impl Notifier {
    /// The URL of an API page. `None` if the settings have no public URL.
    fn page(&self, path: &[&str], query: &[(&str, &str)]) -> Option<String> {
        let mut url: Url = self.settings().public_url.as_deref()?.parse().ok()?;
        url.path_segments_mut().ok()?.pop_if_empty().extend(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Some(url.into())
    }

    /// The unsubscribe page for an account and an address. `None` if the settings have no public URL.
    pub(super) fn unsubscribe_page(&self, account: AccountId, address: &str) -> Option<String> {
        let from = account.to_string();
        let consents = self.mailer().consents();
        consents.unsubscribe_page(UnsubscribeFrom::Account(&from), address)
    }

    /// The link to a company in e-mails: the configured page, or the API if none is configured.
    pub(super) fn company_page(&self, ico: &str) -> Option<String> {
        match &self.settings().company_url {
            Some(url) => Some(url.replace("{ico}", ico)),
            None => self.page(&["v1", "company", "ico", ico], &[]),
        }
    }

    /// The path and query of the page that confirms an address.
    #[must_use]
    pub fn confirm_path(&self, account: AccountId, address: &str) -> String {
        let number = account.to_string();
        let token = self.sealer().token(&["confirm", &number, address]);
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs([
            ("account", number.as_str()),
            ("address", address),
            ("token", &token),
        ]);
        format!("/v1/notifications/confirm?{}", query.finish())
    }

    /// Stops the e-mails of an account to an address and removes the address from the account's thresholds. Returns the
    /// path of the page that allows them again, or `None` if the token is not valid or the subscription is gone.
    ///
    /// # Errors
    /// The store failed.
    pub async fn unsubscribe(
        &self,
        from: UnsubscribeFrom<'_>,
        address: &str,
        token: &str,
    ) -> Result<Option<String>, StoreError> {
        if !self.is_unsubscribe_link(from, address, token) {
            return Ok(None);
        }
        let recipients = self.store().recipients();
        let account = match from {
            UnsubscribeFrom::Account(number) => number.parse().ok(),
            UnsubscribeFrom::Subscription(number) => match number.parse() {
                Ok(number) => recipients.account_of(number).await?,
                Err(_) => None,
            },
        };
        let Some(account) = account else {
            return Ok(None);
        };
        recipients.unsubscribe(account, address, self.now()).await?;
        let billing = self.store().billing();
        let mut thresholds = billing.thresholds(account).await?;
        let before = thresholds.emails.len();
        let unwanted = address.to_lowercase();
        thresholds
            .emails
            .retain(|email| email.to_lowercase() != unwanted);
        if thresholds.emails.len() < before {
            billing.set_thresholds(account, &thresholds).await?;
        }
        Ok(Some(self.confirm_path(account, address)))
    }

    /// Whether an unsubscribe link carries a valid token.
    #[must_use]
    pub fn is_unsubscribe_link(
        &self,
        from: UnsubscribeFrom<'_>,
        address: &str,
        token: &str,
    ) -> bool {
        let right = self.mailer().consents().unsubscribe_token(from, address);
        is_equal(&right, token)
    }

    /// Whether a confirmation link carries a valid token.
    #[must_use]
    pub fn is_confirming(&self, page: Confirming<'_>) -> bool {
        let right = self
            .sealer()
            .token(&["confirm", page.account, page.address]);
        is_equal(&right, page.token)
    }

    /// Records that the owner of an address allows an account's e-mails. Returns `false` if the token is not
    /// valid.
    ///
    /// # Errors
    /// The store failed.
    pub async fn confirm(&self, page: Confirming<'_>) -> Result<bool, StoreError> {
        let Ok(account) = page.account.parse() else {
            return Ok(false);
        };
        if !self.is_confirming(page) {
            return Ok(false);
        }
        let recipients = self.store().recipients();
        recipients
            .confirm(account, page.address, self.now())
            .await?;
        Ok(true)
    }

    /// Sends each address an e-mail that asks whether the account may write to it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ask(&self, account: AccountId, addresses: &[String]) -> Result<(), StoreError> {
        let Some(base) = self.settings().public_url.as_deref() else {
            return Ok(());
        };
        let language = self.language_of(account).await?;
        // Rows of earlier versions, which asked for each spelling of an address.
        let of_spelling = format!("confirmation for account {account}");
        let mails = self.store().mail();
        for address in addresses {
            let occasion = format!("{of_spelling}: {}", address.to_lowercase());
            // Ask only once. If a limit postpones the e-mail, it is sent when the account names the address
            // again.
            if mails.has(&occasion).await?
                || mails.state(&of_spelling, address).await?.is_some()
                || self
                    .mailer()
                    .consents()
                    .count_email(account, address)
                    .await?
                    .is_some()
            {
                continue;
            }
            let url = format!(
                "{}{}",
                base.trim_end_matches('/'),
                self.confirm_path(account, address)
            );
            let (subject, body) = language.pick(
                (
                    "Potvrďte odber správ o zmenách spoločností",
                    format!(
                        "Niekto chce na túto adresu posielať správy o zmenách spoločností.\n\n\
                         Ak s tým súhlasíte, potvrďte to na stránke\n{url}\n\n\
                         Ak nie, nemusíte robiť nič: ďalšia správa nepríde.\n"
                    ),
                ),
                (
                    "Confirm that you want messages about companies",
                    format!(
                        "A user of Lustra wants to send messages about changes of companies to this address.\n\n\
                         If you agree, confirm it on the page\n{url}\n\n\
                         If you do not agree, do nothing: no further message will be sent.\n"
                    ),
                ),
            );
            let mail = NewMail {
                occasion,
                recipient: address.clone(),
                subject: subject.to_owned(),
                body,
                sealed: false,
                // It asks for consent.
                account: None,
                created_at: self.now(),
            };
            mails.add(&mail).await?;
        }
        Ok(())
    }

    /// Whether a test e-mail may be sent to an address.
    ///
    /// # Errors
    /// The store failed.
    pub async fn may_write_to(
        &self,
        account: AccountId,
        address: &str,
    ) -> Result<bool, StoreError> {
        let consents = self.mailer().consents();
        consents.may_write_to(account, address).await
    }

    /// If the settings require confirmation, asks the owners of those of these addresses that the account may not write
    /// to yet.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ask_unconfirmed(
        &self,
        account: AccountId,
        addresses: &[String],
    ) -> Result<(), StoreError> {
        if !self.settings().confirm_emails {
            return Ok(());
        }
        let mut unconfirmed = Vec::new();
        for address in addresses {
            if !self.may_write_to(account, address).await? {
                unconfirmed.push(address.clone());
            }
        }
        self.ask(account, &unconfirmed).await
    }

    pub(super) async fn language_of(&self, account: AccountId) -> Result<Language, StoreError> {
        let code = self.store().keys().language(account).await?;
        let language = code.as_deref().and_then(Language::parse);
        Ok(language.unwrap_or(Language::Slovak))
    }
}

/// Compares every byte, so that the time does not tell how many are right.
fn is_equal(right: &str, token: &str) -> bool {
    let bytes = right.bytes().zip(token.bytes());
    right.len() == token.len()
        && bytes.fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

/// HTML form that allows e-mails again.
#[must_use]
pub fn confirm_form(path: &str, words: &str) -> String {
    format!(
        "<form method=\"post\" action=\"{}\"><button>{words}</button></form>\n",
        escaped(path)
    )
}
