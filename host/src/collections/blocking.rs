//! Work that needs much CPU.

use super::CollectionError;

/// Runs work that needs much CPU on the blocking thread pool.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CollectionError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|error| CollectionError::Stopped(error.to_string()))
}
