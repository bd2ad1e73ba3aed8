//! Members of a company's bodies, and all others who act for it.

use lustra_sdk::text;
use serde::Serialize;

use crate::extract::{Entry, Extract};
use crate::labels::Label;
use crate::people::{Person, joined, keep_earlier, name_only, named_person};
use crate::roles;

/// One person in one function.
#[derive(Debug, Serialize)]
pub struct Officer {
    name: String,
    role: Option<String>,
    address: Option<String>,
    acting_method: Option<String>,
    function: Option<String>,
    body_type: Option<String>,
    ico: Option<String>,
    appointed_at: Option<String>,
    ended_at: Option<String>,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
}

/// First words of the names of bodies, folded. Such a line among the members starts the next body.
const ORGANS: [&str; 16] = [
    "konatel",
    "konatelia",
    "predstavenstvo",
    "spolocnik",
    "spolocnici",
    "komplementar",
    "komplementari",
    "riaditel",
    "predseda",
    "spravna",
    "statutarny",
    "individualny",
    "veduci",
    "podnikatel",
    "clenovia",
    "likvidator",
];

/// The members of the statutory body, to whom the same rule of acting applies.
#[must_use]
pub fn statutory_body(extract: &Extract, acting: Option<&str>) -> Vec<Officer> {
    let mut members = Vec::new();
    let mut organ: Option<String> = None;
    for entry in extract.valid(Label::Statutory) {
        let person = match named_person(entry) {
            Ok(person) => person,
            Err(line) => {
                let folded = text::fold(&line);
                let names_organ = folded
                    .split(' ')
                    .next()
                    .is_some_and(|word| ORGANS.contains(&word));
                let heading = line.trim_end().strip_suffix(':');
                if names_organ || heading.is_some() || (organ.is_none() && members.is_empty()) {
                    organ = Some(heading.unwrap_or(&line).to_owned());
                    continue;
                }
                name_only(line)
            }
        };
        add_officer(&mut members, person, organ.as_deref(), acting, entry);
    }
    members
}

/// The valid members of another section. Lines between them say how they act.
#[must_use]
pub fn officers(extract: &Extract, label: Label, organ: Option<&str>) -> Vec<Officer> {
    let (mut persons, mut rules) = (Vec::new(), Vec::new());
    for entry in extract.valid(label) {
        match named_person(entry) {
            Ok(person) => persons.push((person, entry)),
            Err(line) => rules.push(line),
        }
    }
    let acting = joined(rules.into_iter());
    let mut officers = Vec::new();
    for (person, entry) in persons {
        add_officer(&mut officers, person, organ, acting.as_deref(), entry);
    }
    officers
}

fn add_officer(
    officers: &mut Vec<Officer>,
    person: Person,
    organ: Option<&str>,
    acting: Option<&str>,
    entry: &Entry,
) {
    let role = roles::role(person.function.as_deref(), organ);
    let known = officers.iter_mut().find(|known| {
        known.name == person.name && known.address == person.address && known.role == role
    });
    if let Some(known) = known {
        keep_earlier(&mut known.effective_from, entry);
        return;
    }
    officers.push(Officer {
        name: person.name,
        role,
        address: person.address,
        acting_method: acting.map(str::to_owned),
        function: person.function,
        body_type: organ.map(str::to_owned),
        ico: person.ico,
        appointed_at: person.appointed_at,
        ended_at: person.ended_at,
        effective_from: entry.from.clone(),
        effective_to: entry.to.clone(),
        current: true,
    });
}
