//! Differences between two answers as readable lines.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use lustra_sandbox::recording::CallOutcome;

/// Context lines around a change.
const CONTEXT: usize = 3;

/// The difference of two outcomes as lines that start with `-`, `+` or a space; `None` if they are equal.
#[must_use]
pub fn of_outcomes(before: &CallOutcome, after: &CallOutcome) -> Option<String> {
    (before != after).then(|| of_texts(&text(before), &text(after)))
}

/// An outcome as text. Members of objects are sorted by name, because their order has no meaning.
fn text(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Gave(value) => {
            let sorted = sorted(value);
            serde_json::to_string_pretty(&sorted).unwrap_or_else(|_| sorted.to_string())
        }
        CallOutcome::Failed(why) => format!("failed: {why}"),
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, Value)> = members
                .iter()
                .map(|(name, value)| (name, sorted(value)))
                .collect();
            members.sort_by_key(|(name, _)| *name);
            members
                .into_iter()
                .map(|(name, value)| (name.clone(), value))
                .collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[must_use]
pub fn of_texts(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (number, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if number > 0 {
            lines.push("  …".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            lines.push(format!("{sign} {}", change.value().trim_end_matches('\n')));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_changed_lines_and_context_are_shown() {
        let before = json!({"a": [1, 2, 3, 4, 5, 6, 7, 8, 9], "name": "old"});
        let after = json!({"name": "new", "a": [1, 2, 3, 4, 5, 6, 7, 8, 9]});
        let shown = of_outcomes(
            &CallOutcome::Gave(before.clone()),
            &CallOutcome::Gave(after),
        );
        let shown = shown.expect("they differ");
        assert!(
            shown.contains("-   \"name\": \"old\"") && shown.contains("+   \"name\": \"new\""),
            "{shown}"
        );
        assert!(!shown.contains(" 4,"), "{shown}");
        assert_eq!(
            of_outcomes(
                &CallOutcome::Gave(before.clone()),
                &CallOutcome::Gave(before)
            ),
            None
        );
    }
}
