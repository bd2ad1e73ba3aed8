//! Settings of notifications.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Secret;

/// Settings of change detection and delivery.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Notifications {
    /// Whether this host refreshes watched companies and sends deliveries. At least one host on the database must.
    pub on: bool,
    /// Public address of the API, such as `https://api.example.com`. E-mails link to its unsubscribe page; without it
    /// they have no links.
    pub public_url: Option<String>,
    /// Where e-mails about a company link to, with `{ico}` for its number, such as
    /// `https://example.com/companies/{ico}`. Default: the company in the API below `public_url`.
    pub company_url: Option<String>,
    /// Whether each new address must confirm once, by a link in an e-mail. Needs `public_url`.
    pub confirm_emails: bool,
    /// Key that encrypts the signing secrets of webhooks in the database: 32 bytes in Base64, as `openssl rand -base64
    /// 32` prints them. Hosts on one database need the same. Default: the file `secrets.key` in `data`, created if
    /// missing. Without it every subscription needs a new secret.
    pub secrets_key: Option<Secret>,
    /// Allows webhooks to this machine. For tests only.
    pub allow_loopback: bool,
    /// Time limit of connecting to a receiver. At least 1.
    pub connect_seconds: u64,
    /// Time limit of a whole attempt, 1 to 300.
    pub attempt_seconds: u64,
    /// Delays between attempts, each with a random jitter of up to 20 %. There is one more attempt than delays.
    pub retry_seconds: Vec<u64>,
    /// Concurrent attempts of this host. At least 1.
    pub in_flight: u32,
    /// Concurrent attempts to one receiving host. At least 1. It gets at most an eighth of those that are free for all
    /// hosts, rounded up, so that hosts that hang do not block the others.
    pub in_flight_per_host: u32,
    /// A webhook whose attempts all failed for this long is paused. At least 1.
    pub pause_after_hours: u32,
    /// How long the old secret signs in addition to a new one, unless the client sets another time.
    pub former_secret_hours: u32,
    /// Tests of targets by one account. At least 1, like all of these limits, which apply across hosts. A request
    /// beyond a limit gets 429; an e-mail waits.
    pub tests_per_account_hour: u32,
    /// Tests to one webhook host, over all accounts.
    pub tests_per_host_hour: u32,
    /// Tests to one e-mail address, over all accounts.
    pub tests_per_address_hour: u32,
    /// Resends of one delivery.
    pub resends_per_delivery_day: u32,
    /// Resends by one account.
    pub resends_per_account_hour: u32,
    /// Resends to one webhook host, over all accounts.
    pub resends_per_host_hour: u32,
    /// Resends to one e-mail address, over all accounts.
    pub resends_per_address_hour: u32,
    /// E-mails of one account.
    pub emails_per_account_day: u32,
    /// E-mails to one address, over all accounts.
    pub emails_per_address_day: u32,
    /// How long changes, events and deliveries are kept. Deliveries that wait or are held, and their events, are kept
    /// longer. At least 1.
    pub keep_days: u32,
    /// Maximum age of a watched company's data from live registers. Lists follow their own schedules. At least 1.
    pub refresh_hours: u32,
    /// Watched companies that this host refreshes concurrently. At least 1.
    pub refresh_at_once: u32,
    /// Poll interval for events and deliveries of other hosts. At least 1.
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
            emails_per_account_day: 10_000,
            emails_per_address_day: 100,
            keep_days: 90,
            refresh_hours: 24,
            refresh_at_once: 4,
            poll_ms: 500,
        }
    }
}

impl Notifications {
    /// Mistakes in these settings. They never repeat the key.
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
            ("emails_per_account_day", self.emails_per_account_day.into()),
            ("emails_per_address_day", self.emails_per_address_day.into()),
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
                "notifications.public_url: must be an address such as https://api.example.com"
                    .to_owned(),
            );
        }
        if self.confirm_emails && self.public_url.is_none() {
            mistakes.push(
                "notifications.confirm_emails: requires notifications.public_url, which the e-mail links to".to_owned(),
            );
        }
        let company_url = self.company_url.as_deref().map(|url| {
            let is_web =
                url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            is_web && url.contains("{ico}")
        });
        if company_url == Some(false) {
            mistakes.push(
                "notifications.company_url: must be an address with {ico}, such as https://example.com/companies/{ico}"
                    .to_owned(),
            );
        }
        if self.secrets_key.is_some() && self.sealing_key().is_none() {
            mistakes.push("notifications.secrets_key: must be 32 bytes in Base64".to_owned());
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
