//! Where the companies come from that a name may mean.

use super::matching::Candidate;
use crate::companies::Companies;

/// Candidates that are looked at for a name.
#[expect(dead_code, reason = "the index of names is merged next")]
const MOST: usize = 25;

/// The index of names cannot answer.
#[derive(Debug, thiserror::Error)]
#[error("the index of names is not there")]
pub(super) struct NoCandidates;

/// Companies whose names resemble this one.
pub(super) async fn of(
    _companies: &Companies,
    _name: &str,
) -> Result<Vec<Candidate>, NoCandidates> {
    Err(std::future::ready(NoCandidates).await)
}
