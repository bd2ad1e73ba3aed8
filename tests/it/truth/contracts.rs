//! Expected values for contracts with the state.

use lustra_tests::register_simulator::population::Money;
use lustra_tests::register_simulator::population::contracts::{
    Contract, Effective, State, first_day, of_company,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::{cents, list, picked};

/// Expected values on a day, from the files up to the day before.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let yesterday = population.date(day).previous_day().expect("a day before");
    let all = of_company(population, company, yesterday);
    let is = |state: fn(State) -> bool| all.iter().filter(move |contract| state(contract.state));
    let in_force = |state| state == State::Published;
    let mut counted: Vec<&Contract> = all.iter().filter(|contract| contract.counts()).collect();
    counted.sort_by_key(|contract| (contract.published, contract.id));
    let known: Vec<Money> = counted
        .iter()
        .filter_map(|contract| contract.worth())
        .collect();
    let sum: u64 = known.iter().map(|money| money.0).sum();
    json!({
        "count": counted.len(),
        "total_cents": (counted.is_empty() || !known.is_empty()).then_some(sum),
        "currency": "EUR",
        "without_amount": counted.len() - known.len(),
        "orders": counted.iter().filter(|contract| contract.is_order()).count(),
        "amendments": is(in_force).filter(|contract| contract.amendment.is_some()).count(),
        "cancelled": is(|state| matches!(state, State::Cancelled | State::Withdrawn)).count(),
        "latest": counted.iter().rev().take(10).map(|contract| shown(contract)).collect::<Vec<_>>(),
        "since": first_day(population).to_string(),
        "unread": null,
    })
}

fn shown(contract: &Contract) -> Value {
    let effective = match contract.effective {
        Effective::On(day) => Some(day.to_string()),
        Effective::InWords | Effective::Unknown => None,
    };
    json!({
        "id": contract.id.to_string(),
        "number": contract.number,
        "subject": contract.subject,
        // A buyer without a number may be a private person.
        "buyer": {
            "name": contract.buyer_ico.as_ref().map(|_| contract.buyer),
            "ico": contract.buyer_ico,
        },
        "cents": contract.agreed.map(|money| money.0),
        "total_cents": contract.total.map(|money| money.0),
        "signed_at": contract.signed.map(|day| day.to_string()),
        "effective_from": effective,
        "published_at": contract.published.to_string(),
        "url": format!("https://www.crz.gov.sk/zmluva/{}/", contract.id),
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["public_contracts_summary"];
    let members = [
        "count",
        "currency",
        "without_amount",
        "orders",
        "amendments",
        "cancelled",
        "since",
        "unread",
    ];
    let mut reported = picked(section, &members);
    reported["total_cents"] = known(&section["total_value"]);
    reported["latest"] = list(&section["latest"])
        .map(|contract| {
            let members = [
                "id",
                "number",
                "subject",
                "buyer",
                "signed_at",
                "effective_from",
                "published_at",
                "url",
            ];
            let mut shown = picked(contract, &members);
            shown["cents"] = known(&contract["amount"]);
            shown["total_cents"] = known(&contract["total_amount"]);
            shown
        })
        .collect();
    reported
}

/// The cents of an amount, which may be unknown.
pub(super) fn known(amount: &Value) -> Value {
    if amount.is_null() {
        Value::Null
    } else {
        cents(amount)
    }
}
