//! Settings of notifications.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use super::Secret;

/// How changes are noticed, and how they are told.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Notifications {
    /// Whether this host refreshes watched companies and sends what is to be told. Default true.
    pub on: bool,
    /// Where clients reach the API, such as `https://api.example.com`: links in e-mail lead there. Default: none, and
    /// e-mail has no links.
    pub public_url: Option<String>,
    /// Where letters about a company lead to, with `{ico}` in the place of its number, such as
    /// `https://example.com/companies/{ico}`. Default: the API's address of the company below `public_url`.
    pub company_url: Option<String>,
    /// Whether each new address has to confirm once, by a link in a letter, before anything else is sent to it. Needs
    /// `public_url`. Default false.
    pub confirm_emails: bool,
    /// The key that webhook secrets are stored under, 32 bytes in Base64. Hosts on one store need the same. Default: a
    /// file of this host's data directory, made when it is not there.
    pub secrets_key: Option<Secret>,
    /// Webhooks may go to addresses of this machine. For trials only. Default false.
    pub allow_loopback: bool,
    /// How long a receiver may take to be connected to, in seconds. Default 5.
    pub connect_seconds: u64,
    /// How long an attempt may take in all, in seconds. Default 15.
    pub attempt_seconds: u64,
    /// Seconds until the next attempt, after the first, the second and so on; an attempt more than there are waits.
    /// Default 5, 300, 1800, 7200, 18000, 36000, 36000.
    pub retry_seconds: Vec<u64>,
    /// Attempts under way at once, of this host. Default 512.
    pub in_flight: u32,
    /// Those of them that go to one host of a receiver. Default 16.
    pub in_flight_per_host: u32,
    /// After how many hours in which every attempt failed a webhook is paused. Default 120.
    pub pause_after_hours: u32,
    /// How many hours the former secret signs beside a new one, unless the client says otherwise. Default 24.
    pub former_secret_hours: u32,
    /// Tests that an account may make in an hour. Default 30.
    pub tests_per_account_hour: u32,
    /// Tests that may go to one host of webhooks in an hour, of all accounts. Default 100.
    pub tests_per_host_hour: u32,
    /// Tests that may go to one address in an hour, of all accounts. Default 5.
    pub tests_per_address_hour: u32,
    /// How often one delivery may be sent again in a day. Default 5.
    pub resends_per_delivery_day: u32,
    /// Deliveries that an account may have sent again in an hour. Default 10000.
    pub resends_per_account_hour: u32,
    /// Deliveries that may be sent again to one host of webhooks in an hour, of all accounts. Default 5000.
    pub resends_per_host_hour: u32,
    /// Letters that may be sent again to one address in an hour, of all accounts. Default 20.
    pub resends_per_address_hour: u32,
    /// Letters that an account may have sent in a day; others wait. Default 10000.
    pub letters_per_account_day: u32,
    /// Letters that may go to one address in a day, of all accounts; others wait. Default 100.
    pub letters_per_address_day: u32,
    /// For how many days changes, events and deliveries are kept. Default 90.
    pub keep_days: u32,
    /// How old what live registers say about a watched company may become, in hours. Default 24.
    pub refresh_hours: u32,
    /// Watched companies that are refreshed at once. Default 4.
    pub refresh_at_once: u32,
    /// How often the host looks for what other hosts wrote, in milliseconds. Default 500.
    pub poll_ms: u64,
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            on: true,
            public_url: None,
            company_url: None,
            confirm_emails: false,
            secrets_key: None,
            allow_loopback: false,
            connect_seconds: 5,
            attempt_seconds: 15,
            retry_seconds: vec![5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
            in_flight: 512,
            in_flight_per_host: 16,
            pause_after_hours: 120,
            former_secret_hours: 24,
            tests_per_account_hour: 30,
            tests_per_host_hour: 100,
            tests_per_address_hour: 5,
            resends_per_delivery_day: 5,
            resends_per_account_hour: 10_000,
            resends_per_host_hour: 5_000,
            resends_per_address_hour: 20,
            letters_per_account_day: 10_000,
            letters_per_address_day: 100,
            keep_days: 90,
            refresh_hours: 24,
            refresh_at_once: 4,
            poll_ms: 500,
        }
    }
}

impl Notifications {
    /// What is wrong with these settings. The key is never repeated.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let at_least_one = [
            ("connect_seconds", self.connect_seconds),
            ("attempt_seconds", self.attempt_seconds),
            ("in_flight", self.in_flight.into()),
            ("in_flight_per_host", self.in_flight_per_host.into()),
            ("pause_after_hours", self.pause_after_hours.into()),
            ("keep_days", self.keep_days.into()),
            ("refresh_hours", self.refresh_hours.into()),
            ("refresh_at_once", self.refresh_at_once.into()),
            ("poll_ms", self.poll_ms),
            ("tests_per_account_hour", self.tests_per_account_hour.into()),
            ("tests_per_host_hour", self.tests_per_host_hour.into()),
            ("tests_per_address_hour", self.tests_per_address_hour.into()),
            (
                "resends_per_delivery_day",
                self.resends_per_delivery_day.into(),
            ),
            (
                "resends_per_account_hour",
                self.resends_per_account_hour.into(),
            ),
            ("resends_per_host_hour", self.resends_per_host_hour.into()),
            (
                "resends_per_address_hour",
                self.resends_per_address_hour.into(),
            ),
            (
                "letters_per_account_day",
                self.letters_per_account_day.into(),
            ),
            (
                "letters_per_address_day",
                self.letters_per_address_day.into(),
            ),
        ];
        let mut mistakes: Vec<String> = at_least_one
            .into_iter()
            .filter(|(_, value)| *value == 0)
            .map(|(name, _)| format!("notifications.{name}: at least 1"))
            .collect();
        if self.attempt_seconds > 300 {
            mistakes.push("notifications.attempt_seconds: at most 300".to_owned());
        }
        let url = self.public_url.as_deref().map(url::Url::parse);
        if url.is_some_and(|url| url.map_or(true, |url| !matches!(url.scheme(), "http" | "https")))
        {
            mistakes.push(
                "notifications.public_url: no address, such as https://api.example.com".to_owned(),
            );
        }
        if self.confirm_emails && self.public_url.is_none() {
            mistakes.push(
                "notifications.confirm_emails: it needs notifications.public_url, where the link leads".to_owned(),
            );
        }
        let company_url = self.company_url.as_deref().map(|url| {
            let is_web =
                url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            is_web && url.contains("{ico}")
        });
        if company_url == Some(false) {
            mistakes.push(
                "notifications.company_url: no address with {ico}, such as https://example.com/companies/{ico}"
                    .to_owned(),
            );
        }
        if self.secrets_key.is_some() && self.sealing_key().is_none() {
            mistakes.push("notifications.secrets_key: 32 bytes in Base64 are wanted".to_owned());
        }
        mistakes
    }

    /// The bytes of `secrets_key`.
    #[must_use]
    pub fn sealing_key(&self) -> Option<[u8; 32]> {
        let text = self.secrets_key.as_ref()?.reveal();
        BASE64_STANDARD.decode(text.trim()).ok()?.try_into().ok()
    }
}
