//! Whole imports: requests, stored records, and refusals.

use lustra_crp::Crp;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Failure, Importer};
use serde_json::{Value, from_str, json};

use super::world::{ICO, detail, import, keys, list, list_path, path, register};

/// How often a project's page was requested.
fn asked(number: u32) -> usize {
    let path = format!("crp {}", path(number));
    TestHost::requests()
        .iter()
        .filter(|one| **one == path)
        .count()
}

#[test]
fn a_first_import_reads_every_project_once() {
    register(&[9, 8, 7, 6, 5], 2).install();
    let batches = import(None).unwrap();
    assert_eq!(keys(&batches), ["8", "9", "6", "7", "5"], "by page");
    assert_eq!(TestHost::requests().len(), 3 + 5);
    let first = &batches[0].items[0];
    assert_eq!(first.ico.as_deref(), Some(ICO));
    let content: Value = from_str(&first.content).unwrap();
    assert_eq!(
        content,
        json!({
            "name": "Projekt 8", "provider": "Vzorové ministerstvo", "help_type": "dotácia", "amount": "1234.50",
            "published_at": "2025-01-09", "signed_at": null, "start": null, "end": null, "path": "/8-sk/vzor/",
        })
    );
    assert!(
        !format!("{batches:?}").contains("Vzorová"),
        "recipients are not named"
    );
    let last = batches.last().unwrap();
    assert_eq!(last.list_date.as_deref(), Some("2026-01-15"));
    let reading = last.items.last().unwrap();
    assert_eq!(reading.content, r#"{"since":null,"is_complete":true}"#);
}

#[test]
fn later_day_reads_only_new_projects() {
    register(&[6, 5, 4, 3, 2, 1], 2)
        .now("2026-01-15T08:00:00Z")
        .install();
    let cursor = import(None).unwrap().last().unwrap().cursor.clone();
    register(&[6, 5, 4, 3, 2, 1], 2)
        .now("2026-01-15T20:00:00Z")
        .install();
    assert!(import(Some(&cursor)).unwrap().is_empty(), "once a day");
    // Three new projects, so that the second page must be read too.
    register(&[9, 8, 7, 6, 5, 4, 3, 2, 1], 2)
        .now("2026-01-16T08:00:00Z")
        .install();
    let batches = import(Some(&cursor)).unwrap();
    assert_eq!(keys(&batches), ["8", "9", "7"]);
    assert_eq!(
        batches[0].list_date.as_deref(),
        Some("2026-01-15"),
        "it is not over"
    );
    assert_eq!(batches[1].list_date.as_deref(), Some("2026-01-16"));
    let cursor = &batches[1].cursor;
    register(&[9, 8, 7, 6, 5, 4, 3, 2, 1], 2)
        .now("2026-01-17T08:00:00Z")
        .install();
    let nothing = import(Some(cursor)).unwrap();
    assert_eq!(keys(&nothing), [""; 0]);
    assert_eq!(TestHost::requests(), [format!("crp {}", list_path(0))]);
}

#[test]
fn once_a_week_young_projects_are_read_again() {
    // Day 326 after 1 January 2025 is the sixtieth before 22 January 2026. The import reads whole pages.
    let all: Vec<u32> = (280..380).rev().collect();
    register(&all, 20).now("2026-01-15T08:00:00Z").install();
    let cursor = import(None).unwrap().last().unwrap().cursor.clone();
    register(&all, 20)
        .now("2026-01-22T08:00:00Z")
        .answer("crp", &path(379), detail(379, ICO, "5 €"))
        .install();
    let batches = import(Some(&cursor)).unwrap();
    let again = keys(&batches);
    assert!(again.contains(&"379".to_owned()) && again.contains(&"327".to_owned()));
    assert!(!again.contains(&"299".to_owned()), "{again:?}");
    assert!(
        batches[0]
            .items
            .iter()
            .any(|item| item.content.contains("\"amount\":\"5\""))
    );
    let cursor = &batches.last().unwrap().cursor;
    register(&all, 20).now("2026-01-23T08:00:00Z").install();
    assert_eq!(
        keys(&import(Some(cursor)).unwrap()),
        [""; 0],
        "not before a week"
    );
}

#[test]
fn a_first_import_ends_at_the_operators_day() {
    let host = register(&[200, 150, 100, 50, 20, 10], 2);
    host.setting("since", &json!("2025-03-15")).install();
    let batches = import(None).unwrap();
    assert_eq!(keys(&batches), ["150", "200", "100", "50", "10", "20"]);
    let reading = &batches.last().unwrap().items.last().unwrap().content;
    assert_eq!(
        reading, r#"{"since":null,"is_complete":true}"#,
        "the end came first"
    );
    register(&[200, 150, 100, 80, 60, 50, 20, 10], 2)
        .setting("since", &json!("2025-03-25"))
        .install();
    let batches = import(None).unwrap();
    assert_eq!(keys(&batches), ["150", "200", "100", "80", "50", "60"]);
    let last = batches.last().unwrap();
    let reading = &last.items.last().unwrap().content;
    assert_eq!(reading, r#"{"since":"2025-03-25","is_complete":true}"#);
    // An earlier first day reads everything again.
    register(&[200, 150], 2)
        .setting("since", &json!("2025-01-01"))
        .install();
    assert_eq!(keys(&import(Some(&last.cursor)).unwrap()), ["150", "200"]);
}

#[test]
fn project_without_ico_is_removed() {
    register(&[4, 3, 2, 1], 5)
        .answer("crp", &path(4), detail(4, "99x99994", "5,00 €"))
        .answer("crp", &path(3), detail(3, "neuvedené", "5,00 €"))
        .answer("crp", &path(2), detail(2, "HRB 12345", "5,00 €"))
        .answer("crp", &path(1), Answer::status(404, "<html></html>"))
        .install();
    let batches = import(None).unwrap();
    assert_eq!(keys(&batches), ["-2", "-3"]);
    let notes: Vec<&str> = batches[0]
        .notes
        .iter()
        .map(|note| note.name.as_str())
        .collect();
    assert_eq!(
        notes,
        ["gone", "other_number", "unreadable_ico", "without_ico"]
    );
    assert!(
        batches[0]
            .items
            .iter()
            .all(|item| !item.content.contains("Projekt"))
    );
}

#[test]
fn excluded_project_is_not_requested() {
    register(&[3, 2], 5)
        .answer("crp", &path(3), Answer::html("<html><body>?</body></html>"))
        .setting("skip", &json!([path(3)]))
        .install();
    assert_eq!(keys(&import(None).unwrap()), ["2"]);
    assert_eq!(asked(3), 0);
}

#[test]
fn row_without_link_is_counted() {
    let page = String::from_utf8(list(&[3, 2], 0, 1).body).unwrap();
    let odd = "<tr><td class=\"cell1\">1</td><td class=\"cell2\">Vzor</td></tr>\n</table>";
    let page = page.replace("</table>", odd);
    register(&[3, 2], 5)
        .answer("crp", &list_path(0), Answer::html(page))
        .install();
    let batches = import(None).unwrap();
    assert_eq!(keys(&batches), ["2", "3"]);
    let notes = batches.iter().flat_map(|batch| &batch.notes);
    let counts: Vec<&str> = notes
        .filter(|note| note.name == "unreadable_rows")
        .map(|note| note.value.as_str())
        .collect();
    assert_eq!(counts, ["1"]);
}

#[test]
fn page_that_is_not_the_list_is_refused() {
    for answer in [
        Answer::status(500, ""),
        Answer::status(403, "<html></html>"),
        Answer::status(404, "<html></html>"),
        Answer::html("<html><body>Systém je dočasne nedostupný</body></html>"),
    ] {
        TestHost::new()
            .answer("crp", &list_path(0), answer)
            .install();
        let failure = import(None).unwrap_err();
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
    for answer in [
        Answer::html(""),
        Answer::ok("{}"),
        list(&[], 0, 1),
        Answer::html(
            String::from_utf8(list(&[1], 0, 1).body)
                .unwrap()
                .replace("</html>", ""),
        ),
    ] {
        TestHost::new()
            .answer("crp", &list_path(0), answer)
            .install();
        let failure = import(None).unwrap_err();
        assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
    }
    assert!(Crp::open("another", None).is_err());
}

#[test]
fn list_of_missing_projects_is_refused() {
    let gone = || Answer::status(404, "<html></html>");
    let mut host = register(&[6, 5, 4, 3, 2], 5);
    for number in 2..7 {
        host = host.answer("crp", &path(number), gone());
    }
    host.install();
    // The first batch returns what was read before the failure: only how far that was.
    let mut run = Crp::open("projects", None).unwrap();
    assert_eq!(keys(&[run.next().unwrap().unwrap()]), [""; 0]);
    assert!(matches!(run.next(), Err(Failure::Malformed(_))));
}
