//! The position of an import as readable text: `history-3 init 2026-11-07 003 12000`, `history-3 daily 2026-11-09 500`,
//! `history-3 done daily 2026-11-09`. The last number counts the file's records read so far, including skipped ones.
//!
//! The first word is the version of what an import stores. The cursor of another version is not accepted, so that the
//! next run reads a full dump.

use std::fmt;

use crate::bucket::File;

/// The version of what an import stores: base companies and their histories, since 2 with legal facts and
/// organisation units, since 3 with former names.
const VERSION: &str = "history-3 ";

/// The position of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cursor {
    In {
        file: File,
        /// Number of its records read so far.
        records: u64,
    },
    /// After the last file of a run.
    Done(File),
}

impl Cursor {
    /// Parses a cursor. `None` for a text of another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.strip_prefix(VERSION)?.split(' ').collect();
        let cursor = match words.as_slice() {
            ["init", date, part, records] => Self::In {
                file: init(date, part)?,
                records: records.parse().ok()?,
            },
            ["daily", date, records] => Self::In {
                file: daily(date),
                records: records.parse().ok()?,
            },
            ["done", "init", date, part] => Self::Done(init(date, part)?),
            ["done", "daily", date] => Self::Done(daily(date)),
            _ => return None,
        };
        let file = match &cursor {
            Self::In { file, .. } | Self::Done(file) => file,
        };
        // Accept only dates and parts that form a valid file name.
        File::of_key(&file.key())
            .is_some_and(|known| known == *file)
            .then_some(cursor)
    }
}

fn init(date: &str, part: &str) -> Option<File> {
    Some(File::Init {
        date: date.to_owned(),
        part: part.parse().ok()?,
    })
}

fn daily(date: &str) -> File {
    File::Daily {
        date: date.to_owned(),
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In { file, records } => write!(f, "{VERSION}{file} {records}"),
            Self::Done(file) => write!(f, "{VERSION}done {file}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips() {
        for text in [
            "history-3 init 2026-11-07 003 12000",
            "history-3 daily 2026-11-09 500",
            "history-3 done daily 2026-11-09",
            "history-3 done init 2026-11-07 021",
        ] {
            assert_eq!(
                Cursor::parse(text)
                    .map(|cursor| cursor.to_string())
                    .as_deref(),
                Some(text)
            );
        }
        for other in [
            "",
            "init 2026-11-07 003 12000",
            "history done",
            "history-3 daily 2026-11-09",
            "history-3 daily ../x 5",
            "history-3 init 2026-11-07 000 5",
            "history-3 daily 2026-11-09 -5",
            "\0",
        ] {
            assert_eq!(Cursor::parse(other), None, "{other}");
        }
    }
}
