//! The register's own id of a record: number and court.

use std::fmt;

/// A record's number and court. Courts use the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct RecordId {
    /// The parameter `ID` of the register's addresses.
    pub id: u32,
    /// The parameter `SID` of the register's addresses.
    pub court: u8,
}

impl RecordId {
    /// Parses the two numbers. Zero is invalid for both.
    #[must_use]
    pub fn new(id: &str, court: &str) -> Option<Self> {
        Some(Self {
            id: number(id)?,
            court: number(court)?.try_into().ok()?,
        })
    }

    /// The record in the query of an extract's address.
    #[must_use]
    pub fn of_query(query: &str) -> Option<Self> {
        Self::new(parameter(query, "ID")?, parameter(query, "SID")?)
    }

    /// The path of its extract: the full one, or the one of what is valid now.
    #[must_use]
    pub fn extract_path(self, is_full: bool) -> String {
        let full = u8::from(is_full);
        format!("/vypis.asp?ID={}&SID={}&P={full}", self.id, self.court)
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.id, self.court)
    }
}

/// The query of an address, if the address is that of an extract.
#[must_use]
pub fn extract_query(address: &str) -> Option<&str> {
    address.split_once("vypis.asp?").map(|(_, query)| query)
}

/// The value of a query parameter. Names are case-insensitive, as on the site.
#[must_use]
pub fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

/// The register id in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Record(RecordId),
    /// The number without a court.
    AnyCourt(u32),
}

/// Parses `346/2` or `346`. `None` for anything else, which cannot be an id of this register.
#[must_use]
pub fn asked(key: &str) -> Option<Asked> {
    match key.split_once('/') {
        Some((id, court)) => RecordId::new(id, court).map(Asked::Record),
        None => number(key).map(Asked::AnyCourt),
    }
}

fn number(digits: &str) -> Option<u32> {
    let is_number =
        (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_the_register_are_ids() {
        assert_eq!(
            asked("346/2"),
            Some(Asked::Record(RecordId { id: 346, court: 2 }))
        );
        assert_eq!(asked("346"), Some(Asked::AnyCourt(346)));
        for other in [
            "",
            "/",
            "346/",
            "/2",
            "0/2",
            "346/0",
            "346/999",
            "346/2/3",
            "-1",
            "9999999999",
            "34\0",
            "१२",
        ] {
            assert_eq!(asked(other), None, "{other:?}");
        }
    }
}
