//! Test support for imports and sections: pages of the mirror, and the stored results.

use std::collections::BTreeMap;

use lustra_commercial_bulletin::entries::RegisterEntry;
use lustra_commercial_bulletin::feed;
use lustra_commercial_bulletin::files::File;
use lustra_commercial_bulletin::record::ReadSoFar;
use lustra_commercial_bulletin::row::Position;
use lustra_commercial_bulletin::table::Table;
use lustra_commercial_bulletin::{CommercialBulletin, record};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{self, Answer, TestHost};
use lustra_sdk::{Batch, Failure, Item, records};

/// The datasets by name.
pub const NOTICES: &str = File::DATASET;
pub const ENTRIES: &str = RegisterEntry::DATASET;

pub const ICO: &str = "99999994";
pub const OTHER: &str = "99999986";
pub const FROM: &str = "2016-01-01T00:00:00.000000Z";

fn table(dataset: &str) -> &'static str {
    match dataset {
        NOTICES => File::PATH,
        ENTRIES => RegisterEntry::PATH,
        other => panic!("no dataset {other}"),
    }
}

/// The path of the first page.
pub fn first(dataset: &str) -> String {
    path(dataset, FROM, None)
}

/// The path of the page after a row.
pub fn path(dataset: &str, since: &str, last_id: Option<u64>) -> String {
    let since = since.to_owned();
    Position { since, last_id }.path(table(dataset))
}

/// The path of the page after the last of these rows.
pub fn behind(dataset: &str, rows: &[Value]) -> String {
    let last = rows.last().unwrap();
    let since = last["updated_at"].as_str().unwrap();
    path(dataset, since, last["id"].as_u64())
}

/// A time with the row's number as microseconds.
pub fn stamp(micros: u64) -> String {
    format!("2025-06-05T04:26:22.{micros:06}Z")
}

/// A notice of a bankruptcy about a company, or about none.
pub fn row(id: u64, micros: u64, ico: &str) -> Value {
    let content = format!(
        "\u{feff}<KonkurzARestrukt><Autor><SpisovaZnacka>8K/{id}/2025</SpisovaZnacka></Autor><Dlznik><ICO>{ico}</ICO>\
         </Dlznik><Text><Druh>Uznesenie</Druh></Text></KonkurzARestrukt>"
    );
    json!({
        "id": id,
        "file_name": format!("K{id}-OV_KONKURZY_A_RESTRUKT-v-1.xml"),
        "content": content,
        "created_at": stamp(micros),
        "updated_at": stamp(micros),
        "bulletin_issue": {"id": 1, "year": 2025, "number": 107, "published_at": "2025-06-05T00:00:00.000000Z"},
    })
}

/// A register entry about the company with a number, or about none.
pub fn entry_row(id: u64, micros: u64, cin: &Value) -> Value {
    json!({
        "id": id, "br_mark": format!("Sro/{id}"), "kind_code": "nz", "kind_name": "Nové zápisy", "cin": cin,
        "text": "Zapisuje sa: Vymyslená Osoba", "documents": [],
        "created_at": stamp(micros), "updated_at": stamp(micros),
        "bulletin_issue": {"id": 1, "year": 2025, "number": 107, "published_at": "2025-06-05T00:00:00.000000Z"},
    })
}

/// An answer with rows, and a link to the next page if `is_followed`.
pub fn page(dataset: &str, rows: &[Value], is_followed: bool) -> Answer {
    let answer = Answer::ok(Value::from(rows.to_vec()).to_string());
    if is_followed {
        let next = behind(dataset, rows);
        answer.with_header(
            "link",
            &format!("<https://mirror.example{next}>; rel='next'"),
        )
    } else {
        answer
    }
}

/// Consecutive pages from the first one, with an empty page at the end.
pub fn pages(mut host: TestHost, dataset: &str, pages: &[Vec<Value>]) -> TestHost {
    let mut at = first(dataset);
    for (number, rows) in pages.iter().enumerate() {
        let answer = page(dataset, rows, number + 1 < pages.len());
        host = host.answer(feed::UPSTREAM, &at, answer);
        at = behind(dataset, rows);
    }
    host.answer(feed::UPSTREAM, &at, Answer::ok("[]"))
}

pub fn host() -> TestHost {
    TestHost::new().now("2025-06-06T08:00:00Z")
}

/// Every batch of a run.
pub fn batches(dataset: &str, cursor: Option<&str>) -> Result<Vec<Batch>, Failure> {
    testing::batches::<CommercialBulletin>(dataset, cursor)
}

/// The contents of a store after the batches: key to IČO and content.
pub fn kept(batches: &[Batch]) -> BTreeMap<String, (Option<String>, Value)> {
    let mut kept = BTreeMap::new();
    for item in batches.iter().flat_map(|batch| &batch.items) {
        if item.removed {
            kept.remove(&item.key);
        } else {
            let content = from_str(&item.content).unwrap();
            kept.insert(item.key.clone(), (item.ico.clone(), content));
        }
    }
    kept
}

/// The keys of the notices about companies.
pub fn keys(batches: &[Batch]) -> Vec<String> {
    let kept = kept(batches);
    let keys = kept.into_keys().filter(|key| key != record::READ_SO_FAR);
    keys.collect()
}

/// The sum of a note over all batches.
pub fn noted(batches: &[Batch], name: &str) -> u64 {
    let notes = batches.iter().flat_map(|batch| &batch.notes);
    notes
        .filter(|note| note.name == name)
        .map(|note| note.value.parse::<u64>().unwrap())
        .sum()
}

/// The record of how far the bulletin was read.
pub fn read_so_far(until: Option<&str>, is_at_end: bool) -> Item {
    read_since("2016-01-01", until, is_at_end)
}

/// The same with a start date.
pub fn read_since(since: &str, until: Option<&str>, is_at_end: bool) -> Item {
    let content = ReadSoFar {
        since: since.to_owned(),
        until: until.map(str::to_owned),
        is_at_end,
    };
    records::item(record::READ_SO_FAR, None, &content).unwrap()
}

pub fn entry(id: u64, ico: &str, published_at: &str, form: &str) -> Item {
    let content = json!({
        "form": form, "number": "1/2025", "mark": format!("K{id}"), "published_at": published_at,
        "heading": format!("Podanie {id}"), "role": "debtor",
    });
    records::item(format!("{id}/{ico}"), Some(ico), &content).unwrap()
}

/// A stored entry of the register.
pub fn register_entry(id: u64, ico: &str, published_at: &str) -> Item {
    let content = json!({
        "kind": "zz", "section": "Obchodný register – zmeny zapísaných údajov", "number": "1/2025",
        "mark": format!("Sro/{id}"), "published_at": published_at, "heading": "Zmeny zapísaných údajov",
        "role": "company",
    });
    records::item(format!("{id}/{ico}"), Some(ico), &content).unwrap()
}
