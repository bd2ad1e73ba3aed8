//! Since when entries are listed, over several imports of a list.

use lustra_debtors::Debtors;
use lustra_sdk::Item;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use serde_json::{Value, json};

use crate::world::{DOWNLOAD, LANDING, ico, social_insurer_list};

/// Imports the list of a week over the items of the import before.
fn imported(week: &str, list: &str, before: Option<Vec<Item>>) -> Vec<Item> {
    imported_within(16 << 20, week, list, before)
}

/// Like [`imported`], with a limit for the size of the records in one answer of the host.
fn imported_within(piece: usize, week: &str, list: &str, before: Option<Vec<Item>>) -> Vec<Item> {
    let page = format!("<html><body><a href=\"{DOWNLOAD}\">Zoznam</a></body></html>");
    let archive = Answer::zip(&[(&format!("dlznici_{week}_2026.csv"), list)]);
    let host = TestHost::new()
        .piece(piece)
        .answer("socpoist", LANDING, Answer::ok(page))
        .answer("socpoist", DOWNLOAD, archive);
    let host = match before {
        Some(before) => host.dataset("social-insurer", "2026-01-06T00:00:00Z", None, before),
        None => host,
    };
    host.install();
    let imported = run_import::<Debtors>("social-insurer", None);
    imported.expect("the list is whole").0
}

/// The dates of a company's entries.
fn since(items: &[Item], number: u32) -> Vec<Value> {
    let of_company = items.iter().filter(|item| item.ico == Some(ico(number)));
    let date = |item: &Item| {
        let content: Value = serde_json::from_str(&item.content).expect("it is JSON");
        content["listed_since"].clone()
    };
    of_company.map(date).collect()
}

#[test]
fn entry_is_listed_since_the_first_list_with_it() {
    let first = imported("02", &social_insurer_list(1000), None);
    assert_eq!(since(&first, 7), [json!(null)], "it may be older");
    let second = imported("03", &social_insurer_list(1001), Some(first));
    assert_eq!(since(&second, 7), [json!(null)]);
    assert_eq!(since(&second, 999), [json!(null)]);
    assert_eq!(since(&second, 1000), [json!("2026-01-12")]);
    // The company has another address and a second entry.
    let moved = social_insurer_list(1001).replace("\"Dlhá 1000\"", "\"Krátka 1\"");
    let rows: Vec<&str> = moved.lines().collect();
    let row = rows
        .into_iter()
        .find(|row| row.contains("Krátka 1"))
        .expect("it has the row");
    let third = imported("04", &format!("{moved}{row}\r\n"), Some(second));
    assert_eq!(
        since(&third, 1000),
        [json!("2026-01-12"), json!("2026-01-12")]
    );
    assert_eq!(since(&third, 7), [json!(null)]);
}

#[test]
fn list_above_one_piece_keeps_its_dates() {
    let first = imported("02", &social_insurer_list(1000), None);
    let second = imported_within(1_000, "03", &social_insurer_list(1001), Some(first));
    assert_eq!(since(&second, 999), [json!(null)]);
    assert_eq!(since(&second, 1000), [json!("2026-01-12")]);
}

#[test]
fn entry_that_returns_counts_from_its_return() {
    let first = imported("02", &social_insurer_list(1001), None);
    let second = imported("03", &social_insurer_list(1000), Some(first));
    assert_eq!(since(&second, 1000), [] as [Value; 0]);
    let third = imported("04", &social_insurer_list(1001), Some(second));
    assert_eq!(since(&third, 1000), [json!("2026-01-19")]);
}
