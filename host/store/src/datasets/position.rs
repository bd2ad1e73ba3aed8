//! How far published lists have been written, to detect writes during a longer operation.

use sqlx::AssertSqlSafe;

use super::{Datasets, TABLE};
use crate::db::{list, on};
use crate::{ConnectorId, StoreError};

/// How far a published list has been written. While it is unchanged, readers of the list see the same records.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ListPosition {
    pub dataset: String,
    /// The generation that readers see.
    pub generation: Option<i64>,
    /// The newest run, if it writes into that generation: every run of a delta but the first.
    pub run: Option<i64>,
    /// The run's committed records. Each commit changes them or the lease.
    pub records: Option<i64>,
    /// When the run's lease ends, in milliseconds since 1970.
    pub lease_until: Option<i64>,
}

impl Datasets<'_> {
    /// The positions of these datasets of a connector, in order of datasets; those that never ran are omitted.
    pub async fn positions(
        &self,
        connector: &ConnectorId,
        datasets: &[&str],
    ) -> Result<Vec<ListPosition>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select d.dataset, d.generation, r.id as run, r.records, r.lease_until from dataset d \
             left join import_run r on r.dataset_id = d.id and r.generation = d.generation \
             and r.id = (select max(newest.id) from import_run newest where newest.dataset_id = d.id) \
             where d.connector = $1 and {} order by d.dataset",
            db.is_listed("d.dataset", 2)
        );
        on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(connector)
            .bind(list(datasets.iter().copied()))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }
}
