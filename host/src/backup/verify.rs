//! Checks unpacked copies: integrity, opening, and the ledger.

use std::path::Path;

use super::archive::{BILLING, MAIN};
use super::{BackupError, Progress, Stage};
use crate::billing::verify::{Findings, verify_all};
use crate::store::Store;
use crate::store::backup::{SqliteFiles, check_integrity, move_wal};

/// Result of the checks.
#[derive(Debug, Clone, Default)]
pub(super) struct Checked {
    pub(super) ledger: Findings,
    /// Mistakes of the files and of the ledger, for people.
    pub(super) mistakes: Vec<String>,
}

/// Paths of the files in a directory of unpacked copies.
pub(super) fn files_in(folder: &Path) -> SqliteFiles {
    let files = SqliteFiles::at(&folder.join(MAIN));
    debug_assert_eq!(files.billing, folder.join(BILLING));
    files
}

/// Checks every page of both files, opens them as a store, which migrates these copies, and recomputes the ledger.
pub(super) async fn check(folder: &Path, progress: &Progress) -> Result<Checked, BackupError> {
    let files = files_in(folder);
    let mut checked = Checked::default();
    for (done, path) in [(0, files.main.clone()), (1, files.billing.clone())] {
        progress(Stage::Checking, done, 3);
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mistakes = tokio::task::spawn_blocking(move || check_integrity(&path)).await??;
        let named = mistakes
            .into_iter()
            .map(|mistake| format!("{name}: {mistake}"));
        checked.mistakes.extend(named);
    }
    progress(Stage::Checking, 2, 3);
    if !checked.mistakes.is_empty() {
        return Ok(checked);
    }
    let store = Store::connect(&files.url(), 2).await?;
    let verified = verify_all(&store).await;
    store.close().await;
    for path in [files.main, files.billing] {
        tokio::task::spawn_blocking(move || move_wal(&path)).await??;
    }
    checked.ledger = verified?;
    let of_ledger = checked.ledger.mistakes.iter();
    checked.mistakes.extend(
        of_ledger
            .map(|mistake| format!("ledger of account {}: {}", mistake.account_id, mistake.what)),
    );
    progress(Stage::Checking, 3, 3);
    Ok(checked)
}
