//! The rows of the mirror's tables, ordered by last change. The files table has a row for each notice and each
//! PDF, the register-entries table one for each parsed entry.

use serde_json::{Value, json};
use time::{Date, Duration};

use super::{content, entry};
use crate::World;
use crate::population::calendar::{Iso, parse_iso};
use crate::population::notices::{FIRST, Notice, UPDATED_AFTER, issue_of_id, of_day};

/// Distance from the id of a notice down to the id of its register entry.
const ENTRIES: u64 = 850_000;
/// Distance from the id of a notice up to the id of its PDF.
const ATTACHMENT: u64 = 2_000;
/// Number of consecutive rows with the same time.
const AT_ONCE: u64 = 3;

/// The times of day at which the mirror writes, in chronological order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hour {
    Issue,
    /// Corrections of earlier ones.
    Corrections,
    /// Events forced on the day itself, after all existing rows.
    Late,
}

/// A moment at which the mirror wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WriteTime {
    date: Date,
    hour: Hour,
    micros: u64,
}

impl WriteTime {
    fn text(self) -> String {
        let time = match self.hour {
            Hour::Issue => "04:26:22",
            Hour::Corrections => "04:40:05",
            Hour::Late => "05:00:00",
        };
        format!("{}T{time}.{:06}Z", Iso(self.date), self.micros)
    }
}

/// A table of the mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// The files of the bulletin.
    Files,
    /// Entries of the commercial register and filed deeds.
    Entries,
}

impl Table {
    /// The path of the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Files => "raw_issues",
            Self::Entries => "or_podanie_issues",
        }
    }

    fn rows(self, notice: Notice) -> Vec<Row> {
        match self {
            Self::Files => Row::of_file(notice),
            Self::Entries => Row::of_entry(notice).into_iter().collect(),
        }
    }

    /// The id of the notice to which a row or its PDF belongs.
    fn notice(self, id: u64) -> Option<u64> {
        match self {
            Self::Files => Some(id),
            Self::Entries => id.checked_add(ENTRIES),
        }
    }
}

/// The content of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Attachment,
    Entry,
}

#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) id: u64,
    notice: Notice,
    kind: Kind,
    created: WriteTime,
    updated: WriteTime,
}

impl Row {
    fn of_file(notice: Notice) -> Vec<Self> {
        let (created, updated) = write_times(&notice);
        let attachment = notice.has_attachment.then(|| Self {
            id: notice.id + ATTACHMENT,
            notice: notice.clone(),
            kind: Kind::Attachment,
            created,
            updated: created,
        });
        let own = Self {
            id: notice.id,
            notice,
            kind: Kind::File,
            created,
            updated,
        };
        std::iter::once(own).chain(attachment).collect()
    }

    /// A truncated file cannot be parsed, so it has no entry.
    fn of_entry(notice: Notice) -> Option<Self> {
        let is_parsed = notice.entry.is_some() && !notice.is_broken;
        let (created, updated) = write_times(&notice);
        is_parsed.then(|| Self {
            id: notice.id - ENTRIES,
            notice,
            kind: Kind::Entry,
            created,
            updated,
        })
    }

    pub(super) fn updated_at(&self) -> String {
        self.updated.text()
    }

    pub(super) fn written(&self, world: &World) -> Value {
        let notice = &self.notice;
        let mut row = match self.kind {
            Kind::Attachment => {
                let name = format!("{}-priloha.pdf", notice.mark());
                json!({"file_name": name, "content": null})
            }
            Kind::File => {
                let form = notice.form.code();
                let name = format!("{}-{form}-v-{}.xml", notice.mark(), notice.version);
                json!({"file_name": name, "content": content::of(world, notice)})
            }
            Kind::Entry => entry::of(world, notice),
        };
        row["id"] = json!(self.id);
        row["created_at"] = json!(self.created.text());
        row["updated_at"] = json!(self.updated_at());
        row["bulletin_issue"] = json!({
            "id": 3_000 + u32::from(notice.issue()),
            "year": notice.published.year(),
            "number": notice.issue(),
            "published_at": format!("{}T00:00:00.000000Z", Iso(notice.published)),
        });
        row
    }
}

/// The times at which the mirror first and last wrote a notice.
fn write_times(notice: &Notice) -> (WriteTime, WriteTime) {
    let micros = if notice.is_bulk {
        998_202
    } else {
        100_000 + notice.id % 4_000 / AT_ONCE
    };
    let created = WriteTime {
        date: notice.published,
        hour: if notice.is_late() {
            Hour::Late
        } else {
            Hour::Issue
        },
        micros,
    };
    let updated = notice.updated.map_or(created, |date| WriteTime {
        date,
        hour: Hour::Corrections,
        ..created
    });
    (created, updated)
}

/// The first rows of a table after a position.
pub(super) fn behind(
    world: &World,
    table: Table,
    since: &str,
    last_id: Option<u64>,
    most: usize,
) -> Vec<Row> {
    let start = world.population.start();
    let since_day = since
        .get(..10)
        .and_then(parse_iso)
        .map_or(-FIRST, |date| (date - start).whole_days());
    let today = world.clock.day();
    let is_behind = |row: &Row| {
        let updated_at = row.updated_at();
        match last_id {
            Some(last_id) => (updated_at.as_str(), row.id) > (since, last_id),
            None => updated_at.as_str() >= since,
        }
    };
    let mut found = Vec::new();
    for day in since_day.max(-FIRST)..=i64::from(today) {
        let mut rows = changed_on(world, table, day);
        rows.retain(is_behind);
        found.extend(rows);
        if found.len() >= most {
            break;
        }
    }
    found.truncate(most);
    found
}

/// The rows last changed on a day, in order.
fn changed_on(world: &World, table: Table, day: i64) -> Vec<Row> {
    let date = world.population.start().saturating_add(Duration::days(day));
    let today = world.clock.day();
    let issues = [day, day - UPDATED_AFTER].into_iter();
    let mut rows: Vec<Row> = issues
        .filter(|issue| *issue >= -FIRST)
        .flat_map(|issue| of_day(&world.population, issue, today))
        .flat_map(|notice| table.rows(notice))
        .filter(|row| row.updated.date == date)
        .collect();
    rows.sort_by_key(|row| (row.updated, row.id));
    rows
}

/// The row of a table with an id, if it exists already.
pub(super) fn of_id(world: &World, table: Table, id: u64) -> Option<Row> {
    let today = world.clock.day();
    let issue = issue_of_id(&world.population, table.notice(id)?)
        .filter(|issue| (-FIRST..=i64::from(today)).contains(issue))?;
    of_day(&world.population, issue, today)
        .into_iter()
        .flat_map(|notice| table.rows(notice))
        .find(|row| row.id == id)
}
