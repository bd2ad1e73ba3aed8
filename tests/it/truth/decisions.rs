//! Expected values for decisions of courts.

use lustra_tests::register_simulator::population::decisions::{Decision, decisions};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::{list, picked};

/// The simulator returns ten decisions per page, and five pages are read.
const LOOKED_THROUGH: usize = 50;
/// Number of shown decisions.
const RECENT: usize = 20;

/// Expected values on a day.
pub fn truth(_: &Population, company: &Company, _: u32) -> Value {
    let all = decisions(company);
    let read = all.iter().take(LOOKED_THROUGH);
    let proven: Vec<&Decision> = read.clone().filter(|one| one.mention.proves()).collect();
    let is_complete = all.len() <= LOOKED_THROUGH;
    let oldest = read.clone().next_back().map(|one| one.date.to_string());
    json!({
        "total": proven.len(),
        "recent": proven.iter().take(RECENT).map(|one| shown(one)).collect::<Vec<_>>(),
        "complete": is_complete,
        "found": all.len(),
        "unproven": read.count() - proven.len(),
        "read_since": oldest.filter(|_| !is_complete),
    })
}

fn shown(one: &Decision) -> Value {
    json!({
        "id": format!("{}:{}", one.id, one.document),
        "decision_date": one.date.to_string(),
        "court": one.court,
        "case_number": one.file_mark,
        "role": one.party.word(),
        "ruling": one.natures.join(", "),
        "decision_type": one.form,
        "pdf_url": format!("https://obcan.justice.sk/content/public/item/{}", one.document),
    })
}

/// The same values, extracted from a response's `data`. Omits what depends on the day of the reading.
pub fn reported(data: &Value) -> Value {
    let section = &data["court_decisions"];
    let members = ["total", "complete", "found", "unproven", "read_since"];
    let mut reported = picked(section, &members);
    let members = [
        "id",
        "decision_date",
        "court",
        "case_number",
        "role",
        "ruling",
        "decision_type",
        "pdf_url",
    ];
    let recent = list(&section["recent"]).map(|one| picked(one, &members));
    reported["recent"] = recent.collect();
    reported
}
