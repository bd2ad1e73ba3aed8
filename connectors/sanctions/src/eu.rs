//! Reads the Union's consolidated list in XML. All data is in attributes; an entity's names in all languages stand side
//! by side.

use std::io::BufRead;

use lustra_sdk::text::{fold, present};
use lustra_sdk::xml::{Element, Elements};
use lustra_sdk::{Failure, date, ico, malformed};

use crate::entry::{Entry, Kind, add};
use crate::list::{List, Odd};

const WHAT: &str = "Union's list";
const ENTITY: &str = "sanctionEntity";

/// Reads the whole list. `max_odd_share` is the setting.
///
/// # Errors
/// [`Failure::Malformed`] for another document, for a part of the list, and for too many odd entries;
/// [`Failure::Unavailable`] for an HTML page.
pub fn read(input: impl BufRead, max_odd_share: f64) -> Result<List, Failure> {
    let mut list = List::default();
    let mut elements = Elements::new(WHAT, input, ENTITY);
    while let Some(element) = elements.next_element()? {
        let read = entry(&element);
        if read.as_ref().is_ok_and(|entry| entry.number.is_none()) {
            list.notes.count("without_reference");
        }
        list.take(read);
    }
    let root = elements.root();
    let made = root.and_then(|root| attribute(root, "generationDate"));
    let made = made.as_deref().and_then(date::parse);
    if made.is_none() || root.is_none_or(|root| root.name != "export") {
        let found = root.map_or("no element", |root| root.name.as_str());
        let expected = "the root export with generationDate";
        return Err(malformed(WHAT, expected, found));
    }
    list.date = made;
    list.checked(WHAT, max_odd_share)
}

/// Reads an entry. Some entries have no reference number, and some share one, but every entry has an internal number.
fn entry(element: &Element) -> Result<Entry, Odd> {
    let reference = attribute(element, "euReferenceNumber");
    let internal = attribute(element, "logicalId");
    let (id, number) = match (reference, internal) {
        (Some(reference), internal) => (reference, internal),
        (None, Some(internal)) => (internal, None),
        (None, None) => return Err(Odd::WithoutNumber),
    };
    let mut entry = Entry {
        id,
        number,
        kind: kind(element).ok_or(Odd::UnknownType)?,
        ..Entry::default()
    };
    let mut since = Vec::new();
    for alias in element.children_named("nameAlias") {
        let remarks: Vec<String> = alias
            .children_named("remark")
            .map(|remark| fold(&remark.text))
            .collect();
        let is_weak = attribute(alias, "strong").as_deref() == Some("false")
            || remarks.iter().any(|remark| remark.contains("low quality"));
        entry.add_name(name(alias), is_weak);
        let summaries = alias.children_named("regulationSummary");
        since.extend(summaries.filter_map(|summary| day(summary, "publicationDate")));
    }
    if entry.names.is_empty() {
        return Err(Odd::WithoutName);
    }
    for regulation in element.children_named("regulation") {
        add(&mut entry.programmes, attribute(regulation, "programme"));
        since.extend(day(regulation, "publicationDate"));
        if entry.url.is_none() {
            let url = regulation.text_of("publicationUrl").and_then(present);
            entry.url = url.filter(|url| url.starts_with("http"));
        }
    }
    // Old entries do not state the day. Then the day of their oldest legal act counts.
    entry.listed_on = day(element, "designationDate").or_else(|| since.into_iter().min());
    for address in element.children_named("address") {
        add(&mut entry.countries, country(address));
        add(&mut entry.towns, attribute(address, "city"));
    }
    for number in element.children_named("identification") {
        let is_register =
            attribute(number, "identificationTypeCode").as_deref() == Some("regnumber");
        if is_register && country(number).as_deref() == Some("SK") {
            let digits = attribute(number, "number").or_else(|| attribute(number, "latinNumber"));
            add(&mut entry.icos, digits.as_deref().and_then(ico::parse));
        }
    }
    Ok(entry)
}

/// Clients disagree which of the two attributes is a letter, so both are accepted.
fn kind(element: &Element) -> Option<Kind> {
    let subject = element.child("subjectType")?;
    let codes = ["code", "classificationCode"].map(|name| attribute(subject, name));
    codes
        .iter()
        .flatten()
        .find_map(|code| match code.to_ascii_lowercase().as_str() {
            "person" | "p" => Some(Kind::Person),
            "enterprise" | "e" => Some(Kind::Entity),
            _ => None,
        })
}

fn name(alias: &Element) -> Option<String> {
    attribute(alias, "wholeName").or_else(|| {
        let parts = ["firstName", "middleName", "lastName"];
        let parts: Vec<String> = parts
            .iter()
            .filter_map(|part| attribute(alias, part))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    })
}

/// A country. `00` means unknown.
fn country(element: &Element) -> Option<String> {
    attribute(element, "countryIso2Code").filter(|code| code != "00")
}

fn day(element: &Element, name: &str) -> Option<String> {
    attribute(element, name).as_deref().and_then(date::parse)
}

fn attribute(element: &Element, name: &str) -> Option<String> {
    element.attribute(name).and_then(present)
}
