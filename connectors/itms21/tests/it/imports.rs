//! Whole imports: requests, stored records, and refusals.

use lustra_itms21::{APPLICATIONS, Itms21, PROJECTS};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Failure, Importer, Item, records};

use super::world::{
    ICO, PARTNER, SUPPLIER, application, detail_path, import, items, keys, listed, noted, page,
    page_path, project, projects, told,
};

/// How often a path was requested.
fn asked(path: &str) -> usize {
    let request = format!("itms21 {path}");
    let requests = TestHost::requests();
    requests.iter().filter(|one| **one == request).count()
}

/// The details among the requests.
fn details_asked() -> Vec<u64> {
    let requests = TestHost::requests();
    let ids = requests
        .iter()
        .filter_map(|request| request.split_once("/projekt/id/"));
    ids.map(|(_, id)| id.parse().unwrap()).collect()
}

fn content(item: &Item) -> Value {
    from_str(&item.content).unwrap()
}

/// A host that has imported these records on 15 January 2026, on a later day.
fn later(host: TestHost, day: &str, records: Vec<Item>) -> TestHost {
    let imported_at = "2026-01-15T08:00:00Z";
    host.now(&format!("{day}T08:00:00Z")).dataset(
        PROJECTS,
        imported_at,
        Some("2026-01-15"),
        records,
    )
}

#[test]
fn project_is_stored_for_each_company() {
    projects(&[3, 5, 8]).install();
    let batches = import(PROJECTS, None).unwrap();
    let items = items(&batches);
    assert_eq!(items.len(), 9);
    let roles: Vec<(String, Value)> = items[..3]
        .iter()
        .map(|item| (item.ico.clone().unwrap(), content(item)["role"].clone()))
        .collect();
    let expected = [
        (ICO, "recipient"),
        (PARTNER, "partner"),
        (SUPPLIER, "supplier"),
    ];
    assert_eq!(
        roles,
        expected.map(|(ico, role)| (ico.to_owned(), json!(role)))
    );
    assert_eq!(items[0].key, format!("0000000003/{ICO}"));
    assert_eq!(content(&items[0])["detail"]["disbursed"], "50000.00");
    assert_eq!(batches[0].list_date.as_deref(), Some("2026-01-15"));
    assert_eq!(noted(&batches, "without_ico"), 3, "a foreign supplier each");
}

#[test]
fn closest_role_of_a_company_is_kept() {
    let mut row = project(3);
    row["partner"] = json!([{"nazov": "Vzor", "ico": ICO}, {"nazov": "Iný", "ico": SUPPLIER}]);
    let host = listed(TestHost::new(), "projekt", &[row]);
    let detail = Answer::json(&super::world::detail(3));
    host.answer("itms21", &detail_path(3), detail).install();
    let items = items(&import(PROJECTS, None).unwrap());
    let roles: Vec<Value> = items
        .iter()
        .map(|item| content(item)["role"].clone())
        .collect();
    assert_eq!(roles, ["recipient", "partner"]);
}

#[test]
fn applications_are_stored_without_details() {
    listed(TestHost::new(), "zonfp", &[application(4), application(6)]).install();
    let items = items(&import(APPLICATIONS, None).unwrap());
    let expected = [
        format!("0000000004/{ICO}"),
        format!("0000000004/{PARTNER}"),
        format!("0000000006/{ICO}"),
        format!("0000000006/{PARTNER}"),
    ];
    assert_eq!(keys(&items), expected);
    assert_eq!(content(&items[1])["role"], "partner");
    assert_eq!(TestHost::requests().len(), 2);
}

#[test]
fn unchanged_details_are_kept() {
    projects(&[3, 5]).install();
    let before = items(&import(PROJECTS, None).unwrap());
    let mut changed = project(5);
    changed["updatedAt"] = json!(1_770_021_984_323_i64);
    let list = || listed(projects(&[3, 5]), "projekt", &[project(3), changed.clone()]);
    later(list(), "2026-01-22", before.clone()).install();
    let again = items(&import(PROJECTS, None).unwrap());
    assert_eq!(details_asked(), [5], "the changed one");
    assert_eq!(told(&again[..3]), told(&before[..3]), "the same records");
    later(list(), "2026-02-14", before).install();
    import(PROJECTS, None).unwrap();
    assert_eq!(details_asked(), [3, 5], "all after thirty days");
}

#[test]
fn details_wait_for_the_next_run_after_run_minutes() {
    let host = projects(&[3]).setting("run_minutes", &json!(0));
    host.install();
    let batches = import(PROJECTS, None).unwrap();
    assert_eq!(details_asked(), [0; 0]);
    assert_eq!(noted(&batches, "details_postponed"), 1);
    let items = items(&batches);
    let expected = [
        format!("0000000003/{ICO}"),
        format!("0000000003/{PARTNER}"),
        "gaps".to_owned(),
    ];
    assert_eq!(keys(&items), expected, "the detail names the supplier");
    assert_eq!(content(&items[0])["detail"], Value::Null);
    assert_eq!(items[2].ico, None);
}

#[test]
fn odd_project_marks_its_known_suppliers() {
    projects(&[3, 5]).install();
    let before = items(&import(PROJECTS, None).unwrap());
    let mut odd = project(5);
    odd["vrealizacii"] = json!("áno");
    let list = listed(projects(&[3, 5]), "projekt", &[project(3), odd]);
    later(list, "2026-01-22", before).install();
    let after = items(&import(PROJECTS, None).unwrap());
    let key = format!("0000000005/{SUPPLIER}");
    let marked = after.iter().find(|item| item.key == key).unwrap();
    assert_eq!(content(marked)["unreadable_row"], true);
}

#[test]
fn rows_without_an_id_are_counted_on_every_page() {
    let without = |id: Value| {
        let mut row = application(1);
        row["id"] = id;
        row
    };
    let rows: Vec<Value> = (1..=60).map(application).collect();
    // The page behind an id begins with the rows without one that ended the page before.
    let pages = |last: &[Value]| {
        let middle = [application(57), without(json!("58"))];
        let next = [without(json!("58")), application(59)];
        listed(TestHost::new(), "zonfp", &rows)
            .answer("itms21", &page_path("zonfp", 56), page(&middle, 62))
            .answer("itms21", &page_path("zonfp", 57), page(&next, 62))
            .answer(
                "itms21",
                &page_path("zonfp", 59),
                page(&[application(60)], 62),
            )
            .answer("itms21", &page_path("zonfp", 60), page(last, 62))
    };
    pages(&[without(json!("61"))]).install();
    let whole = import(APPLICATIONS, None).unwrap();
    assert_eq!(noted(&whole, "rows_without_id"), 2);
    assert_eq!(items(&whole).len(), 2 * 59 + 1, "and the gaps");
    let last = whole.last().unwrap();
    pages(&[without(json!("61"))]).install();
    assert!(import(APPLICATIONS, Some(&last.cursor)).unwrap().is_empty());
    pages(&[without(Value::Null), without(json!("62"))]).install();
    let failure = import(APPLICATIONS, None).unwrap_err();
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn first_rows_may_be_odd_in_a_long_list() {
    let mut rows: Vec<Value> = (1..=60).map(application).collect();
    for row in &mut rows[..2] {
        row["schvalena"] = json!("áno");
    }
    listed(TestHost::new(), "zonfp", &rows).install();
    let batches = import(APPLICATIONS, None).unwrap();
    assert_eq!(noted(&batches, "unreadable_rows"), 2);
}

#[test]
fn older_detail_is_kept_while_the_newer_one_fails() {
    projects(&[3]).install();
    let before = items(&import(PROJECTS, None).unwrap());
    let blocked = || Answer::status(403, r#"{"supportID": "1"}"#);
    for answer in [
        blocked(),
        Answer::status(500, ""),
        Answer::status(404, "{}"),
        Answer::html("<html>Údržba</html>"),
        Answer::json(&super::world::detail(4)),
    ] {
        later(projects(&[3]), "2026-03-01", before.clone())
            .answer("itms21", &detail_path(3), answer)
            .install();
        let again = items(&import(PROJECTS, None).unwrap());
        assert_eq!(told(&again), told(&before));
    }
    projects(&[3])
        .answer("itms21", &detail_path(3), blocked())
        .install();
    let batches = import(PROJECTS, None).unwrap();
    assert_eq!(noted(&batches, "details_blocked"), 1);
    assert_eq!(content(&batches[0].items[0])["detail"], Value::Null);
}

#[test]
fn failing_details_end_the_run() {
    let ids: Vec<u64> = (1..=12).collect();
    let mut host = projects(&ids);
    for id in &ids {
        host = host.answer("itms21", &detail_path(*id), Answer::status(500, ""));
    }
    host.install();
    let failure = import(PROJECTS, None).unwrap_err();
    assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
}

#[test]
fn resumed_run_returns_exactly_the_rest() {
    projects(&[3, 5, 8, 9, 11]).install();
    let whole = import(PROJECTS, None).unwrap();
    assert_eq!(whole.len(), 3);
    for (place, batch) in whole.iter().enumerate() {
        projects(&[3, 5, 8, 9, 11]).install();
        let rest = import(PROJECTS, Some(&batch.cursor)).unwrap();
        let expected = told(&items(&whole[place + 1..]));
        assert_eq!(told(&items(&rest)), expected, "behind {place}");
    }
    projects(&[3]).install();
    let failure = Itms21::open(PROJECTS, Some("{}".to_owned())).err();
    assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "list-changed"));
}

#[test]
fn long_run_ends_before_the_host_aborts_it() {
    let host = |now: &str| projects(&[3, 5, 8]).now(now);
    host("2026-01-15T01:30:00Z").install();
    let mut run = Itms21::open(PROJECTS, None).unwrap();
    let first = run.next().unwrap().unwrap();
    host("2026-01-15T02:26:00Z").install();
    assert!(matches!(run.next(), Err(Failure::Unavailable(_))));
    let rest = import(PROJECTS, Some(&first.cursor)).unwrap();
    assert_eq!(items(&rest).len(), 3, "the third project");
    // Another version of the component takes the run over, whose time goes on.
    host("2026-01-15T02:00:00Z").install();
    let mut taken_over = Itms21::open(PROJECTS, Some(first.cursor)).unwrap();
    host("2026-01-15T02:26:00Z").install();
    assert!(matches!(taken_over.next(), Err(Failure::Unavailable(_))));
}

#[test]
fn list_that_ends_early_is_refused() {
    let rows: Vec<Value> = (1..=4).map(application).collect();
    let cut = listed(TestHost::new(), "zonfp", &rows);
    for (after, answer) in [(2, page(&[], 0)), (4, page(&[], 9))] {
        cut.clone()
            .answer("itms21", &page_path("zonfp", after), answer)
            .install();
        let failure = import(APPLICATIONS, None).unwrap_err();
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
    let empty = TestHost::new().setting("page_size", &json!(2));
    empty
        .answer("itms21", &page_path("zonfp", 0), page(&[], 0))
        .install();
    let failure = import(APPLICATIONS, None).unwrap_err();
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn blocked_or_broken_list_is_unavailable() {
    for answer in [
        Answer::status(403, r#"{"supportID": "1"}"#),
        Answer::status(500, ""),
        Answer::status(404, "{}"),
        Answer::html("<html><body>Údržba</body></html>"),
    ] {
        let host = TestHost::new().setting("page_size", &json!(2));
        host.answer("itms21", &page_path("zonfp", 0), answer)
            .install();
        let failure = import(APPLICATIONS, None).unwrap_err();
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
    assert!(Itms21::open("another", None).is_err());
}

#[test]
fn odd_row_marks_its_companies_alone() {
    let mut odd = application(2);
    odd["sumaZiadanaNFP"] = json!("veľa");
    odd["ziadatel"]["ico"] = json!("99999904");
    let rows = [application(1), odd, application(3)];
    listed(TestHost::new(), "zonfp", &rows).install();
    let batches = import(APPLICATIONS, None).unwrap();
    assert_eq!(noted(&batches, "unreadable_rows"), 1);
    let stored = items(&batches);
    assert_eq!(stored.len(), 6);
    for ico in ["99999904", PARTNER] {
        let key = format!("0000000002/{ico}");
        let odd = stored.iter().find(|item| item.key == key);
        let unreadable = records::unreadable_row(key.as_str(), ico).unwrap();
        assert_eq!(odd.map(|odd| &odd.content), Some(&unreadable.content));
    }
    let mut rows = [application(1), application(2), application(3)];
    for row in &mut rows[1..] {
        row["schvalena"] = json!("áno");
    }
    listed(TestHost::new(), "zonfp", &rows).install();
    let failure = import(APPLICATIONS, None).unwrap_err();
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn persons_without_a_number_are_not_stored() {
    let mut row = project(3);
    row["prijimatel"] = json!({"id": 1, "nazov": "Jozef Vymyslený"});
    listed(projects(&[3]), "projekt", &[row]).install();
    let batches = import(PROJECTS, None).unwrap();
    assert_eq!(items(&batches).len(), 2, "the partner and the supplier");
    assert!(!format!("{batches:?}").contains("Vymysl"));
    assert_eq!(asked(&detail_path(3)), 1);
}
