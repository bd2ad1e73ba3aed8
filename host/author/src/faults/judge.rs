//! Judges a connector's reaction to a fault.

use serde_json::Value;

use super::{Fault, Reaction};
use crate::lists::{self, Known};
use lustra_sandbox::CallFailure;
use lustra_sandbox::bindings::types::Failure;
use lustra_sandbox::recording::{CallOutcome, Recording};
use lustra_sandbox::replay::Replayed;

/// Judges a call under a fault. `is_needed`: the outcome depends on the faulty answer.
pub(super) fn judge(
    fault: Fault,
    recording: &Recording,
    replayed: &Replayed,
    is_needed: bool,
) -> Reaction {
    let expected = &recording.outcome;
    match &replayed.failure {
        Some(CallFailure::Failed(failure)) if fault != Fault::ByteByByte => {
            return Reaction::Failure {
                kind: kind(failure),
                why: replayed_why(replayed),
            };
        }
        Some(_) if fault == Fault::ByteByByte && replayed.outcome == *expected => {
            return Reaction::Same;
        }
        Some(failure) => return Reaction::Wrong(format!("it ends with {failure}")),
        None => {}
    }
    let CallOutcome::Gave(given) = &replayed.outcome else {
        return Reaction::Wrong("it ends without a reason".to_owned());
    };
    if replayed.outcome == *expected {
        if fault.replaces_all() && is_needed {
            return Reaction::Wrong(
                "it returns the same result although nothing of the answer was left".to_owned(),
            );
        }
        return Reaction::Same;
    }
    if fault == Fault::ByteByByte {
        return Reaction::Wrong("its result changes when the same bytes arrive slowly".to_owned());
    }
    if given.is_null() {
        return Reaction::Wrong(
            "it reports that the register does not know the company".to_owned(),
        );
    }
    let expected = match expected {
        CallOutcome::Gave(expected) => expected,
        CallOutcome::Failed(_) => &Value::Null,
    };
    if given.get("records").is_some() {
        return judged_list(fault, given, expected);
    }
    let unread = |value: &Value| value.get("unread").cloned().unwrap_or_default();
    let is_said = unread(given)
        .as_object()
        .is_some_and(|unread| !unread.is_empty());
    if is_said && unread(given) != unread(expected) {
        return Reaction::Unread;
    }
    Reaction::Wrong("it returns another result and does not name what it could not read".to_owned())
}

/// Judges an import's list that differs from the list without the fault: it may lack records but must not have others.
fn judged_list(fault: Fault, given: &Value, expected: &Value) -> Reaction {
    let known = Known::of(expected);
    if let Some(other) = known.others(given).first() {
        return Reaction::Wrong(format!(
            "it returns the record {}, which the undamaged list does not have",
            lists::named(other)
        ));
    }
    // Skipped rows and pages are counted by reason, so the notes report what the list lacks.
    if lists::notes(given) != lists::notes(expected) {
        return Reaction::Unread;
    }
    // A list that was cut short cannot be recognised by its text; the host refuses it by its size.
    if matches!(fault, Fault::CutShort(_)) {
        Reaction::Same
    } else {
        Reaction::Wrong("it returns another list without a note".to_owned())
    }
}

fn replayed_why(replayed: &Replayed) -> String {
    match &replayed.outcome {
        CallOutcome::Failed(why) => why.clone(),
        CallOutcome::Gave(_) => String::new(),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(key: &str, ico: Option<&str>, content: &Value) -> Value {
        json!({ "key": key, "ico": ico, "name": null, "content": content, "removed": false })
    }

    fn list(records: &[Value], notes: &Value) -> Value {
        json!({ "records": records, "companies": [], "notes": notes })
    }

    #[test]
    fn wrong_record_beside_notes_is_wrong() {
        let (a, b) = (
            record("a", Some("99999994"), &json!({ "debt": 1 })),
            record("b", Some("99999986"), &json!({ "debt": 2 })),
        );
        let place = record("place", None, &json!({ "since": "2026-01-01" }));
        let expected = list(&[a.clone(), b.clone(), place], &json!({}));
        let odd = json!({ "unreadable_rows": 1 });
        let judged = |records: &[Value], notes: &Value| {
            judged_list(Fault::Garbage, &list(records, notes), &expected)
        };
        let unreadable = record("b", Some("99999986"), &json!({ "unreadable_row": true }));
        let later = record("place", None, &json!({ "since": "2026-01-05" }));
        for fine in [
            &[a.clone()][..],
            &[],
            &[a.clone(), unreadable],
            &[a.clone(), later],
        ] {
            assert_eq!(judged(fine, &odd), Reaction::Unread);
        }
        let removed = json!({ "key": "b", "ico": "99999986", "content": {}, "removed": true });
        for wrong in [
            record("b", Some("99999986"), &json!({ "debt": 20 })),
            record("c", Some("99999986"), &json!({ "debt": 2 })),
            record("other", None, &json!({ "since": "2026-01-05" })),
            record("b", None, &json!({ "unreadable_row": true })),
            removed,
        ] {
            let reaction = judged(&[a.clone(), wrong.clone()], &odd);
            assert!(matches!(reaction, Reaction::Wrong(_)), "{wrong}");
        }
        assert!(matches!(
            judged(std::slice::from_ref(&a), &json!({})),
            Reaction::Wrong(_)
        ));
        let cut = list(&[a], &json!({}));
        let reaction = judged_list(Fault::CutShort(500), &cut, &expected);
        assert_eq!(reaction, Reaction::Same);
    }
}
