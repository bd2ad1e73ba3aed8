//! The interface `companies`: candidate companies for sources without an IČO.

use serde_json::json;

use crate::bindings::base::lustra::connector::companies::{Candidate, Host};
use crate::bindings::types::Failure;
use crate::imports::{bounds, of_store};
use crate::names::{self, FoldedName};
use crate::recording::forms::RecordedCandidate;
use crate::state::CallState;
use lustra_store::CompanyName;

/// Most names with a common beginning that are compared; further ones would not be similar.
const MAX_COMPARED: u32 = 200;

/// Most candidates per request.
const MAX_CANDIDATES: u32 = 50;

impl Host for CallState {
    async fn candidates(
        &mut self,
        name: String,
        city: Option<String>,
        postal_code: Option<String>,
        limit: u32,
    ) -> wasmtime::Result<Result<Vec<Candidate>, Failure>> {
        const FUNCTION: &str = "companies.candidates";
        let given = [Some(&name), city.as_ref(), postal_code.as_ref()];
        if let Err(refused) = bounds::names(given.into_iter().flatten().map(String::as_str)) {
            return Ok(Err(refused));
        }
        let arguments = self
            .is_recorded_or_replayed()
            .then(|| json!([name, city, postal_code, limit]));
        if let Some(replayed) = self.replayed_list::<RecordedCandidate, _>(FUNCTION, &arguments) {
            return Ok(replayed);
        }
        let found = self
            .find_candidates(&name, city.as_deref(), postal_code.as_deref(), limit)
            .await;
        self.note_list::<RecordedCandidate, _>(FUNCTION, arguments, &found);
        Ok(found)
    }
}

impl CallState {
    async fn find_candidates(
        &mut self,
        name: &str,
        city: Option<&str>,
        postal_code: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Candidate>, Failure> {
        let name = FoldedName::of(name);
        let key = name.key();
        let word = names::first_word(&key);
        if word.is_empty() {
            return Ok(Vec::new());
        }
        let city_key = city.map(names::fold);
        self.wait_for_commit().await;
        let found = self
            .services
            .store
            .companies()
            .candidates(word, postal_code, city_key.as_deref(), MAX_COMPARED)
            .await
            .map_err(|error| of_store(&error))?;
        let tie = |a: &CompanyName, b: &CompanyName| a.ico.cmp(&b.ico);
        let alike = self.most_similar(name, found, name_of, tie).await?;
        Ok(alike
            .into_iter()
            .take(limit.min(MAX_CANDIDATES) as usize)
            .map(|(similarity, company)| Candidate {
                similarity,
                ico: company.ico,
                name: company.name,
                city: company.city,
                postal_code: company.postal_code,
            })
            .collect())
    }
}

fn name_of(company: &CompanyName) -> &str {
    &company.name
}
