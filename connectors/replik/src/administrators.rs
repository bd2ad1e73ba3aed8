//! An administrator as stored, and its parser for proceedings (`Spravca`). The ministry's list produces the
//! same type.
//!
//! Of a person only the name is stored: no birth date, telephone number or e-mail. The address is that of the
//! office.

use lustra_sdk::xml::Element;
use lustra_sdk::{Failure, Item, ico, records, text};
use serde::{Deserialize, Serialize};

use crate::proceedings::day;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Administrator {
    /// The mark without spaces, `S1234`: the number of the entry in the ministry's list.
    pub license_number: String,
    /// The name, a person's with titles.
    pub name: Option<String>,
    /// True for a partnership, false for a person.
    pub is_company: bool,
    /// 8 digits, if the register has it.
    pub ico: Option<String>,
    pub office: Office,
    /// The region. Proceedings do not state it, and a postal code does not determine it reliably.
    pub region: Option<String>,
    /// The status of the entry. Proceedings do not state it.
    pub status: Option<String>,
    /// The day of the entry, `YYYY-MM-DD`.
    pub valid_from: Option<String>,
    /// The end of the entry. Proceedings do not state it.
    pub valid_to: Option<String>,
}

/// The administrator of a proceeding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// An administrator with a mark.
    Administrator(Box<Administrator>),
    /// No administrator has been appointed yet.
    Absent,
    /// An administrator without a mark, which cannot be identified.
    WithoutMark,
}

/// The address of an office.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Office {
    /// The street with its numbers, `Skúšobná 123/4`.
    pub street: Option<String>,
    pub city: Option<String>,
    /// The postal code without spaces.
    pub postal_code: Option<String>,
    /// The country's code as the register writes it, `SVK`.
    pub country: Option<String>,
}

/// Reads an administrator; `place` names the proceeding in failures.
///
/// # Errors
/// [`Failure::Malformed`] for an invalid date of the entry.
pub fn read(element: &Element, place: &str) -> Result<Named, Failure> {
    let words = |name: &str| element.text_of(name).and_then(text::present);
    let mark = mark(element.text_of("Znacka").unwrap_or_default());
    // Some generators write an empty element instead of leaving it out.
    if element
        .children
        .iter()
        .all(|child| child.text.is_empty() && child.children.is_empty())
    {
        return Ok(Named::Absent);
    }
    if mark.is_empty() {
        return Ok(Named::WithoutMark);
    }
    let company = words("ObchodneMeno");
    let person = person_name(
        words("TitulPredMenom"),
        words("Meno"),
        words("Priezvisko"),
        words("TitulZaMenom"),
    );
    Ok(Named::Administrator(Box::new(Administrator {
        license_number: mark,
        is_company: company.is_some() && person.is_none(),
        name: company.or(person),
        ico: element.text_of("Ico").and_then(ico::parse),
        office: element.child("Adresa").map(office).unwrap_or_default(),
        region: None,
        status: None,
        valid_from: day(element, "DatumZapisu", &format!("{place}: Spravca"))?,
        valid_to: None,
    })))
}

/// A mark without spaces: registers also write `S 1234`.
#[must_use]
pub fn mark(raw: &str) -> String {
    raw.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A person's name with titles; `None` without a family name.
#[must_use]
pub fn person_name(
    title_before: Option<String>,
    given: Option<String>,
    family: Option<String>,
    title_after: Option<String>,
) -> Option<String> {
    let parts: Vec<String> = [title_before, given, Some(family?)]
        .into_iter()
        .flatten()
        .collect();
    let name = parts.join(" ");
    Some(match title_after {
        Some(title) => format!("{name}, {title}"),
        None => name,
    })
}

fn office(address: &Element) -> Office {
    let words = |name: &str| address.text_of(name).and_then(text::present);
    let number = match (words("SupisneCislo"), words("OrientacneCislo")) {
        (Some(house), Some(street)) => Some(format!("{house}/{street}")),
        (house, street) => house.or(street),
    };
    let city = words("Obec");
    // In villages without streets the village's name precedes the house number.
    let street = words("Ulica").or_else(|| number.as_ref().and(city.clone()));
    let parts: Vec<String> = [street, number].into_iter().flatten().collect();
    Office {
        street: (!parts.is_empty()).then(|| parts.join(" ")),
        city,
        postal_code: words("Psc").map(|code| code.replace(' ', "")),
        country: words("Krajina"),
    }
}

impl Administrator {
    /// The record. Only a company's name is searchable; persons cannot be found by name.
    ///
    /// # Errors
    /// Never: texts are always valid JSON.
    pub fn item(&self) -> Result<Item, Failure> {
        Ok(Item {
            name: self.name.clone().filter(|_| self.is_company),
            city: self.office.city.clone(),
            postal_code: self.office.postal_code.clone(),
            ..records::item(&self.license_number, self.ico.as_deref(), self)?
        })
    }
}
