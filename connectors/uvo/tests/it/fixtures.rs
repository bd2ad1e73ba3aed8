//! Every folder of `fixtures/` is a case: a page, and the expected result. `UPDATE_FIXTURES=1` writes the
//! results; review the diff.

use lustra_sdk::testing::fixtures::{Case, every_case, failed};
use lustra_sdk::{Failure, Notes};
use lustra_uvo::labels::Pairs;
use lustra_uvo::reference::{self, Details, Reference};
use lustra_uvo::settings::{Debarred, Lists, References, Settings};
use lustra_uvo::{block, listing, site, table};
use serde_json::{Value, json};

#[test]
fn every_fixture_matches() {
    every_case(37, &[], |case| {
        read(case).unwrap_or_else(|failure| {
            let mut found = failed(&failure);
            if let Failure::Malformed(drift) = &failure {
                found["found"] = json!(drift.found);
            }
            found
        })
    });
}

fn read(case: &Case) -> Result<Value, Failure> {
    let page = site::page(case.text())?;
    let lists = Lists::default();
    match case.name.split('-').next().unwrap() {
        "debarred" => {
            let total = listing::total(&page, block::LIST, &lists)?;
            if total == 0 {
                return Ok(json!({ "total": 0 }));
            }
            let mut notes = Notes::default();
            let blocks = block::read(&page, &Debarred::default(), &mut notes)?;
            let notes: Vec<Value> = notes
                .fields()
                .into_iter()
                .map(|note| json!([note.name, note.value]))
                .collect();
            let bans: Vec<Value> = blocks.iter().map(|block| json!(block.ban)).collect();
            let mut read = json!({ "total": total, "bans": bans, "notes": notes });
            let unreadable: Vec<&String> =
                blocks.iter().flat_map(|block| &block.unreadable).collect();
            if !unreadable.is_empty() {
                read["unreadable"] = json!(unreadable);
            }
            Ok(read)
        }
        "references" => {
            let settings = References::default();
            let total = listing::total(&page, reference::LIST, &lists)?;
            let columns = reference::columns(&settings);
            let (rows, odd) = table::sift(table::rows(&page.document, reference::LIST, &columns)?)?;
            let rows = rows
                .iter()
                .map(|row| Ok(Reference::of(row, &settings, &lists)?.map(|one| json!(one))))
                .collect::<Result<Vec<_>, Failure>>()?;
            let mut read = json!({ "total": total, "references": rows });
            if odd > 0 {
                read["odd"] = json!(odd);
            }
            Ok(read)
        }
        "reference" => {
            let details = Details::of(
                &page,
                "R-2026-0001",
                &References::default(),
                &Settings::default().site,
            )?;
            Ok(json!({ "details": details }))
        }
        "profile" => {
            let settings = lustra_uvo::settings::Authorities::default();
            let pairs = Pairs::of(&page.document);
            let text = pairs.text("classification", &settings.classification)?;
            let class = text.as_deref().map(lustra_uvo::classification::of);
            Ok(json!({ "text": text, "class": class }))
        }
        other => panic!("no reader for {other}"),
    }
}
