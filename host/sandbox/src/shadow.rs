//! The shadow check: a new version replays recent calls without the network before it serves.
//!
//! A call whose new version makes unrecorded requests cannot be judged, so it counts neither for nor against the
//! version.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::component::Loaded;
use super::recording::{CallOutcome, RecordedCall, Recording};
use super::refusal::Refusal;
use super::state::Services;

/// Result of a shadow check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowReport {
    /// Number of replayed calls.
    pub replayed: usize,
    /// Calls that made requests that were not recorded.
    pub not_comparable: usize,
    /// Calls of scopes that the new version does not have.
    pub withdrawn: usize,
    /// Calls that had failed when they were recorded.
    pub failed_before: usize,
    /// Calls that fail in the new version.
    pub failed: usize,
    /// Calls with a different answer, without failures.
    pub differing: usize,
    /// The first new failure, with its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<String>,
}

impl ShadowReport {
    /// Why the version is refused: it fails more often than the previous one did.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        (self.failed > self.failed_before).then(|| Refusal::Shadow {
            replayed: self.replayed,
            failed: self.failed,
            failed_before: self.failed_before,
            first: self.first_failure.clone().unwrap_or_default(),
        })
    }
}

/// Replays recent calls with a new version.
pub(super) async fn check(
    loaded: &Arc<Loaded>,
    services: &Services,
    recordings: &[Recording],
) -> ShadowReport {
    let mut report = ShadowReport::default();
    for recording in recordings {
        if !offers(loaded, &recording.call) {
            report.withdrawn += 1;
            continue;
        }
        let replayed = loaded.replay(services, recording, None).await;
        if !replayed.unmatched.is_empty() {
            report.not_comparable += 1;
            continue;
        }
        report.replayed += 1;
        let failed_before = matches!(recording.outcome, CallOutcome::Failed(_));
        report.failed_before += usize::from(failed_before);
        match &replayed.outcome {
            CallOutcome::Failed(why) => {
                report.failed += 1;
                if !failed_before && report.first_failure.is_none() {
                    report.first_failure = Some(format!("{}: {why}", recording.call.name()));
                }
            }
            CallOutcome::Gave(_) => {
                report.differing +=
                    usize::from(!failed_before && replayed.outcome != recording.outcome);
            }
        }
    }
    report
}

fn offers(loaded: &Loaded, call: &RecordedCall) -> bool {
    match call {
        RecordedCall::Enrich { scope, .. } => loaded.manifest.scope(scope.as_str()).is_some(),
        RecordedCall::FetchCompany { .. } => loaded.manifest.company_source.is_some(),
        RecordedCall::Import { dataset, .. } => loaded.manifest.dataset(dataset).is_some(),
    }
}
