//! Reading of one proceeding (`Konanie`): whom it is about and who administers it.

use lustra_sdk::xml::Element;
use lustra_sdk::{Evidence, Failure, ico, malformed};

use crate::administrators::{self, Administrator};
use crate::proceedings::number;
use crate::soap::{self, Operation};

/// Somebody of a proceeding, as far as it matters. Names, birth dates and personal numbers are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Party {
    /// Whoever has this IČO, 8 digits.
    Ico(String),
    /// A natural person without an IČO.
    Person,
    /// Neither an IČO nor the word that it is a natural person.
    Unsaid,
}

/// A proceeding, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// Whom it is about.
    pub debtor: Party,
    /// Who filed for it: the companies of them, by IČO.
    pub petitioners: Vec<String>,
    /// Who administers it.
    pub administrator: Named,
}

/// The administrator of a proceeding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// One with a mark.
    Administrator(Box<Administrator>),
    /// The proceeding has none yet.
    Nobody,
    /// One without a mark, by which administrators are told apart.
    WithoutMark,
}

/// Asks for a proceeding by its number.
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

/// Reads the answer of `getKonanieDetail` to the question for a number. `None`: an answer without a proceeding.
///
/// # Errors
/// As [`soap::answer`]; [`Failure::Malformed`] for another proceeding than was asked for, for one without a debtor,
/// and as [`administrators::read`].
pub fn read(answer: &str, id: &str) -> Result<Option<Detail>, Failure> {
    detail_of(&soap::answer(Operation::Detail, answer)?, id)
}

/// The same of the answer's element.
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
            None => Named::Nobody,
        },
    }))
}

fn party(element: &Element) -> Party {
    // `xsi:type`, whose value has a prefix of the register's choice.
    let kind = element.attribute("type").unwrap_or_default();
    let kind = kind.rsplit(':').next().unwrap_or_default();
    match element.text_of("Ico").and_then(ico::parse) {
        Some(ico) => Party::Ico(ico),
        None if kind == "FyzickaOsoba" => Party::Person,
        None => Party::Unsaid,
    }
}
