//! A connector with endless lists, and one list that ends.

use std::hint::black_box;

use lustra_sdk::http::Request;
use lustra_sdk::{Batch, Failure, ImportRun, Importer, Item, failure};

pub struct Import;

lustra_sdk::export!(Import: Importer);

impl Importer for Import {
    fn open(dataset: &str, _cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
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
            _ => return Err(failure::not_offered(dataset)),
        };
        Ok(Box::new(Run { kind, records: 0 }))
    }
}

enum Kind {
    Endless,
    Empty,
    Stuck,
    Waiting,
    Fine,
}

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
