//! Reads the page of the veterinary list: one table whose columns are identified by their order, not by their headers.

use lustra_sdk::html::{self, scraper::ElementRef};
use lustra_sdk::legal_form::LegalForm;
use lustra_sdk::text::{business_name, present, squeeze};
use lustra_sdk::{Failure, Notes};

use crate::codes;
use crate::establishment::Establishment;
use crate::place::Place;

/// The fewest cells of a row. The code of the activity may be missing.
const CELLS: usize = 8;

/// The meaning of a row's cells, by their order. The second is not read.
mod cell {
    pub(super) const APPROVAL_NUMBER: usize = 0;
    pub(super) const OPERATOR: usize = 2;
    pub(super) const ESTABLISHMENT: usize = 3;
    pub(super) const CITY: usize = 5;
    pub(super) const DISTRICT: usize = 6;
    pub(super) const REGION: usize = 7;
    pub(super) const ACTIVITY: usize = 8;
}

/// The establishments of the page. A row without a number, or without both operator and establishment, is odd.
///
/// # Errors
/// [`Failure::Unavailable`] for a page without such a table.
pub fn establishments(
    what: &str,
    page: &str,
    section: Option<&str>,
    notes: &mut Notes,
) -> Result<Vec<Establishment>, Failure> {
    let document = html::parse(page);
    let selector = html::selector("tr");
    let rows = document.select(&selector).filter_map(|row| {
        let cells: Vec<String> = row
            .children()
            .filter_map(ElementRef::wrap)
            .filter(|cell| cell.value().name() == "td")
            .map(html::text)
            .collect();
        (!cells.is_empty()).then_some(cells)
    });
    let (mut read, mut has_rows) = (Vec::new(), false);
    for cells in rows {
        notes.row();
        if cells.len() < CELLS {
            notes.odd(Notes::OTHER_WIDTH);
            continue;
        }
        has_rows = true;
        match establishment(&cells, section) {
            Ok(establishment) => read.push(establishment),
            Err(reason) => notes.odd(reason),
        }
    }
    if has_rows {
        return Ok(read);
    }
    Err(Failure::Unavailable(format!(
        "{what} is a page without the table of establishments"
    )))
}

fn establishment(cells: &[String], section: Option<&str>) -> Result<Establishment, &'static str> {
    let text = |place: usize| cells.get(place).and_then(|cell| present(cell));
    let (operator, operator_place) = operator(&text(cell::OPERATOR).unwrap_or_default());
    let approval_number = text(cell::APPROVAL_NUMBER).ok_or("rows_without_number")?;
    let name = text(cell::ESTABLISHMENT).map(|name| business_name(&name));
    let name = name
        .or_else(|| operator.clone())
        .ok_or("rows_without_name")?;
    Ok(Establishment {
        approval_number,
        section: section.map(codes::section_code),
        activities: codes::activities(&text(cell::ACTIVITY).unwrap_or_default()),
        operator: operator.unwrap_or_else(|| name.clone()),
        name,
        place: Place {
            city: text(cell::CITY),
            postal_code: None,
        },
        operator_place,
        district: text(cell::DISTRICT),
        region: text(cell::REGION),
    })
}

/// The name and place of an operator in one text: `Vzor, s. r. o., Nitra 12`. The text behind the last comma is a place
/// unless it is a legal form.
fn operator(text: &str) -> (Option<String>, Place) {
    let place = text
        .rsplit_once(',')
        .filter(|(_, place)| LegalForm::of(place).is_none());
    let Some((name, place)) = place else {
        return (present(&business_name(text)), Place::default());
    };
    let city: Vec<&str> = place
        .split_whitespace()
        .take_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let place = Place {
        city: present(&squeeze(&city.join(" "))),
        postal_code: None,
    };
    (present(&business_name(name)), place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operator_is_read_before_its_place() {
        for (text, name, city) in [
            (
                "Vzor, s. r. o., Nitra 12",
                Some("Vzor, s. r. o."),
                Some("Nitra"),
            ),
            ("Vzor, s. r. o.", Some("Vzor, s. r. o."), None),
            (
                "Jana Skúšobná, Horné Čučoriedky 100/4",
                Some("Jana Skúšobná"),
                Some("Horné Čučoriedky"),
            ),
            ("Vzorové družstvo", Some("Vzorové družstvo"), None),
            ("", None, None),
        ] {
            let (operator, place) = operator(text);
            assert_eq!(operator.as_deref(), name, "{text}");
            assert_eq!(place.city.as_deref(), city, "{text}");
        }
    }
}
