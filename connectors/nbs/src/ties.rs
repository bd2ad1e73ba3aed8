//! Adds the ties of the operator's list to the licences of the agents.
//!
//! `institutions` and `agents` are imported separately. The import of `institutions` reads the published records of
//! `agents`, so a new list of agents takes effect with the next import of `institutions`.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::text::fold;
use lustra_sdk::unread::Gap;
use lustra_sdk::{Failure, Notes, records};

use crate::agents::Tie;
use crate::categories;
use crate::dataset::Dataset;
use crate::entity::{Entities, Licence, LicenceKey, Parent, Status};
use crate::history::past;
use crate::licence::Unreadable;

/// The published list of agents.
#[derive(Debug, Default)]
pub struct Ties {
    pub ties: Vec<Tie>,
    /// Agents with a row that could not be read.
    pub unreadable: Unreadable,
}

/// The published list; `None` if it is off or was never imported.
///
/// # Errors
/// The host's refusal; [`Failure::Malformed`] for a record of an unknown version.
pub fn published() -> Result<Option<Ties>, Failure> {
    if Gap::of_dataset(Dataset::Agents.id())?.is_some() {
        return Ok(None);
    }
    let mut ties = Ties::default();
    records::each_of_key(Dataset::Agents.id(), "", |stored| {
        if !records::is_unreadable_row(&stored) {
            ties.ties.push(records::content(&stored)?);
        } else if let Some(ico) = stored.ico {
            ties.unreadable.icos.insert(ico);
        } else {
            ties.unreadable.is_anyones = true;
        }
        Ok(())
    })?;
    Ok(Some(ties))
}

/// Merges the list with the ties that the entities have from the last import, and counts each entity's agents. Without
/// a list the ties stay as they were.
///
/// Counts the ties of agents that are not on the bank's list as `ties_without_agent`, those of a name that several
/// subjects have as `ties_of_ambiguous_agent`, and those that begin later as `ties_to_begin`.
pub fn merge(entities: &mut Entities, list: Option<&Ties>, day: &str, notes: &mut Notes) {
    let Some(list) = list else {
        return;
    };
    let index = Index::of(entities);
    let mut of_agents: BTreeMap<&str, Vec<&Tie>> = BTreeMap::new();
    for tie in &list.ties {
        if tie.valid_from.as_deref().is_some_and(|first| first > day) {
            notes.count("ties_to_begin");
            continue;
        }
        match index.agent(tie) {
            [] => notes.count("ties_without_agent"),
            [one] => of_agents.entry(one).or_default().push(tie),
            _ => notes.count("ties_of_ambiguous_agent"),
        }
    }
    for (id, entity) in entities.iter_mut() {
        let is_kept = entity
            .ico
            .as_deref()
            .map_or(list.unreadable.is_anyones, |ico| {
                list.unreadable.may_be_of(ico)
            });
        let (own, others): (Vec<_>, Vec<_>) = std::mem::take(&mut entity.licences)
            .into_iter()
            .partition(|licence| licence.source == Dataset::Agents);
        let before = own.into_iter().map(|licence| (licence.key(), licence));
        let listed = of_agents.get(id.as_str()).map(Vec::as_slice);
        let listed = listed.unwrap_or_default().iter();
        let listed = listed.map(|tie| licence(tie, &entity.country, &index, day));
        entity.licences = others;
        entity
            .licences
            .extend(carried_on(before.collect(), listed, is_kept, day));
    }
    count_agents(entities);
}

fn carried_on(
    mut licences: BTreeMap<LicenceKey, Licence>,
    listed: impl Iterator<Item = Licence>,
    is_kept: bool,
    day: &str,
) -> impl Iterator<Item = Licence> {
    let listed: BTreeMap<LicenceKey, Licence> = listed.map(|one| (one.key(), one)).collect();
    for (key, licence) in &mut licences {
        if !listed.contains_key(key) && !is_kept {
            licence.end(day);
        }
    }
    for (key, mut licence) in listed {
        if let Some(known) = licences.remove(&key) {
            licence.first_seen_on = known.first_seen_on;
        }
        licences.insert(key, licence);
    }
    licences.into_values()
}

fn licence(tie: &Tie, country: &str, index: &Index, day: &str) -> Licence {
    let ended_on = past(tie.valid_to.as_deref(), day);
    Licence {
        status: Status::of(ended_on.as_deref()),
        category: categories::of(&tie.category).to_owned(),
        license_type: tie.category.clone(),
        valid_from: tie.valid_from.clone(),
        sector: tie.sector.clone(),
        country: country.to_owned(),
        regfap_number: tie.regfap_number.clone(),
        parent: index.parent(tie),
        first_seen_on: day.to_owned(),
        ended_on,
        source: Dataset::Agents,
    }
}

/// Subjects by what the operator's list calls them.
struct Index {
    /// Ids and the name by IČO.
    by_ico: BTreeMap<String, (Vec<String>, String)>,
    /// Listed subjects without an IČO by their folded names.
    by_name: BTreeMap<String, Vec<String>>,
}

impl Index {
    fn of(entities: &Entities) -> Self {
        let (mut by_ico, mut by_name) = (BTreeMap::new(), BTreeMap::new());
        for (id, entity) in entities {
            match &entity.ico {
                Some(ico) => {
                    by_ico.insert(ico.clone(), (vec![id.clone()], entity.name.clone()));
                }
                None if entity.is_current => {
                    let ids: &mut Vec<String> = by_name.entry(fold(&entity.name)).or_default();
                    ids.push(id.clone());
                }
                None => {}
            }
        }
        Self { by_ico, by_name }
    }

    /// The ids of the subjects that may be the agent.
    fn agent(&self, tie: &Tie) -> &[String] {
        let found = match &tie.agent_ico {
            Some(ico) => self.by_ico.get(ico).map(|(ids, _)| ids),
            None => self.by_name.get(&fold(&tie.agent_name)),
        };
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// The institution. Its name is that of the bank's list, else that of the operator's, else its IČO.
    fn parent(&self, tie: &Tie) -> Option<Parent> {
        let listed = tie.institution_ico.as_ref();
        let listed = listed.and_then(|ico| self.by_ico.get(ico));
        let own_name = || {
            let name = tie.institution_name.clone();
            name.or_else(|| tie.institution_ico.clone())
        };
        Some(Parent {
            entity_id: listed.and_then(|(ids, _)| ids.first().cloned()),
            ico: tie.institution_ico.clone(),
            name: listed.map(|(_, name)| name.clone()).or_else(own_name)?,
        })
    }
}

/// Sets the number of listed agents with a tie in force to each entity.
fn count_agents(entities: &mut Entities) {
    let mut agents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (id, entity) in entities.iter().filter(|(_, entity)| entity.is_current) {
        let ties = entity.licences.iter();
        for tie in ties.filter(|one| one.source == Dataset::Agents && one.is_current()) {
            let parent = tie.parent.as_ref();
            if let Some(parent) = parent.and_then(|parent| parent.entity_id.clone()) {
                agents.entry(parent).or_default().insert(id.clone());
            }
        }
    }
    for (id, entity) in entities {
        let count = agents.get(id).map_or(0, BTreeSet::len);
        entity.agents_count = u32::try_from(count).ok();
    }
}
