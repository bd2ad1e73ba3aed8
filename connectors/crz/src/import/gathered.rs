//! Collects a batch and builds its records.

use std::collections::BTreeMap;

use lustra_sdk::serde_json::json;
use lustra_sdk::{Failure, Field, Item, records};

use super::SINCE_KEY;
use crate::calendar::Day;
use crate::contract::Read as Contract;

/// A batch under construction.
#[derive(Default)]
pub(super) struct Gathered {
    /// Contracts by id with the time of the last change; only the newest version is returned.
    pub(super) contracts: BTreeMap<String, Contract>,
    pub(super) notes: BTreeMap<&'static str, u64>,
    pub(super) days: u32,
    /// The last day that was read to its end.
    pub(super) finished: Option<Day>,
    pub(super) has_moved: bool,
}

impl Gathered {
    /// Adds a contract and counts its oddities.
    pub(super) fn add(&mut self, contract: Contract) {
        for oddity in &contract.oddities {
            *self.notes.entry(oddity).or_default() += 1;
        }
        let is_older = self
            .contracts
            .get(&contract.id)
            .is_some_and(|known| known.changed > contract.changed);
        if !is_older {
            self.contracts.insert(contract.id.clone(), contract);
        }
    }

    /// The records and the notes, including the record of the first day if `since` is set.
    pub(super) fn given(self, since: Option<Day>) -> Result<(Vec<Item>, Vec<Field>), Failure> {
        let mut items = Vec::with_capacity(self.contracts.len() + 1);
        if let Some(since) = since {
            let content = json!({ "since": since.to_string() });
            items.push(records::item(SINCE_KEY, None, &content)?);
        }
        for (id, contract) in self.contracts {
            let supplier = contract.supplier.as_deref();
            items.push(records::item(id, supplier, &contract.contract)?);
        }
        let notes = self.notes.into_iter().map(|(name, count)| Field {
            name: name.to_owned(),
            value: count.to_string(),
        });
        Ok((items, notes.collect()))
    }
}
