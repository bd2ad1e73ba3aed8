//! What could not be read for a section, so that clients do not take missing data for absence.

use lustra_sdk::records::DatasetState;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, calendar, records, runtime};
use serde::Serialize;

use crate::award::{FIRST_ISSUE, FirstIssue, JOURNAL};
use crate::gaps::{MISSING, MissingIssues, UNASSIGNED, Unassigned, unread_of};
use crate::names::DATASET;
use crate::settings::Settings;

/// The largest number of missing issues that a reason names.
const MAX_NAMED: usize = 5;

/// The part of the journal that the records cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// The day on which the first issue read was published: `YYYY-MM-DD`.
    pub since: Option<String>,
    /// The day on which the newest issue read was published: `YYYY-MM-DD`.
    pub until: Option<String>,
    /// How many notices could not be read and name no company by its number.
    pub unassigned: u64,
    /// The journal, if it was not read up to now, lacks issues, or has unread notices of the company.
    pub unread: Vec<Unread>,
}

impl Journal {
    /// Reads the state from the host.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] if nothing was ever read; the host's refusal.
    pub fn read(ico: &str) -> Result<Self, Failure> {
        let state = unread::imported(DATASET)?;
        let mut journal = Self {
            since: None,
            until: state.list_date.clone(),
            unassigned: 0,
            unread: Vec::new(),
        };
        let stale_after = i64::from(Settings::read()?.stale_after_days);
        let mut gaps: Vec<Gap> = Vec::new();
        gaps.extend(behind(&state, stale_after, &runtime::today()));
        for stored in records::all_of_key(DATASET, JOURNAL)? {
            match &*stored.key {
                FIRST_ISSUE => {
                    let first: FirstIssue = records::content(&stored)?;
                    journal.since = Some(first.published_at);
                }
                MISSING => gaps.push(missing(&records::content(&stored)?)),
                UNASSIGNED => {
                    let unassigned: Unassigned = records::content(&stored)?;
                    journal.unassigned = unassigned.notices;
                }
                _ => {}
            }
        }
        let notices = records::all_of_key(DATASET, &unread_of(ico))?.len();
        if notices > 0 {
            gaps.push(Gap::Truncated(format!(
                "notices that name the company and could not be read: {notices}"
            )));
        }
        let gap = if gaps.len() > 1 {
            Some(Gap::Several(gaps))
        } else {
            gaps.pop()
        };
        journal.unread.extend(gap.map(|why| Unread {
            source: DATASET.to_owned(),
            since: state.imported_at,
            why,
        }));
        Ok(journal)
    }

    /// The section with this content, which must contain [`Journal::unread`].
    ///
    /// # Errors
    /// Never: the content is always valid JSON.
    pub fn section(&self, content: &impl Serialize) -> Result<Section, Failure> {
        unread::section(content, &self.unread, Vec::new())
    }
}

/// The issues that the portal does not list yet.
fn missing(missing: &MissingIssues) -> Gap {
    let issues = &missing.issues;
    let named: Vec<&str> = issues.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = if issues.len() > MAX_NAMED {
        ", …"
    } else {
        ""
    };
    Gap::Truncated(format!(
        "issues that the portal does not list yet: {} ({}{more})",
        issues.len(),
        named.join(", ")
    ))
}

/// The journal is published on working days. An older newest issue means that later ones were not read.
fn behind(state: &DatasetState, stale_after: i64, today: &str) -> Option<Gap> {
    let newest = state.list_date.as_deref();
    let days = newest.and_then(|newest| calendar::days_between(newest, today));
    let why = match (newest, days) {
        (Some(newest), Some(days)) if days > stale_after => {
            format!("the newest issue that was read is of {newest}")
        }
        (Some(_), Some(_)) => return None,
        (_, None) | (None, _) => "it is not known which issue was read last".to_owned(),
    };
    Some(Gap::Behind(why))
}
