//! The section `trade_license_activities`, a list. A failed request leaves no section.

use lustra_rpo_records::UPSTREAM;
use lustra_rpo_records::live::{self, Found};
use lustra_rpo_records::status::Life;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{CompanyStatus, Failure, Section, Subject, ico, runtime};
use serde::Serialize;

use crate::activities::{self, Activity, Status};
use crate::source::{self, Entry, PREFERRED, Source};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trade {
    activity: String,
    status: Status,
    since: Option<String>,
    until: Option<String>,
    suspended_from: Option<String>,
    suspended_to: Option<String>,
    source: Source,
    office: Option<String>,
    registration_number: Option<String>,
}

/// Builds the section of one company.
///
/// # Errors
/// A subject without an IČO, the register's failure, and [`Failure::Unavailable`] for a company that the register does
/// not know: it lags behind the others, so it has not said that there are no trades.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let ico = subject.ico.as_str();
    ico::required(ico, "trades")?;
    let Some(found) = live::by_ico(ico, PREFERRED)? else {
        return Err(Failure::Unavailable(
            "rpo knows no company with this number, so it says nothing of its trades".to_owned(),
        ));
    };
    let (trades, unread) = trades(&found, &runtime::today())?;
    unread::section(&trades, &unread, found.evidence)
}

/// The trades of a record on a day, active ones first, then the newest; and the register, if it has trades that could
/// not be read.
///
/// # Errors
/// As [`source::entry`] and [`activities::read`].
pub fn trades(found: &Found, today: &str) -> Result<(Vec<Trade>, Vec<Unread>), Failure> {
    let record = &found.record;
    let Some(entry) = source::entry(record)? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let life = Life::of(record)?;
    let read = activities::read(&found.text, entry.source)?;
    let unread = (read.odd_rows > 0).then(|| {
        let why = format!("{} trades could not be read", read.odd_rows);
        Gap::OddEntry(why).unread(UPSTREAM, None)
    });
    let mut trades: Vec<Trade> = read
        .activities
        .into_iter()
        .map(|activity| trade(ended_with(activity, &life), &entry, today))
        .collect();
    trades.sort_by(|one, other| {
        (one.status, &other.since, &one.activity).cmp(&(other.status, &one.since, &other.activity))
    });
    Ok((trades, unread.into_iter().collect()))
}

/// Ends an activity with its record: a closed record may still have open items.
fn ended_with(mut activity: Activity, life: &Life<'_>) -> Activity {
    if !activity.is_closed && life.status != CompanyStatus::Active {
        activity.is_closed = true;
        activity.until.clone_from(&life.ended_on);
    }
    activity
}

fn trade(activity: Activity, entry: &Entry, today: &str) -> Trade {
    Trade {
        status: activity.status(today),
        activity: activity.text,
        since: activity.since,
        until: activity.until,
        suspended_from: activity.suspended_from,
        suspended_to: activity.suspended_to,
        source: entry.source,
        office: entry.office.clone(),
        registration_number: entry.registration_number.clone(),
    }
}
