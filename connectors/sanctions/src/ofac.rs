//! Reads the United States' lists in XML. Names of elements are compared without their namespace, of which there are
//! two.

use std::io::BufRead;

use lustra_sdk::text::{fold, present};
use lustra_sdk::xml::{Element, Elements};
use lustra_sdk::{Failure, date, ico, malformed};

use crate::entry::{Entry, Kind, add};
use crate::list::{List, Odd};

const WHAT: &str = "United States' list";

/// The beginning of the address of the list's own page about an entry.
const PAGE: &str = "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=";

/// Reads a whole list. `max_odd_share` is the setting.
///
/// # Errors
/// [`Failure::Malformed`] for another document, for a part of the list, and for too many odd entries;
/// [`Failure::Unavailable`] for an HTML page.
pub fn read(input: impl BufRead, max_odd_share: f64) -> Result<List, Failure> {
    let mut list = List::default();
    let mut announced = None;
    let mut read: u64 = 0;
    let mut elements = Elements::any_of(WHAT, input, &["publshInformation", "sdnEntry"]);
    while let Some(element) = elements.next_element()? {
        if element.name == "publshInformation" {
            list.date = element.text_of("Publish_Date").and_then(day);
            announced = element
                .text_of("Record_Count")
                .and_then(|count| count.parse::<u64>().ok());
            continue;
        }
        read += 1;
        match element.text_of("sdnType") {
            Some("Vessel" | "Aircraft") => list.notes.count("vessels_and_aircraft"),
            Some("Individual") => list.take(entry(&element, Kind::Person)),
            Some("Entity") => list.take(entry(&element, Kind::Entity)),
            Some(_) | None => list.take(Err(Odd::UnknownType)),
        }
    }
    let (Some(announced), Some(_)) = (announced, &list.date) else {
        let expected = "publshInformation with Publish_Date and Record_Count";
        return Err(malformed(WHAT, expected, "something else"));
    };
    if read < announced {
        let expected = format!("{announced} entries");
        return Err(malformed(WHAT, expected, read.to_string()));
    }
    list.checked(WHAT, max_odd_share)
}

fn entry(element: &Element, kind: Kind) -> Result<Entry, Odd> {
    let id = element.text_of("uid").ok_or(Odd::WithoutNumber)?;
    let mut entry = Entry {
        id: id.to_owned(),
        kind,
        url: Some(format!("{PAGE}{id}")),
        ..Entry::default()
    };
    entry.add_name(name(element), false);
    for alias in all(element, "akaList", "aka") {
        entry.add_name(name(alias), alias.text_of("category") == Some("weak"));
    }
    if entry.names.is_empty() {
        return Err(Odd::WithoutName);
    }
    for programme in all(element, "programList", "program") {
        add(&mut entry.programmes, present(&programme.text));
    }
    for address in all(element, "addressList", "address") {
        add(
            &mut entry.countries,
            address.text_of("country").and_then(present),
        );
        add(&mut entry.towns, address.text_of("city").and_then(present));
    }
    for number in all(element, "idList", "id") {
        let kind = fold(number.text_of("idType").unwrap_or_default());
        let country = fold(number.text_of("idCountry").unwrap_or_default());
        let is_register = kind.contains("registration") || kind.contains("registry");
        if is_register && country == "slovakia" {
            add(
                &mut entry.icos,
                number.text_of("idNumber").and_then(ico::parse),
            );
        }
    }
    Ok(entry)
}

fn all<'a>(element: &'a Element, list: &str, item: &'a str) -> impl Iterator<Item = &'a Element> {
    let list = element.child(list);
    list.into_iter()
        .flat_map(move |list| list.children_named(item))
}

/// The name of a person or body. A body has only a last name.
fn name(element: &Element) -> Option<String> {
    let parts = ["firstName", "lastName"];
    let parts: Vec<String> = parts
        .iter()
        .filter_map(|part| element.text_of(part).and_then(present))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Reads a date such as `03/17/2020` as `YYYY-MM-DD`.
fn day(raw: &str) -> Option<String> {
    let mut parts = raw.trim().split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    date::parse(&format!("{year}-{month:0>2}-{day:0>2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_american_order() {
        assert_eq!(day("03/17/2020").as_deref(), Some("2020-03-17"));
        assert_eq!(day("3/7/2020").as_deref(), Some("2020-03-07"));
        assert_eq!(day("17/03/2020"), None);
        assert_eq!(day("2020"), None);
    }
}
