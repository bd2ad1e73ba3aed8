//! Reading of what changed (`PoslednaZmenaNaKonani`): which proceeding, and when last.

use lustra_sdk::xml::Element;
use lustra_sdk::{Failure, Notes, malformed};

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
    let mut notes = Notes::default();
    changes_of(&soap::answer(Operation::ChangesSince, answer)?, &mut notes)
}

/// The same of the answer's element.
///
/// # Errors
/// As [`read`].
pub fn changes_of(response: &Element, notes: &mut Notes) -> Result<Vec<Change>, Failure> {
    let place = Operation::ChangesSince.name();
    let Some(list) = response.child("PoslednaZmenaNaKonaniList") else {
        return Err(malformed(
            format!("{place}: PoslednaZmenaNaKonaniList"),
            "the list of changes",
            "none",
        ));
    };
    let entries = list.children_named("PoslednaZmenaNaKonani").zip(1..);
    let (mut changes, mut first_wrong) = (Vec::new(), None);
    for (entry, number) in entries {
        notes.row();
        match change(entry, number) {
            Ok(change) => changes.push(change),
            Err(wrong) => {
                notes.odd_row("unreadable-changes", &wrong);
                first_wrong.get_or_insert(wrong);
            }
        }
    }
    // Where no change can be read the form is another one, and the failure says which.
    if let Some(wrong) = first_wrong.filter(|_| changes.is_empty()) {
        return Err(wrong);
    }
    changes.sort();
    changes.dedup();
    Ok(changes)
}

fn change(entry: &Element, number: usize) -> Result<Change, Failure> {
    let operation = Operation::ChangesSince.name();
    let place = |name: &str| format!("{operation}: PoslednaZmenaNaKonani {number}: {name}");
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
}
