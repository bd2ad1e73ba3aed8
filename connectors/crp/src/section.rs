//! The scope `crp_projects`: the projects for which a company received aid. Needs no network.

use std::cmp::Reverse;

use lustra_sdk::serde_json::{Number, Value, json};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, amount, calendar, malformed, records, runtime};

use crate::import::Reading;
use crate::names::{DATASET, UPSTREAM};
use crate::project::{KEY, Project};
use crate::settings::Settings;

/// How many of the newest projects are shown.
const LATEST: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub reading: Reading,
    /// The day until which the register was read: `YYYY-MM-DD`.
    pub until: String,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if nothing was imported, [`Failure::Malformed`] for records of another version, and the
/// host's refusal. If the operator switched the import off, the section says that nothing is known.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let settings = Settings::read()?;
    let state = records::state(DATASET)?;
    if let Some(missing) = unread::of_state(DATASET, &state) {
        if !state.off {
            return Err(Failure::Unavailable(missing.of_its_dataset()));
        }
        let content = nothing_known(&missing);
        return unread::section(&content, &[missing], Vec::new());
    }
    let reading = Reading::stored()?;
    // Every batch of the import sets the day and how far it read. Without the latter, nothing is known to be complete.
    let Some(until) = state.list_date else {
        return Err(Failure::Unavailable(format!(
            "the dataset {DATASET}: never imported"
        )));
    };
    let reading = reading.unwrap_or_default();
    let imported = Imported { reading, until };
    let mut projects = Vec::new();
    let mut is_odd = false;
    for stored in records::all_of_company(DATASET, &subject.ico)? {
        if records::is_unreadable_row(&stored) {
            is_odd = true;
            continue;
        }
        let project: Project = records::content(&stored)?;
        let id = stored.key.strip_prefix(KEY).unwrap_or(&stored.key);
        projects.push((id.to_owned(), project));
    }
    let mut unread = missing(&imported, state.failure.is_some(), &settings);
    unread.extend(is_odd.then(|| Unread::of_odd_row(DATASET)));
    unread.extend(of_any_company(imported.reading.odd.without_company()));
    let content = summary(&projects, &imported, &unread, &settings)?;
    unread::section(&content, &unread, Vec::new())
}

fn nothing_known(missing: &Unread) -> Value {
    json!({
        "count": null,
        // Clients expect a number; `unread` says that nothing is known.
        "total_value": 0,
        "currency": "EUR",
        "without_amount": null,
        "latest": [],
        "complete": false,
        "since": null,
        "until": null,
        "unread": [missing],
    })
}

/// What is missing: older projects while the first sweep is in progress, and newer ones while imports fail.
fn missing(imported: &Imported, has_failed: bool, settings: &Settings) -> Vec<Unread> {
    let mut missing = Vec::new();
    if !imported.reading.is_complete {
        let back_to = imported.reading.since.as_deref();
        let back_to =
            back_to.map_or_else(String::new, |day| format!(", read back to {day} so far"));
        let gap = Gap::InPart(format!("the first reading is under way{back_to}"));
        missing.push(gap.unread("older-projects", None));
    }
    let age = calendar::days_between(&imported.until, &runtime::today());
    if age.is_none_or(|days| days > settings.stale_after_days) {
        // The reason of the failure is for the operator only.
        let failed = if has_failed {
            "; the newest attempt failed"
        } else {
            ""
        };
        missing.push(Unread {
            source: UPSTREAM.to_owned(),
            since: Some(imported.until.clone()),
            why: Gap::Behind(format!("read until {} only{failed}", imported.until)),
        });
    }
    missing
}

/// The entry of pages that may be about any company. `None` if there are none.
fn of_any_company(pages: usize) -> Option<Unread> {
    let why = format!("{pages} pages of projects could not be read and name no readable company");
    (pages > 0).then(|| Gap::Truncated(why).unread(DATASET, None))
}

/// Builds the section's content from the projects of a company, by their numbers.
///
/// # Errors
/// [`Failure::Malformed`] for a stored amount that is not a number.
pub fn summary(
    projects: &[(String, Project)],
    imported: &Imported,
    unread: &[Unread],
    settings: &Settings,
) -> Result<Value, Failure> {
    let values: Vec<&str> = projects
        .iter()
        .filter_map(|(_, project)| project.amount.as_deref())
        .collect();
    let total = amount::sum(values.iter().copied());
    let total =
        total.ok_or_else(|| malformed("stored amounts", "decimal texts", values.join(", ")))?;
    let mut newest: Vec<&(String, Project)> = projects.iter().collect();
    // Numbers grow with time. Of two projects of one day, the one with the larger number is newer.
    newest.sort_by_key(|(id, project)| Reverse((project.dated(), id.len(), id.clone())));
    let latest = newest.iter().take(LATEST);
    let latest = latest.map(|(id, project)| shown(id, project, settings));
    let is_odd = unread.iter().any(|one| one.source == DATASET);
    let mut content = json!({
        "count": projects.len(),
        "total_value": number(&total)?,
        "currency": "EUR",
        "without_amount": projects.len() - values.len(),
        "latest": latest.collect::<Result<Vec<_>, _>>()?,
        "complete": imported.reading.is_complete && !is_odd,
        "since": imported.reading.since,
        "until": imported.until,
    });
    if !unread.is_empty() {
        content["unread"] = json!(unread);
    }
    Ok(content)
}

fn shown(id: &str, project: &Project, settings: &Settings) -> Result<Value, Failure> {
    Ok(json!({
        "crp_id": id,
        "name": project.name,
        "provider": project.provider,
        "help_type": project.help_type,
        "amount": project.amount.as_deref().map(number).transpose()?,
        "published_at": project.published_at,
        "signed_at": project.signed_at,
        "start": project.start,
        "end": project.end,
        "detail_url": format!("{}{}", settings.site, project.path),
    }))
}

fn number(decimal: &str) -> Result<Number, Failure> {
    amount::to_number(decimal)
        .ok_or_else(|| malformed("a stored amount", "a decimal text", decimal))
}
