//! Which parts are compared: baselines, other connector versions, readings with gaps.

use super::*;
use crate::changes::{company, details, section};
use crate::connectors::manifest::CompanySourceManifest;
use crate::store::testing::connector_id;
use crate::store::{BaseCompany, CompanyStatus, Details, StoredDetails};

fn base() -> BaseCompany {
    BaseCompany {
        ico: "10000001".to_owned(),
        name: "Pekáreň".to_owned(),
        name_key: "pekaren".to_owned(),
        city_key: Some("nitra".to_owned()),
        legal_form: None,
        legal_form_code: Some("112".to_owned()),
        street: Some("Koláčová 1".to_owned()),
        city: Some("Nitra".to_owned()),
        postal_code: Some("94901".to_owned()),
        country: None,
        country_code: Some("SK".to_owned()),
        established_date: None,
        terminated_date: None,
        status: CompanyStatus::Active,
        nace_code: None,
        nace_description: None,
        source_register: connector_id("rpo"),
        register_id: None,
        details: "{}".to_owned(),
        facts: "[]".to_owned(),
        preference: "5".to_owned(),
        content_hash: "a".to_owned(),
        connector_version: "1.0.0".to_owned(),
        evidence: "[]".to_owned(),
    }
}

fn moved() -> BaseCompany {
    BaseCompany {
        street: Some("Koláčová 2".to_owned()),
        city: Some("Trnava".to_owned()),
        content_hash: "b".to_owned(),
        ..base()
    }
}

/// Evidence of a live answer. Each one has its own id and time.
fn evidence(id: &str, digest: &str) -> String {
    json!([{ "id": id, "sha256": digest, "fetched_at": id }]).to_string()
}

#[test]
fn moved_company_raises_update_and_address_change() {
    let found = company(&base(), &moved(), 7, NOW);
    assert_eq!(
        raised(&found),
        kinds([
            ("company.updated", "address"),
            ("address.changed", "address")
        ])
    );
    let rows: Vec<&str> = found.changes.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(rows, ["/address/city", "/address/street"]);
    let content: Value = serde_json::from_str(&found.events[0].content).unwrap();
    assert_eq!(content["old_value"], "Koláčová 1, 949 01 Nitra");
    assert_eq!(content["new_value"], "Koláčová 2, 949 01 Trnava");
}

#[test]
fn details_of_the_base_record_are_compared() {
    let with = |details: Value| BaseCompany {
        details: details.to_string(),
        ..base()
    };
    let (old, new) = (
        with(json!({"a": ["x", "y"]})),
        with(json!({"a": ["y", "x"]})),
    );
    assert_eq!(company(&old, &new, 7, NOW), ChangeSet::default());
    let new = with(json!({"a": ["y", "z"]}));
    assert_eq!(
        raised(&company(&old, &new, 7, NOW)),
        kinds([("company.updated", "a")])
    );
}

#[test]
fn other_register_or_connector_version_raises_no_event() {
    let other_register = BaseCompany {
        source_register: connector_id("orsr"),
        ..moved()
    };
    let other_version = BaseCompany {
        connector_version: "2.0.0".to_owned(),
        ..moved()
    };
    for new in [other_register, other_version] {
        let found = company(&base(), &new, 7, NOW);
        assert_eq!(found.events, []);
        let ops: Vec<&str> = found.changes.iter().map(|row| row.op).collect();
        assert_eq!(ops, ["rebaseline", "rebaseline"]);
    }
}

#[test]
fn new_version_with_same_answer_is_no_change() {
    let read = |company: BaseCompany, version: &str, evidence: String| BaseCompany {
        connector_version: version.to_owned(),
        evidence,
        ..company
    };
    let old = read(base(), "1.0.0", evidence("one", "digest"));
    let same = read(moved(), "2.0.0", evidence("two", "digest"));
    assert_eq!(company(&old, &same, 7, NOW).events, []);
    let other = read(moved(), "2.0.0", evidence("two", "another digest"));
    assert_eq!(company(&old, &other, 7, NOW).events.len(), 2);
    // A list has no answer about a single company to compare.
    let listed = read(moved(), "2.0.0", "[]".to_owned());
    assert_eq!(company(&old, &listed, 7, NOW).events, []);
    assert_eq!(
        company(&read(base(), "1.0.0", "[]".to_owned()), &other, 7, NOW).events,
        []
    );
}

#[test]
fn each_revision_of_a_company_raises_one_event() {
    let ids = |revision| {
        let found = company(&base(), &moved(), revision, NOW);
        let ids = found.events.into_iter().map(|event| event.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(7), ids(7));
    let mut all = [ids(7), ids(8)].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 4);
}

fn source() -> CompanySourceManifest {
    let rules =
        json!([{ "kind": "officers.changed", "group": "company", "when": "field:/people" }]);
    let manifest = json!({ "provides": "details", "keys": ["ico"], "events": rules });
    serde_json::from_value(manifest).unwrap()
}

fn answer(content: Option<Value>) -> Details {
    let content = content.map(|content| content.to_string());
    Details {
        ico: "10000001".to_owned(),
        connector: connector_id("tests"),
        register_id: None,
        found: content.is_some(),
        content_hash: format!("hash of {content:?}"),
        content,
        connector_version: "1.0.0".to_owned(),
        generation: 1,
        evidence: "[]".to_owned(),
    }
}

fn kept(details: &Details, fetched_at: Option<OffsetDateTime>) -> StoredDetails {
    StoredDetails {
        ico: details.ico.clone(),
        connector: details.connector.clone(),
        register_id: None,
        found: details.found,
        content: details.content.clone(),
        content_hash: Some(details.content_hash.clone()),
        connector_version: Some(details.connector_version.clone()),
        generation: Some(1),
        fetched_at,
        failed_at: None,
        failure: None,
    }
}

#[test]
fn first_details_are_a_baseline_also_after_failures() {
    let new = answer(Some(json!({"people": ["Jana"]})));
    assert_eq!(details(None, &new, &source(), NOW), ChangeSet::default());
    let only_failed = kept(&answer(None), None);
    assert_eq!(
        details(Some(&only_failed), &new, &source(), NOW),
        ChangeSet::default()
    );
}

#[test]
fn later_details_raise_update_and_specific_kind() {
    let old = kept(
        &answer(Some(json!({"people": ["Jana"], "capital": 5}))),
        Some(NOW),
    );
    let new = answer(Some(json!({"people": ["Eva"], "capital": 6})));
    let found = details(Some(&old), &new, &source(), LATER);
    assert_eq!(
        raised(&found),
        kinds([
            ("company.updated", "capital"),
            ("company.updated", "people"),
            ("officers.changed", "people"),
        ])
    );
    let mut other = new;
    other.connector_version = "2.0.0".to_owned();
    let found = details(Some(&old), &other, &source(), LATER);
    assert_eq!((found.events.len(), found.changes.len()), (0, 3));
    assert!(found.changes.iter().all(|row| row.op == "rebaseline"));
}

#[test]
fn company_entering_or_leaving_a_register_raises_event() {
    let (known, unknown) = (answer(Some(json!({"people": ["Jana"]}))), answer(None));
    let found = details(Some(&kept(&unknown, Some(NOW))), &known, &source(), LATER);
    assert_eq!(
        rows(&found),
        [("people".to_owned(), "/people".to_owned(), "add")]
    );
    let found = details(Some(&kept(&known, Some(NOW))), &unknown, &source(), LATER);
    assert_eq!(
        rows(&found),
        [("people".to_owned(), "/people".to_owned(), "remove")]
    );
    assert_eq!(found.events.len(), 2);
}

#[test]
fn first_section_raises_first_hits_only() {
    let rules = [
        ("debtor.added", "risk", "first-hit:/sources"),
        ("debtor.added", "risk", "added:/sources"),
        ("debarred.updated", "risk", "changed"),
        ("company.updated", "risk", "field:/amount"),
    ];
    let scope = scope(json!({}), &rules);
    let silent = reading(&json!({"sources": [], "amount": 5}));
    assert_eq!(section(None, &silent, &scope, NOW), ChangeSet::default());
    let hit = reading(&json!({"sources": [{"name": "x"}], "amount": 5}));
    let found = section(None, &hit, &scope, NOW);
    assert_eq!(
        raised(&found),
        kinds([("debtor.added", "licences.sources")])
    );
    assert_eq!(found.changes, []);
    let content: Value = serde_json::from_str(&found.events[0].content).unwrap();
    assert_eq!(
        (&content["change_type"], &content["new_value"]),
        (&json!("added"), &json!("x"))
    );
    let mut failed = stored(&silent, NOW);
    (failed.fetched_at, failed.content, failed.unread) = (None, None, true);
    assert_eq!(
        section(Some(&failed), &hit, &scope, NOW),
        found,
        "there were only failures"
    );
}

#[test]
fn unread_section_is_skipped_in_comparison() {
    let scope = scope(json!({}), &[]);
    let before = reading(&json!({"a": 1}));
    let mut gap = reading(&json!({"unread": ["x"]}));
    gap.unread = true;
    assert_eq!(
        section(Some(&stored(&before, NOW)), &gap, &scope, NOW),
        ChangeSet::default()
    );
    assert_eq!(section(None, &gap, &scope, NOW), ChangeSet::default());
    let mut waiting = stored(&gap, LATER);
    waiting.baseline = before.content.clone();
    let after = reading(&json!({"a": 2}));
    let found = section(Some(&waiting), &after, &scope, LATER);
    assert_eq!(raised(&found), kinds([("company.updated", "licences.a")]));
    assert_eq!(
        section(Some(&waiting), &before, &scope, LATER),
        ChangeSet::default()
    );
    // No reading was ever complete.
    waiting.baseline = None;
    assert_eq!(
        section(Some(&waiting), &after, &scope, LATER),
        ChangeSet::default()
    );
}

#[test]
fn new_connector_version_records_changes_without_events() {
    let scope = scope(json!({}), &[("debtor.added", "risk", "first-hit")]);
    let old = stored(&reading(&json!({"a": []})), NOW);
    let mut new = reading(&json!({"a": [1], "b": 2}));
    new.connector_version = "1.0.1".to_owned();
    let found = section(Some(&old), &new, &scope, LATER);
    assert_eq!(found.events, []);
    assert_eq!(
        rows(&found),
        [
            (
                "licences.a".to_owned(),
                "/licences/a/0".to_owned(),
                "rebaseline"
            ),
            (
                "licences.b".to_owned(),
                "/licences/b".to_owned(),
                "rebaseline"
            ),
        ]
    );
    new.connector_version = "1.0.0".to_owned();
    new.connector = connector_id("another");
    assert_eq!(section(Some(&old), &new, &scope, LATER).events, []);
}

#[test]
fn newly_readable_source_raises_first_hits_only() {
    let rules = [("debtor.added", "risk", "first-hit:/sources")];
    let scope = scope(
        json!({"properties": {"unread": {"x-lustra-volatile": true}}}),
        &rules,
    );
    let without = json!({"sources": [], "unread": [{"source": "list", "why": "never imported"}]});
    let listed = json!({"sources": ["x"], "is_debtor": true, "unread": []});
    let found = |old: &Value, new: &Value| {
        section(
            Some(&stored(&reading(old), NOW)),
            &reading(new),
            &scope,
            LATER,
        )
    };
    let came = found(&without, &listed);
    assert_eq!(raised(&came), kinds([("debtor.added", "licences.sources")]));
    assert!(came.changes.iter().all(|row| row.op == "rebaseline"));
    assert_eq!(came.changes.len(), 2);
    // The source is switched off again, which does not mean that the debt is gone.
    let went = found(&listed, &without);
    assert_eq!((went.events.len(), went.changes.len()), (0, 2));
    // A section that is null names its sources in a separate column.
    let null = |sources: Option<&str>| Section {
        unread_sources: sources.map(str::to_owned),
        ..reading(&Value::Null)
    };
    let lacking = null(Some(r#"[{"source":"list","why":"off"}]"#));
    let of_null = |old: &Section, new: &Section| {
        let found = section(Some(&stored(old, NOW)), new, &scope, LATER);
        found.events.len()
    };
    assert_eq!(of_null(&lacking, &reading(&json!({"a": 1}))), 0);
    assert_ne!(of_null(&null(None), &reading(&json!({"a": 1}))), 0);
    assert_ne!(
        of_null(
            &lacking,
            &reading(&json!({"a": 1, "unread": [{"source": "list"}]}))
        ),
        0
    );
    // If both readings lack the same source, the others are compared.
    let others = json!({"sources": ["y"], "unread": [{"source": "list", "why": "off"}]});
    assert_eq!(raised(&found(&without, &others)).len(), 2);
}
