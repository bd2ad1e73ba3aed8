//! Sections whose baseline or place differs from the usual one.

use super::*;
use crate::changes::section;

#[test]
fn baseline_of_another_version_raises_no_event() {
    let scope = scope(json!({}), &[("debtor.added", "risk", "first-hit:/b")]);
    let before = reading(&json!({"a": 1}));
    let later = |content: &Value| Section {
        connector_version: "1.0.1".to_owned(),
        ..reading(content)
    };
    // The first reading of the later version could not read a source, so it was not compared.
    let mut waiting = stored(&later(&json!({"unread": ["x"]})), NOW);
    waiting.unread = true;
    waiting.baseline.clone_from(&before.content);
    waiting.baseline_by = Some(before.reader());
    let after = later(&json!({"a": 2, "b": 3}));
    let found = section(Some(&waiting), &after, &scope, LATER);
    assert_eq!(found.events, []);
    assert!(found.changes.iter().all(|row| row.op == "rebaseline"));
    assert_eq!(found.changes.len(), 2);
    waiting.baseline_by = Some(after.reader());
    assert_ne!(
        section(Some(&waiting), &after, &scope, LATER).events,
        [],
        "one version read both"
    );
}

#[test]
fn members_beside_details_have_paths_without_the_key() {
    let mut scope = scope(json!({}), &[]);
    scope.extends_details = true;
    let before = stored(&reading(&json!({"founders": []})), NOW);
    let after = reading(&json!({"founders": ["x"]}));
    let found = section(Some(&before), &after, &scope, LATER);
    assert_eq!(raised(&found), kinds([("company.updated", "founders")]));
    let paths = found.changes.iter().map(|row| row.path.as_str());
    assert_eq!(paths.collect::<Vec<_>>(), ["/founders/0"]);
}

#[test]
fn passing_gap_beside_a_disabled_source_loses_no_event() {
    let scope = scope(json!({}), &[]);
    let off = |content: &Value| Section {
        unread_sources: Some(r#"[{"source":"list","why":"off"}]"#.to_owned()),
        ..reading(content)
    };
    // Between two readings that lack the disabled source, another source could not be read.
    let one = off(&json!(["one"]));
    let former = FormerSection {
        unread: true,
        unread_sources: Some(r#"[{"source":"list"},{"source":"other"}]"#.to_owned()),
        baseline: one.content.clone(),
        baseline_by: Some(one.reader()),
        baseline_unread: one.unread_sources.clone(),
        ..stored(&reading(&json!([])), NOW)
    };
    let raised = |new: &Section| raised(&section(Some(&former), new, &scope, LATER));
    assert_eq!(raised(&one), []);
    let two = json!(["one", "two"]);
    assert_eq!(raised(&off(&two)), kinds([("company.updated", "licences")]));
    assert_eq!(
        raised(&reading(&two)),
        [],
        "the source is on, so entries may be old"
    );
}
