//! Runs every reader over every case of `fixtures/`: a folder with an input and the expected result. The folder's name
//! begins with the reader's. `UPDATE_FIXTURES=1` writes the results.

use lustra_executions::authorization::authorizations;
use lustra_executions::import::Run;
use lustra_executions::list::Rows;
use lustra_executions::page::{self, About};
use lustra_executions::settings::{Members, States};
use lustra_sdk::testing::fixtures::{Case, every_case, told};
use lustra_sdk::text::decode_utf8_or_windows_1250;
use lustra_sdk::{Failure, ImportRun};
use serde_json::{Value, from_str, json};

/// The requested IČO in all cases of the service.
const WANTED: &str = "99999943";

fn read_page(text: &str) -> Result<Value, Failure> {
    let page = page::read(text, WANTED, &Members::default())?;
    let (mut entries, mut creditor, mut others) = (Vec::new(), 0, 0);
    for row in page.rows {
        match row.about {
            About::Obligor(entry) => entries.push(*entry),
            About::Creditor => creditor += 1,
            About::Others => others += 1,
        }
    }
    Ok(json!({
        "total": page.total,
        "as_of": page.as_of,
        "authorizations": authorizations(entries, &States::default())?,
        "rows_as_creditor": creditor,
        "rows_of_others": others,
    }))
}

fn read_list(text: &str) -> Result<Value, Failure> {
    let mut run = Run::new(Rows::open("list", text.as_bytes(), States::default())?);
    let (mut items, mut notes, mut list_date) = (Vec::new(), Vec::new(), None);
    while let Some(batch) = run.next()? {
        list_date = batch.list_date;
        notes.extend(batch.notes.into_iter().map(|note| (note.name, note.value)));
        for item in batch.items {
            let content: Value = from_str(&item.content).expect("content is JSON");
            items.push(json!({"key": item.key, "ico": item.ico, "content": content}));
        }
    }
    let notes: serde_json::Map<String, Value> = notes
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    Ok(json!({"list_date": list_date, "items": items, "notes": notes}))
}

fn read(case: &str, input: &[u8]) -> Result<Value, Failure> {
    let text = decode_utf8_or_windows_1250(input);
    if case.starts_with("page-") {
        read_page(&text)
    } else if case.starts_with("list-") {
        read_list(&text)
    } else {
        panic!("{case}: no reader has this name");
    }
}

#[test]
fn every_case_reads_as_expected() {
    every_case(41, &[], |case| {
        read(&case.name, &case.input).unwrap_or_else(|failure| told(&failure))
    });
}

#[test]
fn truncated_answer_or_list_gives_no_half_row() {
    let page = Case::of("page-found").input;
    // The line end behind the object carries no information.
    for length in 0..page.len() - 1 {
        assert!(
            read("page-", &page[..length]).is_err(),
            "cut at {length}, taken for whole"
        );
    }
    let list = Case::of("list-current").input;
    let whole = read("list-", &list).expect("it is whole");
    let whole = whole["items"].as_array().expect("a list");
    for length in 0..list.len() {
        if let Ok(cut) = read("list-", &list[..length]) {
            let items = cut["items"].as_array().expect("a list");
            let is_readable = |item: &&Value| item["content"].get("unreadable_row").is_none();
            let items: Vec<&Value> = items.iter().filter(is_readable).collect();
            let whole: Vec<&Value> = whole.iter().take(items.len()).collect();
            assert_eq!(items, whole, "cut at {length}");
        }
    }
}

/// A reader that returns one byte at a time.
struct Drops<'a>(&'a [u8]);

impl std::io::Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(0);
        };
        into[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn list_read_byte_by_byte_is_equal() {
    let list = Case::of("list-current").input;
    let drops = std::io::BufReader::new(Drops(&list));
    let rows = Rows::open("list", drops, States::default()).expect("the header is known");
    let batch = Run::new(rows).next().expect("it is whole");
    assert_eq!(batch.map(|batch| batch.items.len()), Some(3));
}
