//! Response bodies of the search endpoints, and the metadata of all lists.

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::openapi::Company;
use crate::search::{Found, Hit};

/// Companies to choose from, as select boxes want them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suggestions {
    results: Vec<Suggestion>,
    pagination: Pagination,
}

/// A company to choose.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suggestion {
    /// What is chosen: the registration number.
    id: String,
    /// What is shown: the company's name.
    text: String,
    /// Registration number.
    ico: String,
    /// City of the seat; empty where the register gives none.
    city: String,
}

/// Whether there are more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pagination {
    /// Whether there is a next page.
    more: bool,
}

/// Companies that were found.
#[derive(Serialize, ToSchema)]
pub struct CompanyList {
    data: Vec<Company>,
    meta: ListMeta,
}

/// Which part of a list this is.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListMeta {
    /// How many there are in all.
    pub(super) total: u64,
    /// The most that were wanted.
    pub(super) limit: u64,
    /// How many were left out before these.
    pub(super) offset: u64,
    /// Whether there are more behind these.
    pub(super) more: bool,
}

impl ListMeta {
    /// Metadata of one page of a list. `given` is the number of its entries.
    pub(in crate::api) fn of(total: u64, limit: u64, offset: u64, given: u64) -> Self {
        Self {
            total,
            limit,
            offset,
            more: offset.saturating_add(given) < total,
        }
    }

    /// Metadata of a complete list.
    pub(in crate::api) fn whole(total: u64) -> Self {
        Self {
            total,
            limit: total,
            offset: 0,
            more: false,
        }
    }
}

impl From<Found<Hit>> for Suggestions {
    fn from(found: Found<Hit>) -> Self {
        let results = found.hits.into_iter().map(|hit| Suggestion {
            id: hit.ico.clone(),
            text: hit.name,
            ico: hit.ico,
            city: hit.city,
        });
        Self {
            results: results.collect(),
            pagination: Pagination { more: found.more },
        }
    }
}
