//! Expected values for bans from public procurement.
//!
//! The register has no history, so the expected history is that of a host that has imported it daily since the first
//! day.

use lustra_tests::register_simulator::population::procurement::{Ban, bans};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::list;

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let (first, today) = (population.date(0), population.date(day));
    let was_seen = |ban: &Ban| ban.final_on <= today && ban.left.is_none_or(|left| left > first);
    let known: Vec<Ban> = bans(company).into_iter().filter(was_seen).collect();
    let reported = |ban: &Ban| {
        let left = ban.left.filter(|left| *left <= today);
        let is_over = ban.until.is_some_and(|until| until < today);
        let status = if left.is_some_and(|left| ban.until.is_none_or(|until| left <= until)) {
            "removed"
        } else if is_over {
            "ended"
        } else if ban.from > today {
            "upcoming"
        } else {
            "active"
        };
        let persons = ban
            .persons
            .iter()
            .map(|(name, role)| json!({ "name": name, "role": role }));
        json!({
            "status": status,
            "decision_number": ban.decision,
            "decision_date": ban.decided.to_string(),
            "final_on": ban.final_on.to_string(),
            "legal_basis": "§ 182 ods. 3 písm. b) zákona č. 343/2015 Z. z.",
            "violation_reason": ban.reason,
            "banned_from": ban.from.to_string(),
            "banned_until": ban.until.map(|until| until.to_string()),
            "related_persons": persons.collect::<Vec<_>>(),
            "first_seen_on": ban.final_on.max(first).to_string(),
            "removed_on": left.map(|left| left.to_string()),
        })
    };
    let all: Vec<Value> = known.iter().map(reported).collect();
    json!({
        "is_debarred": all.iter().any(|ban| ban["status"] == "active"),
        "is_listed": !all.is_empty(),
        "bans": in_order(all),
    })
}

fn in_order(mut bans: Vec<Value>) -> Value {
    bans.sort_by_key(|ban| ban["decision_number"].to_string());
    bans.into()
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["debarred"];
    json!({
        "is_debarred": section["is_debarred"],
        "is_listed": section["is_listed"],
        "bans": in_order(list(&section["bans"]).cloned().collect()),
    })
}
