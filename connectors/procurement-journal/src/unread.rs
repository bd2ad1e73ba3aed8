//! What could not be read for a section, so that clients do not take missing data for absence.

use lustra_sdk::records::DatasetState;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, calendar, records, runtime};
use serde::Serialize;

use crate::award::{FIRST_ISSUE, FirstIssue};
use crate::names::DATASET;
use crate::settings::Settings;

/// The part of the journal that the records cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// The day on which the first issue read was published: `YYYY-MM-DD`.
    pub since: Option<String>,
    /// The day on which the newest issue read was published: `YYYY-MM-DD`.
    pub until: Option<String>,
    /// The journal itself, if it was not read up to now.
    pub unread: Vec<Unread>,
}

impl Journal {
    /// Reads the state from the host.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] if nothing was ever read; the host's refusal.
    pub fn read() -> Result<Self, Failure> {
        let state = unread::imported(DATASET)?;
        let first = records::by_key(DATASET, FIRST_ISSUE, 1)?;
        let first: Option<FirstIssue> = first.first().map(records::content).transpose()?;
        let stale_after = i64::from(Settings::read()?.stale_after_days);
        Ok(Self {
            since: first.map(|first| first.published_at),
            unread: behind(&state, stale_after, &runtime::today())
                .into_iter()
                .collect(),
            until: state.list_date,
        })
    }

    /// The section with this content, which must contain [`Journal::unread`].
    ///
    /// # Errors
    /// Never: the content is always valid JSON.
    pub fn section(&self, content: &impl Serialize) -> Result<Section, Failure> {
        unread::section(content, &self.unread, Vec::new())
    }
}

/// The journal is published on working days. An older newest issue means that later ones were not read.
fn behind(state: &DatasetState, stale_after: i64, today: &str) -> Option<Unread> {
    let newest = state.list_date.as_deref();
    let days = newest.and_then(|newest| calendar::days_between(newest, today));
    let why = match (newest, days) {
        (Some(newest), Some(days)) if days > stale_after => {
            format!("the newest issue that was read is of {newest}")
        }
        (Some(_), Some(_)) => return None,
        (_, None) | (None, _) => "it is not known which issue was read last".to_owned(),
    };
    Some(Unread {
        source: DATASET.to_owned(),
        since: state.imported_at.clone(),
        why: Gap::Behind(why),
    })
}
