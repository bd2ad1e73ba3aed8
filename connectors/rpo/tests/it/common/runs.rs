//! A bucket of some days and runs over it.

use std::sync::LazyLock;

use lustra_rpo::Rpo;
use lustra_sdk::testing::{self, run_import};
use lustra_sdk::{Batch, Failure};

use super::{Bucket, lines};

/// The dataset that is imported.
pub const DATASET: &str = "companies";

/// A full dump of two parts, the day it was made, and the two days behind it; packing it takes a while.
static BUCKET: LazyLock<Bucket> = LazyLock::new(|| {
    Bucket::default()
        .init("2026-10-03", &[lines(1, 3)])
        .init("2026-11-07", &[lines(1, 2_300), lines(2_301, 5)])
        .daily("2026-11-06", &lines(1, 1))
        .daily("2026-11-07", &lines(1, 2))
        .daily("2026-11-08", &[])
        .daily("2026-11-09", &lines(2_300, 10))
});

pub fn bucket() -> Bucket {
    BUCKET.clone()
}

/// The ids of the companies that a run gives, and its cursors.
pub fn ids(cursor: Option<&str>) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (items, companies, cursors) = run_import::<Rpo>(DATASET, cursor.map(str::to_owned))?;
    assert_eq!(items.len(), companies.len(), "each company has a history");
    Ok((
        companies
            .into_iter()
            .filter_map(|company| company.register_id)
            .collect(),
        cursors,
    ))
}

/// The batches of a run.
pub fn batches(cursor: Option<&str>) -> Result<Vec<Batch>, Failure> {
    testing::batches::<Rpo>(DATASET, cursor)
}

/// What a run fails with.
pub fn failure(cursor: Option<&str>) -> Failure {
    ids(cursor).expect_err("a failure")
}

/// The ids of [`lines`] as text.
pub fn range(from: usize, count: usize) -> impl Iterator<Item = String> {
    (from..from + count).map(|id| id.to_string())
}
