//! Expected values for the supervision of the national bank.
//!
//! The lists have no history, so the expected history is that of a host that has imported them daily since the first
//! day.

use lustra_tests::register_simulator::population::LegalForm;
use lustra_tests::register_simulator::population::supervision::{
    Licence, Service, licences, services,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::{list, sorted};

struct Reported {
    text: String,
    category: String,
    valid_from: Option<String>,
    first_seen_on: String,
    ended_on: Option<String>,
    source: &'static str,
}

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let (first, today) = (population.date(0), population.date(day));
    let of_licence = |licence: Licence| {
        let was_seen = licence.since <= today && licence.until.is_none_or(|until| until > first);
        // Of several spellings, the alphabetically first.
        let text = shown(licence.spellings.iter().min()?);
        was_seen.then(|| Reported {
            category: licence.category.map_or_else(|| text.clone(), str::to_owned),
            text,
            valid_from: None,
            first_seen_on: licence.since.max(first).to_string(),
            ended_on: licence
                .until
                .filter(|until| *until <= today)
                .map(|until| until.to_string()),
            source: "institutions",
        })
    };
    let of_service = |service: Service| {
        (service.from <= today).then(|| Reported {
            text: service.name.to_owned(),
            category: service.name.to_owned(),
            valid_from: Some(service.from.to_string()),
            first_seen_on: service.from.max(first).to_string(),
            ended_on: service
                .to
                .filter(|last| *last < today)
                .map(|last| last.to_string()),
            source: "psd2-services",
        })
    };
    let own = licences(company).into_iter().filter_map(of_licence);
    let all: Vec<Reported> = own
        .chain(services(company).into_iter().filter_map(of_service))
        .collect();
    // The tenth company is listed without a licence.
    let was_listed = company.index == 10 || all.iter().any(|one| one.source == "institutions");
    let in_force = || all.iter().filter(|reported| reported.ended_on.is_none());
    json!({
        "is_regulated": in_force().next().is_some(),
        "license_types": unique(in_force().map(|reported| reported.text.clone())),
        "categories": unique(in_force().map(|reported| reported.category.clone())),
        "entity_id": was_listed,
        "is_natural_person": company.legal_form == LegalForm::Trader,
        "licences": in_order(all.iter().map(entry)),
        "agents_count": 0,
    })
}

fn entry(reported: &Reported) -> Value {
    json!({
        "category": reported.category,
        "license_type": reported.text,
        "sector": null,
        "country": "SK",
        "regfap_number": null,
        "valid_from": reported.valid_from,
        "parent": null,
        "status": if reported.ended_on.is_none() { "current" } else { "ended" },
        "first_seen_on": reported.first_seen_on,
        "ended_on": reported.ended_on,
        "source": reported.source,
    })
}

/// On one line, with ordinary spaces.
fn shown(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn in_order(licences: impl Iterator<Item = Value>) -> Value {
    let mut licences: Vec<Value> = licences.collect();
    licences.sort_by_key(|one| {
        ["source", "license_type", "valid_from"].map(|name| one[name].to_string())
    });
    licences.into()
}

fn unique(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts = sorted(texts.collect());
    texts.dedup();
    texts
}

/// The same values, extracted from a response's `data`. Of the subject's id only whether there is one.
pub fn reported(data: &Value) -> Value {
    let mut section = data["nbs"].clone();
    if section.is_object() {
        section["entity_id"] = data["nbs"]["entity_id"].is_string().into();
        section["licences"] = in_order(list(&data["nbs"]["licences"]).cloned());
    }
    section
}
