//! The position at which an import resumes.

use std::fmt;

use crate::calendar::Day;

/// Names the member that this version's records have and earlier ones lack: `typ`. Cursors of earlier versions
/// are rejected, so that all days are read again.
const VERSION: &str = "typ";

/// The position behind the last returned contract. As text: `typ 2011-01-01 2026-01-14 1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The first day that was imported.
    pub since: Day,
    /// The next day to read.
    pub day: Day,
    /// Number of contracts of that day's file already returned.
    pub given: u64,
}

impl Cursor {
    /// Parses a cursor. `None` for another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.strip_prefix(VERSION)?.strip_prefix(' ')?.split(' ');
        let cursor = Self {
            since: Day::parse(words.next()?)?,
            day: Day::parse(words.next()?)?,
            given: words.next()?.parse().ok()?,
        };
        words.next().is_none().then_some(cursor)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VERSION} {} {} {}", self.since, self.day, self.given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips() {
        let text = "typ 2011-01-01 2026-01-14 1000";
        let cursor = Cursor::parse(text).expect("it is one");
        assert_eq!(cursor.to_string(), text);
        assert_eq!(cursor.given, 1_000);
        for other in [
            "",
            "typ 2026-01-14 1000",
            "typ 2011-01-01 2026-01-14 -1",
            "typ 2011-01-01 2026-01-14 1 2",
            "2011-01-01 2026-01-14 1000",
        ] {
            assert_eq!(Cursor::parse(other), None, "{other}");
        }
    }
}
