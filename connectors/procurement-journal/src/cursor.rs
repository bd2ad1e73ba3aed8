//! The cursor of an import, as a readable text: `2026/23` after an issue, `2026/23 57` after 57 items of it. It counts
//! all items of the issue, including skipped ones.

use std::fmt;

/// The number of an issue: the year, then the number in the year, so that later issues are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IssueNumber {
    pub year: u32,
    /// The number in the year.
    pub number: u32,
}

impl fmt::Display for IssueNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.year, self.number)
    }
}

/// The place of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The issue that was read last.
    pub issue: IssueNumber,
    /// The number of its items that were returned. `None` if all were.
    pub given: Option<usize>,
}

impl Cursor {
    /// Reads a cursor. `None` for a text of another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (issue, given) = match text.split_once(' ') {
            Some((issue, given)) => (issue, Some(number(given)?)),
            None => (text, None),
        };
        let (year, of_year) = issue.split_once('/')?;
        let issue = IssueNumber {
            year: u32::try_from(number(year)?).ok()?,
            number: u32::try_from(number(of_year)?).ok()?,
        };
        Some(Self { issue, given })
    }
}

fn number(text: &str) -> Option<usize> {
    let is_plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.given {
            Some(given) => write!(f, "{} {given}", self.issue),
            None => write!(f, "{}", self.issue),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips() {
        for text in ["2026/23", "2026/23 57", "2016/1 0"] {
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
            "\0",
        ] {
            assert_eq!(Cursor::parse(other), None, "{other}");
        }
    }
}
