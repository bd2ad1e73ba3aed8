//! Pauses the imports of a dataset on every host.

use time::OffsetDateTime;

use super::{Datasets, Differences, Run, TABLE};
use crate::db::{Millis, Tx, millis, on};
use crate::{ConnectorId, StoreError};

impl Datasets<'_> {
    /// Pauses the imports of a dataset until [`Self::resume`]. Returns since when it is paused, which is earlier than
    /// `now` if it was paused before.
    ///
    /// A run under way loses its lease: its host stops at the next commit, and the first run after the pause continues
    /// at the last committed batch.
    pub async fn pause(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        now: OffsetDateTime,
    ) -> Result<OffsetDateTime, StoreError> {
        let mut tx = self.store.writes.begin_with_retry().await?;
        let paused_at = mark_paused(&mut tx, (connector, dataset), now).await?;
        take_lease(&mut tx, (connector, dataset)).await?;
        tx.commit().await?;
        paused_at.try_into().map_err(
            |error: time::error::ComponentRange| StoreError::Unreadable {
                table: TABLE,
                why: error.to_string(),
            },
        )
    }

    /// Ends the pause of a dataset. Returns whether it was paused. An import that became due meanwhile is due now.
    pub async fn resume(&self, connector: &ConnectorId, dataset: &str) -> Result<bool, StoreError> {
        const RESUME: &str = "update dataset set paused_at = null \
            where connector = $1 and dataset = $2 and paused_at is not null";
        let resumed = on!(&self.store.writes, |pool| sqlx::query(RESUME)
            .bind(connector)
            .bind(dataset)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(resumed > 0)
    }

    /// Stores what a finished run changed, for its history.
    pub async fn set_differences(
        &self,
        run: &Run,
        differences: Differences,
    ) -> Result<(), StoreError> {
        const SET: &str =
            "update import_run set added = $2, changed = $3, removed = $4 where id = $1";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(run.id)
            .bind(differences.added)
            .bind(differences.changed)
            .bind(differences.removed)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }
}

/// Marks the dataset as paused and locks its row. An earlier pause stays.
async fn mark_paused(
    tx: &mut Tx,
    (connector, dataset): (&ConnectorId, &str),
    now: OffsetDateTime,
) -> Result<Millis, StoreError> {
    const PAUSE: &str = "insert into dataset (connector, dataset, paused_at) values ($1, $2, $3) \
        on conflict (connector, dataset) do update \
        set paused_at = coalesce(dataset.paused_at, excluded.paused_at) returning paused_at";
    Ok(on!(tx, |tx| sqlx::query_scalar(PAUSE)
        .bind(connector)
        .bind(dataset)
        .bind(millis(now))
        .fetch_one(&mut **tx)
        .await)?)
}

/// Takes the lease of the run under way from its host, as a newer claim would.
async fn take_lease(
    tx: &mut Tx,
    (connector, dataset): (&ConnectorId, &str),
) -> Result<(), StoreError> {
    const TAKE: &str = "update import_run set attempt = attempt + 1, owner = null, lease_until = null \
        where state = 'running' and dataset_id = \
        (select id from dataset where connector = $1 and dataset = $2)";
    on!(tx, |tx| sqlx::query(TAKE)
        .bind(connector)
        .bind(dataset)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
