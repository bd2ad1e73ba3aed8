//! The companies on a list today, cached until the day or a forced change invalidates them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::World;
use crate::population::procurement::bans;
use crate::population::{Company, DebtorList};
use crate::registers::fs::List;

/// A list whose members are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Selection {
    /// A list of the tax authority.
    Tax(List),
    Debtors(DebtorList),
    /// The register of persons barred from public procurement.
    Debarred,
}

impl Selection {
    fn contains(self, company: &Company) -> bool {
        match self {
            Self::Tax(list) => list.contains(company),
            Self::Debtors(list) => company.debt(list).is_some(),
            Self::Debarred => !bans(company).is_empty(),
        }
    }
}

/// The day and revision of the population from which a selection was computed.
type Moment = (u32, u64);

/// The members of a list with the day and revision of their computation.
type Cached = (Moment, Arc<Vec<u32>>);

#[derive(Debug, Default)]
pub(crate) struct Selections {
    known: Mutex<HashMap<Selection, Cached>>,
}

impl Selections {
    /// The indexes of the companies on a list, ascending. Computes every company on the first call.
    pub(crate) fn get(&self, world: &World, selection: Selection) -> Arc<Vec<u32>> {
        let population = &world.population;
        let moment = (world.clock.day(), population.revision());
        let known = self
            .known
            .lock()
            .expect("no holder of this lock panics")
            .get(&selection)
            .cloned();
        if let Some((_, indexes)) = known.filter(|(made, _)| *made == moment) {
            return indexes;
        }
        let is_member = |index: &u32| selection.contains(&population.company(*index, moment.0));
        let indexes = Arc::new((0..population.len()).filter(is_member).collect::<Vec<_>>());
        let mut known = self.known.lock().expect("no holder of this lock panics");
        known.insert(selection, (moment, Arc::clone(&indexes)));
        indexes
    }
}
