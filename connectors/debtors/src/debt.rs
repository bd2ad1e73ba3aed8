//! One entry of any debtor list, and its key.

use std::collections::BTreeMap;

pub use lustra_sdk::Notes;
use lustra_sdk::{Failure, Item, amount, date, fingerprint, ico, text, to_json};
use serde::{Deserialize, Serialize};

/// The longest part of a name or address in a key, in characters.
const KEY_PIECE: usize = 200;

/// A row as the list writes it. Absent cells are empty.
#[derive(Debug, Default, Clone, Copy)]
pub struct Raw<'a> {
    pub name: &'a str,
    pub ico: &'a str,
    pub street: &'a str,
    pub city: &'a str,
    pub postal_code: &'a str,
    /// The amount owed. A dash if the row is about something else than a debt.
    pub amount: &'a str,
    /// The periods for which documents are missing.
    pub missing_documents: &'a str,
    /// The row's own date.
    pub as_of: &'a str,
}

/// An entry of a debtor list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debt {
    /// The debtor's name as listed.
    pub name: Option<String>,
    /// 8 digits. Absent for natural persons and in the tax authority's list.
    pub ico: Option<String>,
    pub street: Option<String>,
    pub city: Option<String>,
    /// Five digits. Absent if the list has something else: a foreign code or a typing error.
    pub postal_code: Option<String>,
    /// Decimal text in euro. Absent if the row has no amount, or a text that is not an amount.
    pub amount: Option<String>,
    /// The periods for which documents are missing, in the list's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_documents: Option<String>,
    /// The row's own date: `YYYY-MM-DD`.
    pub as_of: Option<String>,
}

/// The stored part of a [`Debt`]: what a section shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub name: Option<String>,
    pub amount: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_documents: Option<String>,
    pub as_of: Option<String>,
    /// The date of the first list with the entry: `YYYY-MM-DD`. Absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_since: Option<String>,
}

impl Debt {
    /// Reads a row. `None` if it names no debtor, which makes it an odd row.
    ///
    /// A row without an amount is an ordinary listing: its debtor is listed for another breach. A row with a text that
    /// is not an amount is kept too, as an odd row.
    #[must_use]
    pub fn read(raw: &Raw<'_>, notes: &mut Notes) -> Option<Self> {
        let name = text::present(&text::business_name(raw.name));
        let ico = ico::parse(raw.ico);
        if name.is_none() && ico.is_none() {
            notes.odd("rows-without-debtor");
            return None;
        }
        if ico.is_none() && text::present(raw.ico).is_some() {
            notes.odd("rows-with-unreadable-ico");
        }
        let amount = amount::parse(raw.amount);
        if text::present(raw.amount).is_none() {
            notes.count("rows-without-amount");
        } else if amount.is_none() {
            notes.odd("rows-with-unreadable-amount");
        }
        Some(Self {
            name,
            ico,
            street: text::present(raw.street),
            city: text::present(raw.city),
            postal_code: postal_code(raw.postal_code),
            amount,
            missing_documents: text::present(raw.missing_documents),
            as_of: date::parse(raw.as_of),
        })
    }

    /// The entry's key, without the number that [`Keys`] appends to equal keys. It holds the name and the address but
    /// no amount, so that it depends neither on the list's order nor on the amount.
    #[must_use]
    pub fn key(&self) -> String {
        let piece = |part: &Option<String>| -> String {
            text::fold(part.as_deref().unwrap_or_default())
                .chars()
                .take(KEY_PIECE)
                .collect()
        };
        let (name, street, city) = (piece(&self.name), piece(&self.street), piece(&self.city));
        let postal_code = self.postal_code.as_deref().unwrap_or_default();
        match &self.ico {
            Some(ico) => format!("ico:{ico}|{name}|{postal_code}|{street}|{city}"),
            None => format!("name:{name}|{postal_code}|{street}|{city}"),
        }
    }

    /// The content of the entry, as JSON text.
    ///
    /// # Errors
    /// Never: texts are always valid JSON.
    pub fn content(&self, listed_since: Option<String>) -> Result<String, Failure> {
        let content = Content {
            name: self.name.clone(),
            amount: self.amount.clone(),
            missing_documents: self.missing_documents.clone(),
            as_of: self.as_of.clone(),
            listed_since,
        };
        to_json(&content)
    }

    /// The entry as a record. The name of a debtor without IČO is indexed only if the list is matched by name.
    ///
    /// # Errors
    /// As [`Debt::content`].
    pub fn into_item(
        self,
        key: String,
        matched_by_name: bool,
        listed_since: Option<String>,
    ) -> Result<Item, Failure> {
        let content = self.content(listed_since)?;
        let name = self.name.filter(|_| matched_by_name || self.ico.is_some());
        Ok(Item {
            key,
            ico: self.ico,
            name,
            city: self.city,
            postal_code: self.postal_code,
            content,
            removed: false,
        })
    }
}

/// A Slovak postal code: five digits without spaces. Anything else is foreign or a typing error; it matches no company.
#[must_use]
pub fn postal_code(raw: &str) -> Option<String> {
    let compact: String = raw
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{a0}')
        .collect();
    (compact.len() == 5 && compact.bytes().all(|byte| byte.is_ascii_digit())).then_some(compact)
}

/// Gives each entry of a list a unique key.
///
/// Entries with equal [`Debt::key`] differ only in their amounts. They are numbered in the list's order. If a later
/// list swaps two of them, their amounts swap, and a company's section stays the same.
#[derive(Debug, Default)]
pub struct Keys {
    /// Counts by fingerprint instead of text, since a list has 150,000 entries. If two texts share a fingerprint, one
    /// key gets a number that it does not need.
    seen: BTreeMap<u64, u32>,
}

impl Keys {
    /// The next entry's key.
    pub fn of(&mut self, debt: &Debt) -> String {
        let key = debt.key();
        let times = self.seen.entry(fingerprint(0, key.as_bytes())).or_default();
        *times += 1;
        if *times == 1 {
            key
        } else {
            format!("{key}|{times}")
        }
    }
}

/// A reader that returns a list entry by entry.
pub trait DebtRows {
    /// Reads the next entry. Skips and counts odd rows. `None` at the end of the list.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an unknown format.
    fn next_debt(&mut self, notes: &mut Notes) -> Result<Option<Debt>, Failure>;

    /// The list's own date, if it was already read: `YYYY-MM-DD`.
    fn list_date(&self) -> Option<String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debt(name: &str, ico: &str, amount: &str) -> Option<Debt> {
        Debt::read(
            &Raw {
                name,
                ico,
                amount,
                postal_code: "999 01",
                ..Raw::default()
            },
            &mut Notes::default(),
        )
    }

    #[test]
    fn only_five_digits_are_a_postal_code() {
        for (raw, expected) in [
            ("949 01", Some("94901")),
            ("9490", None),
            ("99-999", None),
            ("", None),
            ("94901a", None),
        ] {
            assert_eq!(postal_code(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn keys_omit_the_amount_and_number_duplicates() {
        let mut keys = Keys::default();
        let first = debt("Vzorová, s. r. o.", "99999901", "1,00").expect("it names a debtor");
        let second = debt("VZOROVÁ, s. r. o.", "99999901", "2,00").expect("it names a debtor");
        assert_eq!(keys.of(&first), "ico:99999901|vzorova s r o|99901||");
        assert_eq!(keys.of(&second), "ico:99999901|vzorova s r o|99901|||2");
    }

    #[test]
    fn only_unreadable_amounts_are_odd() {
        for (amount, odd, without) in [("veľa", 1, 0), ("-", 0, 1), ("", 0, 1), ("1,50", 0, 0)] {
            let mut notes = Notes::default();
            notes.row();
            let raw = Raw {
                name: "Vzorová",
                amount,
                missing_documents: " 01/2026 - 03/2026 ",
                ..Raw::default()
            };
            let debt = Debt::read(&raw, &mut notes).expect("it names a debtor");
            assert_eq!(debt.amount.is_some(), amount == "1,50");
            let counted = (notes.odd_rows(), notes.of("rows-without-amount"));
            assert_eq!(counted, (odd, without), "{amount}");
            let missing = debt.missing_documents.as_deref();
            assert_eq!(missing, Some("01/2026 - 03/2026"));
        }
    }
}
