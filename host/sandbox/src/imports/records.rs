//! The interface `records`: the connector's own imported records.

use std::collections::HashMap;

use serde_json::json;

use crate::bindings::base::lustra::connector::records::{DatasetState, Host, Similar, Stored};
use crate::bindings::types::Failure;
use crate::imports::{bounds, of_store};
use crate::names::{self, FoldedName};
use crate::record_pages::{MAX_RECORDS, PageQuery, Which};
use crate::recording::forms::{RecordedRecord, RecordedSimilar, RecordedState};
use crate::state::CallState;
use lustra_store::{RecordName, StoreError, StoredRecord};

/// Most records with a common beginning of the name that are compared.
const MAX_COMPARED: u32 = 200;

impl CallState {
    fn own_dataset(&self, dataset: &str) -> Result<(), Failure> {
        match self.connector.manifest.dataset(dataset) {
            Some(_) => Ok(()),
            None => Err(Failure::Misconfigured(format!(
                "the manifest names no dataset {dataset}"
            ))),
        }
    }
}

/// Limits the size of records like one piece of a body, because a guest receives them in one piece. The store returns
/// at most one record beyond the limit.
fn within_piece<T>(piece: u64, records: Vec<T>, size: fn(&T) -> usize) -> Result<Vec<T>, Failure> {
    let bytes: u64 = records.iter().map(|record| size(record) as u64).sum();
    if bytes > piece {
        return Err(Failure::Refused(format!(
            "the records have {bytes} bytes or more; {piece} is the most in one answer, so request fewer records"
        )));
    }
    Ok(records)
}

fn name_of(record: &RecordName) -> &str {
    record.name.as_deref().unwrap_or_default()
}

fn stored(record: StoredRecord) -> Stored {
    Stored {
        key: record.key,
        ico: record.ico,
        name: record.name,
        city: record.city,
        postal_code: record.postal_code,
        content: record.content,
    }
}

impl Host for CallState {
    async fn by_company(
        &mut self,
        dataset: String,
        ico: String,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<Stored>, Failure>> {
        const FUNCTION: &str = "records.by-company";
        if let Err(refused) = bounds::keys([&*dataset, &*ico]) {
            return Ok(Err(refused));
        }
        let arguments = self
            .is_recorded_or_replayed()
            .then(|| json!([dataset, ico, limit]));
        if let Some(replayed) = self.replayed_list::<RecordedRecord, _>(FUNCTION, &arguments) {
            return Ok(self.own_dataset(&dataset).and(replayed));
        }
        let query = PageQuery::first(dataset, Which::OfCompany(ico), limit);
        let found = self.find_page(query).await;
        self.note_list::<RecordedRecord, _>(FUNCTION, arguments, &found);
        Ok(found)
    }

    async fn by_key(
        &mut self,
        dataset: String,
        key: String,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<Stored>, Failure>> {
        const FUNCTION: &str = "records.by-key";
        if let Err(refused) = bounds::keys([&*dataset, &*key]) {
            return Ok(Err(refused));
        }
        let arguments = self
            .is_recorded_or_replayed()
            .then(|| json!([dataset, key, limit]));
        if let Some(replayed) = self.replayed_list::<RecordedRecord, _>(FUNCTION, &arguments) {
            return Ok(self.own_dataset(&dataset).and(replayed));
        }
        let query = PageQuery::first(dataset, Which::WithKey(key), limit);
        let found = self.find_page(query).await;
        self.note_list::<RecordedRecord, _>(FUNCTION, arguments, &found);
        Ok(found)
    }

    async fn by_company_after(
        &mut self,
        dataset: String,
        ico: String,
        after: String,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<Stored>, Failure>> {
        const FUNCTION: &str = "records.by-company-after";
        if let Err(refused) = bounds::keys([&*dataset, &*ico, &*after]) {
            return Ok(Err(refused));
        }
        let arguments = self
            .is_recorded_or_replayed()
            .then(|| json!([dataset, ico, after, limit]));
        if let Some(replayed) = self.replayed_list::<RecordedRecord, _>(FUNCTION, &arguments) {
            return Ok(self.own_dataset(&dataset).and(replayed));
        }
        let query = PageQuery::after(dataset, Which::OfCompany(ico), after, limit);
        let found = self.find_page(query).await;
        self.note_list::<RecordedRecord, _>(FUNCTION, arguments, &found);
        Ok(found)
    }

    async fn by_key_after(
        &mut self,
        dataset: String,
        key: String,
        after: String,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<Stored>, Failure>> {
        const FUNCTION: &str = "records.by-key-after";
        if let Err(refused) = bounds::keys([&*dataset, &*key, &*after]) {
            return Ok(Err(refused));
        }
        let arguments = self
            .is_recorded_or_replayed()
            .then(|| json!([dataset, key, after, limit]));
        if let Some(replayed) = self.replayed_list::<RecordedRecord, _>(FUNCTION, &arguments) {
            return Ok(self.own_dataset(&dataset).and(replayed));
        }
        let query = PageQuery::after(dataset, Which::WithKey(key), after, limit);
        let found = self.find_page(query).await;
        self.note_list::<RecordedRecord, _>(FUNCTION, arguments, &found);
        Ok(found)
    }

    async fn by_name(
        &mut self,
        dataset: String,
        name: String,
        postal_code: Option<String>,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<Similar>, Failure>> {
        const FUNCTION: &str = "records.by-name";
        let names = [Some(&dataset), Some(&name), postal_code.as_ref()];
        if let Err(refused) = bounds::names(names.into_iter().flatten().map(String::as_str)) {
            return Ok(Err(refused));
        }
        let arguments = self
            .is_recorded_or_replayed()
            .then(|| json!([dataset, name, postal_code, limit]));
        if let Some(replayed) = self.replayed_list::<RecordedSimilar, _>(FUNCTION, &arguments) {
            return Ok(self.own_dataset(&dataset).and(replayed));
        }
        let found = self
            .find_by_name(&dataset, &name, postal_code.as_deref(), limit)
            .await;
        self.note_list::<RecordedSimilar, _>(FUNCTION, arguments, &found);
        Ok(found)
    }

    async fn state(&mut self, dataset: String) -> wasmtime::Result<Result<DatasetState, Failure>> {
        const FUNCTION: &str = "records.state";
        if let Err(refused) = bounds::keys([&*dataset]) {
            return Ok(Err(refused));
        }
        let arguments = self.is_recorded_or_replayed().then(|| json!([dataset]));
        if let Some(replayed) = self.replayed::<RecordedState, _>(FUNCTION, &arguments) {
            return Ok(self.own_dataset(&dataset).and(replayed));
        }
        let state = self.find_state(&dataset).await;
        self.note::<RecordedState, _>(FUNCTION, arguments, &state);
        Ok(state)
    }
}

impl CallState {
    async fn find_page(&mut self, query: PageQuery) -> Result<Vec<Stored>, Failure> {
        self.own_dataset(&query.dataset)?;
        self.wait_for_commit().await;
        let piece = self.limits().piece;
        let store = &self.services.store;
        let page = match self.ahead.take(&query).await {
            Some(page) => page,
            None => query.read(store, &self.connector, piece).await,
        };
        // The records of an import may change between two pages.
        if self.commits.is_none() {
            let source = (store, &self.connector);
            let background = &self.services.background;
            self.ahead.start((&query, &page), source, background, piece);
        }
        let records = page.map_err(|error| of_store(&error))?;
        let records = records.into_iter().map(stored).collect();
        within_piece(piece, records, |record: &Stored| record.content.len())
    }

    async fn find_by_name(
        &mut self,
        dataset: &str,
        name: &str,
        postal_code: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Similar>, Failure> {
        self.own_dataset(dataset)?;
        self.wait_for_commit().await;
        let connector = &self.connector.manifest.id;
        let name = FoldedName::of(name);
        let key = name.key();
        let word = names::first_word(&key);
        if word.is_empty() {
            return Ok(Vec::new());
        }
        let piece = self.limits().piece;
        let (equal, alike) = ((&*key, MAX_RECORDS), (word, MAX_COMPARED));
        let records = self.services.store.records();
        let names = records
            .names(connector, dataset, equal, alike, postal_code)
            .await
            .map_err(|error| of_store(&error))?;
        let tie = |a: &RecordName, b: &RecordName| a.key.cmp(&b.key);
        let mut alike = self.most_similar(name, names, name_of, tie).await?;
        alike.truncate(limit.min(MAX_RECORDS) as usize);
        let keys: Vec<&str> = alike.iter().map(|(_, record)| &*record.key).collect();
        let connector = &self.connector.manifest.id;
        let records = self.services.store.records().within(piece);
        let found = records
            .by_keys(connector, dataset, &keys)
            .await
            .map_err(|error| of_store(&error))?;
        let mut found: HashMap<String, StoredRecord> = found
            .into_iter()
            .map(|record| (record.key.clone(), record))
            .collect();
        // If the list was replaced since the names were read, a record may be missing or have another name.
        let similar = alike.into_iter().filter_map(|(similarity, name)| {
            let record = found.remove(&name.key)?;
            let found = stored(record);
            (found.name == name.name).then_some(Similar { similarity, found })
        });
        within_piece(piece, similar.collect(), |similar: &Similar| {
            similar.found.content.len()
        })
    }

    async fn find_state(&mut self, dataset: &str) -> Result<DatasetState, Failure> {
        self.own_dataset(dataset)?;
        self.wait_for_commit().await;
        let state = self
            .read_state(dataset)
            .await
            .map_err(|error| of_store(&error))?;
        let off = !self.connector.datasets_on.contains(dataset);
        Ok(match state {
            Some(state) => DatasetState {
                imported_at: state.imported_at.map(crate::clock::rfc3339),
                list_date: state.list_date,
                records: u64::try_from(state.records).unwrap_or_default(),
                failure: state.failure.map(|failure| failure.detail),
                off,
                details: Vec::new(),
            },
            None => DatasetState {
                imported_at: None,
                list_date: None,
                records: 0,
                failure: None,
                off,
                details: Vec::new(),
            },
        })
    }

    /// Reads the state of a dataset. For a section, the same statement reads the dataset's records of the company,
    /// because nearly every connector requests them next.
    async fn read_state(
        &mut self,
        dataset: &str,
    ) -> Result<Option<lustra_store::DatasetState>, StoreError> {
        let connector = &self.connector.manifest.id;
        let store = &self.services.store;
        let Some(ico) = &self.company else {
            return store.datasets().state(connector, dataset).await;
        };
        let piece = self.limits().piece;
        let records = store.records().within(piece);
        let found = records
            .by_company_with_state(connector, dataset, ico, MAX_RECORDS)
            .await?;
        Ok(found.map(|(state, records)| {
            // The connector gets the error when it requests them.
            if let Ok(records) = records {
                let of_company = Which::OfCompany(ico.clone());
                let query = PageQuery::first(dataset.to_owned(), of_company, MAX_RECORDS);
                self.ahead.keep(query, records, piece);
            }
            state
        }))
    }
}
