//! A connector with a short list of companies in JSON, read in three ways that treat an odd row differently.

use lustra_sdk::http::Request;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun, Importer, Notes, failure, http, ico, malformed, records};

pub struct Rows;

lustra_sdk::export!(Rows: Importer);

impl Importer for Rows {
    fn open(dataset: &str, _cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            "rows-refused" => read(OddRow::Refused),
            "rows-dropped" => read(OddRow::Dropped),
            "rows-counted" => read(OddRow::Counted),
            _ => Err(failure::not_offered(dataset)),
        }
    }
}

/// How a list treats an odd row.
#[derive(Clone, Copy)]
enum OddRow {
    /// The row fails the list.
    Refused,
    /// The row is skipped and not counted.
    Dropped,
    /// The row is skipped and counted.
    Counted,
}

fn read(odd_row: OddRow) -> Result<Box<dyn ImportRun>, Failure> {
    let answer = Request::get("register", "/rows").fetch()?;
    let rows: Vec<Value> = http::read_json("register", &answer.body.text(None)?)?;
    let (mut items, mut notes) = (Vec::new(), Notes::default());
    for row in rows {
        notes.row();
        match (
            row.get("ico").and_then(Value::as_str).and_then(ico::parse),
            odd_row,
        ) {
            (Some(ico), _) => items.push(records::item(ico.as_str(), Some(&ico), &json!({}))?),
            (None, OddRow::Refused) => return Err(malformed("row", "a company", row.to_string())),
            (None, OddRow::Dropped) => {}
            (None, OddRow::Counted) => notes.odd("unreadable_rows"),
        }
    }
    notes.check_odd_rows("rows")?;
    Snapshot::of(items, notes, None).open(None)
}
