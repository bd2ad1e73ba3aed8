//! A sample of recent calls of one connector, in memory, for the shadow check of its next version.
//!
//! Most calls of a register are alike: nothing was found. So calls are grouped by the shape of their answers, and when
//! the sample is full, the largest group loses a call. Limits: calls per scope, bytes per call, and recorded calls per
//! second.
//! Invariant: the sample is never written to disk or shown, because it contains what registers published about
//! companies.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::Value;

use super::{CallOutcome, Recording};

/// Rate limit of recording, in calls per second. Recording costs a few microseconds.
const RECORDINGS_PER_SECOND: f64 = 100.0;

/// Largest burst of recorded calls.
const MAX_BURST: f64 = 1_000.0;

/// Levels of an answer that count for its shape.
const SHAPE_DEPTH: usize = 6;

/// Elements of a list that count for its shape.
const SHAPE_ELEMENTS: usize = 8;

/// The sample of a connector, shared by all its generations.
#[derive(Debug)]
pub struct Sample {
    calls: usize,
    bytes: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    of_scopes: BTreeMap<String, ScopeSample>,
    /// Token bucket of the rate limit, with the time of its last refill.
    tokens: f64,
    counted_at: Instant,
}

/// The calls of one scope by shape, oldest first.
#[derive(Debug, Default)]
struct ScopeSample {
    calls: VecDeque<(Shape, Recording)>,
}

/// Hash that is equal for answers with the same structure.
type Shape = u64;

impl Sample {
    /// A sample with at most `calls` calls per scope and `bytes` bytes per call. With `calls` 0 nothing is kept.
    #[must_use]
    pub fn new(calls: usize, bytes: usize) -> Self {
        Self {
            calls,
            bytes,
            inner: Mutex::new(Inner {
                of_scopes: BTreeMap::new(),
                tokens: MAX_BURST,
                counted_at: Instant::now(),
            }),
        }
    }

    /// Whether to record the call that starts now, and with how many bytes at most. The answer is not known yet, so
    /// every call within the rate limit is recorded.
    #[must_use]
    pub fn wants(&self) -> Option<usize> {
        if self.calls == 0 {
            return None;
        }
        self.lock().take_token(Instant::now()).then_some(self.bytes)
    }

    /// Adds a call. If its scope is full, removes the oldest call of the most frequent shape.
    pub fn keep(&self, recording: Recording) {
        let shape = shape_of(&recording.outcome);
        let mut inner = self.lock();
        let of_scope = inner
            .of_scopes
            .entry(recording.call.name().to_owned())
            .or_default();
        of_scope.calls.push_back((shape, recording));
        while of_scope.calls.len() > self.calls {
            of_scope.evict_one();
        }
    }

    /// All calls, oldest first within a scope.
    #[must_use]
    pub fn recordings(&self) -> Vec<Recording> {
        let inner = self.lock();
        let of_scopes = inner.of_scopes.values();
        of_scopes
            .flat_map(|of_scope| {
                of_scope
                    .calls
                    .iter()
                    .map(|(_, recording)| recording.clone())
            })
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn take_token(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.counted_at);
        self.counted_at = now;
        self.tokens = (self.tokens + passed.as_secs_f64() * RECORDINGS_PER_SECOND).min(MAX_BURST);
        let has_one = self.tokens >= 1.0;
        if has_one {
            self.tokens -= 1.0;
        }
        has_one
    }
}

impl ScopeSample {
    /// Removes the oldest call of the most frequent shape; if several shapes are equally frequent, the oldest of their
    /// calls.
    fn evict_one(&mut self) {
        let mut counts = BTreeMap::<Shape, usize>::new();
        for (shape, _) in &self.calls {
            *counts.entry(*shape).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or_default();
        let frequent = |(shape, _): &(Shape, Recording)| counts.get(shape) == Some(&most);
        if let Some(place) = self.calls.iter().position(frequent) {
            self.calls.remove(place);
        }
    }
}

/// The shape of an outcome: its members and which of them are null, empty, false or zero; for a failure, its kind.
fn shape_of(outcome: &CallOutcome) -> Shape {
    let mut hasher = DefaultHasher::new();
    match outcome {
        CallOutcome::Gave(value) => hash(value, SHAPE_DEPTH, &mut hasher),
        CallOutcome::Failed(why) => why.split(':').next().hash(&mut hasher),
    }
    hasher.finish()
}

fn hash(value: &Value, levels: usize, into: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(into),
        Value::Bool(value) => (1_u8, value).hash(into),
        Value::Number(number) => (2_u8, number.as_f64() == Some(0.0)).hash(into),
        Value::String(text) => (3_u8, text.is_empty()).hash(into),
        Value::Array(elements) => {
            (4_u8, elements.is_empty()).hash(into);
            if levels > 0 {
                // Compared as a set, because the number of elements of a kind does not matter.
                let mut kinds: Vec<Shape> = elements
                    .iter()
                    .take(SHAPE_ELEMENTS)
                    .map(|element| {
                        let mut hasher = DefaultHasher::new();
                        hash(element, levels - 1, &mut hasher);
                        hasher.finish()
                    })
                    .collect();
                kinds.sort_unstable();
                kinds.dedup();
                kinds.hash(into);
            }
        }
        Value::Object(members) => {
            (5_u8, members.is_empty()).hash(into);
            if levels > 0 {
                for (name, member) in members {
                    name.hash(into);
                    hash(member, levels - 1, into);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use time::OffsetDateTime;

    use super::*;
    use crate::recording::RecordedCall;

    fn call(ico: &str, outcome: CallOutcome) -> Recording {
        Recording {
            call: RecordedCall::FetchCompany {
                key: "ico".to_owned(),
                value: ico.to_owned(),
            },
            now: OffsetDateTime::UNIX_EPOCH,
            exchanges: Vec::new(),
            host_answers: Vec::new(),
            outcome,
        }
    }

    fn found(entries: usize) -> CallOutcome {
        let entries: Vec<Value> = (0..entries).map(|id| json!({ "id": id + 1 })).collect();
        CallOutcome::Gave(json!({ "entries": entries, "total": entries.len() }))
    }

    fn keys_of(sample: &Sample) -> Vec<String> {
        let recordings = sample.recordings();
        let key = |recording: Recording| match recording.call {
            RecordedCall::FetchCompany { value, .. } => value,
            RecordedCall::Enrich { .. } | RecordedCall::Import { .. } => String::new(),
        };
        recordings.into_iter().map(key).collect()
    }

    #[test]
    fn rare_shape_is_kept_among_many_of_another() {
        let sample = Sample::new(4, 1_000);
        for number in 0..400 {
            let entries = usize::from(number == 7) * 2 + usize::from(number == 9) * 3;
            sample.keep(call(&number.to_string(), found(entries)));
        }
        sample.keep(call(
            "failed",
            CallOutcome::Failed("unavailable: no".to_owned()),
        ));
        assert_eq!(keys_of(&sample), ["9", "398", "399", "failed"]);
    }

    #[test]
    fn shapes_differ_by_members_and_emptiness() {
        let shape = |value: Value| shape_of(&CallOutcome::Gave(value));
        let base = shape(json!({ "a": "x", "b": [1, 2] }));
        assert_eq!(base, shape(json!({ "a": "y", "b": [3] })));
        for other in [
            json!({ "a": "x" }),
            json!({ "a": null, "b": [1] }),
            json!({ "a": "", "b": [1] }),
            json!({ "a": "x", "b": [] }),
            json!({ "a": "x", "b": [1, {}] }),
            Value::Null,
        ] {
            assert_ne!(base, shape(other.clone()), "{other}");
        }
    }

    #[test]
    fn recording_is_rate_limited() {
        let sample = Sample::new(4, 1_000);
        let mut inner = sample.lock();
        let now = inner.counted_at;
        let recorded = (0..5_000).filter(|_| inner.take_token(now)).count();
        assert_eq!(recorded, 1_000);
        let later = now + Duration::from_secs(1);
        let recorded = (0..5_000).filter(|_| inner.take_token(later)).count();
        assert_eq!(recorded, 100);
    }
}
