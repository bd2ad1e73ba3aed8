//! Expected values for trades.

use lustra_tests::register_simulator::population::{Activity, SourceRegister};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::list;

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let source = match company.source_register {
        SourceRegister::Trades => "trade_register",
        SourceRegister::Commercial => "commercial_register",
        SourceRegister::FlatOwners | SourceRegister::Associations => return json!([]),
    };
    let today = population.date(day);
    let trade = |activity: &Activity| {
        let ending = company.ending.as_ref().map(|ending| ending.date);
        let until = activity.until.or(ending);
        let is_paused = activity
            .suspended
            .is_some_and(|(from, to)| (from..=to).contains(&today));
        let status = if until.is_some_and(|until| until < today) {
            "ended"
        } else if is_paused {
            "suspended"
        } else {
            "active"
        };
        json!({
            "activity": activity.text,
            "status": status,
            "since": activity.since.to_string(),
            "until": until.map(|until| until.to_string()),
            "suspended_from": activity.suspended.map(|(from, _)| from.to_string()),
            "suspended_to": activity.suspended.map(|(_, to)| to.to_string()),
            "source": source,
            "office": company.registration_office,
            "registration_number": company.registration_number,
        })
    };
    in_order(company.activities.iter().map(trade))
}

fn in_order(trades: impl Iterator<Item = Value>) -> Value {
    let mut trades: Vec<Value> = trades.collect();
    trades.sort_by_key(|one| ["activity", "since", "until"].map(|name| one[name].to_string()));
    trades.into()
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let reported = &data["trade_license_activities"];
    if reported.is_array() {
        in_order(list(reported).cloned())
    } else {
        reported.clone()
    }
}
