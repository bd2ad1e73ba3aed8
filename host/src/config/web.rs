//! Settings of the pages for people.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which companies visitors can look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lookup {
    /// No company can be looked up.
    Off,
    /// The invented companies of the sandbox.
    Sandbox,
    /// The companies of the registers, for people who are signed in.
    #[serde(rename = "signed-in")]
    SignedIn,
    /// The companies of the registers, for every visitor, without a key.
    Public,
}

/// The pages for people. They need no key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// Companies that visitors can look up: `off`, `sandbox` (the invented companies), `signed-in` (those of the
    /// registers, with every scope, for people who are signed in to an account) or `public` (the same for everyone).
    /// With the last two, a visit may ask the registers, as a request to the API does.
    pub lookup: Lookup,
    /// Rate limit of company pages per host and client address, an IPv4 address or an IPv6 /64 network. 0: no limit.
    pub companies_per_minute: u32,
    /// Rate limit of searches per host and client address; each letter typed is a search. 0: no limit.
    pub searches_per_minute: u32,
    /// Rate limit of attempts to sign in per host and client address, by e-mail or key. 0: no limit.
    pub sign_ins_per_minute: u32,
    /// E-mails with a sign-in link or an invitation to one e-mail address within an hour. At least 1.
    pub sign_in_emails: u32,
    /// Time for which a link in an e-mail signs in. An invitation is valid for 7 days. At least 1.
    pub link_minutes: u32,
    /// A session ends after this time without a page. At least 1.
    pub idle_hours: u32,
    /// A session ends after this time in any case. At least 1.
    pub session_days: u32,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            lookup: Lookup::Sandbox,
            companies_per_minute: 30,
            searches_per_minute: 240,
            sign_ins_per_minute: 10,
            sign_in_emails: 5,
            link_minutes: 20,
            idle_hours: 72,
            session_days: 30,
        }
    }
}

impl Web {
    /// Mistakes in these settings.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let least = [
            ("sign_in_emails", self.sign_in_emails),
            ("link_minutes", self.link_minutes),
            ("idle_hours", self.idle_hours),
            ("session_days", self.session_days),
        ];
        let wrong = least.into_iter().filter(|(_, value)| *value == 0);
        wrong
            .map(|(name, _)| format!("web.{name}: at least 1"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Lookup;
    use crate::config::Config;

    #[test]
    fn sessions_without_a_time_are_mistakes() {
        let text = "[web]\nlookup = \"signed-in\"\nsign_in_emails = 0\nlink_minutes = 0\nidle_hours = 0\n\
            session_days = 0\nsign_ins_per_minute = 0\n";
        let mistakes = Config::read(text, |_| None).expect_err("four of them are wrong");
        assert_eq!(mistakes.0.len(), 4, "{mistakes}");
        let right = Config::read("[web]\nlookup = \"signed-in\"\n", |_| None);
        let web = right.expect("nothing is wrong").web;
        assert_eq!(web.lookup, Lookup::SignedIn);
    }
}
