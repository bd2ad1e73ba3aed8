//! The operator's list of agents' ties to institutions.
//!
//! No open source states which institution an agent works for, in which sectors, under which number and since when.
//! An operator who has such a list supplies it as a CSV or XLSX table with a row for each tie. Its columns are assumed,
//! so their headers are settings, and a table without the required ones fails.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use lustra_sdk::records;
use lustra_sdk::sheet::{Row, Sheet};
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, Item, Notes, ico, malformed};
use serde::{Deserialize, Serialize};

use crate::licence::anyones_row;
use crate::names::AGENTS;

lustra_sdk::columns! {
    /// The columns of the operator's list of agents: the setting `agents_columns`.
    AgentsColumns {
        /// The IČO of the agent. A row without one is about the listed subject without an IČO that has the name.
        optional agent_ico: ["IČO agenta", "IČO finančného agenta"],
        /// The IČO of the institution or independent agent that the agent works for.
        required institution_ico: ["IČO inštitúcie", "IČO finančnej inštitúcie", "IČO navrhovateľa"],
        /// The name of the agent.
        required agent_name: ["Názov agenta", "Meno agenta", "Názov finančného agenta"],
        /// The name of the institution, shown if the institution is not on the bank's list.
        optional institution_name: ["Názov inštitúcie", "Názov finančnej inštitúcie", "Navrhovateľ"],
        /// What the agent is entered as.
        required category: ["Kategória", "Druh agenta", "Typ agenta"],
        /// The financial sector of the tie.
        optional sector: ["Sektor"],
        /// The number in the register of financial agents.
        optional regfap_number: ["Číslo REGFAP", "REGFAP", "Registračné číslo"],
        /// The first day of the tie.
        optional valid_from: ["Platné od", "Dátum zápisu", "Platnosť od"],
        /// The last day of the tie.
        optional valid_to: ["Platné do", "Dátum výmazu", "Platnosť do"],
    }
}

/// One tie: the content of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    pub agent_ico: Option<String>,
    pub agent_name: String,
    pub institution_ico: Option<String>,
    pub institution_name: Option<String>,
    /// The list's words on one line.
    pub category: String,
    pub sector: Option<String>,
    pub regfap_number: Option<String>,
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
}

impl Tie {
    fn of(row: &Row<'_>, agent_ico: Option<String>) -> Result<Self, Failure> {
        Ok(Self {
            agent_ico,
            agent_name: row.required("agent_name")?,
            institution_ico: row.ico("institution_ico")?,
            institution_name: row.text("institution_name"),
            category: row.required("category")?,
            sector: row.text("sector"),
            regfap_number: row.text("regfap_number"),
            valid_from: row.date("valid_from")?,
            valid_to: row.date("valid_to")?,
        })
    }

    /// What the tie is recognised by in the next list. Spellings do not matter.
    fn key(&self) -> String {
        let folded = |text: &Option<String>| text.as_deref().map(fold).unwrap_or_default();
        let agent = self.agent_ico.clone();
        [
            agent.unwrap_or_else(|| fold(&self.agent_name)),
            self.institution_ico
                .clone()
                .unwrap_or_else(|| folded(&self.institution_name)),
            fold(&self.category),
            folded(&self.sector),
            folded(&self.regfap_number),
            self.valid_from.clone().unwrap_or_default(),
        ]
        .join("/")
    }

    /// Of two rows about one tie, the one that lasts longer wins, whatever their order.
    fn goes_before(&self, other: &Self) -> bool {
        let rank = |tie: &Self| {
            (
                tie.valid_to.is_none(),
                tie.valid_to.clone(),
                tie.agent_name.clone(),
                tie.institution_name.clone(),
            )
        };
        rank(self) > rank(other)
    }
}

/// Reads the records of a list.
///
/// Counts `ties_without_institution`, `repeated_ties`, and `odd_check_digit` of agents. Odd rows are
/// `rows_with_unreadable_ico`, `unreadable_rows` and those of [`Sheet::read_forgiving`]; a placeholder is stored for
/// each agent of an unreadable row, and one for all rows that name no agent.
///
/// # Errors
/// As [`Sheet::read_forgiving`] and [`Notes::check_odd_rows`]; [`Failure::Malformed`] for a list without a tie to an
/// institution.
pub fn read(bytes: &[u8], columns: &AgentsColumns) -> Result<(Vec<Item>, Notes), Failure> {
    let mut notes = Notes::default();
    let mut ties: BTreeMap<String, Tie> = BTreeMap::new();
    let mut unreadable: BTreeMap<String, Item> = BTreeMap::new();
    let sheet = Sheet::read_forgiving(AGENTS, bytes, &columns.wanted(), &mut notes)?;
    let mut has_anyones = notes.of(Notes::OTHER_WIDTH) > 0;
    for row in sheet.unreadable_rows() {
        match row.ico("agent_ico") {
            Ok(Some(ico)) => {
                unreadable.insert(ico.clone(), unreadable_agent(&ico)?);
            }
            Ok(None) | Err(_) => has_anyones = true,
        }
    }
    for row in sheet.rows() {
        notes.row();
        let Ok(agent_ico) = row.ico("agent_ico") else {
            notes.odd("rows_with_unreadable_ico");
            has_anyones = true;
            continue;
        };
        if agent_ico
            .as_deref()
            .is_some_and(|ico| !ico::check_digit_fits(ico))
        {
            notes.count("odd_check_digit");
        }
        match Tie::of(&row, agent_ico.clone()) {
            Ok(tie) => take(&mut ties, tie, &mut notes),
            Err(wrong @ Failure::Malformed(_)) => {
                notes.odd_row("unreadable_rows", &wrong);
                match agent_ico {
                    Some(ico) => {
                        unreadable.insert(ico.clone(), unreadable_agent(&ico)?);
                    }
                    None => has_anyones = true,
                }
            }
            Err(other) => return Err(other),
        }
    }
    notes.check_odd_rows(AGENTS)?;
    if !ties.values().any(|tie| tie.institution_ico.is_some()) {
        let found = format!("{} rows without one", notes.rows());
        return Err(malformed(
            AGENTS,
            "a tie to an institution with an IČO",
            found,
        ));
    }
    let mut items: Vec<Item> = ties
        .iter()
        .map(|(key, tie)| records::item(key, tie.agent_ico.as_deref(), tie))
        .collect::<Result<_, _>>()?;
    items.extend(unreadable.into_values());
    if has_anyones {
        items.push(anyones_row()?);
    }
    Ok((items, notes))
}

/// The placeholder of an agent with an unreadable row.
fn unreadable_agent(ico: &str) -> Result<Item, Failure> {
    records::unreadable_row(format!("{ico}|unreadable"), ico)
}

fn take(ties: &mut BTreeMap<String, Tie>, tie: Tie, notes: &mut Notes) {
    if tie.institution_ico.is_none() {
        notes.count("ties_without_institution");
    }
    match ties.entry(tie.key()) {
        Entry::Vacant(place) => {
            place.insert(tie);
        }
        Entry::Occupied(mut there) => {
            notes.count("repeated_ties");
            if tie.goes_before(there.get()) {
                there.insert(tie);
            }
        }
    }
}
