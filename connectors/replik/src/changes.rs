//! Reading of what changed (`PoslednaZmenaNaKonani`): which proceeding, and when last.

use lustra_sdk::xml::Element;
use lustra_sdk::{Failure, malformed};

use crate::moment::Moment;
use crate::proceedings::is_number;
use crate::soap::{self, Operation};

/// The last change of a proceeding. They are ordered by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// When.
    pub at: Moment,
    /// The proceeding's number, digits.
    pub id: String,
}

/// Reads the answer of `vyhladajPoslednuZmenuOd`, in the order of time.
///
/// # Errors
/// As [`soap::answer`]; [`Failure::Malformed`] where the list is not there, or an entry's number or time is none.
pub fn read(answer: &str) -> Result<Vec<Change>, Failure> {
    changes_of(&soap::answer(Operation::ChangesSince, answer)?)
}

/// The same of the answer's element.
///
/// # Errors
/// As [`read`].
pub fn changes_of(response: &Element) -> Result<Vec<Change>, Failure> {
    let place = Operation::ChangesSince.name();
    let Some(list) = response.child("PoslednaZmenaNaKonaniList") else {
        return Err(malformed(
            format!("{place}: PoslednaZmenaNaKonaniList"),
            "the list of changes",
            "none",
        ));
    };
    let entries = list.children_named("PoslednaZmenaNaKonani").zip(1..);
    let mut changes = entries
        .map(|(entry, number)| {
            let place = |name: &str| format!("{place}: PoslednaZmenaNaKonani {number}: {name}");
            let id = entry.attribute("KonanieId").unwrap_or_default();
            if !is_number(id) {
                return Err(malformed(place("KonanieId"), "a proceeding's number", id));
            }
            let at = entry.attribute("PoslednaZmena").unwrap_or_default();
            let Some(at) = Moment::parse(at) else {
                return Err(malformed(place("PoslednaZmena"), "a time", at));
            };
            Ok(Change {
                at,
                id: id.to_owned(),
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    changes.sort();
    changes.dedup();
    Ok(changes)
}
