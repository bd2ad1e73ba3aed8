//! Irregularities and receivables: import and block of the section.

use std::fs;

use lustra_itms21::debt::{self, Kind, Standing};
use lustra_itms21::settings::Settings;
use lustra_itms21::{APPLICATIONS, IRREGULARITIES, PROCUREMENT, PROJECTS};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{TestHost, samples};
use lustra_sdk::{Failure, Item, Notes};

use super::world::{ICO, content, import, items, keys, listed, noted, page, page_path, told};

pub(super) const SETTLED: &str = "Vysporiadaná";
pub(super) const OPEN: &str = "Odoslaný dlžníkovi";

pub(super) fn irregularity(id: u64, state: &str, project: &str) -> Value {
    json!({
        "id": id, "kod": format!("N{id}"), "stav": state, "dlznik": {"id": 1, "nazov": "Vzor", "ico": ICO},
        "projekt": {"id": 3, "kod": project, "nazov": "Projekt"}, "hlavnyTypNezrovnalosti": {"id": 113, "nazovSk": "Iné"},
        "druhNezrovnalosti": "INDIVIDUALNA_NEZROVNALOST", "dopadNaRozpocetEU": "S_DOPADOM_NA_ROZPOCET_EU",
        "jeSystemova": true, "celkovaSumaNezrovnalosti": 100.5, "sumaNaVymahanie": 90.25, "vratenaSuma": 10.0,
        "datumZistenia": 1_739_833_200_000_i64,
    })
}

pub(super) fn receivable(id: u64, state: &str, project: &str, of: Option<u64>) -> Value {
    json!({
        "id": id, "kod": format!("P{id}"), "stav": state, "dlznik": {"id": 1, "nazov": "Vzor", "ico": ICO},
        "projekt": {"id": 3, "kod": project}, "nezrovnalost": of.map(|id| json!({"id": id})), "druh": "PD_K_PROJEKTU",
        "typ": "ZOVFP", "dopadNaRozpocetEU": "BEZ_DOPADU_NA_ROZPOCET_EU", "sumaNaVratenie": 1000, "vratenaSuma": 1.5,
        "datumVzniku": "2025-03-01T00:00:00Z", "datumSplatnosti": "2025-06-01T00:00:00Z",
    })
}

/// A host whose register has both lists.
fn register(irregularities: &[Value], receivables: &[Value]) -> TestHost {
    let host = listed(TestHost::new(), "nezrovnalost", irregularities);
    listed(host, "pohladavkovydoklad", receivables)
}

/// The section of a company with these rows.
#[track_caller]
pub(super) fn section(irregularities: &[Value], receivables: &[Value]) -> Value {
    register(irregularities, receivables).install();
    let debts = items(&import(IRREGULARITIES, None).unwrap());
    host(debts).install();
    content(ICO)
}

/// The block of a company with these rows.
#[track_caller]
pub(super) fn block(irregularities: &[Value], receivables: &[Value]) -> Value {
    section(irregularities, receivables)["irregularities"].clone()
}

fn host(debts: Vec<Item>) -> TestHost {
    let (at, day) = ("2026-01-14T01:30:00Z", Some("2026-01-14"));
    TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .dataset(PROJECTS, at, day, Vec::new())
        .dataset(APPLICATIONS, at, day, Vec::new())
        .dataset(IRREGULARITIES, at, day, debts)
        .off(PROCUREMENT)
}

/// Count, open ones, and the three totals.
pub(super) fn totals(block: &Value) -> [Value; 5] {
    [
        "count",
        "open",
        "total_amount",
        "total_recovered",
        "total_outstanding",
    ]
    .map(|member| block[member].clone())
}

#[test]
fn both_lists_are_read_in_one_run() {
    let irregularities = [1, 4, 5].map(|id| irregularity(id, OPEN, "A"));
    let receivables = [2, 4].map(|id| receivable(id, OPEN, "B", None));
    register(&irregularities, &receivables).install();
    let whole = import(IRREGULARITIES, None).unwrap();
    let all = items(&whole);
    let expected = [
        "irregularity/0000000001/",
        "irregularity/0000000004/",
        "irregularity/0000000005/",
        "receivable/0000000002/",
        "receivable/0000000004/",
    ];
    assert_eq!(keys(&all), expected.map(|key| format!("{key}{ICO}")));
    for (place, batch) in whole.iter().enumerate() {
        register(&irregularities, &receivables).install();
        let rest = import(IRREGULARITIES, Some(&batch.cursor)).unwrap();
        let expected = told(&items(&whole[place + 1..]));
        assert_eq!(told(&items(&rest)), expected, "behind {place}");
    }
    register(&irregularities, &receivables)
        .answer("itms21", &page_path("pohladavkovydoklad", 0), page(&[], 0))
        .install();
    let failure = import(IRREGULARITIES, None).unwrap_err();
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn entries_have_every_member() {
    let block = block(
        &[irregularity(1, OPEN, "A")],
        &[receivable(2, OPEN, "B", None)],
    );
    assert_eq!(
        block["entries"],
        json!([
            {
                "kind": "receivable", "code": "P2", "status": OPEN, "settled": false, "project_code": "B",
                "project_name": null, "irregularity_type": null, "category": "PD_K_PROJEKTU", "document_type": "ZOVFP",
                "eu_budget_impact": false, "systemic": false, "amount": null, "to_recover": 1000.0, "recovered": 1.5,
                "outstanding": 998.5, "detected_at": "2025-03-01", "due_at": "2025-06-01",
            },
            {
                "kind": "irregularity", "code": "N1", "status": OPEN, "settled": false, "project_code": "A",
                "project_name": "Projekt", "irregularity_type": "Iné", "category": "INDIVIDUALNA_NEZROVNALOST",
                "document_type": null, "eu_budget_impact": true, "systemic": true, "amount": 100.5,
                "to_recover": 90.25, "recovered": 10.0, "outstanding": 80.25, "detected_at": "2025-02-18",
                "due_at": null,
            },
        ])
    );
    let expected = json!([2, 2, 1100.5, 11.5, 1078.75]);
    assert_eq!(json!(totals(&block)), expected, "two projects, two debts");
}

#[test]
fn state_that_is_not_known_is_unread_not_settled() {
    let irregularities = [
        irregularity(1, "Vysporiadaná inak", "A"),
        irregularity(2, "vysporiadana", "B"),
    ];
    let receivables = [receivable(9, OPEN, "D", None)];
    register(&irregularities, &receivables).install();
    let batches = import(IRREGULARITIES, None).unwrap();
    assert_eq!(noted(&batches, "unknown_states"), 1);
    let section = section(&irregularities, &receivables);
    assert_eq!(section["irregularities"]["open"], 2);
    assert_eq!(section["irregularities"]["entries"][1]["settled"], true);
    let unread = section["unread"].as_array().unwrap();
    assert!(unread.iter().any(|one| one["source"] == IRREGULARITIES));
}

#[test]
fn settled_and_unconfirmed_entries_owe_nothing() {
    let irregularities = [
        irregularity(1, SETTLED, "A"),
        irregularity(2, "Podozrenie z nezrovnalosti", "B"),
        irregularity(3, "Bez finančného dopadu", "C"),
    ];
    let block = block(&irregularities, &[receivable(9, "Vysporiadaný", "D", None)]);
    assert_eq!(json!(totals(&block)), json!([4, 2, 1100.5, 11.5, 0.0]));
    let entries = block["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["outstanding"] == 0.0));
}

#[test]
fn unknown_budget_impact_is_odd() {
    let mut odd = irregularity(2, OPEN, "B");
    odd["dopadNaRozpocetEU"] = json!("MOŽNO");
    let block = block(
        &[irregularity(1, OPEN, "A"), odd],
        &[receivable(9, OPEN, "D", None)],
    );
    assert_eq!(block["count"], 2);
}

#[test]
fn recorded_lists_of_the_preceding_system_are_read() {
    for (kind, ending) in [
        (Kind::Irregularity, "nezrovnalost_list.json"),
        (Kind::Receivable, "pohladavkovy_doklad_list.json"),
    ] {
        let mut notes = Notes::default();
        for file in samples("itms2014", ending) {
            let rows: Vec<Value> = from_str(&fs::read_to_string(file).unwrap()).unwrap();
            assert!(rows.len() > 200);
            for row in rows {
                notes.row();
                let found = debt::read(kind, &row, &mut notes).unwrap();
                let Some((_, debt)) = found else {
                    continue;
                };
                let standing = Standing::of(&debt, &Settings::default());
                assert_ne!(standing, Standing::Unknown, "{row}");
            }
        }
        assert_eq!(notes.odd_rows(), 0, "{notes:?}");
    }
}
