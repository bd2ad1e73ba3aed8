//! Settings of batches.

use schemars::JsonSchema;
use serde::Deserialize;

/// Batches of look-ups. The plan limits their size.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Batch {
    /// Whether this host processes jobs. At least one host on the database must.
    pub jobs: bool,
    /// Maximum items of a batch that is answered in the same request. 0: every batch is a job.
    pub synchronous_items: usize,
    /// Time limit of an answer in the same request, less than `requests.timeout_seconds`. A longer batch becomes a job.
    pub synchronous_seconds: u64,
    /// Items per part of a job. At least 1.
    pub part_items: usize,
    /// Items that this host looks up concurrently, over all batches. Keep it below the connectors' `concurrent_calls`,
    /// so that capacity remains for single look-ups. At least 1.
    pub concurrent: usize,
    /// Parts that this host processes concurrently. At least 1.
    pub workers: usize,
    /// Time limit of one item. At least 1.
    pub item_seconds: u64,
    /// Attempts of a part before it fails, for example after crashes of hosts. At least 1.
    pub attempts: u32,
    /// Poll interval for parts that other hosts released or finished. At least 1.
    pub poll_seconds: u64,
    /// How long results are kept after the end of a batch. At least 1.
    pub results_hours: u64,
    /// Minimum similarity of a matching name: more than 0 and at most 1. At 1 names may differ only in case,
    /// diacritics, punctuation and the spelling of the legal form; at 0.97 the legal form may be missing too;
    /// at 0.89 it may differ, so it may be another company's name.
    pub confidence: f64,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            jobs: true,
            synchronous_items: 100,
            synchronous_seconds: 20,
            part_items: 25,
            concurrent: 4,
            workers: 2,
            item_seconds: 20,
            attempts: 5,
            poll_seconds: 2,
            results_hours: 24,
            confidence: 0.9,
        }
    }
}

impl Batch {
    /// Mistakes in these settings, given the time limit of a request in seconds.
    pub(super) fn mistakes(&self, request_seconds: u64) -> Vec<&'static str> {
        let right = [
            (self.part_items > 0, "batch.part_items: at least 1"),
            (self.concurrent > 0, "batch.concurrent: at least 1"),
            (self.workers > 0, "batch.workers: at least 1"),
            (self.item_seconds > 0, "batch.item_seconds: at least 1"),
            (self.attempts > 0, "batch.attempts: at least 1"),
            (self.poll_seconds > 0, "batch.poll_seconds: at least 1"),
            (self.results_hours > 0, "batch.results_hours: at least 1"),
            (
                self.confidence > 0.0 && self.confidence <= 1.0,
                "batch.confidence: more than 0 and at most 1",
            ),
            (
                self.synchronous_items == 0 || self.synchronous_seconds < request_seconds,
                "batch.synchronous_seconds: less than requests.timeout_seconds",
            ),
        ];
        let mistakes = right.into_iter().filter(|(holds, _)| !holds);
        mistakes.map(|(_, mistake)| mistake).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn batch_settings_out_of_range_are_mistakes() {
        let text = "[batch]\npart_items = 0\nconcurrent = 0\nworkers = 0\nitem_seconds = 0\nattempts = 0\n\
            poll_seconds = 0\nresults_hours = 0\nconfidence = 1.5\nsynchronous_seconds = 30\n";
        let mistakes = Config::read(text, |_| None).expect_err("all of them are wrong");
        assert_eq!(mistakes.0.len(), 9, "{mistakes}");
        let never_at_once = "[batch]\nsynchronous_items = 0\nsynchronous_seconds = 30\n";
        assert!(Config::read(never_at_once, |_| None).is_ok());
    }
}
