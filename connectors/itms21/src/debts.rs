//! The import of irregularities and receivables.

use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Notes, records};

use crate::debt::{self, Kind, Standing};
use crate::settings::Settings;
use crate::sweep::{self, List, Rows, Step, Time};

/// Reads the lists of irregularities and of receivables.
pub struct Debts {
    settings: Settings,
}

impl Debts {
    /// Starts with the operator's paths of the lists.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn open() -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::read()?,
        })
    }
}

impl Rows for Debts {
    fn lists(&self) -> Vec<List> {
        let list = |path: &String, kind: Kind| List {
            path: path.clone(),
            subjects: &["dlznik"],
            prefix: kind.prefix(),
        };
        vec![
            list(&self.settings.irregularity_list, Kind::Irregularity),
            list(&self.settings.receivable_list, Kind::Receivable),
        ]
    }

    fn records(
        &mut self,
        list: usize,
        row: &Value,
        _time: Time,
        notes: &mut Notes,
    ) -> Result<Step, Failure> {
        let kind = if list == 0 {
            Kind::Irregularity
        } else {
            Kind::Receivable
        };
        let Some((ico, debt)) = debt::read(kind, row, notes)? else {
            return Ok(Step::Done(Vec::new()));
        };
        if Standing::of(&debt, &self.settings) == Standing::Unknown {
            notes.count("unknown_states");
        }
        let key = sweep::key(kind.prefix(), debt.id, &ico);
        Ok(Step::Done(vec![records::item(key, Some(&ico), &debt)?]))
    }
}
