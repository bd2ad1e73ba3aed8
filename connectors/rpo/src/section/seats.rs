//! One office as a row of the answer.

use lustra_sdk::text;

use super::address::one_line;
use super::{Officer, Registered};
use crate::extract::{self, Extract};
use crate::history::History;
use crate::history::codes::{self, Function, Group, List, Rule};
use crate::history::deposits::is_current;
use crate::history::kept::{End, Text};
use crate::history::offices::{Known, Office};

/// An office with its meaning, and its end cut by that of the company.
pub(super) struct Seat<'a> {
    pub(super) office: Office<'a>,
    pub(super) known: Known,
    pub(super) meaning: codes::Meaning,
    /// The function's label in the register.
    pub(super) label: Option<String>,
    pub(super) function: Function,
    pub(super) effective_to: Option<String>,
    pub(super) current: bool,
}

impl<'a> Seat<'a> {
    pub(super) fn of(mut office: Office<'a>, history: &History, today: &str) -> Self {
        let row = office.row;
        let code = row.code.as_deref();
        let meaning = codes::meaning(office.list, code, row.label.as_deref());
        let label = row.label.clone().or_else(|| {
            let known = codes::label(office.list, code?)?;
            Some(known.to_owned())
        });
        let of_member = row.member.as_deref().and_then(Function::of_label);
        let function = [
            of_member,
            Some(office.written_function),
            Some(meaning.function),
        ]
        .into_iter()
        .flatten()
        .find(|function| *function != Function::None)
        .unwrap_or(Function::None);
        // Of an ended company the rows may stay open.
        if let (End::Open, Some(ended)) = (&office.end, &history.ended) {
            office.end = End::On(ended.clone());
        }
        let effective_to = match &office.end {
            End::On(day) => Some(day.clone()),
            End::Open | End::Unknown => None,
        };
        let has_begun = office.from.as_deref().is_none_or(|from| from <= today);
        Self {
            known: Known {
                key: office.key.clone(),
                shown: office.name.clone(),
                function: office.written_function,
                is_company: Known::of(&row.name).is_some_and(|known| known.is_company),
                ico: office.ico.clone(),
            },
            current: has_begun && history.ended.is_none() && is_current(&office.end, today),
            meaning,
            label,
            function,
            effective_to,
            office,
        }
    }

    /// Present ones first, in bodies the chair before the members, then by the first day.
    pub(super) fn rank(&self) -> (bool, Function, Option<String>, String) {
        (
            !self.current,
            self.function,
            self.office.from.clone(),
            self.office.key.clone(),
        )
    }

    /// Former home addresses are not published.
    pub(super) fn address(&self, extract: Option<&extract::Person>) -> Option<String> {
        if !self.current && !self.known.is_company {
            return None;
        }
        extract
            .and_then(|person| person.address.clone())
            .or_else(|| one_line(self.office.row.address.as_ref()?))
    }

    pub(super) fn officer(self, acting: &Acting, extract: &Extract) -> Officer {
        let in_extract = extract
            .person("statutory_body", &self.known)
            .filter(|_| self.current);
        Officer {
            address: self.address(in_extract),
            role: self.role(),
            function: self.function.name(),
            body_type: self.meaning.body.map(str::to_owned),
            acting_method: acting.company.clone().filter(|_| self.current),
            appointed_at: in_extract
                .and_then(|person| person.appointed_at.clone())
                .or_else(|| self.office.from.clone()),
            effective_from: self.office.from,
            effective_to: self.effective_to,
            current: self.current,
            name: self.known.shown,
        }
    }

    /// The person's role: the function in the body if the register states it, else the type.
    fn role(&self) -> Option<String> {
        let member = self.office.row.member.as_deref();
        member.or(self.label.as_deref()).map(text::uncapitalised)
    }

    pub(super) fn registered(self, group: Group, acting: &Acting, extract: &Extract) -> Registered {
        let in_extract = list_name(group)
            .and_then(|list| extract.person(list, &self.known))
            .filter(|_| self.current);
        let acting = acting
            .procurators
            .clone()
            .filter(|_| self.current && group == Group::Procurators);
        Registered {
            address: self.address(in_extract),
            is_company: self.known.is_company,
            ico: self.known.ico,
            stakeholder_type: self.label,
            function: self.function.name(),
            acting_method: acting,
            effective_from: self.office.from,
            effective_to: self.effective_to,
            current: self.current,
            name: self.known.shown,
        }
    }
}

/// The list of the details that has the same people.
fn list_name(group: Group) -> Option<&'static str> {
    match group {
        Group::SupervisoryBoard => Some("supervisory_board"),
        Group::Procurators => Some("procurators"),
        Group::Liquidators => Some("liquidators"),
        Group::Administrators => Some("administrators"),
        Group::Founders => Some("founders"),
        Group::BranchHeads => Some("branch_heads"),
        Group::Shareholders | Group::StatutoryBody | Group::Others => None,
    }
}

/// Drops an office that both lists of the register contain.
pub(super) fn without_repeats(seats: &mut Vec<Seat<'_>>) {
    let mut seen: Vec<(String, Option<String>, Option<String>, List)> = Vec::new();
    seats.retain(|seat| {
        let own = (&seat.office.key, &seat.office.from, &seat.label);
        let is_repeat = seen
            .iter()
            .any(|(key, from, label, list)| (key, from, label) == own && *list != seat.office.list);
        seen.push((
            seat.office.key.clone(),
            seat.office.from.clone(),
            seat.label.clone(),
            seat.office.list,
        ));
        !is_repeat
    });
}

/// The rules of acting that hold today.
pub(super) struct Acting {
    pub(super) company: Option<String>,
    pub(super) procurators: Option<String>,
}

impl Acting {
    /// A rule of an unknown kind belongs to neither.
    pub(super) fn of(rules: &[Text], history: &History, today: &str) -> Self {
        let of_kind = |kind: Rule| {
            let holds = |rule: &&Text| {
                history.ended.is_none()
                    && is_current(&rule.validity.end(), today)
                    && Rule::of_text(&rule.text) == kind
            };
            joined(&rules.iter().filter(holds).collect::<Vec<_>>())
        };
        Self {
            company: of_kind(Rule::Company),
            procurators: of_kind(Rule::Procurators),
        }
    }
}

fn joined(rules: &[&Text]) -> Option<String> {
    let mut texts: Vec<&str> = Vec::new();
    for rule in rules {
        if !texts.contains(&rule.text.as_str()) {
            texts.push(&rule.text);
        }
    }
    (!texts.is_empty()).then(|| texts.join("\n"))
}
