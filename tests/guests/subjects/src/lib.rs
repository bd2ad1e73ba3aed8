//! A connector that offers a list as a collection. The list is JSON: records with key, company and content.

use lustra_sdk::http::Request;
use lustra_sdk::serde_json::Value;
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun, Importer, Notes, failure, http, records};

pub struct Subjects;

lustra_sdk::export!(Subjects: Importer);

impl Importer for Subjects {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        if dataset != "subjects" && dataset != "ties" {
            return Err(failure::not_offered(dataset));
        }
        let answer = Request::get("list", "").fetch()?;
        let rows: Vec<Value> = http::read_json("list", &answer.body.text(None)?)?;
        let items = rows.iter().map(|row| {
            let text = |name: &str| row.get(name).and_then(Value::as_str);
            let content = row.get("content").cloned().unwrap_or_default();
            records::item(text("key").unwrap_or_default(), text("ico"), &content)
        });
        let items: Vec<_> = items.collect::<Result<_, _>>()?;
        Snapshot::of(items, Notes::default(), None).open(cursor.as_deref())
    }
}
