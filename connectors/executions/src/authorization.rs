//! One authorization from any source, and the merge of several rows about it.

use lustra_sdk::{Failure, date, malformed};
use serde::{Deserialize, Serialize};

use crate::settings::States;

/// The register's data of an authorization. Texts are the register's, dates are `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// The European case-law identifier. It identifies an authorization.
    pub ecli: String,
    /// The number of the authorization (číslo poverenia).
    pub authorization_number: Option<String>,
    /// The file reference of the court.
    pub court_file_number: Option<String>,
    /// The court that authorized.
    pub court: Option<String>,
    /// The executor, who holds a public office.
    pub executor_name: Option<String>,
    /// The kind of claim. The register has no amount.
    pub enforced_claim: Option<String>,
    /// Names of the creditors. [`crate::parties`] decides which are named.
    pub creditors: Vec<String>,
    /// The IČO of each creditor that has one.
    pub creditor_icos: Vec<String>,
    /// The day of the court's authorization.
    pub authorized_at: Option<String>,
    /// The day of publication in the register.
    pub published_at: Option<String>,
    /// The state in the register's words.
    pub status: String,
}

/// An authorization as shown in the section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Authorization {
    #[serde(flatten)]
    pub entry: Entry,
    /// Whether enforcement continues, by the state.
    pub is_active: bool,
}

/// Merges rows with the same ECLI and judges their states. The register may repeat a row, and a file has one row per
/// creditor. Newest first.
///
/// # Errors
/// [`Failure::Malformed`] for an unknown state.
pub fn authorizations(entries: Vec<Entry>, states: &States) -> Result<Vec<Authorization>, Failure> {
    let mut all: Vec<Authorization> = Vec::new();
    for entry in entries {
        let place = format!("the state of {}", entry.ecli);
        let is_active = states.is_active(&entry.status, &place)?;
        let next = Authorization { entry, is_active };
        match all
            .iter_mut()
            .find(|known| known.entry.ecli == next.entry.ecli)
        {
            Some(known) => add(known, next),
            None => all.push(next),
        }
    }
    all.sort_by(|a, b| {
        let newest_first = b.entry.authorized_at.cmp(&a.entry.authorized_at);
        newest_first.then_with(|| a.entry.ecli.cmp(&b.entry.ecli))
    });
    Ok(all)
}

/// Merges a row. A row in force outweighs one that is not; creditors of both are kept.
fn add(known: &mut Authorization, mut next: Authorization) {
    if next.is_active && !known.is_active {
        std::mem::swap(known, &mut next);
    }
    add_new(&mut known.entry.creditors, next.entry.creditors);
    add_new(&mut known.entry.creditor_icos, next.entry.creditor_icos);
}

/// Appends the texts that are not in the list yet.
pub fn add_new(known: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for text in more {
        if !known.contains(&text) {
            known.push(text);
        }
    }
}

/// A date of the register. `None` for an absent date and for the placeholders of one.
///
/// # Errors
/// [`Failure::Malformed`] for any other text that is not a date; `place` names it.
pub fn date(raw: &str, place: &str) -> Result<Option<String>, Failure> {
    let parsed = date::parse(raw);
    if parsed.is_some() || is_absent(raw) {
        return Ok(parsed);
    }
    Err(malformed(place, "a date", raw))
}

/// True for a text of zeros and separators, and for a year before any authorization.
fn is_absent(raw: &str) -> bool {
    let mut numbers = raw.split(|c: char| !c.is_ascii_digit());
    let has_no_words = !raw
        .chars()
        .any(|c| c.is_alphabetic() && c != 'T' && c != 'Z');
    let is_zero = raw
        .chars()
        .filter(char::is_ascii_digit)
        .all(|digit| digit == '0');
    has_no_words && (is_zero || numbers.any(|number| number == "0001" || number == "1800"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ecli: &str, status: &str, creditor: &str, authorized_at: Option<&str>) -> Entry {
        Entry {
            ecli: ecli.to_owned(),
            status: status.to_owned(),
            creditors: vec![creditor.to_owned()],
            authorized_at: authorized_at.map(str::to_owned),
            ..Entry::default()
        }
    }

    #[test]
    fn rows_of_one_authorization_are_merged() {
        let entries = vec![
            entry("A", "Neaktuálny", "x", None),
            entry("B", "aktualny", "x", Some("2026-01-02")),
            entry("A", "Aktuálny", "y", Some("2025-01-02")),
            entry("B", "Aktuálny", "x", Some("2026-01-02")),
        ];
        let all = authorizations(entries, &States::default()).expect("the states are known");
        let shown: Vec<_> = all
            .iter()
            .map(|one| {
                (
                    one.entry.ecli.as_str(),
                    one.is_active,
                    one.entry.creditors.join(" "),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [("B", true, "x".to_owned()), ("A", true, "y x".to_owned())]
        );
    }

    #[test]
    fn unknown_state_is_malformed() {
        let failure = authorizations(vec![entry("A", "Odložený", "x", None)], &States::default());
        assert!(matches!(failure, Err(Failure::Malformed(drift)) if drift.found == "Odložený"));
    }

    #[test]
    fn absent_dates_differ_from_unreadable_ones() {
        for (raw, expected) in [
            ("14.04.2026", Some(Some("2026-04-14"))),
            ("2026-04-14T00:00:00Z", Some(Some("2026-04-14"))),
            ("", Some(None)),
            ("-", Some(None)),
            ("0000-00-00", Some(None)),
            ("0001-01-01T00:00:00", Some(None)),
            ("01.01.1800", Some(None)),
            ("18.00.2024", None),
            ("včera", None),
            ("14.04.20", None),
        ] {
            let read = date(raw, "x").ok();
            assert_eq!(read.as_ref().map(Option::as_deref), expected, "{raw}");
        }
    }
}
