//! Settings of batches.

use schemars::JsonSchema;
use serde::Deserialize;

/// Batches of look-ups. How large they may be is their plan's to say.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Batch {
    /// Whether this host processes jobs. At least one host on the database must.
    pub jobs: bool,
    /// Largest batch that is answered in the request. 0: none is.
    pub synchronous_items: usize,
    /// Time limit of such an answer, less than `requests.timeout_seconds`. A batch that takes longer becomes a job.
    pub synchronous_seconds: u64,
    /// Items of a part of a job. At least 1.
    pub part_items: usize,
    /// Items that this host looks up at once, over all batches. Keep it below the connectors' `concurrent_calls`, so
    /// that single look-ups have room. At least 1.
    pub concurrent: usize,
    /// Parts that this host processes at once. At least 1.
    pub workers: usize,
    /// Time limit of one item. At least 1.
    pub item_seconds: u64,
    /// Attempts of a part, for example after hosts died, before it is given up. At least 1.
    pub attempts: u32,
    /// How often the host looks for parts that other hosts left or finished. At least 1.
    pub poll_seconds: u64,
    /// How long results are kept after the end of a batch. At least 1.
    pub results_hours: u64,
    /// Similarity that a name must have to be found: more than 0 and at most 1. At 1 names are equal but for case,
    /// diacritics, punctuation and the spelling of the legal form; 0.97 is the same without the legal form.
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
    /// What is wrong with these settings where a request may take so many seconds.
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
    fn settings_that_no_batch_could_end_with_are_mistakes() {
        let text = "[batch]\npart_items = 0\nconcurrent = 0\nworkers = 0\nitem_seconds = 0\nattempts = 0\n\
            poll_seconds = 0\nresults_hours = 0\nconfidence = 1.5\nsynchronous_seconds = 30\n";
        let mistakes = Config::read(text, |_| None).expect_err("all of them are wrong");
        assert_eq!(mistakes.0.len(), 9, "{mistakes}");
        let never_at_once = "[batch]\nsynchronous_items = 0\nsynchronous_seconds = 30\n";
        assert!(Config::read(never_at_once, |_| None).is_ok());
    }
}
