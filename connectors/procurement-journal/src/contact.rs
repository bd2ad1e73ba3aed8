//! Normalizes contacts of companies from notices.
//!
//! Only e-mail addresses of a role (`info@`, `obchod@`) are stored: notices name people too, and a person responsible
//! for one tender is not a lasting contact. All other addresses are dropped before anything is stored.

use std::collections::BTreeSet;

use lustra_sdk::Notes;
use lustra_sdk::text;
use serde::{Deserialize, Serialize};

use crate::organisation::Organisation;

/// The kinds of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Email,
    Phone,
    Website,
}

impl Kind {
    /// The name in keys and sections.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Website => "website",
        }
    }
}

/// A stored contact, with the notice in which it was seen last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// The kind of the contact.
    pub kind: Kind,
    pub value: String,
    /// The issue and the notice.
    pub source: String,
    /// The day on which the issue was published: `YYYY-MM-DD`.
    pub observed_on: String,
    /// The title of the notice's form.
    pub context: String,
}

impl Contact {
    #[must_use]
    pub fn key(&self, ico: &str) -> String {
        // An address with a scheme and the same address without it are one contact.
        let value = match self.kind {
            Kind::Website => without_scheme(&self.value),
            Kind::Email | Kind::Phone => &self.value,
        };
        format!("{}{}/{value}", contacts_of(ico), self.kind.name())
    }
}

/// The prefix of the keys of a company's contacts.
#[must_use]
pub fn contacts_of(ico: &str) -> String {
    format!("contact/{ico}/")
}

/// The contacts of an organisation, normalized, without repetitions.
#[must_use]
pub fn of(
    organisation: &Organisation,
    roles: &BTreeSet<String>,
    notes: &mut Notes,
) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    for raw in split(&organisation.emails, &[',', ';', ' ']) {
        match email(&raw) {
            Some(address) if is_role(&address, roles) => found.push((Kind::Email, address)),
            Some(_) => notes.count("personal_emails"),
            None => notes.count("unreadable_emails"),
        }
    }
    for raw in split(&organisation.phones, &[',', ';']) {
        match phone(&raw) {
            Some(number) => found.push((Kind::Phone, number)),
            None => notes.count("unreadable_phones"),
        }
    }
    for raw in split(&organisation.websites, &[',', ';', ' ']) {
        match website(&raw) {
            Some(address) => found.push((Kind::Website, address)),
            None => notes.count("unreadable_websites"),
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|contact| seen.insert(contact.clone()));
    found
}

fn split(values: &[String], between: &[char]) -> Vec<String> {
    let parts = values.iter().flat_map(|value| value.split(between));
    parts.filter_map(text::present).collect()
}

/// An address in lower case, without `mailto:`. `None` if the text cannot be one.
#[must_use]
pub fn email(raw: &str) -> Option<String> {
    let lower = raw.trim().to_lowercase();
    let address = lower.strip_prefix("mailto:").unwrap_or(&lower);
    let (local, domain) = address.split_once('@')?;
    let is_local = |c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c);
    let is_good = !local.is_empty()
        && local.len() <= 64
        && local.chars().all(is_local)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && is_host(domain);
    is_good.then(|| address.to_owned())
}

fn is_role(address: &str, roles: &BTreeSet<String>) -> bool {
    address
        .split_once('@')
        .is_some_and(|(local, _)| roles.contains(local))
}

/// A telephone number: `+421` and nine digits if it is certainly Slovak, else the published text without surplus
/// spaces. `None` if the text cannot be one.
#[must_use]
pub fn phone(raw: &str) -> Option<String> {
    let text = text::squeeze(raw);
    let is_allowed = |c: char| c.is_ascii_digit() || " +()/.-–".contains(c);
    if !text.chars().all(is_allowed) || text.chars().skip(1).any(|c| c == '+') {
        return None;
    }
    let is_international = text.starts_with('+');
    // `+421 (0)905`: the zero in brackets is dialled only within the country.
    let digits: String = text
        .replace("(0)", if is_international { "" } else { "0" })
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    if !(6..=15).contains(&digits.len()) {
        return None;
    }
    let national = if is_international {
        digits.strip_prefix("421")
    } else {
        match digits.strip_prefix("00421") {
            Some(national) => Some(national),
            None => digits.strip_prefix('0').filter(|_| digits.len() == 10),
        }
    };
    match national {
        Some(national) if national.len() == 9 && !national.starts_with('0') => {
            Some(format!("+421{national}"))
        }
        Some(_) | None => Some(text),
    }
}

/// A web address: scheme and host in lower case, no slash at its end. `None` if the text cannot be one.
#[must_use]
pub fn website(raw: &str) -> Option<String> {
    let text = raw.trim();
    let rest = without_scheme(text);
    let scheme = text.get(..text.len() - rest.len())?.to_ascii_lowercase();
    let (host, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = host.to_lowercase();
    let (name, port) = host.split_once(':').unwrap_or((&host, "80"));
    let is_good = is_host(name) && port.parse::<u16>().is_ok() && !text.contains('@');
    is_good.then(|| format!("{scheme}{host}{}", path.trim_end_matches('/')))
}

fn without_scheme(address: &str) -> &str {
    ["https://", "http://"]
        .iter()
        .find_map(|scheme| {
            let head = address.get(..scheme.len())?;
            head.eq_ignore_ascii_case(scheme)
                .then(|| &address[scheme.len()..])
        })
        .unwrap_or(address)
}

/// A name with a dot and a top level of letters, which may be beyond ASCII.
fn is_host(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_top = |label: &&str| label.len() >= 2 && label.chars().all(char::is_alphabetic);
    labels.len() >= 2 && labels.iter().all(is_label) && labels.last().is_some_and(is_top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_phone_numbers_are_normalized() {
        for (raw, expected) in [
            ("+421 905 123 456", Some("+421905123456")),
            ("00421 2 1234 5678", Some("+421212345678")),
            ("0905 123 456", Some("+421905123456")),
            ("02/1234 5678", Some("+421212345678")),
            ("+421 (0)905 123 456", Some("+421905123456")),
            ("+420  123 456 789", Some("+420 123 456 789")),
            ("1234 5678", Some("1234 5678")),
            ("+421 905 123", Some("+421 905 123")),
            ("0905\u{a0}123\u{a0}456", Some("+421905123456")),
            ("12345", None),
            ("0905 123 456 kl. 12", None),
            ("neuvedené", None),
            ("+421+905123456", None),
            ("", None),
        ] {
            assert_eq!(phone(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn addresses_are_normalized() {
        for (raw, expected) in [
            ("Info@Vzor.SK", Some("info@vzor.sk")),
            ("mailto:info@vzor.sk", Some("info@vzor.sk")),
            ("info@vzor", None),
            ("info(at)vzor.sk", None),
            ("@vzor.sk", None),
            ("a@b@c.sk", None),
            ("info@vzor.s1", None),
        ] {
            assert_eq!(email(raw).as_deref(), expected, "{raw}");
        }
        for (raw, expected) in [
            ("HTTPS://WWW.Vzor.sk/", Some("https://www.vzor.sk")),
            ("www.vzor.sk", Some("www.vzor.sk")),
            ("http://vzor.sk/Kontakt/", Some("http://vzor.sk/Kontakt")),
            ("vzor.sk:8080/a", Some("vzor.sk:8080/a")),
            ("vzor", None),
            ("info@vzor.sk", None),
            ("neuvedené", None),
            ("ftp://vzor.sk", None),
        ] {
            assert_eq!(website(raw).as_deref(), expected, "{raw}");
        }
    }
}
