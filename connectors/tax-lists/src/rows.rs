//! The imported rows of one company.

use std::collections::BTreeSet;

use lustra_sdk::records::{self, DatasetState, Stored};
use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::tax_lists::ListKind;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Subject, ico};

use crate::dataset::Dataset;
use crate::lists::income_tax::Registered;
use crate::lists::{BY_DIC, Listed, key_of_dic};

/// The company's rows, and data found while reading them.
pub struct Rows<'a> {
    ico: &'a str,
    /// The company's DIČ. The set may be empty or have several. `None` while they cannot be known.
    dics: Option<BTreeSet<String>>,
    states: Vec<(Dataset, DatasetState)>,
    /// Lists that could not be read.
    pub unread: Vec<Unread>,
}

impl<'a> Rows<'a> {
    /// Reads the states of all lists and the company's DIČ.
    ///
    /// # Errors
    /// A subject without an IČO, the host's refusal, and a record in another version's format.
    pub fn of(subject: &'a Subject) -> Result<Self, Failure> {
        ico::required(&subject.ico, "lists of the tax authority")?;
        let mut states = Vec::with_capacity(Dataset::ALL.len());
        let mut unread = Vec::new();
        for dataset in Dataset::ALL {
            let state = records::state(dataset.id())?;
            unread.extend(unread::of_state(dataset.id(), &state));
            states.push((dataset, state));
        }
        let mut rows = Self {
            ico: &subject.ico,
            dics: None,
            states,
            unread,
        };
        let mut dics: BTreeSet<String> = subject
            .facts
            .iter()
            .filter(|fact| fact.name == "dic")
            .filter_map(|fact| ico::parse_dic(&fact.value))
            .collect();
        let is_read = rows.is_read(Dataset::IncomeTaxSubjects);
        if is_read {
            for stored in records::all_of_company(Dataset::IncomeTaxSubjects.id(), rows.ico)? {
                dics.insert(records::content::<Registered>(&stored)?.dic);
            }
        }
        rows.dics = (is_read || !dics.is_empty()).then_some(dics);
        Ok(rows)
    }

    /// The states of all lists, in order.
    pub fn states(&self) -> &[(Dataset, DatasetState)] {
        &self.states
    }

    /// Whether a list was imported, so that its records can be used.
    pub fn is_read(&self, dataset: Dataset) -> bool {
        !self.unread.iter().any(|one| one.source == dataset.id())
    }

    /// Whether the list contains the company by its IČO. `None` if the list was not read.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn is_listed(&self, dataset: Dataset) -> Result<Option<bool>, Failure> {
        if !self.is_read(dataset) {
            return Ok(None);
        }
        let found = records::by_company(dataset.id(), self.ico, 1)?;
        Ok(Some(!found.is_empty()))
    }

    /// The company's rows of a list, newest first. `None` if the list was not read.
    ///
    /// # Errors
    /// The host's refusal, and a record in another version's format.
    pub fn read<T>(&mut self, dataset: Dataset) -> Result<Option<Vec<T>>, Failure>
    where
        T: DeserializeOwned + Listed + PartialEq,
    {
        if !self.is_read(dataset) {
            return Ok(None);
        }
        let Some(stored) = self.stored(dataset)? else {
            return Ok(None);
        };
        let mut rows: Vec<T> = Vec::with_capacity(stored.len());
        for stored in &stored {
            let row = records::content(stored)?;
            // A list may contain the same row with an IČO and without.
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.newest_by()));
        Ok(Some(rows))
    }

    fn stored(&mut self, dataset: Dataset) -> Result<Option<Vec<Stored>>, Failure> {
        let mut stored = records::all_of_company(dataset.id(), self.ico)?;
        match &self.dics {
            Some(dics) => {
                for dic in dics {
                    stored.extend(records::all_of_key(dataset.id(), &key_of_dic(dic))?);
                }
            }
            // A row with only a DIČ may be the company's, so *nothing found* would be wrong.
            None if stored.is_empty() && self.has_rows_by_dic(dataset)? => {
                let gap = Gap::partly(format!(
                    "some of its rows have a DIČ alone, and {} was not read",
                    Dataset::IncomeTaxSubjects.id()
                ));
                self.unread.push(gap.unread(dataset.id(), None));
                return Ok(None);
            }
            None => {}
        }
        Ok(Some(stored))
    }

    fn has_rows_by_dic(&self, dataset: Dataset) -> Result<bool, Failure> {
        Ok(!records::by_key(dataset.id(), BY_DIC, 1)?.is_empty())
    }
}
