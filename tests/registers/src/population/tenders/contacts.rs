//! The contacts of companies in notices, as written and as a careful reader interprets them.

use std::collections::BTreeMap;

use time::Date;

use super::{Form, Issue, Who, company_on, issues, notices, reported_on};
use crate::population::Population;
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::happening::Happening;

/// The means of contact: telephone, e-mail or web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKind {
    Email,
    Phone,
    Website,
}

/// A contact in a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub kind: ContactKind,
    /// As it is written.
    pub written: String,
    /// The correct interpretation. `None` if it must not be shown: a person's address, or not a contact at all.
    pub value: Option<String>,
}

/// A publishable contact of a company, with its latest publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// How the company is reached.
    pub kind: ContactKind,
    pub value: String,
    pub issue: Issue,
    pub notice: u64,
    /// What the notice is.
    pub form: Form,
}

/// Generic mailboxes at the start of an e-mail address.
const OFFICES: [&str; 5] = ["info", "obchod", "kontakt", "office", "sekretariat"];

/// The contacts in a company's notices of a day. Each change of contacts brings a new e-mail address.
#[must_use]
pub fn published_by(company: &Company, published: Date) -> Vec<Contact> {
    let changes = company
        .happened
        .iter()
        .filter(|happened| happened.kind == Happening::ContactChanged)
        .filter(|happened| reported_on(happened.on) <= published)
        .count();
    let mut dice = Dice::new(company.origin.seed, company.index, Topic::Contacts);
    let host = format!("firma-{}.example.sk", company.index);
    let office = OFFICES[(usize::try_from(dice.below(5)).unwrap_or_default() + changes) % 5];
    let mut contacts = Vec::new();
    let spelling = match (company.index, changes) {
        (7, 0) => 1,
        (..12, _) => 9,
        (_, 0) => dice.below(10),
        (_, _) => 9,
    };
    let address = format!("{office}@{host}");
    let person = format!("jana.skusobna@{host}");
    match spelling {
        0 => {}
        1 => contacts.push(email(person, None)),
        2 => contacts.push(email(address.to_uppercase(), Some(address))),
        3 => {
            contacts.push(email(format!("{address}; {person}"), Some(address)));
        }
        4 => contacts.push(email(format!("{office}(at){host}"), None)),
        _ => contacts.push(email(address.clone(), Some(address))),
    }
    contacts.extend(phone(company.index, &mut dice));
    contacts.extend(website(&host, &mut dice));
    contacts
}

fn email(written: String, value: Option<String>) -> Contact {
    Contact {
        kind: ContactKind::Email,
        written,
        value,
    }
}

/// No number in Bratislava starts with two zeros after the area code.
fn phone(index: u32, dice: &mut Dice) -> Option<Contact> {
    let number = format!("{:06}", index % 1_000_000);
    let (head, tail) = number.split_at(2);
    let national = Some(format!("+421200{number}"));
    let abroad = format!("+420 000 {} {}", &number[..3], &number[3..]);
    let (written, value) = match dice.below(10) {
        0 => return None,
        1 => (format!("02/00{head} {tail}"), national),
        2 => (format!("00421 2 00{head} {tail}"), national),
        3 => (format!("+421 (0)2 00{head} {tail}"), national),
        4 => (abroad.replace(' ', "  "), Some(abroad)),
        5 => ("neuvedené".to_owned(), None),
        6 => (format!("02\u{a0}00{head}\u{a0}{tail}"), national),
        _ => (format!("+421 2 00{head} {tail}"), national),
    };
    Some(Contact {
        kind: ContactKind::Phone,
        written,
        value,
    })
}

fn website(host: &str, dice: &mut Dice) -> Option<Contact> {
    let (written, value) = match dice.below(6) {
        0 => (
            format!("HTTPS://WWW.{}/", host.to_uppercase()),
            Some(format!("https://www.{host}")),
        ),
        1 => (format!("www.{host}"), Some(format!("www.{host}"))),
        2 => (
            format!("https://{host}/Kontakt/"),
            Some(format!("https://{host}/Kontakt")),
        ),
        3 => ("nemáme".to_owned(), None),
        _ => return None,
    };
    Some(Contact {
        kind: ContactKind::Website,
        written,
        value,
    })
}

/// The publishable contacts of a company on a day: the latest of each kind first.
#[must_use]
pub fn contacts(population: &Population, company: &Company, day: u32) -> Vec<Published> {
    let mut last: BTreeMap<(ContactKind, String), Published> = BTreeMap::new();
    for issue in issues(population, day) {
        for notice in notices(population, &issue) {
            let is_named = notice.parties().iter().any(|party| {
                party.who == Who::Company(company.index) && party.spelling.is_readable()
            });
            if notice.is_xml || !is_named {
                continue;
            }
            let then = company_on(population, company.index, issue.published);
            for contact in published_by(&then, issue.published) {
                let Some(value) = contact.value else {
                    continue;
                };
                let published = Published {
                    kind: contact.kind,
                    value: value.clone(),
                    issue,
                    notice: notice.id,
                    form: notice.form,
                };
                last.insert((contact.kind, value), published);
            }
        }
    }
    let mut published: Vec<Published> = last.into_values().collect();
    published.sort_by(|a, b| {
        (a.kind, b.issue.published, &a.value).cmp(&(b.kind, a.issue.published, &b.value))
    });
    published
}
