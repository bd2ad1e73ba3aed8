//! The world of the whole calls: issues of invented notices, a portal that serves them, and sections that are checked
//! against their schemas.

use lustra_procurement_journal::{DATASET, ProcurementJournal};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{self, Answer, TestHost, run_import};
use lustra_sdk::{Enrichment, Failure, Item, Section, Subject};

use super::manifest::manifest;

pub const ICO: &str = "99000024";
pub const OTHER: &str = "99000032";
pub const SEARCH: &str = "/datasets/search";

/// A result of one lot, won by the company.
pub fn result(id: u64, name: &str, procedure: u64, ico: &str, value: &str) -> Value {
    json!({ "id": id, "name": name, "components": [
        { "key": "metadataWrapper", "components": [
            { "key": "BT-03-notice", "value": "result" },
            { "key": "BT-04-notice", "value": format!("00000000-0000-4000-8000-{procedure:012}") },
            { "key": "DL-Metadata-Order", "value": format!("Zákazka (ID: {procedure})") },
        ]},
        { "key": "BT-21-Procedure", "value": "Zákazka", "lang": "slk" },
        { "key": "OPT-300-Procedure-Buyer", "value": "ORG-0001" },
        { "key": "GR-Organisations_panel", "components": [
            { "key": "BT-500-Organization-Company", "value": "Obec Vymyslená" },
            { "key": "BT-501-Organization-Company-CIN", "value": "99000016" },
        ]},
        { "key": "GR-Organisations_panel", "components": [
            { "key": "BT-500-Organization-Company", "value": "Fiktívne stavby, s.r.o." },
            { "key": "BT-501-Organization-Company-CIN", "value": ico },
            { "key": "BT-506-Organization-Company", "value": format!("info@f{ico}.example.sk") },
        ]},
        { "key": "GR-TenderingParty_panel", "components": [{ "key": "OPT-300-Tenderer", "value": "ORG-0002" }] },
        { "key": "GR-LotTender_panel", "components": [
            { "key": "BT-13714-Tender", "value": "LOT-0001" },
            { "key": "OPT-310-Tender", "value": "TPA-0001" },
            { "key": "BT-720-Tender_value", "value": value },
            { "key": "BT-720-Tender_currency", "value": "EUR" },
        ]},
        { "key": "GR-LotResult_panel", "components": [
            { "key": "BT-13713-LotResult", "value": "LOT-0001" },
            { "key": "BT-142-LotResult", "value": "selec-w" },
            { "key": "OPT-320-LotResult", "value": "TEN-0001" },
        ]},
    ]})
}

/// The file of an issue. It is published in January, on the day with its number.
pub fn issue(number: u32, notices: &[Value]) -> String {
    let items: Vec<Value> = notices
        .iter()
        .map(|notice| json!({ "itemData": notice.to_string() }))
        .collect();
    json!({
        "bulletinPublishDate": format!("2026-01-{number:02}T00:00:00"),
        "year": 2026,
        "number": number,
        "bulletinItemList": items,
    })
    .to_string()
}

pub fn path_of(number: u32) -> String {
    format!("/download?id=issue-{number}")
}

/// The search's answer, newest first.
pub fn search(numbers: &[u32]) -> String {
    let items: Vec<Value> = numbers
        .iter()
        .rev()
        .map(|number| {
            json!({ "id": number.to_string(), "name": format!("Vestník {number}/2026"), "distributions": [
                { "downloadUrl": format!("https://data.slovensko.sk{}", path_of(*number)) }
            ]})
        })
        .collect();
    json!({ "items": items }).to_string()
}

/// A portal with these issues, numbered from 1.
pub fn portal(issues: &[Vec<Value>]) -> TestHost {
    let numbered: Vec<(u32, Vec<Value>)> = (1..).zip(issues.iter().cloned()).collect();
    portal_of(&numbered)
}

/// A portal with the issues of these numbers, in ascending order.
pub fn portal_of(issues: &[(u32, Vec<Value>)]) -> TestHost {
    let numbers: Vec<u32> = issues.iter().map(|(number, _)| *number).collect();
    let mut host = TestHost::new().answer("data-portal", SEARCH, Answer::ok(search(&numbers)));
    for (number, notices) in issues {
        let file = Answer::ok(issue(*number, notices)).with_header("content-type", "text/csv");
        host = host.answer("data-portal", &path_of(*number), file);
    }
    host
}

pub fn import(cursor: Option<&str>) -> Result<(Vec<Item>, Vec<String>), Failure> {
    let (items, _, cursors) = run_import::<ProcurementJournal>(DATASET, cursor.map(str::to_owned))?;
    Ok((items, cursors))
}

/// The stored list after items were written into it.
pub fn written(list: Vec<Item>, items: Vec<Item>) -> Vec<Item> {
    let mut list = list;
    for item in items {
        list.retain(|old| old.key != item.key);
        if !item.removed {
            list.push(item);
        }
    }
    list.sort_by(|a, b| a.key.cmp(&b.key));
    list
}

/// A host that imported these records. The newest issue is of the day.
pub fn imported(items: Vec<Item>, newest: &str) -> TestHost {
    TestHost::new().dataset(DATASET, "2026-01-15T06:00:00Z", Some(newest), items)
}

pub fn subject(ico: &str, legal_form: &str) -> Subject {
    Subject {
        company: json!({ "ico": ico, "legal_form_code": legal_form }).to_string(),
        ..testing::subject(ico)
    }
}

pub fn enrich(scope: &str, subject: Subject) -> (Section, Value) {
    let section = ProcurementJournal::enrich(scope, subject).unwrap();
    let content = manifest().content(scope, &section);
    (section, content)
}
