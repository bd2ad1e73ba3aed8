//! Expected values for execution authorizations.

use lustra_tests::register_simulator::population::executions::{Creditor, authorizations};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::picked;

const AUTHORIZATION: [&str; 12] = [
    "ecli",
    "authorization_number",
    "court_file_number",
    "court",
    "executor_name",
    "enforced_claim",
    "creditors",
    "creditor_icos",
    "authorized_at",
    "published_at",
    "status",
    "is_active",
];

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let all = authorizations(company);
    let reported = all.iter().map(|one| {
        let mut creditors: Vec<&str> = Vec::new();
        let mut icos: Vec<&str> = Vec::new();
        for creditor in &one.creditors {
            let (name, ico) = match creditor {
                Creditor::Company { name, ico } => (name.as_str(), Some(ico.as_str())),
                Creditor::Foreign { name } => (*name, None),
                // A natural person is never named.
                Creditor::Person { .. } => ("fyzická osoba", None),
            };
            creditors.push(name);
            icos.extend(ico);
        }
        json!({
            "ecli": one.ecli,
            "authorization_number": one.number,
            "court_file_number": one.file_number,
            "court": one.court,
            "executor_name": one.executor,
            "enforced_claim": one.claim,
            "creditors": once_each(creditors),
            "creditor_icos": once_each(icos),
            "authorized_at": one.authorized.to_string(),
            "published_at": one.published.map(|date| date.to_string()),
            "status": if one.is_active { "Aktuálny" } else { "Neaktuálny" },
            "is_active": one.is_active,
        })
    });
    let reported = by_ecli(reported.collect());
    json!({
        "has_active_authorizations": all.iter().any(|one| one.is_active),
        "total_count": all.len(),
        "authorizations": reported,
        "unread": [],
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["execution_authorizations"];
    let mut reported = picked(
        section,
        &["has_active_authorizations", "total_count", "unread"],
    );
    let all = section["authorizations"].as_array().into_iter().flatten();
    reported["authorizations"] = by_ecli(all.map(|one| picked(one, &AUTHORIZATION)).collect());
    reported
}

fn once_each(texts: Vec<&str>) -> Vec<&str> {
    let mut once: Vec<&str> = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    once
}

/// Sorted, because the order of the list is arbitrary.
fn by_ecli(mut all: Vec<Value>) -> Value {
    all.sort_by_key(|one| one["ecli"].to_string());
    all.into()
}
