//! The IČO of organisations that rows may name by their id only.

use std::collections::BTreeMap;

use lustra_sdk::http::Request;
use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Notes, malformed};
use serde::Deserialize;

use crate::names::{BASE, UPSTREAM};
use crate::subject::Party;
use crate::sweep::Time;
use crate::value::members;

/// Numbers of so many organisations are remembered.
const REMEMBERED: usize = 20_000;

/// The list of the API that has an organisation. Each has its own ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Subject,
    Organisation,
}

impl Source {
    /// The path of its details.
    fn path(self) -> &'static str {
        match self {
            Self::Subject => "subjekt",
            Self::Organisation => "dodavatelobstaravatel",
        }
    }
}

/// An organisation as a row names it: with its IČO, or with its id only.
#[derive(Debug, Clone, Deserialize)]
pub struct Named {
    id: u64,
    #[serde(flatten)]
    party: Party,
}

/// What is known of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    Ico(String),
    /// It has no IČO.
    None,
    /// The register does not give its detail.
    Blocked,
    /// The call's time is nearly used up.
    Later,
}

/// The answer to a request for a detail.
#[derive(Debug)]
pub enum Detail {
    Given(Value),
    /// The firewall in front of the API blocks it. Another request would not help.
    Blocked,
    Gone,
}

/// Requests the detail with an id below a path.
///
/// # Errors
/// The upstream's failure.
pub fn detail(path: &str, id: u64) -> Result<Detail, Failure> {
    let response = Request::get(UPSTREAM, format!("{BASE}/{path}/id/{id}"))
        .header("accept", "application/json")
        .send()?;
    match response.status {
        200..=299 => response.json().map(Detail::Given),
        403 => Ok(Detail::Blocked),
        404 | 410 => Ok(Detail::Gone),
        _ => Err(response.status_failure()),
    }
}

/// The organisations that a run has met.
#[derive(Debug, Default)]
pub struct Organisations {
    known: BTreeMap<(Source, u64), Option<String>>,
}

impl Organisations {
    /// The IČO of an organisation: from the row, or from its detail.
    ///
    /// # Errors
    /// The upstream's failure, and [`Failure::Malformed`] for the detail of another organisation.
    pub fn number(
        &mut self,
        source: Source,
        named: &Named,
        time: Time,
        notes: &mut Notes,
    ) -> Result<Number, Failure> {
        if named.party.has_number() {
            return Ok(self.remember((source, named.id), named.party.ico(notes)));
        }
        if let Some(known) = self.known.get(&(source, named.id)) {
            return Ok(known.clone().map_or(Number::None, Number::Ico));
        }
        if time.is_nearly_over() {
            return Ok(Number::Later);
        }
        let path = source.path();
        let detail = match detail(path, named.id)? {
            Detail::Given(detail) => detail,
            Detail::Blocked | Detail::Gone => {
                notes.count("organisations_blocked");
                return Ok(Number::Blocked);
            }
        };
        let found: Named = members(path, &detail)?;
        if found.id != named.id {
            let expected = named.id.to_string();
            return Err(malformed(path, expected, found.id.to_string()));
        }
        Ok(self.remember((source, named.id), found.party.ico(notes)))
    }

    fn remember(&mut self, key: (Source, u64), ico: Option<String>) -> Number {
        if self.known.len() < REMEMBERED {
            self.known.insert(key, ico.clone());
        }
        ico.map_or(Number::None, Number::Ico)
    }
}
