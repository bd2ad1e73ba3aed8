//! Response bodies of the search endpoints, and the metadata of all lists.

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::openapi::Company;
use crate::search::{Found, Hit};

/// Suggestions in the format of Select2.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suggestions {
    results: Vec<Suggestion>,
    pagination: Pagination,
}

/// A company that the search suggests.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suggestion {
    /// The value of the choice: the registration number.
    id: String,
    /// The label of the choice: the company's name.
    text: String,
    /// Registration number (IČO), 8 digits.
    ico: String,
    /// City of the seat; empty if the register has none.
    city: String,
    /// The former name by which the company was found; missing if it was found by its current name.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_former_name: Option<String>,
}

/// Pagination in the format of Select2.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pagination {
    /// Whether there is another page.
    more: bool,
}

/// One page of the companies found.
#[derive(Serialize, ToSchema)]
pub struct CompanyList {
    data: Vec<FoundCompany>,
    meta: ListMeta,
}

/// A company that was found.
#[derive(Serialize, ToSchema)]
pub struct FoundCompany {
    #[serde(flatten)]
    company: Company,
    /// The former name by which the company was found; missing if it was found by its current data.
    matched_former_name: Option<String>,
}

/// The position of this page in the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListMeta {
    /// Number of entries in the whole list.
    pub(super) total: u64,
    /// Maximum number of entries on this page.
    pub(super) limit: u64,
    /// Number of entries before this page.
    pub(super) offset: u64,
    /// Whether there are entries after this page.
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
            matched_former_name: hit.former_name,
        });
        Self {
            results: results.collect(),
            pagination: Pagination { more: found.more },
        }
    }
}
