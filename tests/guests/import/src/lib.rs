//! A connector with endless lists, lists that end, and lists that read the store.

use std::hint::black_box;

use lustra_sdk::http::Request;
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Batch, Failure, ImportRun, Importer, Item, Notes, failure, malformed, records};

pub struct Import;

lustra_sdk::export!(Import: Importer);

impl Importer for Import {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        let kind = match dataset {
            "endless" => Kind::Endless,
            "empty" => Kind::Empty,
            "stuck" => Kind::Stuck,
            "waiting" => Kind::Waiting,
            "waiting-to-open" => {
                ask()?;
                Kind::Fine
            }
            "fine" => Kind::Fine,
            // Only the records of a later run are visible at once.
            "chained" if cursor.is_some() => Kind::Chained,
            "chained" => Kind::Fine,
            "large" => return large(),
            "large-copied" => return copied(),
            _ => return Err(failure::not_offered(dataset)),
        };
        Ok(Box::new(Run { kind, records: 0 }))
    }
}

/// The company of all large records.
const ICO: &str = "99999994";

/// Eight records of 300 KiB.
fn large() -> Result<Box<dyn ImportRun>, Failure> {
    let content = "x".repeat(300 << 10);
    let items = (0..8).map(|number| records::item(number.to_string(), Some(ICO), &content));
    Snapshot::of(items.collect::<Result<_, _>>()?, Notes::default(), None).open(None)
}

/// One record for each large record, as found by its company and by its key.
fn copied() -> Result<Box<dyn ImportRun>, Failure> {
    let by_company = records::all_of_company("large", ICO)?;
    let by_key = records::all_of_key("large", "")?;
    let by_company = by_company
        .iter()
        .map(|stored| format!("company/{}", stored.key));
    let by_key = by_key.iter().map(|stored| format!("key/{}", stored.key));
    let items = by_company
        .chain(by_key)
        .map(|key| records::item(key, Some(ICO), &true));
    Snapshot::of(items.collect::<Result<_, _>>()?, Notes::default(), None).open(None)
}

enum Kind {
    Endless,
    Empty,
    Stuck,
    Waiting,
    Fine,
    Chained,
}

/// Batches of a later run of the dataset `chained`.
const CHAINED: u64 = 20;

struct Run {
    kind: Kind,
    records: u64,
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        match self.kind {
            Kind::Fine if self.records == 1 => return Ok(None),
            Kind::Stuck => wait_for_ever(),
            Kind::Waiting => ask()?,
            Kind::Chained if self.records == CHAINED => return Ok(None),
            Kind::Chained => find_batch(self.records)?,
            Kind::Fine | Kind::Endless | Kind::Empty => {}
        }
        self.records += 1;
        let mut batch = batch(self.records);
        if let Kind::Empty = self.kind {
            batch.items.clear();
        }
        Ok(Some(batch))
    }
}

/// Fails unless the record of the batch before is in the store.
fn find_batch(number: u64) -> Result<(), Failure> {
    let key = number.to_string();
    let stored = records::all_of_key("chained", &key)?;
    if number > 0 && !stored.iter().any(|record| record.key == key) {
        return Err(malformed(
            "chained",
            "the record of the batch before",
            "none",
        ));
    }
    Ok(())
}

fn ask() -> Result<(), Failure> {
    Request::get("register", "/never").send().map(drop)
}

fn wait_for_ever() {
    while black_box(true) {
        black_box(());
    }
}

fn batch(number: u64) -> Batch {
    let item = Item {
        key: number.to_string(),
        ico: None,
        name: None,
        city: None,
        postal_code: None,
        content: "{}".to_owned(),
        removed: false,
    };
    Batch {
        items: vec![item],
        companies: Vec::new(),
        cursor: number.to_string(),
        list_date: None,
        progress: None,
        notes: Vec::new(),
    }
}
