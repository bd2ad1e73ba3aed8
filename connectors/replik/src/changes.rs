//! Parses changes (`PoslednaZmenaNaKonani`): the proceeding and the time of its last change.

use lustra_sdk::xml::Element;
use lustra_sdk::{Failure, Notes, malformed};

use crate::moment::Moment;
use crate::proceedings::is_number;
use crate::soap::{self, Operation};

/// The last change of a proceeding. Ordered by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The time of the change.
    pub at: Moment,
    /// The proceeding's number, digits.
    pub id: String,
}

/// Reads the answer of `vyhladajPoslednuZmenuOd`, ordered by time.
///
/// # Errors
/// As [`soap::answer`]; [`Failure::Malformed`] if the list is missing, or an entry's number or time is invalid.
pub fn read(answer: &str) -> Result<Vec<Change>, Failure> {
    let mut notes = Notes::default();
    changes_of(&soap::answer(Operation::ChangesSince, answer)?, &mut notes)
}

/// Like [`read`], for the answer's element.
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
    // If no change is readable, the format has changed. The failure names the first problem.
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
