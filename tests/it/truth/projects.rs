//! Expected values for projects with aid from public funds.

use lustra_tests::register_simulator::population::projects::{Project, Recipient, projects};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::contracts::known;
use super::{list, picked};

/// Number of shown projects.
const LATEST: usize = 10;

/// Expected values on a day.
pub fn truth(_: &Population, company: &Company, _: u32) -> Value {
    let mut own = projects(company);
    own.retain(|one| one.recipient != Recipient::Absent);
    let known: Vec<u64> = own
        .iter()
        .filter_map(|one| one.amount)
        .map(|amount| amount.0)
        .collect();
    let sum: u64 = known.iter().sum();
    json!({
        "count": own.len(),
        "total_cents": sum,
        "currency": "EUR",
        "without_amount": own.len() - known.len(),
        "latest": own.iter().take(LATEST).map(shown).collect::<Vec<_>>(),
        "complete": true,
        "since": null,
        "unread": null,
    })
}

fn shown(one: &Project) -> Value {
    json!({
        "crp_id": one.id.to_string(),
        "name": one.name,
        "provider": one.provider,
        "help_type": one.help_type,
        "cents": one.amount.map(|amount| amount.0),
        "published_at": one.published.map(|day| day.to_string()),
        "signed_at": one.signed.to_string(),
        "start": one.start.map(|day| day.to_string()),
        "end": one.end.map(|day| day.to_string()),
        "detail_url": format!("https://www.crp.gov.sk/{}-sk/projekt/", one.id),
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["crp_projects"];
    let members = [
        "count",
        "currency",
        "without_amount",
        "complete",
        "since",
        "unread",
    ];
    let mut reported = picked(section, &members);
    reported["total_cents"] = known(&section["total_value"]);
    let members = [
        "crp_id",
        "name",
        "provider",
        "help_type",
        "published_at",
        "signed_at",
        "start",
        "end",
        "detail_url",
    ];
    let latest = list(&section["latest"]).map(|one| {
        let mut shown = picked(one, &members);
        shown["cents"] = known(&one["amount"]);
        shown
    });
    reported["latest"] = latest.collect();
    reported
}
