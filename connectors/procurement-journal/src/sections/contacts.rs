//! The scope `contacts`: the contacts that the company gave in notices, each with its source.

use lustra_sdk::{Failure, Section, Subject, legal_form, records};
use serde::Serialize;

use crate::contact::{Contact, Kind, contacts_of};
use crate::names::DATASET;
use crate::unread::Journal;
use lustra_sdk::unread::Unread;

/// The most values of one kind.
const MOST: usize = 20;

#[derive(Debug, Serialize)]
struct Contacts {
    email: Vec<String>,
    phone: Vec<String>,
    website: Vec<String>,
    sources: Vec<Contact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if the journal was never read; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let journal = Journal::read(&subject.ico)?;
    // Contacts of a natural person in business are personal data.
    let is_person = legal_form::is_natural_person(&subject.company) == Some(true);
    let mut contacts: Vec<Contact> = Vec::new();
    if !is_person {
        for stored in records::all_of_key(DATASET, &contacts_of(&subject.ico))? {
            contacts.push(records::content(&stored)?);
        }
    }
    contacts.sort_by(|a, b| {
        (a.kind, &b.observed_on, &a.value).cmp(&(b.kind, &a.observed_on, &b.value))
    });
    let mut sources: Vec<Contact> = Vec::new();
    for kind in [Kind::Email, Kind::Phone, Kind::Website] {
        let own = contacts.iter().filter(|contact| contact.kind == kind);
        sources.extend(own.take(MOST).cloned());
    }
    let values = |kind: Kind| -> Vec<String> {
        let own = sources.iter().filter(|contact| contact.kind == kind);
        own.map(|contact| contact.value.clone()).collect()
    };
    let content = Contacts {
        email: values(Kind::Email),
        phone: values(Kind::Phone),
        website: values(Kind::Website),
        sources,
        withheld: is_person.then_some("natural-person"),
        unread: journal.unread.clone(),
    };
    journal.section(&content)
}
