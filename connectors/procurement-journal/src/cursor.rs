//! The cursor of an import, as a readable text: `2026/23` after an issue, `2026/23 57` after 57 items of it. It counts
//! all items of the issue, including skipped ones.
//!
//! Further parts follow behind semicolons: the issues that are looked for
//! (`2026/24; missing 2026/22@2026-02-04 2026/23@2026-02-04:57; after 2025/251@2026-01-02`, where 57 items of 2026/23
//! were returned), and the number of unread notices without a company (`unassigned 3`).

pub mod missing;

use std::fmt;

use self::missing::Missing;

/// The number of an issue: the year, then the number in the year, so that later issues are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IssueNumber {
    pub year: u32,
    /// The number in the year.
    pub number: u32,
}

impl IssueNumber {
    /// Reads `2026/23`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (year, of_year) = text.split_once('/')?;
        Some(Self {
            year: u32::try_from(number(year)?).ok()?,
            number: u32::try_from(number(of_year)?).ok()?,
        })
    }
}

impl fmt::Display for IssueNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.year, self.number)
    }
}

/// The place of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The newest issue that was read.
    pub issue: IssueNumber,
    /// The number of its items that were returned. `None` if all were.
    pub given: Option<usize>,
    /// Older issues that are looked for.
    pub missing: Missing,
    /// How many notices could not be read and name no company by its number.
    pub unassigned: u64,
}

impl Cursor {
    /// Reads a cursor. `None` for a text of another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split("; ");
        let place = parts.next()?;
        let (issue, given) = match place.split_once(' ') {
            Some((issue, given)) => (issue, Some(number(given)?)),
            None => (place, None),
        };
        let mut cursor = Self {
            issue: IssueNumber::parse(issue)?,
            given,
            missing: Missing::default(),
            unassigned: 0,
        };
        for part in parts {
            let (name, rest) = part.split_once(' ')?;
            if name == "unassigned" {
                cursor.unassigned = u64::try_from(number(rest)?).ok()?;
            } else {
                cursor.missing.parse_part(name, rest)?;
            }
        }
        Some(cursor)
    }
}

/// A plain number of at most nine digits.
pub(crate) fn number(text: &str) -> Option<usize> {
    let is_plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.issue)?;
        if let Some(given) = self.given {
            write!(f, " {given}")?;
        }
        write!(f, "{}", self.missing)?;
        if self.unassigned > 0 {
            write!(f, "; unassigned {}", self.unassigned)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips() {
        for text in [
            "2026/23",
            "2026/23 57",
            "2016/1 0",
            "2026/23; missing 2026/22@2026-02-04",
            "2026/23 57; missing 2026/20@2026-02-04 2026/22@2026-02-04:7; after 2025/251@2026-01-02; unassigned 3",
        ] {
            let cursor = Cursor::parse(text);
            assert_eq!(
                cursor.map(|cursor| cursor.to_string()).as_deref(),
                Some(text)
            );
        }
        for other in [
            "",
            "2026",
            "2026/",
            "2026/23 ",
            "2026/-1",
            "2026/23 x",
            "2026/23; missing",
            "2026/23; missing 2026/22",
            "2026/23; others 1",
            "\0",
        ] {
            assert_eq!(Cursor::parse(other), None, "{other}");
        }
    }
}
