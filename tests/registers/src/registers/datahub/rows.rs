//! The rows of the mirror: one for each notice, one for each PDF, in the order of their last change.

use serde_json::{Value, json};
use time::{Date, Duration};

use super::content;
use crate::World;
use crate::population::calendar::{Iso, parse_iso};
use crate::population::notices::{FIRST, Notice, UPDATED_AFTER, issue_of_id, of_day};

/// Ids of PDFs lie so far behind those of their notices.
const ATTACHMENT: u64 = 2_000;
/// So many rows in a row have one time.
const AT_ONCE: u64 = 3;

/// When on a day the mirror writes, in the order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hour {
    /// The issue.
    Issue,
    /// Corrections of earlier ones.
    Corrections,
    /// What somebody made happen on the day itself: behind all that was there before.
    Late,
}

/// A moment at which the mirror wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stamp {
    date: Date,
    hour: Hour,
    micros: u64,
}

impl Stamp {
    fn text(self) -> String {
        let time = match self.hour {
            Hour::Issue => "04:26:22",
            Hour::Corrections => "04:40:05",
            Hour::Late => "05:00:00",
        };
        format!("{}T{time}.{:06}Z", Iso(self.date), self.micros)
    }
}

/// A row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) id: u64,
    notice: Notice,
    is_attachment: bool,
    created: Stamp,
    updated: Stamp,
}

impl Row {
    fn of_notice(notice: Notice) -> Vec<Self> {
        let micros = if notice.is_bulk {
            998_202
        } else {
            100_000 + notice.id % 4_000 / AT_ONCE
        };
        let created = Stamp {
            date: notice.published,
            hour: if notice.is_late() {
                Hour::Late
            } else {
                Hour::Issue
            },
            micros,
        };
        let updated = notice.updated.map_or(created, |date| Stamp {
            date,
            hour: Hour::Corrections,
            ..created
        });
        let row = |id, notice, is_attachment, updated| Self {
            id,
            notice,
            is_attachment,
            created,
            updated,
        };
        let attachment = notice
            .has_attachment
            .then(|| row(notice.id + ATTACHMENT, notice.clone(), true, created));
        let own = row(notice.id, notice, false, updated);
        std::iter::once(own).chain(attachment).collect()
    }

    pub(super) fn updated_at(&self) -> String {
        self.updated.text()
    }

    pub(super) fn written(&self, world: &World) -> Value {
        let notice = &self.notice;
        let (file_name, content) = if self.is_attachment {
            (format!("{}-priloha.pdf", notice.mark()), None)
        } else {
            let form = notice.form.code();
            let name = format!("{}-{form}-v-{}.xml", notice.mark(), notice.version);
            (name, Some(content::of(world, notice)))
        };
        json!({
            "id": self.id,
            "file_name": file_name,
            "content": content,
            "created_at": self.created.text(),
            "updated_at": self.updated_at(),
            "bulletin_issue": {
                "id": 3_000 + u32::from(notice.issue()),
                "year": notice.published.year(),
                "number": notice.issue(),
                "published_at": format!("{}T00:00:00.000000Z", Iso(notice.published)),
            },
        })
    }
}

/// The first rows behind a place.
pub(super) fn behind(world: &World, since: &str, last_id: Option<u64>, most: usize) -> Vec<Row> {
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
        let mut rows = changed_on(world, day);
        rows.retain(is_behind);
        found.extend(rows);
        if found.len() >= most {
            break;
        }
    }
    found.truncate(most);
    found
}

/// The rows that were changed last on a day, in their order.
fn changed_on(world: &World, day: i64) -> Vec<Row> {
    let date = world.population.start().saturating_add(Duration::days(day));
    let today = world.clock.day();
    let issues = [day, day - UPDATED_AFTER].into_iter();
    let mut rows: Vec<Row> = issues
        .filter(|issue| *issue >= -FIRST)
        .flat_map(|issue| of_day(&world.population, issue, today))
        .flat_map(Row::of_notice)
        .filter(|row| row.updated.date == date)
        .collect();
    rows.sort_by_key(|row| (row.updated, row.id));
    rows
}

/// The row with an id, if there is one yet.
pub(super) fn of_id(world: &World, id: u64) -> Option<Row> {
    let today = world.clock.day();
    let issue = issue_of_id(&world.population, id)
        .filter(|issue| (-FIRST..=i64::from(today)).contains(issue))?;
    of_day(&world.population, issue, today)
        .into_iter()
        .flat_map(Row::of_notice)
        .find(|row| row.id == id)
}
