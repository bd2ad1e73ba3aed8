//! The bucket with the dumps: its listing, its file names, and the files that an import needs.
//!
//! A full dump is published part by part with a list of its parts. It is not used until the last part exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::BufRead;

use lustra_sdk::xml::Rows;
use lustra_sdk::{Failure, calendar, malformed};

/// Prefix of the full dumps.
pub const INITS: &str = "batch-init/";
/// Prefix of the daily dumps.
pub const DAILIES: &str = "batch-daily/";

/// One file with records.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum File {
    /// One part of a full dump.
    Init {
        date: String,
        /// The number of the part, counted from 1.
        part: u32,
    },
    /// The records that are new or changed on one day.
    Daily { date: String },
}

impl File {
    #[must_use]
    pub fn date(&self) -> &str {
        match self {
            Self::Init { date, .. } | Self::Daily { date } => date,
        }
    }

    /// The file's key in the bucket.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Init { date, part } => format!("{INITS}init_{date}_{part:03}.json.gz"),
            Self::Daily { date } => format!("{DAILIES}actual_{date}.json.gz"),
        }
    }

    /// The file with a key; `None` for a key of another shape.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        let file = if let Some(date) = key.strip_prefix("batch-daily/actual_") {
            Self::Daily {
                date: date.strip_suffix(".json.gz")?.to_owned(),
            }
        } else {
            let (date, part) = key
                .strip_prefix("batch-init/init_")?
                .strip_suffix(".json.gz")?
                .split_once('_')?;
            Self::Init {
                date: date.to_owned(),
                part: part.parse().ok().filter(|part| *part > 0)?,
            }
        };
        (calendar::day(file.date()).is_some() && file.key() == key).then_some(file)
    }
}

/// As in a cursor.
impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Init { date, part } => write!(f, "init {date} {part:03}"),
            Self::Daily { date } => write!(f, "daily {date}"),
        }
    }
}

/// The key of the list of a full dump's parts.
#[must_use]
pub fn list_key(date: &str) -> String {
    format!("{INITS}init_{date}_list.txt")
}

/// One page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub keys: Vec<String>,
    /// The token for the next page.
    pub next: Option<String>,
}

/// Reads one page of a listing.
///
/// # Errors
/// [`Failure::Malformed`] for any other document, [`Failure::Unavailable`] for an HTML page or the storage's
/// own error document.
pub fn page(what: &str, input: impl BufRead) -> Result<Page, Failure> {
    let mut rows = Rows::new(what, input, "Contents");
    let mut keys = Vec::new();
    while let Some(mut row) = rows.next_row()? {
        let place = || format!("{what}: Contents {}", keys.len() + 1);
        keys.push(
            row.remove("Key")
                .ok_or_else(|| malformed(place(), "a Key", "none"))?,
        );
    }
    let outside = &rows.outside;
    if keys.is_empty() {
        if let (Some(code), Some(_)) = (outside.get("Code"), outside.get("Message")) {
            return Err(Failure::Unavailable(format!(
                "{what}: the storage answered {code}"
            )));
        }
        if !["Name", "Prefix", "KeyCount", "MaxKeys", "IsTruncated"]
            .iter()
            .any(|name| outside.contains_key(*name))
        {
            return Err(malformed(
                what,
                "a ListBucketResult",
                outside.keys().cloned().collect::<Vec<_>>().join(" "),
            ));
        }
    }
    if outside
        .get("IsTruncated")
        .is_none_or(|value| value != "true")
    {
        return Ok(Page { keys, next: None });
    }
    match outside.get("NextContinuationToken") {
        Some(token) => Ok(Page {
            keys,
            next: Some(token.clone()),
        }),
        None => Err(malformed(
            what,
            "a NextContinuationToken, since the listing is truncated",
            "none",
        )),
    }
}

/// A full dump as the listing shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Init {
    pub parts: BTreeSet<u32>,
    /// True if the list of its parts exists.
    pub has_list: bool,
}

impl Init {
    /// Its parts in order, if all exist: those of its list, or without a list those from 1 on without a gap.
    ///
    /// # Errors
    /// [`Failure::Malformed`] with the first missing part.
    pub fn complete(
        &self,
        date: &str,
        listed: Option<&BTreeSet<u32>>,
    ) -> Result<Vec<File>, Failure> {
        let last = self.parts.last().copied().unwrap_or(1);
        let wanted: Vec<u32> = listed.map_or_else(
            || (1..=last).collect(),
            |listed| listed.iter().copied().collect(),
        );
        let file = |part| File::Init {
            date: date.to_owned(),
            part,
        };
        match wanted.iter().find(|part| !self.parts.contains(part)) {
            Some(missing) => Err(malformed(
                format!("listing of {INITS}"),
                file(*missing).key(),
                "no such file",
            )),
            None => Ok(wanted.into_iter().map(file).collect()),
        }
    }
}

/// The full dumps among the keys, by date.
///
/// # Errors
/// [`Failure::Malformed`] when there is none.
pub fn inits(keys: &[String]) -> Result<BTreeMap<String, Init>, Failure> {
    let mut inits: BTreeMap<String, Init> = BTreeMap::new();
    for key in keys {
        if let Some(File::Init { date, part }) = File::of_key(key) {
            inits.entry(date).or_default().parts.insert(part);
        }
    }
    for (date, init) in &mut inits {
        init.has_list = keys.contains(&list_key(date));
    }
    if inits.is_empty() {
        return Err(unknown_keys(INITS, "init_YYYY-MM-DD_NNN.json.gz", keys));
    }
    Ok(inits)
}

/// The days of the daily dumps among the keys, ascending. An empty listing gives none.
///
/// # Errors
/// [`Failure::Malformed`] if there are files but none is a daily dump.
pub fn dailies(keys: &[String]) -> Result<BTreeSet<String>, Failure> {
    let dates: BTreeSet<String> = keys
        .iter()
        .filter_map(|key| match File::of_key(key)? {
            File::Daily { date } => Some(date),
            File::Init { .. } => None,
        })
        .collect();
    // A folder may be listed as a file.
    if dates.is_empty() && keys.iter().any(|key| key != DAILIES) {
        return Err(unknown_keys(DAILIES, "actual_YYYY-MM-DD.json.gz", keys));
    }
    Ok(dates)
}

/// The parts that the list of a full dump names.
///
/// # Errors
/// [`Failure::Malformed`] for a line that is no part of this dump and for an empty list; [`Failure::Unavailable`] for
/// an HTML page.
pub fn listed_parts(date: &str, text: &str) -> Result<BTreeSet<u32>, Failure> {
    let what = list_key(date);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('<') {
        return Err(Failure::Unavailable(format!(
            "{what} is a page instead of a list"
        )));
    }
    let mut parts = BTreeSet::new();
    for (number, line) in text
        .lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let name = line.rsplit('/').next().unwrap_or(line);
        match File::of_key(&format!("{INITS}{name}")) {
            Some(File::Init { date: of, part }) if of == date => parts.insert(part),
            Some(File::Init { .. } | File::Daily { .. }) | None => {
                return Err(malformed(
                    format!("{what}: line {}", number + 1),
                    format!("init_{date}_NNN.json.gz"),
                    line,
                ));
            }
        };
    }
    if parts.is_empty() {
        return Err(malformed(what, "the names of the parts", "none"));
    }
    Ok(parts)
}

fn unknown_keys(prefix: &str, expected: &str, keys: &[String]) -> Failure {
    let found = keys.first().map_or_else(
        || "no file".to_owned(),
        |first| format!("{} files, first {first}", keys.len()),
    );
    malformed(format!("listing of {prefix}"), expected, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_files_are_the_same() {
        for key in [
            "batch-init/init_2026-11-07_003.json.gz",
            "batch-daily/actual_2026-11-09.json.gz",
        ] {
            assert_eq!(
                File::of_key(key).map(|file| file.key()).as_deref(),
                Some(key)
            );
        }
        for other in [
            "batch-init/",
            "batch-init/init_2026-11-07_list.txt",
            "batch-init/init_2026-11-07_3.json.gz",
            "batch-init/init_2026-11-07_000.json.gz",
            "batch-daily/actual_2026-13-09.json.gz",
            "batch-daily/actual_../../x.json.gz",
            "actual_2026-11-09.json.gz",
        ] {
            assert_eq!(File::of_key(other), None, "{other}");
        }
    }
}
