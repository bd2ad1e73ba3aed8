//! Bodies of the batch endpoints. `batches::results` writes the results as text; the types here only describe
//! them.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::error::Code;
use crate::api::openapi::{Company, CompanyMeta};
use crate::api::search::ListMeta;
use crate::batches::{self, BatchState, Likely};
use crate::clock::rfc3339;
use crate::companies::AllowedScopes;
use crate::store::Batch;

/// A batch of registration numbers.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it describes what is read field by field, so that every mistake is named"
)]
pub struct IcoBatch {
    /// Registration numbers of 8 digits. Duplicates count once.
    #[schema(example = json!(["99999901", "99999994"]))]
    pub(super) icos: Vec<String>,
}

/// A batch of names.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it describes what is read field by field, so that every mistake is named"
)]
pub struct NameBatch {
    /// Names of up to 500 characters. Duplicates count once.
    #[schema(example = json!(["Vzorostav Čučoriedka, s. r. o."]))]
    pub(super) names: Vec<String>,
}

/// The results of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchResults {
    /// The results by requested number or name, in request order.
    pub(super) data: BTreeMap<String, BatchEntry>,
    pub(super) meta: BatchMeta,
}

/// The result of one item.
#[derive(Serialize, ToSchema)]
pub struct BatchEntry {
    /// Whether the company was found. If this is false and there is an `error`, the company may still exist.
    pub(super) found: bool,
    /// The company; null if there is none or it could not be looked up.
    #[schema(required)]
    pub(super) data: Option<Company>,
    /// Sources of the company's data; only if it was found.
    pub(super) meta: Option<CompanyMeta>,
    /// Only for names: similarity of the best company's name, 0 to 1. Null if no name is similar. 1 for a company that
    /// was found by its number.
    pub(super) confidence: Option<f64>,
    /// Only for names: whether several companies are equally similar.
    pub(super) ambiguous: Option<bool>,
    /// Only for names that were not found: companies with similar names.
    pub(super) candidates: Option<Vec<Likely>>,
    /// Error code if the item could not be looked up.
    pub(super) error: Option<Code>,
    /// Error message for people.
    pub(super) message: Option<String>,
}

/// Totals of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchMeta {
    /// Number of distinct items: the sum of `found`, `not_found` and `failed`.
    pub(super) total: i64,
    pub(super) found: i64,
    pub(super) not_found: i64,
    /// Number of items that could not be looked up. Each has an `error`.
    pub(super) failed: i64,
    pub(super) batch_id: String,
}

/// Progress of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchStatus {
    pub(super) data: BatchProgress,
    pub(super) meta: BatchName,
}

/// Progress counters of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchProgress {
    pub(super) id: String,
    pub(super) status: BatchState,
    /// Number of distinct items.
    pub(super) total: i64,
    /// Number of finished items. Updated in steps while the batch runs.
    pub(super) processed: i64,
    /// RFC 3339, like all times.
    pub(super) created_at: String,
    #[schema(required)]
    pub(super) completed_at: Option<String>,
    /// When the results are deleted; null before the batch has ended.
    #[schema(required)]
    pub(super) expires_at: Option<String>,
}

/// The newest batches of an account.
#[derive(Serialize, ToSchema)]
pub struct BatchList {
    pub(super) data: Vec<BatchSummary>,
    pub(super) meta: ListMeta,
}

/// A batch in the list of batches.
#[derive(Serialize, ToSchema)]
pub struct BatchSummary {
    #[serde(flatten)]
    pub(super) progress: BatchProgress,
    /// `ico` for registration numbers, `names` for names.
    #[schema(value_type = String)]
    pub(super) kind: &'static str,
    /// Scopes of the look-ups; empty for base data and details only.
    pub(super) scopes: Vec<String>,
    /// Finished items whose company was found.
    pub(super) found: i64,
    /// Finished items without a company.
    pub(super) not_found: i64,
    /// Finished items that could not be looked up.
    pub(super) failed: i64,
}

impl BatchSummary {
    pub(super) fn of(batch: &Batch) -> Self {
        Self {
            progress: BatchProgress::of(batch),
            kind: batch.kind.word(),
            scopes: scopes_of(batch),
            found: batch.found,
            not_found: batch.not_found,
            failed: batch.failed,
        }
    }
}

/// The names of a batch's scopes.
fn scopes_of(batch: &Batch) -> Vec<String> {
    let scopes = batch.scopes.as_deref().map(AllowedScopes::of_key);
    let scopes = scopes.unwrap_or_default();
    scopes.iter().map(ToString::to_string).collect()
}

/// Identity of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchName {
    pub(super) batch_id: String,
    pub(super) total: i64,
}

impl BatchProgress {
    fn of(batch: &Batch) -> Self {
        Self {
            id: batch.id.clone(),
            status: batches::state(batch),
            total: batch.total,
            processed: batch.processed,
            created_at: rfc3339(batch.created_at),
            completed_at: batch.completed_at.map(rfc3339),
            expires_at: batch.expires_at.map(rfc3339),
        }
    }
}

impl BatchStatus {
    /// The progress of this batch.
    pub(super) fn of(batch: &Batch) -> Self {
        Self {
            data: BatchProgress::of(batch),
            meta: BatchName {
                batch_id: batch.id.clone(),
                total: batch.total,
            },
        }
    }
}
