//! Expected values for legal entity identifiers.

use lustra_tests::register_simulator::population::leis::{Lei, Parent, leis};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::picked;

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let all = leis(company);
    let Some((shown, others)) = all.split_first() else {
        return Value::Null;
    };
    let ([lei, name, exception], top) = (parent(&shown.direct), parent(&shown.ultimate));
    let [top_lei, top_name, top_exception] = top;
    json!({
        "lei": shown.lei,
        "name": shown.name,
        "status": status(shown),
        "registration_status": shown.registration,
        "registered_on": shown.since.to_string(),
        "next_renewal": shown.renewal.map(|day| day.to_string()),
        "bic": shown.bic,
        "parent_lei": lei,
        "parent_name": name,
        "parent_exception": exception,
        "ultimate_parent_lei": top_lei,
        "ultimate_parent_name": top_name,
        "ultimate_parent_exception": top_exception,
        "other_leis": others.iter().map(other).collect::<Vec<_>>(),
        "unread": null,
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["gleif"];
    if section.is_null() {
        return Value::Null;
    }
    picked(
        section,
        &[
            "lei",
            "name",
            "status",
            "registration_status",
            "registered_on",
            "next_renewal",
            "bic",
            "parent_lei",
            "parent_name",
            "parent_exception",
            "ultimate_parent_lei",
            "ultimate_parent_name",
            "ultimate_parent_exception",
            "other_leis",
            "unread",
        ],
    )
}

fn status(lei: &Lei) -> &'static str {
    if lei.is_active { "ACTIVE" } else { "INACTIVE" }
}

fn other(lei: &Lei) -> Value {
    json!({ "lei": lei.lei, "status": status(lei), "registration_status": lei.registration })
}

/// Identifier, name and exception.
fn parent(parent: &Parent) -> [Option<&str>; 3] {
    match parent {
        Parent::Record(lei, name) => [Some(lei), Some(name), None],
        Parent::Exception(reason) => [None, None, Some(reason)],
        Parent::Nothing | Parent::Gone => [None, None, None],
    }
}
