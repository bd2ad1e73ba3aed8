//! Expected responses, derived from the simulator's data by code that shares nothing with the connectors, and the
//! same values extracted from responses.

mod administrators;
mod contracts;
mod decisions;
mod details;
mod executions;
mod fines;
mod funds;
mod leis;
mod lists;
mod notices;
mod off_lists;
mod partners;
mod proceedings;
mod procurement_bans;
mod projects;
pub mod statements;
mod supervision;
mod tax;
mod tax_lists;
mod tenders;
mod trades;
mod union_notices;

use lustra_tests::Answer;
use lustra_tests::World;
use lustra_tests::register_simulator::population::{Address, BANKS, SourceRegister};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use crate::support::at;

/// The expected values of a topic for a company on a day.
type Truth = fn(&Population, &Company, u32) -> Value;

/// The values of a topic in a response.
type Reported = fn(&Value) -> Value;

const TOPICS: &[(&str, Truth, Reported)] = &[
    (
        "administrators",
        administrators::truth,
        administrators::reported,
    ),
    ("contracts", contracts::truth, contracts::reported),
    ("decisions", decisions::truth, decisions::reported),
    ("executions", executions::truth, executions::reported),
    ("lists", lists::truth, lists::reported),
    ("fines", fines::truth, fines::reported),
    ("funds", funds::truth, funds::reported),
    ("leis", leis::truth, leis::reported),
    ("notices", notices::truth, notices::reported),
    ("partners", partners::truth, partners::reported),
    ("proceedings", proceedings::truth, proceedings::reported),
    ("projects", projects::truth, projects::reported),
    (
        "procurement_bans",
        procurement_bans::truth,
        procurement_bans::reported,
    ),
    ("statements", statements::truth, statements::reported),
    ("supervision", supervision::truth, supervision::reported),
    ("tax_lists", tax_lists::truth, tax_lists::reported),
    ("tenders", tenders::truth, tenders::reported),
    ("trades", trades::truth, trades::reported),
    (
        "union_notices",
        union_notices::truth,
        union_notices::reported,
    ),
];

/// The expected values for a company today.
pub fn truth_in(world: &World, company: &Company) -> Value {
    let day = world.simulator.clock().day();
    let mut truth = truth(company);
    for (topic, of, _) in TOPICS {
        truth[*topic] = of(world.simulator.population(), company, day);
    }
    truth
}

/// Compares the values of one topic in a response with those expected for the company today.
pub fn assert_topic(topic: &str, world: &World, company: &Company, answer: &Answer) {
    let mut topics = TOPICS.iter();
    let (_, truth, reported) = topics
        .find(|(name, _, _)| *name == topic)
        .expect("a topic of the list");
    let day = world.simulator.clock().day();
    let truth = truth(world.simulator.population(), company, day);
    let reported = reported(at(&answer.body, "/data"));
    assert_eq!(reported, truth, "{topic} of {}", company.ico);
}

/// The expected section on European funds today, with all its lists on.
pub fn funds_with_all_lists(world: &World, company: &Company) -> Value {
    let day = world.simulator.clock().day();
    off_lists::truth(world.simulator.population(), company, day)
}

/// The values of the section on European funds in a response.
pub fn reported_funds(answer: &Answer) -> Value {
    funds::reported(at(&answer.body, "/data"))
}

/// The expected values from registers that never change.
pub fn truth(company: &Company) -> Value {
    json!({
        "base": base(company),
        "details": details::details(company),
        "tax": tax::tax(company),
        "tax_reliability": tax::reliability(company),
        "erased_vat": tax::erased_vat(company),
        "bank_accounts": sorted(company.bank_accounts.iter().map(|iban| account(iban)).collect()),
        "debts": tax::debts(company),
    })
}

/// The values in a response with all scopes.
pub fn reported(answer: &Answer) -> Value {
    let data = at(&answer.body, "/data");
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let accounts = list(&data["bank_accounts"]);
    let accounts = accounts.map(|account| {
        let names = ["iban", "bank_name", "bank"];
        names.map(|name| text(&account[name])).join(" ")
    });
    let mut reported = json!({
        "base": reported_base(answer),
        "details": details::reported_details(data),
        "tax": tax::reported_tax(&data["tax"]),
        "tax_reliability": data["tax_reliability"],
        "erased_vat": data["erased_vat"],
        "bank_accounts": sorted(accounts.collect()),
        "debts": tax::reported_debts(&data["debtor_status"]),
    });
    for (topic, _, of) in TOPICS {
        reported[*topic] = of(data);
    }
    reported
}

/// The values of the operator-supplied lists in a response.
pub fn reported_of_lists(answer: &Answer) -> Value {
    lists::reported(at(&answer.body, "/data"))
}

/// The base data in a response.
pub fn reported_base(answer: &Answer) -> Value {
    let base = [
        "ico",
        "name",
        "legal_form",
        "legal_form_code",
        "address",
        "established_date",
        "terminated_date",
        "source_register",
        "status",
        "nace_code",
        "nace_description",
    ];
    picked(at(&answer.body, "/data"), &base)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn picked(value: &Value, names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| ((*name).to_owned(), value[*name].clone()))
        .collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

/// An account and its bank, which only Slovak account numbers contain.
fn account(iban: &str) -> String {
    let code = iban.strip_prefix("SK").map(|digits| &digits[2..6]);
    let bank = BANKS.iter().find(|(own, _)| Some(*own) == code);
    let name = bank.map_or("none", |(_, name)| name);
    format!("{iban} {name} {name}")
}

fn base(company: &Company) -> Value {
    let seat = company.seat();
    let is_active = company.ending.is_none();
    json!({
        "ico": company.ico,
        "name": company.name(),
        "legal_form": company.legal_form.text(),
        "legal_form_code": company.legal_form.code(),
        "address": {
            "street": match &seat.street {
                Some(street) => format!("{street} {}", house(seat)),
                None => house(seat),
            },
            "city": seat.city,
            "postal_code": seat.postal_code,
            "country": seat.country,
            "country_code": if seat.country_code == "703" { "SK" } else { "another" },
        },
        "established_date": company.established.to_string(),
        "terminated_date": company.ending.as_ref().map(|ending| ending.date.to_string()),
        "source_register": if company.source_register == SourceRegister::Commercial { "orsr" } else { "rpo" },
        "status": match &company.ending {
            None => "active",
            Some(ending) if ending.is_erased_error => "deleted",
            Some(_) => "terminated",
        },
        // The register has no activity for a company that has ended.
        "nace_code": is_active.then_some(if company.nace.is_old { company.nace.old_class } else { company.nace.class }),
        "nace_description": is_active.then_some(company.nace.title),
    })
}

/// As on an envelope: the building's registration number, a slash, the street number.
fn house(address: &Address) -> String {
    match (&address.building_number, address.reg_number) {
        (Some(number), 0) => number.clone(),
        (Some(number), registration) => format!("{registration}/{number}"),
        (None, registration) => registration.to_string(),
    }
}

/// The cents of a JSON number in EUR, from its decimal digits.
fn cents(amount: &Value) -> Value {
    let text = amount.to_string();
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{rest:0<2}")
        .parse::<u64>()
        .map_or_else(|_| amount.clone(), Value::from)
}
