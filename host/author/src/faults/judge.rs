//! Whether what a connector made of a fault is what it should be.

use serde_json::Value;

use super::{Fault, Made};
use lustra_sandbox::CallFailure;
use lustra_sandbox::bindings::types::Failure;
use lustra_sandbox::tape::replay::Replayed;
use lustra_sandbox::tape::{Outcome, Recording};

/// Judges a call under a fault. `is_needed`: without that answer something else comes of it.
pub(super) fn judge(
    fault: Fault,
    recording: &Recording,
    replayed: &Replayed,
    is_needed: bool,
) -> Made {
    let expected = &recording.outcome;
    match &replayed.failure {
        Some(CallFailure::Failed(failure)) if fault != Fault::ByteByByte => {
            return Made::Failure {
                kind: kind(failure),
                why: replayed_why(replayed),
            };
        }
        Some(_) if fault == Fault::ByteByByte && replayed.outcome == *expected => {
            return Made::Same;
        }
        Some(failure) => return Made::Wrong(format!("it ends with {failure}")),
        None => {}
    }
    let Outcome::Gave(given) = &replayed.outcome else {
        return Made::Wrong("it ends without a reason".to_owned());
    };
    if replayed.outcome == *expected {
        if fault.replaces_all() && is_needed {
            return Made::Wrong(
                "it gives what the register had said, though it cannot know: nothing of the answer was left".to_owned(),
            );
        }
        return Made::Same;
    }
    if fault == Fault::ByteByByte {
        return Made::Wrong("it gives something else when the same bytes come slowly".to_owned());
    }
    if given.is_null() {
        return Made::Wrong("it says that the register knows no such company".to_owned());
    }
    let expected = match expected {
        Outcome::Gave(expected) => expected,
        Outcome::Failed(_) => &Value::Null,
    };
    if let Some(records) = given.get("records") {
        // Rows and pages that were skipped are counted by reason, so the list says what is not in it.
        let notes = |value: &Value| value.get("notes").cloned().unwrap_or_default();
        if notes(given) != notes(expected) {
            return Made::Unread;
        }
        // A list that ends early is the host's to refuse, by its size; a record that is not of the list is nobody's.
        let is_part = matches!(fault, Fault::CutShort(_))
            && is_part_of(records, expected.get("records"))
            && is_part_of(
                given.get("companies").unwrap_or(&Value::Null),
                expected.get("companies"),
            );
        return if is_part {
            Made::Same
        } else {
            Made::Wrong("it gives another list and says nothing".to_owned())
        };
    }
    let unread = |value: &Value| value.get("unread").cloned().unwrap_or_default();
    let is_said = unread(given)
        .as_object()
        .is_some_and(|unread| !unread.is_empty());
    if is_said && unread(given) != unread(expected) {
        return Made::Unread;
    }
    Made::Wrong("it gives another answer and does not say what it could not read".to_owned())
}

fn is_part_of(some: &Value, all: Option<&Value>) -> bool {
    let all: std::collections::BTreeSet<String> = all
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(Value::to_string)
        .collect();
    let mut some = some.as_array().into_iter().flatten();
    some.all(|one| all.contains(&one.to_string()))
}

fn replayed_why(replayed: &Replayed) -> String {
    match &replayed.outcome {
        Outcome::Failed(why) => why.clone(),
        Outcome::Gave(_) => String::new(),
    }
}

fn kind(failure: &Failure) -> &'static str {
    match failure {
        Failure::Unavailable(_) => "unavailable",
        Failure::Throttled(_) => "throttled",
        Failure::Malformed(_) => "malformed",
        Failure::Misconfigured(_) => "misconfigured",
        Failure::Refused(_) => "refused",
        Failure::Other(_) => "other",
    }
}
