//! Issues that the portal lists after later ones.

use lustra_procurement_journal::{DATASET, ProcurementJournal};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, TestHost, batches};
use lustra_sdk::{Batch, Item};

use super::world::{
    ICO, OTHER, enrich, imported, path_of, portal_of, result, search, subject, written,
};

const RESULT: &str = "Oznámenie o výsledku verejného obstarávania (D24)";
const CORRECTION: &str = "Oprava – Oznámenie o výsledku verejného obstarávania (D24)";
const NOW: &str = "2026-01-15T08:00:00Z";
const WITH_GAP: &str = "2026/3; missing 2026/2@2026-01-15";

/// The issues 1 and 3, and the issue 2 between them if it is listed.
fn issues(second: Option<Value>) -> Vec<(u32, Vec<Value>)> {
    let mut issues = vec![(1, vec![result(1, RESULT, 1, ICO, "100")])];
    issues.extend(second.map(|notice| (2, vec![notice])));
    issues.push((3, vec![result(3, CORRECTION, 7, ICO, "300")]));
    issues
}

/// Imports from a host after the records of an earlier import.
fn run(host: TestHost, list: &[Item], cursor: Option<&str>) -> Vec<Batch> {
    let host = match cursor {
        Some(_) => host.dataset(DATASET, NOW, Some("2026-01-03"), list.to_vec()),
        None => host,
    };
    host.install();
    batches::<ProcurementJournal>(DATASET, cursor).unwrap()
}

fn items(batches: Vec<Batch>) -> Vec<Item> {
    batches.into_iter().flat_map(|batch| batch.items).collect()
}

/// The records of a first import that lacked the issue 2.
fn with_gap() -> Vec<Item> {
    let first = run(portal_of(&issues(None)).now(NOW), &[], None);
    assert_eq!(first.last().unwrap().cursor, WITH_GAP);
    written(Vec::new(), items(first))
}

fn note(batch: &Batch, name: &str) -> Option<String> {
    let note = batch.notes.iter().find(|note| note.name == name);
    note.map(|note| note.value.clone())
}

#[test]
fn issue_that_is_listed_late_is_read() {
    let list = with_gap();
    let second = result(2, RESULT, 2, OTHER, "200");
    let host = portal_of(&issues(Some(second))).now("2026-01-16T08:00:00Z");
    let late = run(host, &list, Some(WITH_GAP));
    assert_eq!(late.len(), 1);
    assert_eq!(late[0].cursor, "2026/3");
    assert_eq!(late[0].list_date.as_deref(), Some("2026-01-03"));
    assert_eq!(note(&late[0], "late_issues").as_deref(), Some("1"));
    let list = written(list, items(late));
    imported(list, "2026-01-03").install();
    let content = enrich("procurement", subject(OTHER, "112")).1;
    assert_eq!(
        (&content["count"], &content["unread"]),
        (&json!(1), &Value::Null)
    );
}

#[test]
fn missing_issue_is_named_in_both_sections() {
    imported(with_gap(), "2026-01-14").install();
    for scope in ["procurement", "contacts"] {
        let (section, content) = enrich(scope, subject(OTHER, "112"));
        assert_eq!(
            content["unread"][0]["why"],
            "truncated: issues that the portal does not list yet: 1 (2026/2)"
        );
        assert_eq!(section.unread.len(), 1);
    }
}

#[test]
fn late_issue_never_replaces_newer_records() {
    let list = with_gap();
    let newer = list.iter().find(|item| item.key.contains("000000000007/"));
    let newer = newer.unwrap().clone();
    for name in [RESULT, CORRECTION] {
        for winner in [ICO, OTHER] {
            let second = result(2, name, 7, winner, "200");
            let late = run(
                portal_of(&issues(Some(second))).now(NOW),
                &list,
                Some(WITH_GAP),
            );
            let list = written(list.clone(), items(late));
            let kept = list.iter().find(|item| item.key == newer.key).unwrap();
            assert_eq!(kept.content, newer.content, "{name} {winner}");
            imported(list, "2026-01-14").install();
            let content = enrich("procurement", subject(OTHER, "112")).1;
            assert_eq!(content["count"], 0, "{name} {winner}");
        }
    }
}

#[test]
fn late_contact_never_looks_newer_than_it_is() {
    let list = with_gap();
    let key = format!("contact/{ICO}/email/info@f{ICO}.example.sk");
    let second = result(2, RESULT, 2, ICO, "200");
    let late = run(
        portal_of(&issues(Some(second))).now(NOW),
        &list,
        Some(WITH_GAP),
    );
    let list = written(list, items(late));
    let contact = list.iter().find(|item| item.key == key).unwrap();
    let content: Value = from_str(&contact.content).unwrap();
    assert_eq!(content["observed_on"], "2026-01-03");
}

#[test]
fn unreadable_late_issue_does_not_stop_newer_ones() {
    let list = with_gap();
    let mut listed = issues(Some(result(2, RESULT, 2, OTHER, "200")));
    listed.push((4, vec![result(4, RESULT, 4, OTHER, "400")]));
    let host = portal_of(&listed)
        .answer("data-portal", &path_of(2), Answer::ok("{}"))
        .now(NOW);
    let read = run(host, &list, Some(WITH_GAP));
    let cursors: Vec<&str> = read.iter().map(|batch| &*batch.cursor).collect();
    assert_eq!(cursors, ["2026/4; missing 2026/2@2026-01-15"]);
}

#[test]
fn late_issue_without_a_file_stays_missing() {
    let list = with_gap();
    let mut answer: Value = from_str(&search(&[1, 2, 3])).unwrap();
    answer["items"][1]["distributions"] = json!([]);
    let host = portal_of(&issues(None))
        .answer(
            "data-portal",
            "/datasets/search",
            Answer::ok(answer.to_string()),
        )
        .now(NOW);
    assert!(run(host, &list, Some(WITH_GAP)).is_empty());
}

#[test]
fn large_late_issue_is_resumed() {
    let list = with_gap();
    let mut listed = issues(None);
    let many =
        (0..300).map(|id| result(id, RESULT, 1_000 + id, &(99_100_000 + id).to_string(), "1"));
    listed.insert(1, (2, many.collect()));
    let whole = run(portal_of(&listed).now(NOW), &list, Some(WITH_GAP));
    let cursors: Vec<&str> = whole.iter().map(|batch| &*batch.cursor).collect();
    assert_eq!(cursors, ["2026/3; missing 2026/2@2026-01-15:250", "2026/3"]);
    let rest = run(portal_of(&listed).now(NOW), &list, Some(cursors[0]));
    assert_eq!(
        format!("{:?}", items(rest)),
        format!("{:?}", whole[1].items)
    );
}

#[test]
fn search_ends_after_six_weeks() {
    let list = with_gap();
    let host = || portal_of(&issues(None));
    let soon = run(host().now("2026-02-26T08:00:00Z"), &list, Some(WITH_GAP));
    assert!(soon.is_empty());
    let late = run(host().now("2026-02-27T08:00:00Z"), &list, Some(WITH_GAP));
    assert_eq!(late.len(), 1);
    assert_eq!(late[0].cursor, "2026/3");
    assert_eq!(late[0].list_date.as_deref(), Some("2026-01-03"));
    assert_eq!(
        note(&late[0], "missing_issues_given_up").as_deref(),
        Some("1")
    );
    let list = written(list, items(late));
    imported(list, "2026-01-14").install();
    let content = enrich("procurement", subject(OTHER, "112")).1;
    assert_eq!(content["unread"], Value::Null);
}

#[test]
fn cursor_of_an_earlier_version_is_read() {
    let list = with_gap();
    let mut listed = issues(None);
    listed.push((5, vec![]));
    let read = run(portal_of(&listed).now(NOW), &list, Some("2026/3"));
    assert_eq!(read[0].cursor, "2026/5; missing 2026/4@2026-01-15");
    assert_eq!(note(&read[0], "missing_issues").as_deref(), Some("1"));
}
