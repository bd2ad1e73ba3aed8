//! Whole imports of the ministry's list of administrators.

use lustra_replik::Replik;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Failure, Item};

use super::world::host;

const LIST: &str = "administrator-list";

fn path(page: usize) -> String {
    format!("/spravca?page={page}&size=100")
}

fn page(marks: &[&str], total: usize) -> Answer {
    let rows: Vec<Value> = marks
        .iter()
        .map(|mark| json!({ "znacka": mark, "priezvisko": "Skúšobná", "stav": "zapísaný" }))
        .collect();
    let list =
        json!({ "numFound": total, "page": 0, "updateDate": "15.01.2026", "spravcaList": rows });
    Answer::ok(list.to_string())
}

fn listing(pages: &[Answer]) -> TestHost {
    pages.iter().zip(1..).fold(host(), |host, (page, number)| {
        host.answer("administrators", &path(number), page.clone())
    })
}

fn import(host: TestHost) -> Result<Vec<Item>, Failure> {
    host.install();
    run_import::<Replik>(LIST, None).map(|(items, _, _)| items)
}

fn keys(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.key.as_str()).collect()
}

#[test]
fn pages_are_read_until_the_total() {
    let items = import(listing(&[
        page(&["S9003", "S 9001"], 5),
        page(&["S9002", ""], 5),
        page(&["S9005"], 5),
    ]))
    .unwrap();
    assert_eq!(keys(&items), ["S9001", "S9002", "S9003", "S9005"]);
    assert!(
        items.iter().all(|item| item.name.is_none()),
        "people are not to be found by their names"
    );
    assert_eq!(TestHost::requests().len(), 3);
}

#[test]
fn inconsistent_pages_fail() {
    for (pages, is_malformed) in [
        (vec![page(&["S1", "S2"], 1)], true),
        (vec![page(&["S1"], 2), page(&[], 2)], true),
        (vec![page(&["", ""], 2)], true),
        (vec![page(&[], 0)], true),
        (vec![page(&["S1"], 3), page(&["S2"], 4)], false),
        (vec![page(&["S1"], 2), page(&["S1"], 2)], false),
    ] {
        match import(listing(&pages)) {
            Err(Failure::Malformed(_)) => assert!(is_malformed, "{pages:?}"),
            Err(Failure::Unavailable(_)) => assert!(!is_malformed, "{pages:?}"),
            other => panic!("{pages:?}: {other:?}"),
        }
    }
}

#[test]
fn failing_list_ends_the_run() {
    let whole = page(&["S1"], 1).body;
    for answer in [
        Answer::ok("<html>Údržba</html>"),
        Answer::ok(""),
        Answer::ok("{}"),
        Answer::ok(whole[..whole.len() / 2].to_vec()),
        Answer::status(403, ""),
        Answer::status(500, ""),
    ] {
        let failed = import(listing(&[answer])).err();
        assert!(
            matches!(
                failed,
                Some(Failure::Malformed(_) | Failure::Unavailable(_))
            ),
            "{failed:?}"
        );
    }
    let failed = import(listing(&[Answer::status(429, "")])).err();
    assert!(
        matches!(failed, Some(Failure::Throttled(None))),
        "{failed:?}"
    );
}

#[test]
fn file_without_pages_uses_configured_names() {
    let list = json!({ "pocet": 1, "spravcovia": [{ "cislo": "S1", "firma": { "nazov": "Vzor, k. s.", "ico": "99999901" } }] });
    let host = host()
        .setting("administrators_path", &json!(""))
        .setting("administrators_page_size", &json!(0))
        .setting(
            "administrators_members",
            &json!({
                "total": "pocet", "rows": "spravcovia", "mark": "cislo",
                "business_name": "firma/nazov", "ico": "firma/ico",
            }),
        )
        .answer("administrators", "", Answer::ok(list.to_string()));
    let items = import(host).unwrap();
    assert_eq!(keys(&items), ["S1"]);
    assert_eq!(items[0].ico.as_deref(), Some("99999901"));
    assert_eq!(items[0].name.as_deref(), Some("Vzor, k. s."));
}
