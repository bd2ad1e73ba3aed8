//! Plans the files of a run, in order, from the bucket's listing and the cursor of the last run.
//!
//! Without a cursor: the newest full dump, then each later daily one. With a cursor: the later daily ones. If
//! an unread daily dump was already deleted, only the next full dump makes the data complete again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use lustra_sdk::http::{self, Request};
use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Failure, calendar, failure, malformed};

use crate::bucket::{self, DAILIES, File, INITS, Init};
use crate::cursor::Cursor;
use crate::settings::Settings;

/// The upstream of the dumps.
pub const UPSTREAM: &str = "rpo-dumps";
/// Maximum number of pages. A listing has a few; an endless one would block a run.
const MAX_PAGES: usize = 100;

/// The files of a run.
pub struct Plan {
    /// The files in reading order.
    pub files: Vec<File>,
    /// Number of records of the first file that were read earlier.
    pub records: u64,
}

pub fn plan(cursor: Option<&Cursor>) -> Result<Plan, Failure> {
    match cursor {
        None => from_newest_dump(&days()?),
        Some(Cursor::Done(file)) => behind(file, None),
        Some(Cursor::In {
            file: file @ File::Daily { .. },
            records,
        }) => behind(file, Some(*records)),
        Some(Cursor::In {
            file: File::Init { date, part },
            records,
        }) => within_init(date, *part, *records),
    }
}

/// The newest full dump and everything published later.
fn from_newest_dump(days: &BTreeSet<String>) -> Result<Plan, Failure> {
    let inits = bucket::inits(&keys(INITS)?)?;
    let mut files = newest_complete(&inits)?;
    let date = files
        .first()
        .map(|file| file.date().to_owned())
        .unwrap_or_default();
    files.extend(later(days, &date));
    Ok(Plan { files, records: 0 })
}

/// The files published after a file. A partly read daily dump is continued.
fn behind(file: &File, records: Option<u64>) -> Result<Plan, Failure> {
    let days = days()?;
    let is_daily = matches!(file, File::Daily { .. });
    if days.is_empty() && is_daily {
        return Err(malformed(
            format!("listing of {DAILIES}"),
            "daily dumps, as there were before",
            "no file",
        ));
    }
    let is_gone = records.is_some() && !days.contains(file.date());
    if is_gone || has_gap(&days, file.date())? {
        runtime::log(
            Level::Warn,
            &format!(
                "daily dumps behind {} are no longer kept: the import restarts with a full dump",
                file.date()
            ),
        );
        return from_newest_dump(&days);
    }
    let mut files: Vec<File> = records.map(|_| file.clone()).into_iter().collect();
    files.extend(later(&days, file.date()));
    Ok(Plan {
        files,
        records: records.unwrap_or_default(),
    })
}

/// The rest of a full dump and everything published later, while both still exist.
fn within_init(date: &str, part: u32, records: u64) -> Result<Plan, Failure> {
    let gone = || failure::list_changed(format!("the full dump of {date} is no longer kept"));
    let inits = bucket::inits(&keys(INITS)?)?;
    let init = inits.get(date).ok_or_else(gone)?;
    let parts = match parts_of(date, init) {
        Ok(parts) => parts,
        Err(Failure::Malformed(_)) => return Err(gone()),
        Err(other) => return Err(other),
    };
    let mut files: Vec<File> = parts
        .into_iter()
        .skip_while(|file| matches!(file, File::Init { part: other, .. } if *other != part))
        .collect();
    let days = days()?;
    // Starting over would select the newest dump again.
    let is_newest = inits
        .keys()
        .next_back()
        .is_some_and(|newest| newest == date);
    if files.is_empty() || (!is_newest && has_gap(&days, date)?) {
        return Err(gone());
    }
    files.extend(later(&days, date));
    Ok(Plan { files, records })
}

/// The newest complete full dump. One that is still being published waits for a later run.
fn newest_complete(inits: &BTreeMap<String, Init>) -> Result<Vec<File>, Failure> {
    let lists_are_published = inits.values().any(|init| init.has_list);
    let mut first_failure = None;
    for (date, init) in inits.iter().rev() {
        let is_unfinished = lists_are_published && !init.has_list;
        let parts = if is_unfinished {
            Err(malformed(
                format!("listing of {INITS}"),
                bucket::list_key(date),
                "no such file",
            ))
        } else {
            parts_of(date, init)
        };
        match parts {
            Ok(files) => return Ok(files),
            Err(missing @ Failure::Malformed(_)) => {
                runtime::log(
                    Level::Warn,
                    &format!("the full dump of {date}: {}", failure::reason(&missing)),
                );
                first_failure.get_or_insert(missing);
            }
            Err(other) => return Err(other),
        }
    }
    Err(first_failure
        .unwrap_or_else(|| malformed(format!("listing of {INITS}"), "a full dump", "none")))
}

fn parts_of(date: &str, init: &Init) -> Result<Vec<File>, Failure> {
    if !init.has_list {
        return init.complete(date, None);
    }
    let response = Request::get(UPSTREAM, format!("/{}", bucket::list_key(date))).fetch()?;
    let listed = bucket::listed_parts(date, &response.body.text(None)?)?;
    init.complete(date, Some(&listed))
}

fn later(days: &BTreeSet<String>, date: &str) -> impl Iterator<Item = File> {
    days.range::<str, _>((Bound::Excluded(date), Bound::Unbounded))
        .map(|date| File::Daily { date: date.clone() })
}

/// True if a daily dump after the date may have been missed: the oldest available one is later than the next
/// day, or the newest is further away than the retention. Uses no clock, so that the result depends only on the
/// bucket.
fn has_gap(days: &BTreeSet<String>, date: &str) -> Result<bool, Failure> {
    let retention = Settings::read()?.retention_days;
    let behind = |day: Option<&String>| calendar::days_between(date, day?);
    let (Some(oldest), Some(newest)) = (behind(days.first()), behind(days.last())) else {
        return Ok(false);
    };
    Ok(oldest > 1 || newest > retention)
}

fn days() -> Result<BTreeSet<String>, Failure> {
    bucket::dailies(&keys(DAILIES)?)
}

/// All keys under a prefix.
fn keys(prefix: &str) -> Result<Vec<String>, Failure> {
    let what = format!("listing of {prefix}");
    let mut keys = Vec::new();
    let mut path = format!("/?list-type=2&prefix={prefix}&max-keys=1000");
    for _ in 0..MAX_PAGES {
        let response = Request::get(UPSTREAM, path.as_str()).fetch()?;
        let page = bucket::page(&what, response.body.reader())?;
        keys.extend(page.keys);
        let Some(token) = page.next else {
            return Ok(keys);
        };
        path = format!(
            "/?list-type=2&prefix={prefix}&max-keys=1000&continuation-token={}",
            http::encode(&token)
        );
    }
    Err(malformed(
        what,
        "an end of the listing",
        format!("more than {MAX_PAGES} pages"),
    ))
}
