//! Bodies of the batch endpoints. `batches::results` writes the results as text; the types here only describe
//! them.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::error::Code;
use crate::api::openapi::{Company, CompanyMeta};
use crate::batches::{self, BatchState, Likely};
use crate::clock::rfc3339;
use crate::store::Batch;

/// The numbers of a batch.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it describes what is read field by field, so that every mistake is named"
)]
pub struct IcoBatch {
    /// Registration numbers of 8 digits. One that is there twice counts once.
    #[schema(example = json!(["99999901", "99999994"]))]
    pub(super) icos: Vec<String>,
}

/// The names of a batch.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it describes what is read field by field, so that every mistake is named"
)]
pub struct NameBatch {
    /// Names of up to 500 characters. One that is there twice counts once.
    #[schema(example = json!(["Vzorostav Čučoriedka, s. r. o."]))]
    pub(super) names: Vec<String>,
}

/// The results of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchResults {
    /// By what was asked for, in the order in which it was sent.
    pub(super) data: BTreeMap<String, BatchEntry>,
    pub(super) meta: BatchMeta,
}

/// What became of one item.
#[derive(Serialize, ToSchema)]
pub struct BatchEntry {
    /// Whether the company was found. Where it was not and there is an `error`, that says nothing about whether there is
    /// such a company.
    pub(super) found: bool,
    /// The company; null where there is none, or where it could not be looked up.
    #[schema(required)]
    pub(super) data: Option<Company>,
    /// Where the company's data come from; only where it was found.
    pub(super) meta: Option<CompanyMeta>,
    /// Of names alone, how alike the best company's name is: 0 to 1. Null where nothing resembles it.
    pub(super) confidence: Option<f64>,
    /// Of names alone: true where several companies are equally alike.
    pub(super) ambiguous: Option<bool>,
    /// Of names that were not found: companies that come near.
    pub(super) candidates: Option<Vec<Likely>>,
    /// Why the item could not be looked up.
    pub(super) error: Option<Code>,
    /// The same for people.
    pub(super) message: Option<String>,
}

/// The sums of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchMeta {
    /// Items, each counted once: `found`, `not_found` and `failed` together.
    pub(super) total: i64,
    pub(super) found: i64,
    pub(super) not_found: i64,
    /// Items that could not be looked up; each says why.
    pub(super) failed: i64,
    pub(super) batch_id: String,
}

/// How far a batch is.
#[derive(Serialize, ToSchema)]
pub struct BatchStatus {
    pub(super) data: BatchProgress,
    pub(super) meta: BatchName,
}

/// How far a batch is.
#[derive(Serialize, ToSchema)]
pub struct BatchProgress {
    pub(super) id: String,
    pub(super) status: BatchState,
    /// Items, each counted once.
    pub(super) total: i64,
    /// Items that are done. They are counted a part of the batch at a time.
    pub(super) processed: i64,
    /// RFC 3339, as all times.
    pub(super) created_at: String,
    #[schema(required)]
    pub(super) completed_at: Option<String>,
    /// When the results are forgotten; null before the batch has ended.
    #[schema(required)]
    pub(super) expires_at: Option<String>,
}

/// Which batch it is.
#[derive(Serialize, ToSchema)]
pub struct BatchName {
    pub(super) batch_id: String,
    pub(super) total: i64,
}

impl BatchStatus {
    /// The progress of this batch.
    pub(super) fn of(batch: &Batch) -> Self {
        Self {
            data: BatchProgress {
                id: batch.id.clone(),
                status: batches::state(batch),
                total: batch.total,
                processed: batch.processed,
                created_at: rfc3339(batch.created_at),
                completed_at: batch.completed_at.map(rfc3339),
                expires_at: batch.expires_at.map(rfc3339),
            },
            meta: BatchName {
                batch_id: batch.id.clone(),
                total: batch.total,
            },
        }
    }
}
