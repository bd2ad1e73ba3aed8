//! The import of a dataset's lists.

use lustra_sdk::http::Request;
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun, Item, to_json};
use serde::{Deserialize, Serialize};

use crate::establishment::Establishment;
use crate::list::Establishments;
use crate::matching::{self, Companies, Match};
use crate::settings::{Register, Settings};

/// The upstream of all lists.
pub const UPSTREAM: &str = "svps";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// The list's data of the establishment.
    #[serde(flatten)]
    pub establishment: Establishment,
    /// Candidate companies among those known to the host at the time of the import, including uncertain ones.
    /// The section evaluates them again.
    pub matches: Vec<Match>,
}

/// Starts a run, or resumes one at a cursor.
///
/// # Errors
/// [`Failure::Misconfigured`] if no list is set; the failure of the upstream or of a list; `list-changed` if the cursor
/// belongs to other lists.
pub fn open(register: Register, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let Settings {
        mut lists,
        columns,
        shown_from,
    } = Settings::read()?;
    lists.retain(|list| list.register == register);
    if lists.is_empty() {
        return Err(Failure::Misconfigured(format!(
            "the setting lists has none of the register {}",
            register.id()
        )));
    }
    let mut all = Establishments::default();
    for (list, number) in lists.iter().zip(1..) {
        let what = match lists.len() {
            1 => format!("{UPSTREAM}: {}", register.id()),
            _ => format!("{UPSTREAM}: {} {number}", register.id()),
        };
        let body = Request::get(UPSTREAM, list.path.clone()).fetch()?.body;
        let section = list.section.as_deref();
        if list.page {
            all.take_page(&what, &body.text(None)?, section)?;
        } else {
            all.take(&what, &body.bytes()?, section, &columns)?;
        }
    }
    let mut companies = Companies::default();
    let mut notes = all.notes;
    let mut items = Vec::with_capacity(all.by_key.len());
    for (key, establishment) in all.by_key {
        let candidates = companies.like(&establishment)?;
        let content = Content {
            matches: matching::matches(&establishment, &candidates),
            establishment,
        };
        let sure = content.matches.first();
        let sure = sure.filter(|first| first.confidence >= shown_from);
        notes.count(match (sure, content.matches.is_empty()) {
            (Some(_), _) => "matched",
            (None, false) => "matched_below_shown_from",
            (None, true) => "unmatched",
        });
        items.push(Item {
            key,
            ico: sure.map(|first| first.ico.clone()),
            name: Some(content.establishment.operator.clone()),
            city: content.establishment.place.city.clone(),
            postal_code: None,
            content: to_json(&content)?,
            removed: false,
        });
    }
    Snapshot::of(items, notes, None).open(cursor)
}
