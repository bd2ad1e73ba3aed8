//! The scope `orsr` of one company: from the imported history, else from the register's interface.

use lustra_rpo_records::live::{self, Found};
use lustra_rpo_records::status::Life;
use lustra_sdk::unread::{Gap, Unread};
use lustra_sdk::{Evidence, Failure, Section, Subject, malformed, records, runtime, unread};

use crate::company;
use crate::extract::Extract;
use crate::history::History;
use crate::history::unknown::Unknown;
use crate::import::DATASET;
use crate::section;

/// The base record's fact that names the record in use.
const RECORD_ID: &str = "rpo_id";
/// The extract of the commercial register, as `unread` names it.
const EXTRACT: &str = "commercial-register";
/// Most records of one IČO. Known companies have two.
const MAX_RECORDS: u32 = 100;

/// Builds the section of a company.
///
/// # Errors
/// The register's failure, if the history was not imported. An empty search is one: it does not say that the company
/// has no people.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let (history, evidence) = match imported(subject)? {
        Some(history) => (history, Vec::new()),
        None => requested(subject)?,
    };
    let extract = Extract::of(&subject.company);
    let section = section::section(&history, &extract, &runtime::today());
    let mut unread = gaps(&history);
    if section.lacks_liens() {
        // A retry of this call is useless: the section is built again when the details change.
        let what = "share_paid and deposit_lien of some holders are not read from the extract";
        unread.push(Gap::Truncated(what.to_owned()).unread(EXTRACT, None));
    }
    unread::section(&section, &unread, evidence)
}

/// The history in the imported records. Of several records of one IČO, that of the base record; without one the
/// only one. `None` if there is none, or if it has the form of another version.
fn imported(subject: &Subject) -> Result<Option<History>, Failure> {
    let stored = records::by_company(DATASET, &subject.ico, MAX_RECORDS)?;
    let own = match record_id(subject) {
        Some(id) => stored.iter().find(|record| record.key == id),
        None => stored.first().filter(|_| stored.len() == 1),
    };
    Ok(own.and_then(|record| serde_json::from_str(&record.content).ok()))
}

/// The register's id of the base record.
fn record_id(subject: &Subject) -> Option<&str> {
    let id = subject.facts.iter().find(|fact| fact.name == RECORD_ID);
    id.map(|id| id.value.as_str())
}

/// The history as the register's interface returns it.
fn requested(subject: &Subject) -> Result<(History, Vec<Evidence>), Failure> {
    let found = found(subject)?;
    let ended = Life::of(&found.record)?.ended_on;
    let history = History::read(&found.text, ended.as_deref())?;
    Ok((history, found.evidence))
}

/// The base record by its id, else the record that a search prefers. A search without a record repeats nothing, so it
/// is no answer.
fn found(subject: &Subject) -> Result<Found, Failure> {
    let ico = subject.ico.as_str();
    let Some(id) = record_id(subject).and_then(|id| id.parse().ok()) else {
        let found = live::by_ico(ico, company::PREFERRED)?;
        return found.ok_or_else(|| {
            Failure::Unavailable(
                "rpo finds no company with this number, so it says nothing of its people"
                    .to_owned(),
            )
        });
    };
    let Some(found) = live::by_id(id)? else {
        let why = format!("rpo does not return the record {id} of the company");
        return Err(Failure::Unavailable(why));
    };
    if found.record.ico().is_none_or(|(number, _)| number != ico) {
        let found = format!("the record {id} with another number");
        return Err(malformed("entity of rpo: /identifiers", ico, found));
    }
    Ok(found)
}

/// Rows that the section lacks, and rules of acting that it does not assign.
fn gaps(history: &History) -> Vec<Unread> {
    let unreadable = history.unreadable.map(|_| Unread::of_odd_row(DATASET));
    let dropped = history.dropped.map(|dropped| {
        let most = format!("the {dropped} oldest rows are left out");
        Gap::Truncated(most).unread(DATASET, None)
    });
    let rules = Unknown::of(history).rules.map(|rules| {
        let what = format!("{rules} rules of acting of an unknown kind are left out");
        Gap::Truncated(what).unread(DATASET, None)
    });
    let all = [unreadable, dropped, rules];
    all.into_iter().flatten().collect()
}
