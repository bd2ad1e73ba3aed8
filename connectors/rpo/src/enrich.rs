//! The scope `orsr` of one company: from the imported history, else from the register's interface.

use lustra_rpo_records::live;
use lustra_sdk::unread::{Gap, Unread};
use lustra_sdk::{Evidence, Failure, Section, Subject, records, runtime, unread};

use crate::company::{self, Reading};
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
const MOST_RECORDS: u32 = 100;

/// Builds the section of a company.
///
/// # Errors
/// The register's failure, if the history was not imported.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let (history, evidence) = match imported(subject)? {
        Some(history) => (history, Vec::new()),
        None => requested(&subject.ico)?,
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
    let stored = records::by_company(DATASET, &subject.ico, MOST_RECORDS)?;
    let id = subject.facts.iter().find(|fact| fact.name == RECORD_ID);
    let own = match id {
        Some(id) => stored.iter().find(|record| record.key == id.value),
        None => stored.first().filter(|_| stored.len() == 1),
    };
    Ok(own.and_then(|record| serde_json::from_str(&record.content).ok()))
}

/// The history as the register's interface returns it. A company that the register does not know has none.
fn requested(ico: &str) -> Result<(History, Vec<Evidence>), Failure> {
    let Some(found) = live::by_ico(ico, company::PREFERRED)? else {
        return Ok((History::default(), Vec::new()));
    };
    let ended = match company::read(&found.record)? {
        Reading::Company(company) => company.terminated_date,
        Reading::WithoutIco | Reading::WithoutName => None,
    };
    let history = History::read(&found.text, ended.as_deref())?;
    Ok((history, found.evidence))
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
