//! The section `execution_authorizations`, from the operator's source.

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Evidence, Failure, Section, Subject, ico, records};
use serde::Serialize;

use crate::authorization::{Authorization, Entry, authorizations};
use crate::page::UPSTREAM;
use crate::settings::{Service, Settings, Source, States};
use crate::{import, service};

#[derive(Debug, Serialize)]
struct ExecutionAuthorizations {
    /// Null if nothing was read.
    has_active_authorizations: Option<bool>,
    /// Null if nothing was read.
    total_count: Option<usize>,
    authorizations: Vec<Authorization>,
    /// The date of the list or register.
    as_of: Option<String>,
    unread: Vec<Unread>,
}

/// The answer of a source.
struct SourceAnswer {
    entries: Vec<Entry>,
    as_of: Option<String>,
    evidence: Vec<Evidence>,
    /// Names the list if a row about the company could not be read.
    unread: Vec<Unread>,
}

/// Why nothing was read, without a failure.
struct NoAnswer {
    source: &'static str,
    why: Gap,
}

/// Builds the section of one company.
///
/// # Errors
/// A subject without an IČO, the service's failure, and a state that no setting knows.
pub fn execution_authorizations(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "authorizations")?;
    let answer = match Settings::read()?.source {
        Source::Off => Err(NoAnswer {
            source: UPSTREAM,
            why: Gap::Off(
                "the register has no interface for programs that is certain; set source to \"service\", which \
                 asks the assumed one, or to \"file\", which reads the operator's list"
                    .to_owned(),
            ),
        }),
        Source::Service => {
            let read = service::ask(&subject.ico, &Service::read()?)?;
            Ok(SourceAnswer {
                entries: read.entries,
                as_of: read.as_of,
                evidence: read.evidence,
                unread: Vec::new(),
            })
        }
        Source::File => imported(&subject.ico)?,
    };
    match answer {
        Ok(answer) => {
            let known = authorizations(answer.entries, &States::read()?)?;
            let content = read(known, answer.as_of, answer.unread);
            unread::section(&content, &content.unread, answer.evidence)
        }
        Err(no_answer) => {
            let content = unread_source(no_answer);
            unread::section(&content, &content.unread, Vec::new())
        }
    }
}

fn read(
    authorizations: Vec<Authorization>,
    as_of: Option<String>,
    unread: Vec<Unread>,
) -> ExecutionAuthorizations {
    let is_whole = unread.is_empty();
    let is_active = authorizations.iter().any(|one| one.is_active);
    ExecutionAuthorizations {
        has_active_authorizations: (is_active || is_whole).then_some(is_active),
        total_count: is_whole.then_some(authorizations.len()),
        authorizations,
        as_of,
        unread,
    }
}

fn unread_source(no_answer: NoAnswer) -> ExecutionAuthorizations {
    ExecutionAuthorizations {
        has_active_authorizations: None,
        total_count: None,
        authorizations: Vec::new(),
        as_of: None,
        unread: vec![no_answer.why.unread(no_answer.source, None)],
    }
}

/// The answer of the operator's list.
fn imported(ico: &str) -> Result<Result<SourceAnswer, NoAnswer>, Failure> {
    let state = records::state(import::DATASET)?;
    let no_answer = |why: Gap| NoAnswer {
        source: import::DATASET,
        why,
    };
    if state.off {
        return Ok(Err(no_answer(Gap::Off(
            "switch the dataset authorizations on and name the upstream executions-list".to_owned(),
        ))));
    }
    // The reason of a failed import is for the operator only, because it may quote a row.
    if state.imported_at.is_none() {
        let why = if state.failure.is_some() {
            "the newest attempt for the dataset authorizations failed"
        } else {
            "the dataset authorizations"
        };
        return Ok(Err(no_answer(Gap::NeverImported(why.to_owned()))));
    }
    let (mut entries, mut unread) = (Vec::new(), Vec::new());
    for stored in records::all_of_company(import::DATASET, ico)? {
        if records::is_unreadable_row(&stored) {
            unread.push(Unread::of_odd_row(import::DATASET));
        } else {
            entries.push(records::content(&stored)?);
        }
    }
    Ok(Ok(SourceAnswer {
        entries,
        as_of: state.list_date,
        evidence: Vec::new(),
        unread,
    }))
}
