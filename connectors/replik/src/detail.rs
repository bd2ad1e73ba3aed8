//! Parses one proceeding (`Konanie`): its debtor and its administrator.

use lustra_sdk::xml::Element;
use lustra_sdk::{Evidence, Failure, ico, malformed};

use crate::administrators::{self, Named};
use crate::proceedings::number;
use crate::soap::{self, Operation};

/// The relevant part of a party. Names, birth dates and personal numbers are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Party {
    /// A subject with this IČO, 8 digits.
    Ico(String),
    /// A natural person without an IČO.
    Person,
    /// Neither an IČO nor a statement that it is a natural person.
    Unsaid,
}

/// The relevant part of a proceeding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub debtor: Party,
    /// The petitioners that are companies, by IČO.
    pub petitioners: Vec<String>,
    pub administrator: Named,
}

/// Requests a proceeding by its number.
///
/// # Errors
/// As [`soap::ask`] and [`read`].
pub fn ask(id: &str) -> Result<(Detail, Evidence), Failure> {
    let (response, evidence) = soap::ask(Operation::Detail, &[("KonanieId", id)])?;
    match detail_of(&response, id)? {
        Some(detail) => Ok((detail, evidence)),
        None => Err(malformed(
            format!("{} {id}", Operation::Detail.name()),
            "the proceeding that a list names",
            "none",
        )),
    }
}

/// Reads the answer of `getKonanieDetail` for a number. `None` if the answer contains no proceeding.
///
/// # Errors
/// As [`soap::answer`]; [`Failure::Malformed`] for another proceeding than the requested one and for one
/// without a debtor; as [`administrators::read`].
pub fn read(answer: &str, id: &str) -> Result<Option<Detail>, Failure> {
    detail_of(&soap::answer(Operation::Detail, answer)?, id)
}

/// Like [`read`], for the answer's element.
///
/// # Errors
/// As [`read`].
pub fn detail_of(response: &Element, id: &str) -> Result<Option<Detail>, Failure> {
    let place = format!("{} {id}", Operation::Detail.name());
    let Some(proceeding) = response.child("Konanie") else {
        return match response.children.first() {
            None => Ok(None),
            Some(other) => Err(malformed(place, "Konanie", &other.name)),
        };
    };
    let found = number(proceeding, &place)?;
    if found != id {
        return Err(malformed(format!("{place}: Id"), id, found));
    }
    let Some(debtor) = proceeding.child("Dlznik") else {
        return Err(malformed(format!("{place}: Dlznik"), "the debtor", "none"));
    };
    Ok(Some(Detail {
        debtor: party(debtor),
        petitioners: proceeding
            .children_named("Navrhovatel")
            .filter_map(|petitioner| petitioner.text_of("Ico").and_then(ico::parse))
            .collect(),
        administrator: match proceeding.child("Spravca") {
            Some(administrator) => administrators::read(administrator, &place)?,
            None => Named::Absent,
        },
    }))
}

fn party(element: &Element) -> Party {
    // The value of `xsi:type` has a prefix that the register chooses.
    let kind = element.attribute("type").unwrap_or_default();
    let kind = kind.rsplit(':').next().unwrap_or_default();
    match element.text_of("Ico").and_then(ico::parse) {
        Some(ico) => Party::Ico(ico),
        None if kind == "FyzickaOsoba" => Party::Person,
        None => Party::Unsaid,
    }
}
