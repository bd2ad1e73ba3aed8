//! Expected values for fines for illegal employment.

use lustra_tests::register_simulator::population::fines::fines;
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::list;

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let today = population.date(day);
    let mut all = fines(company);
    all.retain(|one| one.is_listed(today));
    let entries = all.iter().map(|one| {
        json!({
            "violation_date": one.violated.map(|date| date.to_string()),
            "decision_date": one.decided.to_string(),
            "decision_number": one.number,
            "legal_basis": one.provision,
            "inspectorate": one.inspectorate,
        })
    });
    json!({
        "listed": !all.is_empty(),
        "count": all.len(),
        "since": all.iter().map(|one| one.decided.to_string()).min(),
        "entries": in_order(entries.collect()),
        "unread": null,
    })
}

/// The same values, extracted from a response's `data`. The address depends on the list's day, so it is not compared.
pub fn reported(data: &Value) -> Value {
    let section = &data["illegal_employment"];
    let entries = list(&section["entries"]).cloned().map(|mut entry| {
        if let Some(members) = entry.as_object_mut() {
            members.remove("address");
        }
        entry
    });
    json!({
        "listed": section["listed"],
        "count": section["count"],
        "since": section["since"],
        "entries": in_order(entries.collect()),
        "unread": section["unread"],
    })
}

fn in_order(mut entries: Vec<Value>) -> Value {
    entries
        .sort_by_key(|one| ["decision_date", "decision_number"].map(|name| one[name].to_string()));
    entries.into()
}
