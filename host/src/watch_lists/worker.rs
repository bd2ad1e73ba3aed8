//! Workers that do parts of imports: a single step, and the loop.

use tokio::time::Instant;
use tracing::Instrument;

use super::line::{self, Known, LineOutcome, ReportLine, StoredLine, Target};
use super::{LEASE, WatchLists};
use crate::store::{ClaimedWatchImport, StoreError, WatchImportCounts};
use crate::worker::Workers;

/// Attempts of a part before its lines fail, for example after crashes of hosts.
const MAX_ATTEMPTS: i64 = 5;

/// Rows of an expired import that one transaction deletes.
const ROWS_OF_A_SLICE: u32 = 1_000;

impl WatchLists {
    /// Claims and does the next part of an import. `false`: there is none.
    ///
    /// # Errors
    /// The store failed. A claimed part is repeated after its lease ends.
    pub async fn step(&self) -> Result<bool, StoreError> {
        self.step_of(None, &self.new_worker()).await
    }

    pub(super) async fn step_of(&self, id: Option<&str>, worker: &str) -> Result<bool, StoreError> {
        let imports = self.store().watch_imports();
        let Some(claimed) = imports.claim(id, worker, LEASE, self.now()).await? else {
            return Ok(false);
        };
        let span = tracing::info_span!("watch-import", import.id = %claimed.id, import.part = claimed.part);
        self.part(&claimed).instrument(span).await?;
        Ok(true)
    }

    /// Does the lines of a claimed part and writes their outcomes, unless the claim is lost meanwhile.
    async fn part(&self, claimed: &ClaimedWatchImport) -> Result<(), StoreError> {
        let lines: Vec<StoredLine> = line::decode(&claimed.lines)?;
        let mut known = Known {
            created: u64::try_from(claimed.created).unwrap_or_default(),
            ..Known::default()
        };
        let report = if claimed.attempt > MAX_ATTEMPTS {
            tracing::error!("giving up a part of a watch list after {MAX_ATTEMPTS} attempts");
            lines.iter().map(ReportLine::failed).collect()
        } else {
            match self.lines(claimed, &lines, &mut known).await? {
                Some(report) => report,
                None => {
                    tracing::warn!("lost the lease of a part of a watch list to another host");
                    return Ok(());
                }
            }
        };
        let counts = counts(&report);
        let keep = std::time::Duration::from_secs(self.0.settings.report_hours * 3_600);
        let imports = self.store().watch_imports();
        let results = line::encode(&report);
        let is_written = imports
            .finish(claimed, &results, counts, &known.new, keep, self.now())
            .await?;
        if is_written {
            self.0.finished.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    /// The report of a part. `None`: the claim was lost.
    async fn lines(
        &self,
        claimed: &ClaimedWatchImport,
        lines: &[StoredLine],
        known: &mut Known,
    ) -> Result<Option<Vec<ReportLine>>, StoreError> {
        let target: Target = line::decode(&claimed.target)?;
        let mut report = Vec::with_capacity(lines.len());
        let mut extended_at = Instant::now();
        for line in lines {
            if extended_at.elapsed() > LEASE / 3 {
                let imports = self.store().watch_imports();
                if !imports.extend(claimed, LEASE, self.now()).await? {
                    return Ok(None);
                }
                extended_at = Instant::now();
            }
            report.push(self.line(claimed, &target, line, known).await?);
        }
        Ok(Some(report))
    }

    /// Deletes expired imports in slices and returns the number of rows.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep(&self) -> Result<u64, StoreError> {
        let mut swept = 0;
        loop {
            let imports = self.store().watch_imports();
            match imports.sweep(ROWS_OF_A_SLICE, self.now()).await? {
                0 => return Ok(swept),
                rows => swept += rows,
            }
        }
    }

    /// Starts the worker of imports.
    pub fn start(&self, workers: &Workers) {
        let this = self.clone();
        workers.spawn("watch-imports", move || this.clone().work());
    }

    async fn work(self) {
        let worker = self.new_worker();
        loop {
            match self.step_of(None, &worker).await {
                Ok(true) => continue,
                Ok(false) => {
                    if let Err(error) = self.sweep().await {
                        tracing::error!(%error, "deleting expired imports of watch lists failed; retrying");
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "importing a watch list failed; retrying");
                }
            }
            // Requests of this host wake the worker; parts of other hosts are found by polling.
            drop(tokio::time::timeout(self.0.poll, self.0.work.notified()).await);
        }
    }
}

fn counts(report: &[ReportLine]) -> WatchImportCounts {
    let mut counts = WatchImportCounts::default();
    for line in report {
        match line.outcome {
            LineOutcome::Created => counts.created += 1,
            LineOutcome::Updated => counts.updated += 1,
            LineOutcome::Unchanged => counts.unchanged += 1,
            LineOutcome::Rejected => counts.rejected += 1,
        }
    }
    counts
}
