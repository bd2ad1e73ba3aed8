//! Interrupted runs, which return the same set wherever they resume, and corrections at any place.

use lustra_procurement_journal::{DATASET, ProcurementJournal};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Importer, Item};

use super::world::{ICO, OTHER, enrich, import, imported, portal, result, subject, written};

const RESULT: &str = "Oznámenie o výsledku verejného obstarávania (D24)";
const CORRECTION: &str = "Oprava – Oznámenie o výsledku verejného obstarávania (D24)";

/// Two large issues, each of several batches, with corrections within a batch, an issue and across issues.
fn large() -> TestHost {
    let mut first: Vec<Value> = (0..700)
        .map(|id| result(id, RESULT, id, &format!("{}", 99_100_000 + id), "100.5"))
        .collect();
    first.push(result(900, CORRECTION, 699, OTHER, "99"));
    first.push(result(901, CORRECTION, 3, OTHER, "98"));
    let mut second: Vec<Value> = (1_000..1_400)
        .map(|id| result(id, RESULT, id, ICO, "100.5"))
        .collect();
    second.push(result(1_900, CORRECTION, 5, OTHER, "97"));
    portal(&[first, second])
}

fn awards(list: &[Item]) -> Vec<&str> {
    let keys = list.iter().map(|item| item.key.as_str());
    keys.filter(|key| key.starts_with("award/")).collect()
}

#[test]
fn resumed_run_equals_an_uninterrupted_one() {
    large().install();
    let mut run = ProcurementJournal::open(DATASET, None).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = run.next().unwrap() {
        assert!(batch.items.len() <= 1_000);
        batches.push(batch);
    }
    let cursors: Vec<&str> = batches.iter().map(|batch| batch.cursor.as_str()).collect();
    assert_eq!(cursors, ["2026/1 250", "2026/1 500", "2026/1", "2026/2"]);
    let shown =
        |items: &[Item]| -> Vec<String> { items.iter().map(|item| format!("{item:?}")).collect() };
    for (at, cursor) in cursors.iter().enumerate() {
        large().install();
        let (rest, _) = import(Some(cursor)).unwrap();
        let expected: Vec<Item> = batches
            .iter()
            .skip(at + 1)
            .flat_map(|batch| batch.items.clone())
            .collect();
        assert_eq!(shown(&rest), shown(&expected), "{cursor}");
    }
}

#[test]
fn correction_in_later_run_removes_former_winners() {
    let first = vec![
        result(1, RESULT, 7, ICO, "100"),
        result(2, RESULT, 8, ICO, "50"),
    ];
    portal(std::slice::from_ref(&first)).install();
    let list = written(Vec::new(), import(None).unwrap().0);
    assert_eq!(awards(&list).len(), 2);
    let second = vec![result(3, CORRECTION, 7, OTHER, "90")];
    portal(&[first, second])
        .dataset(
            DATASET,
            "2026-01-15T06:00:00Z",
            Some("2026-01-01"),
            list.clone(),
        )
        .install();
    let (items, _) = import(Some("2026/1")).unwrap();
    let removed: Vec<&Item> = items.iter().filter(|item| item.removed).collect();
    assert_eq!(removed.len(), 1);
    assert_eq!(
        removed[0].ico.as_deref(),
        Some(ICO),
        "the removal names the company whose section changes"
    );
    let list = written(list, items);
    assert_eq!(
        awards(&list),
        [
            "award/00000000-0000-4000-8000-000000000007/LOT-0001/99000032",
            "award/00000000-0000-4000-8000-000000000008/LOT-0001/99000024"
        ]
    );
}

#[test]
fn correction_counts_within_the_first_run() {
    let issues = [
        vec![
            result(1, RESULT, 7, ICO, "100"),
            result(2, RESULT, 8, ICO, "50"),
        ],
        vec![result(3, CORRECTION, 7, OTHER, "90")],
        // A result of the same lot after the correction counts again.
        vec![result(4, RESULT, 7, "99000040", "10")],
    ];
    portal(&issues).install();
    let list = written(Vec::new(), import(None).unwrap().0);
    assert_eq!(awards(&list).len(), 4, "the former winner's is still there");
    for (ico, count, total) in [
        (ICO, 1, json!(50.0)),
        (OTHER, 1, json!(90.0)),
        ("99000040", 1, json!(10.0)),
    ] {
        imported(list.clone(), "2026-01-14").install();
        let content = enrich("procurement", subject(ico, "112")).1;
        assert_eq!(
            (&content["count"], &content["total_awarded_value"]),
            (&json!(count), &total),
            "{ico}"
        );
    }
}

#[test]
fn reading_an_issue_again_changes_nothing() {
    large().install();
    let once = written(Vec::new(), import(None).unwrap().0);
    large().install();
    let twice = written(once.clone(), import(None).unwrap().0);
    assert_eq!(format!("{once:?}"), format!("{twice:?}"));
}
