//! Imports against a portal with canned answers.

use lustra_procurement_journal::{DATASET, ProcurementJournal};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, TestHost, batches};
use lustra_sdk::{Failure, Importer};

use super::world::{ICO, OTHER, SEARCH, import, issue, path_of, portal, result, search};

const RESULT: &str = "Oznámenie o výsledku verejného obstarávania (D24)";

fn three_issues() -> TestHost {
    portal(&[
        vec![result(1, RESULT, 1, ICO, "100")],
        vec![],
        vec![result(2, RESULT, 2, OTHER, "200")],
    ])
}

fn keys(cursor: Option<&str>) -> Vec<String> {
    let (items, _) = import(cursor).unwrap();
    items.into_iter().map(|item| item.key).collect()
}

#[test]
fn issues_are_read_in_ascending_order_and_each_is_a_batch() {
    three_issues().install();
    let (items, cursors) = import(None).unwrap();
    assert_eq!(cursors, ["2026/1", "2026/2", "2026/3"]);
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "award/00000000-0000-4000-8000-000000000001/LOT-0001/99000024",
            "contact/99000024/email/info@f99000024.example.sk",
            "journal/first",
            "award/00000000-0000-4000-8000-000000000002/LOT-0001/99000032",
            "contact/99000032/email/info@f99000032.example.sk",
        ]
    );
    assert_eq!(
        TestHost::requests(),
        [
            "data-portal /datasets/search",
            "data-portal /download?id=issue-1",
            "data-portal /download?id=issue-2",
            "data-portal /download?id=issue-3",
        ]
    );
    let first: Value = from_str(&items[2].content).unwrap();
    assert_eq!(first, json!({ "published_at": "2026-01-01" }));
}

#[test]
fn later_run_reads_only_new_issues() {
    three_issues().install();
    assert_eq!(keys(Some("2026/2")).len(), 2);
    assert_eq!(TestHost::requests().len(), 2);
    three_issues().install();
    assert_eq!(keys(Some("2026/3")), [] as [String; 0]);
    assert_eq!(TestHost::requests(), ["data-portal /datasets/search"]);
}

#[test]
fn search_that_lost_the_known_issue_fails() {
    three_issues().install();
    for cursor in ["2026/4", "2027/1", "2026/4 5"] {
        assert!(
            matches!(import(Some(cursor)), Err(Failure::Malformed(_))),
            "{cursor}"
        );
    }
    assert!(
        matches!(import(Some("yesterday")), Err(Failure::Other((code, _))) if code == "list-changed")
    );
    // The issue has one item.
    assert!(
        matches!(import(Some("2026/3 5")), Err(Failure::Other((code, _))) if code == "list-changed")
    );
}

#[test]
fn first_issue_is_a_setting() {
    for (since, first) in [
        ("2016", Some(1)),
        ("2027", None),
        ("2026-01-02", Some(2)),
        ("2026-01-03", Some(3)),
        ("2025-12-31", Some(1)),
        ("2026-01-04", None),
        ("13 days", Some(2)),
        ("2 days", None),
        ("90 days", Some(1)),
    ] {
        three_issues()
            .now("2026-01-15T08:00:00Z")
            .setting("since", &json!(since))
            .install();
        let found = import(None).unwrap().1;
        let expected = first.map(|first| format!("2026/{first}"));
        assert_eq!(found.first(), expected.as_ref(), "{since}");
    }
}

#[test]
fn invalid_settings_are_misconfigured() {
    for (name, value) in [
        ("since", json!("soon")),
        ("since", json!(2016)),
        ("page_size", json!(0)),
        ("hosts", json!("data.slovensko.sk")),
        ("role_addresses", json!("info")),
    ] {
        three_issues().setting(name, &value).install();
        assert!(
            matches!(import(None), Err(Failure::Misconfigured(_))),
            "{name}"
        );
    }
}

#[test]
fn roles_are_a_setting() {
    three_issues()
        .setting("role_addresses", &json!(["obchod"]))
        .install();
    assert!(!keys(None).iter().any(|key| key.starts_with("contact/")));
}

/// The failures for a text that is not an answer.
fn refused(answer: Answer) -> [Result<usize, Failure>; 2] {
    let at_search = three_issues().answer("data-portal", SEARCH, answer.clone());
    let at_file = three_issues().answer("data-portal", &path_of(2), answer);
    [at_search, at_file].map(|host| {
        host.install();
        import(None).map(|(items, _)| items.len())
    })
}

#[test]
fn failing_portal_is_not_an_empty_journal() {
    for (answer, is_expected) in [
        (
            Answer::ok("<html>údržba</html>"),
            (|failure| matches!(failure, Failure::Unavailable(_))) as fn(&Failure) -> bool,
        ),
        (Answer::status(404, "{}"), |failure| {
            matches!(failure, Failure::Unavailable(_))
        }),
        (Answer::status(500, ""), |failure| {
            matches!(failure, Failure::Unavailable(_))
        }),
        (
            Answer::status(429, "").with_header("retry-after", "30"),
            |failure| matches!(failure, Failure::Throttled(Some(30))),
        ),
        (Answer::ok(""), |failure| {
            matches!(failure, Failure::Malformed(_))
        }),
        (Answer::ok("{}"), |failure| {
            matches!(failure, Failure::Malformed(_))
        }),
        (Answer::ok(r#"{"items":[{"na"#), |failure| {
            matches!(failure, Failure::Malformed(_))
        }),
        (Answer::ok(b"\xff\xfe\xfd".to_vec()), |failure| {
            matches!(failure, Failure::Malformed(_))
        }),
    ] {
        for failed in refused(answer.clone()) {
            assert!(
                failed.as_ref().is_err_and(is_expected),
                "{answer:?}: {failed:?}"
            );
        }
    }
    for search in [
        r#"{"items":[]}"#,
        r#"{"items":[{"name":"Číselník"}]}"#,
        r#"{"items":[{"name":"Vestník 1/2026"}]}"#,
        r#"{"items":[{"name":"Vestník 1/2026","distributions":[{"downloadUrl":"https://elsewhere.example/download"}]}]}"#,
    ] {
        let no_series = Answer::ok(r#"{"results":{"bindings":[]}}"#);
        three_issues()
            .answer("data-portal", SEARCH, Answer::ok(search))
            .answer("data-portal", "/api/sparql", no_series)
            .install();
        assert!(
            matches!(import(None), Err(Failure::Malformed(_))),
            "{search}"
        );
    }
}

#[test]
fn failed_run_resumes_after_its_last_batch() {
    three_issues()
        .answer("data-portal", &path_of(2), Answer::status(503, ""))
        .install();
    let mut run = ProcurementJournal::open(DATASET, None).unwrap();
    assert_eq!(run.next().unwrap().unwrap().cursor, "2026/1");
    assert!(run.next().is_err());
    three_issues().install();
    assert_eq!(run.next().unwrap().unwrap().cursor, "2026/2");
    assert_eq!(run.next().unwrap().unwrap().cursor, "2026/3");
    assert!(run.next().unwrap().is_none());
}

#[test]
fn skipped_items_are_counted() {
    let numbers = [1, 3];
    let mut host = TestHost::new().answer("data-portal", SEARCH, Answer::ok(search(&numbers)));
    for number in numbers {
        host = host.answer(
            "data-portal",
            &path_of(number),
            Answer::ok(issue(number, &[])),
        );
    }
    host.install();
    let mut run = ProcurementJournal::open(DATASET, Some("2025/249".to_owned()));
    assert!(run.is_err(), "the issue that was read before is not there");
    run = ProcurementJournal::open(DATASET, None);
    let mut run = run.unwrap();
    let notes = |batch: Option<lustra_sdk::Batch>| -> Vec<(String, String)> {
        let fields = batch.unwrap().notes.into_iter();
        fields.map(|field| (field.name, field.value)).collect()
    };
    let one = |name: &str| (name.to_owned(), "1".to_owned());
    assert_eq!(notes(run.next().unwrap()), [one("empty_issues")]);
    assert_eq!(
        notes(run.next().unwrap()),
        [one("empty_issues"), one("missing_issues")]
    );
}

#[test]
fn odd_catalogue_entry_is_only_counted() {
    let rows = keys_of_three();
    for odd in [
        json!(7),
        json!({}),
        json!({"name": 7}),
        json!({"name": "Vestník 2/2026", "distributions": 7}),
    ] {
        let mut answer: Value = from_str(&search(&[1, 3])).unwrap();
        answer["items"]
            .as_array_mut()
            .unwrap()
            .insert(1, odd.clone());
        three_issues()
            .answer("data-portal", SEARCH, Answer::ok(answer.to_string()))
            .install();
        let (mut notes, mut keys) = (Vec::new(), Vec::new());
        for batch in batches::<ProcurementJournal>(DATASET, None).unwrap() {
            notes.extend(batch.notes.into_iter().map(|note| (note.name, note.value)));
            keys.extend(batch.items.into_iter().map(|item| item.key));
        }
        // Without its entry the issue 2 is missing.
        assert_eq!(keys.pop().as_deref(), Some("journal/missing"), "{odd}");
        assert_eq!(keys, rows, "{odd}");
        let count = ("unreadable_entries".to_owned(), "1".to_owned());
        assert!(notes.contains(&count), "{odd}: {notes:?}");
    }
    // Entries that are all unreadable do not mean an empty catalogue.
    three_issues()
        .answer("data-portal", SEARCH, Answer::ok(r#"{"items": [7]}"#))
        .install();
    let failed = import(None);
    assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
}

#[test]
fn unread_notices_without_a_company_are_summed() {
    let file = |number: u32| {
        let mut file: Value = from_str(&issue(number, &[])).unwrap();
        let xml = json!({ "itemData": "<notice><title>Oprava</title></notice>" });
        file["bulletinItemList"] = json!([xml, xml]);
        Answer::ok(file.to_string())
    };
    three_issues()
        .answer("data-portal", &path_of(1), file(1))
        .answer("data-portal", &path_of(3), file(3))
        .install();
    let (items, cursors) = import(None).unwrap();
    let expected = [
        "2026/1; unassigned 2",
        "2026/2; unassigned 2",
        "2026/3; unassigned 4",
    ];
    assert_eq!(cursors, expected);
    let counts = items.iter().filter(|item| item.key == "journal/unassigned");
    let contents: Vec<&str> = counts.map(|item| &*item.content).collect();
    assert_eq!(contents, [r#"{"notices":2}"#, r#"{"notices":4}"#]);
}

/// The keys of an import's records. They come from the issues 1 and 3, because the issue 2 has no notices.
fn keys_of_three() -> Vec<String> {
    three_issues().install();
    keys(None)
}

#[test]
fn other_datasets_are_not_offered() {
    assert!(
        matches!(ProcurementJournal::open("others", None), Err(Failure::Other((code, _))) if code == "not-offered")
    );
}
