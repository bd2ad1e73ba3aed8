//! Runs over the table of register entries.

use lustra_commercial_bulletin::feed::UPSTREAM;
use lustra_commercial_bulletin::record;
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::TestHost;

use super::world::{
    ENTRIES, ICO, NOTICES, batches, entry, entry_row, first, host, kept, keys, noted, page, pages,
    path, read_so_far, register_entry, stamp,
};

#[test]
fn register_entries_are_imported() {
    let cins = [
        json!(99_999_994),
        json!(124),
        Value::Null,
        json!(999_999_940_u64),
    ];
    let rows: Vec<Value> = (0..1_250_u64)
        .map(|id| entry_row(id, id / 3, &cins[usize::try_from(id % 4).unwrap()]))
        .collect();
    let in_pages: Vec<Vec<Value>> = rows.chunks(100).map(<[Value]>::to_vec).collect();
    pages(host(), ENTRIES, &in_pages).install();
    let whole = batches(ENTRIES, None).unwrap();
    assert_eq!(whole.len(), 3);
    assert_eq!(keys(&whole).len(), 626);
    assert_eq!(noted(&whole, "without_company"), 312);
    assert_eq!(noted(&whole, "odd_ids"), 312);
    let requests = TestHost::requests();
    assert!(
        requests
            .iter()
            .all(|asked| asked.contains("/or_podanie_issues/sync")),
        "{requests:?}"
    );
    for number in 0..whole.len() {
        let rest = batches(ENTRIES, Some(&whole[number].cursor)).unwrap();
        let mut together = kept(&whole[..=number]);
        together.extend(kept(&rest));
        assert_eq!(together, kept(&whole), "behind batch {number}");
    }
    let kept = kept(&whole);
    let (ico, content) = &kept["1/00000124"];
    assert_eq!(ico.as_deref(), Some("00000124"));
    assert!(!content.to_string().contains("Vymyslená"), "{content}");
}

#[test]
fn corrected_entry_leaves_its_former_company() {
    let mut updated = entry_row(7, 9, &json!(99_999_986));
    updated["created_at"] = json!(stamp(1));
    // The record with the same id in the other dataset is another notice.
    let host = host()
        .dataset(
            NOTICES,
            "2025-06-05T06:00:00Z",
            None,
            vec![entry(7, "00000124", "2025-06-05", "OV_LIKVIDATOR")],
        )
        .dataset(
            ENTRIES,
            "2025-06-05T06:00:00Z",
            None,
            vec![
                register_entry(7, ICO, "2025-06-05"),
                read_so_far(Some("2025-06-05"), true),
            ],
        );
    pages(host, ENTRIES, &[vec![updated]]).install();
    let run = batches(ENTRIES, None).unwrap();
    let items: Vec<(&str, bool)> = run[0]
        .items
        .iter()
        .map(|item| (item.key.as_str(), item.removed))
        .collect();
    assert_eq!(
        items,
        [
            ("7/99999986", false),
            ("7/99999994", true),
            (record::READ_SO_FAR, false)
        ]
    );
}

#[test]
fn entries_all_without_ico_are_malformed() {
    let without_company = |cin: &Value| -> Vec<Value> {
        let rows = 0..100;
        rows.map(|id| entry_row(id, id, cin)).collect()
    };
    pages(host(), ENTRIES, &[without_company(&json!(1_000_000_000))]).install();
    assert!(matches!(batches(ENTRIES, None), Err(Failure::Malformed(_))));
    // A missing IČO makes no statement about a company.
    pages(host(), ENTRIES, &[without_company(&Value::Null)]).install();
    let run = batches(ENTRIES, None).unwrap();
    assert_eq!(noted(&run, "without_company"), 100);
}

#[test]
fn link_to_the_other_table_fails() {
    let rows = [entry_row(1, 1, &json!(99_999_994))];
    let other = format!(
        "<https://mirror.example{}>; rel='next'",
        path(NOTICES, &stamp(1), Some(1))
    );
    let answer = page(ENTRIES, &rows, false).with_header("link", &other);
    host().answer(UPSTREAM, &first(ENTRIES), answer).install();
    assert!(matches!(batches(ENTRIES, None), Err(Failure::Malformed(_))));
}
