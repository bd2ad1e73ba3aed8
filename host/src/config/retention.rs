//! Settings of how long old rows are kept that no other part of the settings bounds.

use schemars::JsonSchema;
use serde::Deserialize;

/// How long rows are kept after their use. The guide *Operating* lists what bounds each table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Whether this host deletes old rows and measures the sizes of tables. One of the hosts on a database does so at a
    /// time.
    pub on: bool,
    /// Days for which revoked and expired API keys stay listed. 1 to 36500.
    pub ended_keys_days: u32,
    /// Days for which sent and failed e-mails are kept. An e-mail about the same occasion is sent once within this time.
    /// 40 to 36500.
    pub mail_days: u32,
    /// Days for which the usage of accounts by day and endpoint is kept. 366 to 36500.
    pub usage_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            on: true,
            ended_keys_days: 400,
            mail_days: 180,
            usage_days: 1_100,
        }
    }
}

impl Retention {
    /// Mistakes in these settings.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        const MOST: u32 = 36_500;
        let right = [
            (
                (1..=MOST).contains(&self.ended_keys_days),
                "retention.ended_keys_days: 1 to 36500",
            ),
            (
                // A notice of used credits is sent once a month.
                (40..=MOST).contains(&self.mail_days),
                "retention.mail_days: 40 to 36500",
            ),
            (
                // The history of an account covers a year and must not show deleted days as unused.
                (366..=MOST).contains(&self.usage_days),
                "retention.usage_days: 366 to 36500",
            ),
        ];
        let mistakes = right.into_iter().filter(|(holds, _)| !holds);
        mistakes.map(|(_, mistake)| mistake).collect()
    }
}
